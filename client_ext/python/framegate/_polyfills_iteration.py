"""itertools in Python, as _polyfills has other C functions: generator functions, so that what they give is consumed as the originals would be. As those do,
they take the iterators of their arguments at once. What is known of the generators: translator/builtins/lazy_iterators.def."""
import itertools
import operator


def count(start=0, step=1):
    if not (_is_number(start) and _is_number(step)):
        raise TypeError("a number is required")
    return _count(start, step)


def _is_number(value):
    return hasattr(value, "__index__") or hasattr(value, "__int__") or hasattr(value, "__float__") or isinstance(value, complex)


def _count(start, step):
    while True:
        item = start
        start = start + step
        yield item


def cycle(iterable, /):
    return _cycle(iter(iterable))


def _cycle(iterator):
    saved = []
    for item in iterator:
        yield item
        saved.append(item)
    while saved:
        for item in saved:
            yield item


def repeat(object, times=None):
    return _repeat_forever(object) if times is None else _repeat(object, max(operator.index(times), 0))


def _repeat_forever(object):
    while True:
        yield object


def _repeat(object, times):
    while times > 0:
        times -= 1
        yield object


def accumulate(iterable, func=None, *, initial=None):
    return _accumulate(iter(iterable), func, initial)


def _accumulate(iterator, func, initial):
    if initial is None:
        for total in iterator:
            break
        else:
            return
    else:
        total = initial
    yield total
    for item in iterator:
        total = total + item if func is None else func(total, item)
        yield total


def batched(iterable, n, *, strict=False):
    if n < 1:
        raise ValueError("n must be at least one")
    return _batches(iter(iterable), n, strict)


def _batches(iterator, n, strict):
    while True:
        batch = []
        for item in iterator:
            batch.append(item)
            if len(batch) == n:
                break
        if not batch:
            return
        if strict and len(batch) != n:
            raise ValueError("batched(): incomplete batch")
        yield tuple(batch)


def chain(*iterables):
    return _chain(iter(iterables))


def chain_from_iterable(*arguments):
    return _chain(iter(arguments[-1]))


def chain_of(iterables):
    """The constructor of new code for what _chain stands for."""
    return itertools.chain.from_iterable(iterables)


def _chain(iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


def compress(data, selectors):
    return _compress(iter(data), iter(selectors))


def _compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


def dropwhile(predicate, iterable, /):
    return _dropwhile(predicate, iter(iterable))


def _dropwhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def takewhile(predicate, iterable, /):
    return _takewhile(predicate, iter(iterable))


def _takewhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            return
        yield item


def filterfalse(function, iterable, /):
    return _filterfalse(function, iter(iterable))


def _filterfalse(function, iterator):
    for item in iterator:
        if not (item if function is None else function(item)):
            yield item


def groupby(iterable, key=None):
    return _groupby(iter(iterable), key)


def _groupby(iterator, key):
    state = {"exhausted": False, "id": None}

    def advance():
        for item in iterator:
            state["item"] = item
            state["key"] = item if key is None else key(item)
            return True
        state["exhausted"] = True
        return False

    def _group(wanted, token):
        while not state["exhausted"] and state["id"] is token and state["key"] == wanted:
            yield state["item"]
            if not advance():
                return

    if not advance():
        return
    while not state["exhausted"]:
        current = state["key"]
        token = state["id"] = object()
        yield current, _group(current, token)
        while not state["exhausted"] and state["key"] == current:
            advance()


def islice(iterable, *args):
    bounds = slice(*args)
    start, stop, step = bounds.start, bounds.stop, bounds.step
    if stop is not None and not (isinstance(stop, int) and stop >= 0):
        if len(args) == 1:
            raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if start is not None and not (isinstance(start, int) and start >= 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step is not None and not (isinstance(step, int) and step > 0):
        raise ValueError("Step for islice() must be a positive integer or None.")
    return _slices(iter(iterable), 0 if start is None else start, stop, 1 if step is None else step)


def _slices(iterator, start, stop, step):
    at = 0
    wanted = start
    while stop is None or wanted < stop:
        for item in iterator:
            at += 1
            if at > wanted:
                break
        else:
            return
        yield item
        wanted += step
    if stop is not None:
        while at < stop:
            for item in iterator:
                at += 1
                break
            else:
                return


def pairwise(iterable, /):
    return _pairwise(iter(iterable))


def _pairwise(iterator):
    for before in iterator:
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


def starmap(function, iterable, /):
    return _starmap(function, iter(iterable))


def _starmap(function, iterator):
    for arguments in iterator:
        yield function(*tuple(arguments))


def tee(iterable, n=2, /):
    if n < 0:
        raise ValueError("n must be >= 0")
    iterator = iter(iterable)
    queues = [[] for _ in range(n)]
    return tuple([_branch(iterator, queues, queue) for queue in queues])


def _branch(iterator, queues, queue):
    while True:
        if not queue:
            for item in iterator:
                for other in queues:
                    other.append(item)
                break
            else:
                return
        yield queue.pop(0)


def zip_longest(*iterables, fillvalue=None):
    return _zip_longest([iter(iterable) for iterable in iterables], fillvalue)


def _zip_longest(iterators, fillvalue):
    active = len(iterators)
    while active:
        values = []
        for place, iterator in enumerate(iterators):
            value = fillvalue
            if iterator is not None:
                for value in iterator:
                    break
                else:
                    active -= 1
                    if not active:
                        return
                    iterators[place] = None
                    value = fillvalue
            values.append(value)
        yield tuple(values)


def product(*iterables, repeat=1):
    pools = [tuple(iterable) for iterable in iterables] * repeat
    return _products(pools)


def _products(pools):
    if any([not pool for pool in pools]):
        return
    places = [0] * len(pools)
    while True:
        yield tuple([pool[place] for pool, place in zip(pools, places)])
        for at in reversed(range(len(pools))):
            places[at] += 1
            if places[at] < len(pools[at]):
                break
            places[at] = 0
        else:
            return


def permutations(iterable, r=None):
    pool = tuple(iterable)
    if r is None:
        r = len(pool)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _permutations(pool, r)


def _permutations(pool, r):
    n = len(pool)
    if r > n:
        return
    indices = list(range(n))
    cycles = list(range(n, n - r, -1))
    yield tuple([pool[i] for i in indices[:r]])
    while n:
        for i in reversed(range(r)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple([pool[k] for k in indices[:r]])
                break
        else:
            return


def combinations(iterable, r):
    pool = tuple(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _combinations(pool, r)


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _combinations_with_replacement(pool, r)


def _combinations(pool, r):
    for indices in _indices(len(pool), r, 1):
        yield tuple([pool[i] for i in indices])


def _combinations_with_replacement(pool, r):
    for indices in _indices(len(pool), r, 0):
        yield tuple([pool[i] for i in indices])


def _indices(n, r, distance):
    """Of places, those that grow by at least `distance` from place to place."""
    if (r > n and distance) or (r and not n):
        return
    indices = list(range(r)) if distance else [0] * r
    while True:
        yield indices
        for place in reversed(range(r)):
            if indices[place] != (place + n - r if distance else n - 1):
                break
        else:
            return
        first = indices[place] + 1
        for at in range(place, r):
            indices[at] = first
            first += distance
