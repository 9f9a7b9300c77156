"""Python code that the translator interprets in place of C functions of the standard library and of object's protocol.

As in `_polyfills`: the functions behave as the C functions do, with their errors. Where one of them cannot say, it calls the original through
`_really`, at which a translation ends.
"""
import copyreg
import functools
import sys
from types import SimpleNamespace

_VERSION = sys.version_info[:2]


def _really(function, /, *args, **kwargs):
    """The original itself: what the translator leaves to it."""
    return function(*args, **kwargs)


# --- operators and conversions


def pow_of(base, exp, mod=None):
    """builtins.pow."""
    if mod is None:
        return base ** exp
    method = getattr(type(base), "__pow__", None)
    if method is not None:
        value = method(base, exp, mod)
        if value is not NotImplemented:
            return value
    raise TypeError("unsupported operand type(s) for ** or pow(): "
                    f"'{type(base).__name__}', '{type(exp).__name__}', '{type(mod).__name__}'")


def bytes_of(*args, **kwargs):
    """builtins.bytes of one object that is not known by value."""
    if len(args) != 1 or kwargs:
        return _really(bytes, *args)
    value = args[0]
    method = getattr(type(value), "__bytes__", None)
    if method is not None and not isinstance(value, bytes):
        made = method(value)
        if not isinstance(made, bytes):
            raise TypeError(f"__bytes__ returned non-bytes (type {type(made).__name__})")
        return made
    method = getattr(type(value), "__index__", None)
    if method is not None:
        return bytes(method(value) + 0)
    if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
        raise TypeError(f"cannot convert '{type(value).__name__}' object to bytes")
    return bytes(tuple(value))


def length_hint(obj, default=0, /):
    """_operator.length_hint."""
    if not isinstance(default, int):
        raise TypeError(f"'{type(default).__name__}' object cannot be interpreted as an integer")
    try:
        return len(obj)
    except TypeError:
        pass
    method = getattr(type(obj), "__length_hint__", None)
    if method is None:
        return default
    try:
        hint = method(obj)
    except TypeError:
        return default
    if hint is NotImplemented:
        return default
    if not isinstance(hint, int):
        raise TypeError(f"__length_hint__ must be an integer, not {type(hint).__name__}")
    if hint < 0:
        raise ValueError("__length_hint__() should return >= 0")
    return hint


# --- copying: object.__reduce_ex__ and what C types have for it


def _slot_names(cls):
    names = []
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__"):
                continue
            if name.startswith("__") and not name.endswith("__"):
                stripped = base.__name__.lstrip("_")
                name = f"_{stripped}{name}" if stripped else name
            names.append(name)
    return names


def object_getstate(self, /):
    state = getattr(self, "__dict__", None) or None
    slots = {}
    for name in _slot_names(type(self)):
        try:
            slots[name] = getattr(self, name)
        except AttributeError:
            pass
    return (state, slots) if slots else state


def _is_of_python(cls):
    """Its instances are made of a dict, slots and what list or dict hold: nothing is hidden in C. A class statement says its module first."""
    return all([base in (object, list, dict) or list(base.__dict__.keys())[0] == "__module__" for base in cls.__mro__])


def object_reduce_ex(self, protocol, /):
    cls = type(self)
    if cls.__reduce__ is not object.__reduce__:
        return self.__reduce__()
    new_arguments = getattr(cls, "__getnewargs__", None)
    if protocol < 2 or hasattr(cls, "__getnewargs_ex__") or (new_arguments is None and not _is_of_python(cls)):
        return _really(object.__reduce_ex__, self, protocol)
    args = () if new_arguments is None else self.__getnewargs__()
    state = self.__getstate__()
    return (copyreg.__newobj__, (cls, *args), state, iter(self) if isinstance(self, list) else None,
            iter(self.items()) if isinstance(self, dict) else None)


def ordered_reduce(self, /):
    return type(self), (), object_getstate(self), None, iter(self.items())


def default_reduce(self, /):
    return type(self), () if self.default_factory is None else (self.default_factory,), None, None, iter(self.items())


def deque_reduce(self, /):
    return type(self), () if self.maxlen is None else ((), self.maxlen), object_getstate(self), iter(self)


def set_reduce(self, /):
    return type(self), (list(_unordered(self)),), object_getstate(self)


def exception_reduce(self, /):
    state = self.__dict__
    return (type(self), self.args, state) if state else (type(self), self.args)


def _unordered(elements):
    return tuple(elements)


# --- dir()


