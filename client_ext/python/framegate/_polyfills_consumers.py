"""C functions that consume an iterator, and C iterators over others, in Python as _polyfills has them: inlined only for generators, so that they
can break inside."""
from collections import deque as _deque


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
