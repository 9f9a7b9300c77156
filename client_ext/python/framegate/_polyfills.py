"""Python code that the translator interprets in place of C functions that call back into Python.

The daemon asks for these functions by name and inlines them like a user's; their frames do not show in tracebacks. They must behave as the
C function does, with its errors, and use nothing but builtins.
"""


def iter_by_index(sequence):
    """iter() of an object that has __getitem__ and no __iter__."""
    index = 0
    while True:
        try:
            item = sequence[index]
        except (IndexError, StopIteration):
            return
        yield item
        index += 1


def filter_items(function, iterable):
    """builtins.filter."""
    if function is None:
        for item in iterable:
            if item:
                yield item
    else:
        for item in iterable:
            if function(item):
                yield item


def zip_strict(*iterables, strict=False):
    """builtins.zip with its keyword."""
    iterators = [iter(iterable) for iterable in iterables]
    if not iterators:
        return
    while True:
        items = []
        for place, iterator in enumerate(iterators):
            try:
                items.append(next(iterator))
            except StopIteration:
                if not strict:
                    return
                if place > 0:
                    before = "argument 1" if place == 1 else f"arguments 1-{place}"
                    raise ValueError(f"zip() argument {place + 1} is shorter than {before}") from None
                sentinel = object()
                for later, other in enumerate(iterators[1:], 2):
                    if next(other, sentinel) is not sentinel:
                        before = "argument 1" if later == 2 else f"arguments 1-{later - 1}"
                        raise ValueError(f"zip() argument {later} is longer than {before}") from None
                return
        yield tuple(items)


_missing = object()


def reduce(function, sequence, initial=_missing, /):
    """functools.reduce."""
    iterator = iter(sequence)
    if initial is _missing:
        for value in iterator:
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    else:
        value = initial
    for item in iterator:
        value = function(value, item)
    return value


def divmod_of(a, b, /):
    """builtins.divmod: __divmod__, then __rdivmod__."""
    for owner, name, other in ((a, "__divmod__", b), (b, "__rdivmod__", a)):
        method = getattr(type(owner), name, None)
        if method is not None:
            value = method(owner, other)
            if value is not NotImplemented:
                return value
    raise TypeError(f"unsupported operand type(s) for divmod(): '{type(a).__name__}' and '{type(b).__name__}'")


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


def chain_from_iterable(cls, iterables, /):
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
        yield function(*arguments)


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


def dict_fromkeys(cls, iterable, value=None, /):
    made = cls()
    for key in iterable:
        made[key] = value
    return made


def dict_popitem(self, /):
    if not self:
        raise KeyError("popitem(): dictionary is empty")
    key = list(dict.keys(self))[-1]
    value = dict.__getitem__(self, key)
    dict.__delitem__(self, key)
    return key, value


def dict_ior(self, other, /):
    dict.update(self, other)
    return self


def ordered_move_to_end(self, key, last=True):
    value = dict.__getitem__(self, key)
    if last:
        dict.__delitem__(self, key)
        dict.__setitem__(self, key, value)
        return
    items = [(k, v) for k, v in dict.items(self) if k != key]
    dict.clear(self)
    dict.__setitem__(self, key, value)
    for k, v in items:
        dict.__setitem__(self, k, v)


def ordered_popitem(self, last=True):
    keys = list(dict.keys(self))
    if not keys:
        raise KeyError("dictionary is empty")
    key = keys[-1] if last else keys[0]
    value = dict.__getitem__(self, key)
    dict.__delitem__(self, key)
    return key, value


def count_elements(mapping, iterable, /):
    for item in iterable:
        mapping[item] = mapping.get(item, 0) + 1


def list_remove(self, value, /):
    for place, item in enumerate(self):
        if item is value or item == value:
            list.pop(self, place)
            return
    raise ValueError("list.remove(x): x not in list")


def list_sort(self, /, *, key=None, reverse=False):
    self[:] = sorted(self, key=key, reverse=reverse)


