"""itertools in Python, as _polyfills has other C functions: generator functions, so that what they give is consumed as the originals would be."""


def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable, /):
    saved = []
    for item in iterable:
        yield item
        saved.append(item)
    while saved:
        for item in saved:
            yield item


def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    while times > 0:
        times -= 1
        yield object


def accumulate(iterable, func=None, *, initial=None):
    iterator = iter(iterable)
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
    for iterable in iterables:
        for item in iterable:
            yield item


def chain_from_iterable(*arguments):
    iterables = arguments[-1]
    for iterable in iterables:
        for item in iterable:
            yield item


def compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


def dropwhile(predicate, iterable, /):
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def takewhile(predicate, iterable, /):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def filterfalse(function, iterable, /):
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def groupby(iterable, key=None):
    iterator = iter(iterable)
    state = {"exhausted": False, "id": None}

    def advance():
        for item in iterator:
            state["item"] = item
            state["key"] = item if key is None else key(item)
            return True
        state["exhausted"] = True
        return False

    def group(wanted, token):
        while not state["exhausted"] and state["id"] is token and state["key"] == wanted:
            yield state["item"]
            if not advance():
                return

    if not advance():
        return
    while not state["exhausted"]:
        current = state["key"]
        token = state["id"] = object()
        yield current, group(current, token)
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
    iterator = iter(iterable)
    for before in iterator:
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


def starmap(function, iterable, /):
    for arguments in iterable:
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
    iterators = [iter(iterable) for iterable in iterables]
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
    return _combinations(pool, r, 1)


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _combinations(pool, r, 0)


def _combinations(pool, r, distance):
    """Indices that grow by at least `distance` from place to place."""
    n = len(pool)
    if (r > n and distance) or (r and not n):
        return
    indices = list(range(r)) if distance else [0] * r
    while True:
        yield tuple([pool[i] for i in indices])
        for place in reversed(range(r)):
            if indices[place] != (place + n - r if distance else n - 1):
                break
        else:
            return
        first = indices[place] + 1
        for at in range(place, r):
            indices[at] = first
            first += distance
