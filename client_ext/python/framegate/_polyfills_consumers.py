"""C functions that consume an iterator, and C iterators over others, in Python as _polyfills has them: inlined only for generators, so that they
can break inside."""
from collections import deque as _deque
from sys import version_info as _version_info

_missing = object()


def all_of(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True


def any_of(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


def list_of(iterable, /):
    made = []
    for item in iterable:
        made.append(item)
    return made


def list_extend(self, iterable, /):
    for item in iterable:
        list.append(self, item)


def tuple_of(iterable, /):
    made = []
    for item in iterable:
        made.append(item)
    return tuple(made)


def set_of(iterable, /):
    made = set()
    for item in iterable:
        made.add(item)
    return made


def frozenset_of(iterable, /):
    made = set()
    for item in iterable:
        made.add(item)
    return frozenset(made)


def deque_of(iterable, maxlen=None):
    made = _deque(maxlen=maxlen)
    for item in iterable:
        made.append(item)
    return made


def sorted_of(iterable, /, *, key=None, reverse=False):
    made = []
    for item in iterable:
        made.append(item)
    made.sort(key=key, reverse=reverse)
    return made


def str_join(self, iterable, /):
    parts = []
    for item in iterable:
        parts.append(item)
    return str.join(self, parts)


def first_of(iterable, most, /):
    """What unpacking takes: so many items, or all with -1."""
    made = []
    for item in iterable:
        made.append(item)
        if len(made) == most:
            break
    return tuple(made)


def contains_of(iterable, wanted, /):
    for item in iterable:
        if item is wanted or item == wanted:
            return True
    return False


def _pair(item, place):
    if type(item) is not tuple:
        try:
            item = tuple(item)
        except TypeError:
            raise TypeError(f"cannot convert dictionary update sequence element #{place} to a sequence") from None
    if len(item) != 2:
        raise ValueError(f"dictionary update sequence element #{place} has length {len(item)}; 2 is required")
    return item


def dict_of(iterable, /, **keywords):
    made, place = {}, 0
    for item in iterable:
        key, value = _pair(item, place)
        made[key] = value
        place += 1
    made.update(keywords)
    return made


def dict_update(self, iterable, /, **keywords):
    place = 0
    for item in iterable:
        key, value = _pair(item, place)
        dict.__setitem__(self, key, value)
        place += 1
    dict.update(self, keywords)


def max_of(iterable, /, *more, key=None, default=_missing):
    if more:
        return max(iterable, *more, key=key)
    best = best_value = _missing
    for item in iterable:
        value = item if key is None else key(item)
        if best_value is _missing or value > best_value:
            best, best_value = item, value
    return _found(best, default, "max")


def min_of(iterable, /, *more, key=None, default=_missing):
    if more:
        return min(iterable, *more, key=key)
    best = best_value = _missing
    for item in iterable:
        value = item if key is None else key(item)
        if best_value is _missing or value < best_value:
            best, best_value = item, value
    return _found(best, default, "min")


def _found(best, default, name):
    if best is not _missing:
        return best
    if default is _missing:
        raise ValueError(f"{name}() iterable argument is empty" if _version_info >= (3, 12) else f"{name}() arg is an empty sequence")
    return default


def sum_of(iterable, /, start=0):
    """Numbers at the beginning are added by sum() itself, which rounds them once."""
    total, numbers, only_numbers = start, [], True
    for item in iterable:
        if only_numbers and type(item) in (int, float, bool):
            numbers.append(item)
        else:
            if only_numbers:
                total, only_numbers = sum(numbers, total), False
            total = total + item
    return sum(numbers, total) if only_numbers else total


def next_of(iterator, /):
    """next() of a generator that returns None."""
    for item in iterator:
        return item
    raise StopIteration


def next_or(iterator, default, /):
    for item in iterator:
        return item
    return default


def enumerate_of(source, number):
    for item in source:
        yield number, item
        number += 1


def zip_of(sources):
    while True:
        items = []
        for source in sources:
            for item in source:
                break
            else:
                return
            items.append(item)
        yield tuple(items)


def map_of(function, sources):
    for items in zip_of(sources):
        yield function(*items)
