"""What a generator does that is dropped before it has ended happens where it is dropped."""
PROGRAM = """
import framegate

framegate.config.graphless = "always"

def finally_(log):
    try:
        yield 1
        yield 2
    finally:
        log.append("closed")

class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(getattr(kind, "__name__", None))

def managed(log):
    with Manager(log):
        yield 1
        yield 2

def through(log):
    try:
        yield from finally_(log)
    finally:
        log.append("outer")

def loop(g, log):
    for value in g(log):
        break
    log.append("after")

def assigned(g, log):
    it = g(log)
    next(it)
    log.append("held")
    it = None
    log.append("after")

def temporary(g, log):
    log.append(next(g(log)))

def driven(g, log):
    def first():
        for value in g(log):
            return value
    log.append(first())

def consumed(g, log):
    log.append(list(zip(g(log), [5])))
    log.append(any(value == 1 for value in g(log)))

def in_a_list(g, log):
    held = [g(log)]
    next(held[0])
    log.append("held")
    held.pop()
    log.append("after")

def unpacked(g, log):
    try:
        value, = g(log)
    except ValueError:
        log.append("too many")

def at_the_end(g, log):
    it = g(log)
    log.append(next(it))
    return len(log)

def given_on(g, log):
    it = g(log)
    next(it)
    return it

for function in (loop, assigned, temporary, driven, consumed, in_a_list, unpacked, at_the_end, given_on):
    for g in (finally_, managed, through):
        compiled = framegate.compile(function, backend="eager")
        for _ in range(2):
            expected, actual = [], []
            results = function(g, expected), compiled(g, actual)
            assert expected == actual, (function.__name__, g.__name__, expected, actual)
            if function is given_on:
                assert list(results[0]) == list(results[1]) == [2] and expected == actual and expected
            else:
                assert results[0] == results[1]
print(framegate.stats()["graph_breaks"], framegate.stats()["entries"] >= 27)
"""


def test_dropped_generators_are_closed(place):
    assert place.python(PROGRAM).split("\n")[0] == "0 True"
