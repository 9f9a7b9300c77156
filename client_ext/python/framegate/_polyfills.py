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
