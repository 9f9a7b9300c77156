"""Ints that the program only counts on: the second call finds another number and is the same entry's."""
import pytest

import framegate

TOTAL = 0
TABLE = {"n": 0}


class Box:
    def __init__(self):
        self.count = 0
        self.inner = {"n": 5}


def counted(x):
    counted.calls += 1
    return x


def reset():
    global TOTAL
    TOTAL = counted.calls = 0
    TABLE["n"] = 0


def of_a_function(box):
    return counted(3)


def of_a_global(box):
    global TOTAL
    TOTAL += 2
    return 1


def of_a_dict(box):
    TABLE["n"] += 1
    box.inner["n"] -= 1


def of_an_object(box):
    box.count += 1
    box.count += 1
    return box


def given_back(box):
    box.count += 1
    return box.count


def state(box):
    return TOTAL, dict(TABLE), counted.calls, box.count, dict(box.inner)


@pytest.fixture(autouse=True)
def always():
    with framegate.config.patch(graphless="always"):
        yield


@pytest.mark.parametrize("fn", [of_a_function, of_a_global, of_a_dict, of_an_object, given_back], ids=lambda fn: fn.__name__)
def test_one_entry_counts(fn):
    seen = []
    for call in (fn, framegate.compile(fn, backend="eager", fullgraph=True)):
        reset()
        box = Box()
        framegate.reset_stats()
        seen.append([(call(box) is not box, state(box)) for _ in range(6)])
    assert seen[0] == seen[1]
    assert framegate.stats()["translations"] <= 1 and framegate.stats()["entries"] == 1


def test_other_types_are_another_entry():
    def f(box):
        box.count += 1
        return box.count

    compiled = framegate.compile(f, backend="eager", fullgraph=True)
    box = Box()
    for start in (0, 1.5, True, 10**30, 7):
        box.count = start
        assert (type(compiled(box)), box.count) == (type(start + 1), start + 1)


def test_a_count_that_decides():
    def f(box):
        box.count += 1
        if box.count % 3 == 0:
            box.inner["n"] = 0
            return "third"
        return "other"

    compiled = framegate.compile(f, backend="eager")
    box, twin = Box(), Box()
    assert [compiled(box) for _ in range(9)] == [f(twin) for _ in range(9)] and vars(box) == vars(twin)


def test_one_object_under_two_names():
    def f(a, b):
        a.count += 1
        b.count += 1
        return a.count, b.count

    compiled = framegate.compile(f, backend="eager")
    one, two = Box(), Box()
    assert [compiled(one, two), compiled(one, one), compiled(two, one)] == [(1, 1), (3, 3), (2, 4)]
