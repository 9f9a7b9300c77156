"""Sets that leave the frame iterate as they would have: how they came to be decides, not only what is in them."""
LOG = []
TABLE = {}


def pause(value):
    LOG.append(list(value))
    return value


def union(numbers):
    made = set([a * b for a in numbers for b in (2, 0, -1)]) | {0}
    pause(made)
    return list(made)


def shrunk(numbers):
    made = set(range(40))
    for n in numbers:
        made.discard(n * 5)
    made -= set(range(3, 30))
    return made, frozenset(made), made ^ {1, 100}


def grown(numbers):
    made = frozenset(numbers)
    more = made | frozenset(n + 8 for n in numbers)
    return more, more & {n + 8 for n in numbers}, {*more, *numbers}


CALLS = [('union', ('[3, 7, 1]',)), ('union', ('[14, 6]',)), ('shrunk', ('[1, 2, 3]',)), ('grown', ('[1, 9, 17, 33]',)), ('grown', ('[8, 16, 0]',))]