def _merge_names(names, cls):
    for name in cls.__dict__.keys():
        names[name] = None
    for base in cls.__bases__:
        _merge_names(names, base)


def object_dir(self, /):
    names = {}
    for name in getattr(self, "__dict__", {}):
        names[name] = None
    _merge_names(names, self.__class__)
    return list(names)


def type_dir(self, /):
    names = {}
    _merge_names(names, self)
    return list(names)


def module_dir(self, /):
    own = self.__dict__
    return own["__dir__"]() if "__dir__" in own else list(own)


# --- functools


class _Compared:
    """An object that compares by a function of two: functools.cmp_to_key."""

    __slots__ = ("compare", "obj")
    __hash__ = None

    def __init__(self, compare, obj):
        self.compare = compare
        self.obj = obj

    def __lt__(self, other):
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self.compare(self.obj, other.obj) > 0

    def __eq__(self, other):
        return self.compare(self.obj, other.obj) == 0

    def __le__(self, other):
        return self.compare(self.obj, other.obj) <= 0

    def __ge__(self, other):
        return self.compare(self.obj, other.obj) >= 0


def cmp_to_key(mycmp):
    return lambda obj: _Compared(mycmp, obj)


def lru_cache_of(function, maxsize, typed, info):
    """functools._lru_cache_wrapper: what is called, and its methods."""
    cache = {}
    counts = SimpleNamespace(hits=0, misses=0)

    def wrapper(*args, **kwargs):
        if maxsize == 0:
            counts.misses += 1
            return function(*args, **kwargs)
        key = functools._make_key(args, kwargs, typed)
        if key in cache:
            counts.hits += 1
            value = cache.pop(key)
            cache[key] = value
            return value
        counts.misses += 1
        value = function(*args, **kwargs)
        if maxsize is not None and len(cache) >= maxsize and key not in cache:
            del cache[list(cache)[0]]
        cache[key] = value
        return value

    def cache_info():
        return info(counts.hits, counts.misses, maxsize, len(cache))

    def cache_clear():
        cache.clear()
        counts.hits = counts.misses = 0

    return wrapper, cache_info, cache_clear


def single_dispatch(registry, cls):
    """The function for a class, as functools.singledispatch finds it, without its cache."""
    if cls in registry:
        return registry[cls]
    if any([type(kind) is not type for kind in registry]):
        return functools._find_impl(cls, registry)
    for base in cls.__mro__:
        if base in registry:
            return registry[base]
    return None


def methodcaller_of(name, args, kwargs):
    """operator.methodcaller with keywords, made again."""
    import operator
    return operator.methodcaller(name, *args, **kwargs)


# --- json


def json_encoder(markers, default, encoder, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan):
    """_json.Encoder, for what json.JSONEncoder.iterencode gives it."""

    def number(value):
        if value != value:
            text = "NaN"
        elif value == float("inf"):
            text = "Infinity"
        elif value == float("-inf"):
            text = "-Infinity"
        else:
            return float.__repr__(value)
        if not allow_nan:
            raise ValueError("Out of range float values are not JSON compliant" + (f": {value!r}" if _VERSION >= (3, 12) else ""))
        return text

    def scalar(value):
        if isinstance(value, str):
            return encoder(value)
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return number(value)
        return None

    def key_text(key):
        if isinstance(key, str):
            return key
        text = scalar(key)
        if text is not None:
            return text
        if skipkeys:
            return None
        raise TypeError(f"keys must be str, int, float, bool or None, not {key.__class__.__name__}")

    def inside(value, active):
        if any([value is other for other in active]):
            raise ValueError("Circular reference detected")
        return [*active, value]

    def joined(opening, parts, closing, depth):
        if indent is None:
            return opening + item_separator.join(parts) + closing
        line = "\n" + indent * (depth + 1)
        return opening + line + (item_separator + line).join(parts) + "\n" + indent * depth + closing

    def encode(value, active, depth):
        text = scalar(value)
        if text is not None:
            return text
        if isinstance(value, (list, tuple)):
            if not value:
                return "[]"
            active = inside(value, active)
            return joined("[", [encode(item, active, depth + 1) for item in value], "]", depth)
        if isinstance(value, dict):
            if not value:
                return "{}"
            active = inside(value, active)
            parts = []
            for key, item in sorted(value.items()) if sort_keys else value.items():
                name = key_text(key)
                if name is not None:
                    parts.append(encoder(name) + key_separator + encode(item, active, depth + 1))
            return joined("{", parts, "}", depth)
        return encode(default(value), inside(value, active), depth)

    return lambda value, level: (encode(value, [], 0),)