def list_imul(self, times, /):
    self[:] = list(self) * times
    return self


def set_update(self, /, *others):
    for other in others:
        for item in other if not isinstance(other, (set, frozenset)) else _unordered(other):
            set.add(self, item)


def set_remove(self, item, /):
    if item not in self:
        raise KeyError(item)
    set.discard(self, item)


def set_discard(self, item, /):
    if item in self:
        _set_delete(self, item)


def set_union(self, /, *others):
    result = self
    for other in others:
        result = result | (other if isinstance(other, (set, frozenset)) else set(other))
    return result if others else result | set()


def set_intersection(self, /, *others):
    result = self
    for other in others:
        result = result & (other if isinstance(other, (set, frozenset)) else set(other))
    return result if others else result | set()


def set_difference(self, /, *others):
    result = self
    for other in others:
        result = result - (other if isinstance(other, (set, frozenset)) else set(other))
    return result if others else result | set()


def set_symmetric_difference(self, other, /):
    return self ^ (other if isinstance(other, (set, frozenset)) else set(other))


def set_intersection_update(self, /, *others):
    self &= set_intersection(self, *others)


def set_difference_update(self, /, *others):
    for other in others:
        self -= other if isinstance(other, (set, frozenset)) else set(other)


def set_symmetric_difference_update(self, other, /):
    self ^= other if isinstance(other, (set, frozenset)) else set(other)


def set_issubset(self, other, /):
    return self <= (other if isinstance(other, (set, frozenset)) else set(other))


def set_issuperset(self, other, /):
    return self >= (other if isinstance(other, (set, frozenset)) else set(other))


def set_isdisjoint(self, other, /):
    for item in other if not isinstance(other, (set, frozenset)) else _unordered(other):
        if item in self:
            return False
    return True


def _matches(exception, condition):
    if isinstance(condition, (type, tuple)):
        return isinstance(exception, condition)
    return bool(condition(exception))


def _same_fields(group, like):
    group.__traceback__ = like.__traceback__
    group.__context__ = like.__context__
    group.__cause__ = like.__cause__
    if hasattr(like, "__notes__"):
        group.__notes__ = list(like.__notes__)
    return group


def group_split(self, condition, /):
    """BaseExceptionGroup.split: (what matches, the rest)."""
    if isinstance(condition, type):
        valid = issubclass(condition, BaseException)
    elif isinstance(condition, tuple):
        valid = all([isinstance(kind, type) and issubclass(kind, BaseException) for kind in condition])
    else:
        valid = callable(condition)
    if not valid:
        raise TypeError("expected a function, exception type or tuple of exception types")
    if _matches(self, condition):
        return self, None
    matching, rest = [], []
    for part in self.exceptions:
        if isinstance(part, BaseExceptionGroup):
            match, other = group_split(part, condition)
            if match is not None:
                matching.append(match)
            if other is not None:
                rest.append(other)
        elif _matches(part, condition):
            matching.append(part)
        else:
            rest.append(part)
    return (_same_fields(self.derive(matching), self) if matching else None, _same_fields(self.derive(rest), self) if rest else None)


def group_subgroup(self, condition, /):
    return group_split(self, condition)[0]


