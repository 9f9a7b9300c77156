"""Python code that the translator interprets in place of the C code of bytearray.

As in `_polyfills`. A bytearray is known by the bytes it holds; what the translator itself answers, names that begin with an underscore, does here
what it stands for.
"""
import sys

from framegate._polyfills_library import _really


def _made(content):
    return bytearray(content)


def _contents(array):
    return bytes(array)


def _assign(array, content):
    array[:] = content


def _plain(value):
    return _contents(value) if type(value) is bytearray else value


def _index(value):
    if not hasattr(type(value), "__index__"):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    return value.__index__()


def _byte(value):
    value = _index(value)
    if not 0 <= value <= 255:
        raise ValueError("byte must be in range(0, 256)")
    return value


def _joined(values):
    """Bytes of an iterable of ints."""
    return bytes([_byte(value) for value in values])


def bytearray_of(*args, **kwargs):
    """builtins.bytearray."""
    if kwargs or len(args) > 1:
        if len(args) > 0 and isinstance(args[0], str):
            return _made(bytes(*args, **kwargs))
        return _really(bytearray, *args, **kwargs)
    if not args:
        return _made(b"")
    value = args[0]
    if type(value) is bytes:
        return _made(value)
    if type(value) is bytearray:
        return _made(_contents(value))
    if isinstance(value, str):
        raise TypeError("string argument without an encoding")
    if isinstance(value, int):
        if value < 0:
            raise ValueError("negative count")
        return _made(b"\0" * value)
    if type(value) in (list, tuple, range, set, frozenset, dict) or not hasattr(type(value), "__len__"):
        if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
            return _really(bytearray, value)
        return _made(_joined(value))
    return _really(bytearray, value)


def by_bytes(name, self, /, *args, **kwargs):
    """A method that changes nothing: what bytes do, with a bytearray where bytes come out."""
    if name == "join":
        args = ([_plain(item) for item in args[0]],)
    args = [_plain(value) for value in args]
    value = getattr(bytes, name)(_contents(self), *args, **kwargs)
    if type(value) is bytes:
        return _made(value)
    if type(value) is list:
        return [_made(part) for part in value]
    if type(value) is tuple:
        return tuple([_made(part) for part in value])
    return value


def fromhex(cls, text, /):
    if cls is not bytearray:
        return _really(bytearray.fromhex, text)
    return _made(bytes.fromhex(text))


# --- methods that change it


def append(self, item, /):
    _assign(self, _contents(self) + bytes((_byte(item),)))


def extend(self, items, /):
    if type(items) in (bytes, bytearray):
        _assign(self, _contents(self) + _plain(items))
        return
    if isinstance(items, str) and sys.version_info >= (3, 13):
        raise TypeError("expected iterable of integers; got: 'str'")
    if not hasattr(type(items), "__iter__") and not hasattr(type(items), "__getitem__"):
        raise TypeError(f"can't extend bytearray with {type(items).__name__}")
    _assign(self, _contents(self) + _joined(items))


def insert(self, index, item, /):
    content, item, index = _contents(self), _byte(item), _index(index)
    _assign(self, content[:index] + bytes((item,)) + content[index:])


def pop(self, index=-1, /):
    content, index = _contents(self), _index(index)
    if not content:
        raise IndexError("pop from empty bytearray")
    if index < 0:
        index += len(content)
    if not 0 <= index < len(content):
        raise IndexError("pop index out of range")
    _assign(self, content[:index] + content[index + 1:])
    return content[index]


def remove(self, value, /):
    content, value = _contents(self), _byte(value)
    index = content.find(value)
    if index < 0:
        raise ValueError("value not found in bytearray")
    _assign(self, content[:index] + content[index + 1:])


def clear(self, /):
    _assign(self, b"")


def reverse(self, /):
    _assign(self, _contents(self)[::-1])


def copy_of(self, /):
    return _made(_contents(self))


# --- slots


def _place(content, key):
    """The index of one byte."""
    if not hasattr(type(key), "__index__"):
        raise TypeError(f"bytearray indices must be integers or slices, not {type(key).__name__}")
    index = key.__index__()
    if index < 0:
        index += len(content)
    if not 0 <= index < len(content):
        raise IndexError("bytearray index out of range")
    return index


def dunder_len(self, /):
    return len(_contents(self))


def dunder_getitem(self, key, /):
    content = _contents(self)
    if isinstance(key, slice):
        return _made(content[key])
    return content[_place(content, key)]


def dunder_setitem(self, key, value, /):
    if not isinstance(key, slice):
        content = _contents(self)
        index = _place(content, key)
        value = _byte(value)
        _assign(self, content[:index] + bytes((value,)) + content[index + 1:])
        return
    if type(value) not in (bytes, bytearray):
        if isinstance(value, (int, str)):
            raise TypeError("can assign only bytes, buffers, or iterables of ints in range(0, 256)")
        value = _joined(value)
    content, value = _contents(self), _plain(value)
    start, stop, step = key.indices(len(content))
    if step == 1:
        _assign(self, content[:start] + value + content[max(start, stop):])
        return
    places = range(start, stop, step)
    if not value:
        dunder_delitem(self, key)
        return
    if len(places) != len(value):
        raise ValueError(f"attempt to assign bytes of size {len(value)} to extended slice of size {len(places)}")
    items = list(content)
    items[key] = list(value)
    _assign(self, bytes(items))


def dunder_delitem(self, key, /):
    content = _contents(self)
    if not isinstance(key, slice):
        index = _place(content, key)
        _assign(self, content[:index] + content[index + 1:])
        return
    items = list(content)
    del items[key]
    _assign(self, bytes(items))


def dunder_iter(self, /):
    index = 0
    while index < len(_contents(self)):
        yield _contents(self)[index]
        index += 1


def dunder_contains(self, value, /):
    return _plain(value) in _contents(self)


def dunder_add(self, other, /):
    if type(other) not in (bytes, bytearray):
        raise TypeError(f"can't concat {type(other).__name__} to bytearray")
    return _made(_contents(self) + _plain(other))


def dunder_iadd(self, other, /):
    if type(other) not in (bytes, bytearray):
        raise TypeError(f"can't concat {type(other).__name__} to bytearray")
    if other is self and _contents(self):
        raise BufferError("Existing exports of data: object cannot be re-sized")
    _assign(self, _contents(self) + _plain(other))
    return self


def dunder_mul(self, count, /):
    if not hasattr(type(count), "__index__"):
        raise TypeError(f"can't multiply sequence by non-int of type '{type(count).__name__}'")
    return _made(_contents(self) * count.__index__())


def dunder_imul(self, count, /):
    if not hasattr(type(count), "__index__"):
        raise TypeError(f"can't multiply sequence by non-int of type '{type(count).__name__}'")
    _assign(self, _contents(self) * count.__index__())
    return self


def dunder_mod(self, values, /):
    if type(values) is tuple:
        values = tuple([_plain(value) for value in values])
    return _made(_contents(self) % _plain(values))


def dunder_repr(self, /):
    return f"bytearray({_contents(self)!r})"


def bytes_join(self, items, /):
    """bytes.join of what is not all known as bytes."""
    parts = [_contents(item) if type(item) is bytearray else item for item in items]
    for part in parts:
        if type(part) is not bytes:
            return _really(bytes.join, self, items)
    return bytes.join(self, tuple(parts))
