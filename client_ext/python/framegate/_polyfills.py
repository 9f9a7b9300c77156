"""Python code that the translator interprets in place of C functions that call back into Python.

The daemon asks for these functions by name and inlines them like a user's; their frames do not show in tracebacks. They must behave as the
C function does, with its errors, and use nothing but builtins.
"""
import math


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
    return _filter(function, iter(iterable))


def _filter(function, iterator):
    if function is None:
        for item in iterator:
            if item:
                yield item
    else:
        for item in iterator:
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


def list_sort(self, /, *args, key=None, reverse=False):
    if args:
        raise TypeError("sort() takes no positional arguments")
    self[:] = sorted(self, key=key, reverse=reverse)


def deque_remove(self, value, /):
    for place, item in enumerate(self):
        if item is value or item == value:
            del self[place]
            return
    raise ValueError(f"{value!r} is not in deque")


def round_of(number, ndigits=None):
    method = getattr(type(number), "__round__", None)
    if method is None:
        raise TypeError(f"type {type(number).__name__} doesn't define __round__ method")
    return method(number) if ndigits is None else method(number, ndigits)


def _converted(value, name, fallback):
    method = getattr(type(value), name, None)
    return fallback(float(value)) if method is None else method(value)


def floor(x, /):
    return _converted(x, "__floor__", math.floor)


def ceil(x, /):
    return _converted(x, "__ceil__", math.ceil)


def trunc(x, /):
    method = getattr(type(x), "__trunc__", None)
    if method is None:
        raise TypeError(f"type {type(x).__name__} doesn't define __trunc__ method")
    return method(x)


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    method = getattr(type(path), "__fspath__", None)
    if method is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    name = method(path)
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"expected {type(path).__name__}.__fspath__() to return str or bytes, not {type(name).__name__}")
    return name


def _as_complex(value):
    method = getattr(type(value), "__complex__", None)
    if method is not None and not isinstance(value, complex):
        made = method(value)
        if not isinstance(made, complex):
            raise TypeError(f"{type(value).__name__}.__complex__() must return a complex, not {type(made).__name__}")
        return made
    return float(value) if not isinstance(value, (int, float, complex, str)) else value


def complex_of(real=0, imag=0):
    return complex(_as_complex(real), _as_complex(imag)) if not isinstance(real, str) else complex(real)


def index(a, /):
    if isinstance(a, int):
        return a
    method = getattr(type(a), "__index__", None)
    if method is None:
        raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
    value = method(a)
    if not isinstance(value, int):
        raise TypeError(f"__index__ returned non-int (type {type(value).__name__})")
    return value


def unwrap(func, *, stop=None):
    """inspect.unwrap; a cycle is found before any limit is."""
    first, seen = func, [func]
    while not isinstance(func, type) and hasattr(func, "__wrapped__"):
        if stop is not None and stop(func):
            break
        func = func.__wrapped__
        if any([func is other for other in seen]):
            raise ValueError("wrapper loop when unwrapping {!r}".format(first))
        seen.append(func)
    return func


def list_imul(self, times, /):
    self[:] = list(self) * times
    return self


def set_update(self, /, *others):
    for other in others:
        if isinstance(other, (set, frozenset, dict)):
            _set_merge(self, other)
        else:
            for item in other:
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
    return _in_any_order(result) if others else result.copy()


def set_intersection(self, /, *others):
    result = self
    for other in others:
        result = result & (other if isinstance(other, (set, frozenset)) else set(other))
    return _in_any_order(result) if others else result.copy()


def set_difference(self, /, *others):
    result = self
    for other in others:
        result = result - (other if isinstance(other, (set, frozenset)) else set(other))
    return _in_any_order(result) if others else result.copy()


def set_symmetric_difference(self, other, /):
    return _in_any_order(self ^ (other if isinstance(other, (set, frozenset)) else set(other)))


def set_intersection_update(self, /, *others):
    self &= set_intersection(self, *others)
    _in_any_order(self)


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


def _unordered(elements):
    """The elements of a set, in any order: for what does not show it. The translator has it for sets made in the frame too."""
    return tuple(elements)


def _set_merge(elements, others):
    """set.update of a set or dict: the translator's own, as are those around it."""
    elements.update(others)


def _in_any_order(elements):
    return elements


def _set_delete(elements, item):
    elements.discard(item)


def itemgetter(*items):
    if not items:
        raise TypeError("itemgetter expected 1 argument, got 0")
    item, *items = items
    if not items:
        return lambda obj, /: obj[item]
    wanted = (item, *items)
    return lambda obj, /: tuple([obj[i] for i in wanted])


def _resolve_path(obj, path):
    for name in path:
        obj = getattr(obj, name)
    return obj


def attrgetter(*attrs):
    if not attrs:
        raise TypeError("attrgetter expected 1 argument, got 0")
    attr, *attrs = attrs
    for name in (attr, *attrs):
        if not isinstance(name, str):
            raise TypeError("attribute name must be a string")
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


def first_implemented(error, *calls):
    """An operator: the first of its methods that does not give NotImplemented."""
    for method, other in calls:
        value = method(other)
        if value is not NotImplemented:
            return value
    raise TypeError(error)


def length_of(method):
    """builtins.len of an object whose __len__ is this method."""
    length = method()
    if not isinstance(length, int):
        raise TypeError(f"'{type(length).__name__}' object cannot be interpreted as an integer")
    if length < 0:
        raise ValueError("__len__() should return >= 0")
    return length + 0