def match_group(exception, types):
    """CHECK_EG_MATCH: (match, rest)."""
    for kind in types if isinstance(types, tuple) else (types,):
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(kind, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
    if exception is None:
        return None, None
    if isinstance(exception, types):
        if isinstance(exception, BaseExceptionGroup):
            return exception, None
        group = BaseExceptionGroup("", [exception]) if not isinstance(exception, Exception) else ExceptionGroup("", [exception])
        group.__traceback__ = exception.__traceback__
        return group, None
    if isinstance(exception, BaseExceptionGroup):
        return exception.split(types)
    return None, exception


def _leaves(exception, into):
    if isinstance(exception, BaseExceptionGroup):
        for part in exception.exceptions:
            _leaves(part, into)
    else:
        into.append(exception)


def _projection(group, keep):
    """The part of a group whose leaves are in `keep`, by identity."""
    return group_split(group, lambda e: not isinstance(e, BaseExceptionGroup) and any([e is k for k in keep]))[0]


def reraise_star(original, raised):
    """What a try statement with except* raises in the end, or None."""
    raised = [e for e in raised if e is not None]
    if not raised:
        return None
    if not isinstance(original, BaseExceptionGroup):
        return raised[0]
    new, old = [], []
    for exception in raised:
        is_part = exception.__traceback__ is original.__traceback__ and isinstance(exception, BaseExceptionGroup) \
            and exception.__context__ is original.__context__ and exception.__cause__ is original.__cause__
        if is_part:
            old.append(exception)
        else:
            new.append(exception)
    if old:
        leaves = []
        for exception in old:
            _leaves(exception, leaves)
        again = _projection(original, leaves)
        if not new:
            return again
        new.append(again)
    if len(new) == 1 and not old:
        return ExceptionGroup("", new) if isinstance(new[0], Exception) else BaseExceptionGroup("", new)
    return ExceptionGroup("", new) if all([isinstance(e, Exception) for e in new]) else BaseExceptionGroup("", new)


def _unordered(elements):
    """The elements of a set, in any order: for what does not show it. The translator has it for sets made in the frame too."""
    return tuple(elements)


def _set_delete(elements, item):
    elements.discard(item)


def itemgetter(item, *items):
    if not items:
        return lambda obj, /: obj[item]
    wanted = (item, *items)
    return lambda obj, /: tuple([obj[i] for i in wanted])


def _resolve_path(obj, path):
    for name in path:
        obj = getattr(obj, name)
    return obj


def attrgetter(attr, *attrs):
    paths = [name.split(".") for name in (attr, *attrs)]
    if not attrs:
        return lambda obj, /: _resolve_path(obj, paths[0])
    return lambda obj, /: tuple([_resolve_path(obj, path) for path in paths])


def methodcaller(name, /, *args, **kwargs):
    return lambda obj, /: getattr(obj, name)(*args, **kwargs)


def _async_send(generator, value):
    """A step of an asynchronous generator's body: the translator's own, as are the three after it."""
    raise NotImplementedError


def _async_throw(generator, exception):
    raise NotImplementedError


def _is_wrapped(item):
    raise NotImplementedError


def _unwrap(item):
    raise NotImplementedError


def async_next(generator):
    return async_send(generator, None)


def async_send(generator, value):
    try:
        item = _async_send(generator, value)
        while not _is_wrapped(item):
            try:
                sent = yield item
            except BaseException as error:
                item = _async_throw(generator, error)
            else:
                item = _async_send(generator, sent)
    except StopIteration:
        raise StopAsyncIteration from None
    return _unwrap(item)


def async_throw(generator, kind, value=None, traceback=None):
    exception = kind if isinstance(kind, BaseException) else value if isinstance(value, BaseException) else kind() if value is None else kind(value)
    try:
        item = _async_throw(generator, exception)
        while not _is_wrapped(item):
            try:
                sent = yield item
            except BaseException as error:
                item = _async_throw(generator, error)
            else:
                item = _async_send(generator, sent)
    except StopIteration:
        raise StopAsyncIteration from None
    return _unwrap(item)


def async_close(generator):
    try:
        item = _async_throw(generator, GeneratorExit())
        while not _is_wrapped(item):
            try:
                sent = yield item
            except BaseException as error:
                item = _async_throw(generator, error)
            else:
                item = _async_send(generator, sent)
    except (StopIteration, GeneratorExit):
        return
    raise RuntimeError("async generator ignored GeneratorExit")


def any_of(iterable):
    """builtins.any."""
    for item in iterable:
        if item:
            return True
    return False


def all_of(iterable):
    """builtins.all."""
    for item in iterable:
        if not item:
            return False
    return True
