"""Frames that wait for the value of another: how each takes it, and what an exception makes of it."""
import pytest
import sys

from break_plans import at_call_named, breaks, call_of, fail, inner_plan, lines_of
from new_code import find, frame, instructions, plan, slots_of


def test_a_callee_breaks():
    def inner(a, stop):
        stop()
        return a * 2

    def outer(x, stop, inner):
        y = inner(x, stop)
        return x, y

    compiled = breaks(outer, ["x", "stop", "inner", "null", "inner", "x", "stop", *call_of("stop")], inner_plan(outer, inner))
    names = []

    def stop():
        names.append(sys._getframe(1).f_code.co_name)

    assert compiled(4, stop, inner) == (4, 8) and names == ["inner"]
    with pytest.raises(ValueError) as caught:
        compiled(4, fail, inner)
    assert lines_of(caught.value, outer, inner, fail) == [("outer", 1), ("inner", 1), ("fail", 1)]


def test_the_caller_catches_what_a_callee_raises():
    def inner(a, stop):
        try:
            stop()
        finally:
            a.append("inner")

    def outer(x, stop, inner):
        try:
            inner(x, stop)
        except ValueError as e:
            x.append(str(e))
        return x

    compiled = breaks(outer, ["x", "stop", "inner", "null", "inner", "x", "stop", *call_of("stop")], inner_plan(outer, inner))
    assert compiled([], fail, inner) == ["inner", "from outside"] and compiled([], list, inner) == ["inner"]


def test_ten_frames_deep():
    def leaf(stop, _):
        stop()
        return 1

    def node(stop, next):
        return 1 + next(stop, next)

    depth = 10
    call = find(node, "CALL")
    leaf_call = find(leaf, "CALL")
    one = 1
    frames = [frame(node, *call, depth=1, resume="push") for _ in range(depth)] + [frame(leaf, *leaf_call, depth=2, pops=2, pushes=1)]
    values = ["stop", "next", "one"] + ["node", "stop", "next", "one"] * (depth - 1) + ["leaf", "stop", "next", *call_of("stop")]
    compiled = breaks(node, values, plan("instruction", *frames), {"one": one, "node": node, "leaf": leaf})
    assert compiled(lambda: None, None) == depth + 1
    with pytest.raises(ValueError) as caught:
        compiled(fail, None)
    assert [n for n, _ in lines_of(caught.value, node, leaf, fail)] == ["node"] * depth + ["leaf", "fail"]


def waits(resume, returned, *, function, at, cells=(), **how):
    """What `function` makes of a value returned to its instruction `at` when it waits there as `resume` says."""
    def inner(a, stop):
        stop()
        return a

    if isinstance(at, str):
        at = find(function, at)
    inner_offset, inner_after = find(inner, "CALL")
    outer = frame(function, *at, depth=len(cells), resume=resume, **how)
    value = plan("instruction", outer, frame(inner, inner_offset, inner_after, depth=2, pops=2, pushes=1))
    count = slots_of(function.__code__)
    values = [*["x"] * min(count, 1), *["null"] * (count - 1), *cells, "inner", "returned", "stop", *call_of("stop")]
    compiled = breaks(function, values, value, {"inner": inner, "returned": returned, "stop": lambda: None})
    return compiled(7)


def test_resume_discard():
    def f(x):
        x.y = 1
        return x

    assert waits("discard", "dropped", function=f, at="STORE_ATTR") == 7


def test_resume_init():
    def f(x):
        return x()

    assert waits("init", None, function=f, at="CALL", cells=["x"]) == 7
    with pytest.raises(TypeError, match=r"__init__\(\) should return None, not 'int'") as caught:
        waits("init", 3, function=f, at="CALL", cells=["x"])
    assert lines_of(caught.value, f) == [("f", 1)]


@pytest.mark.parametrize("returned, ends", [(True, "yes"), (False, "no"), (3, TypeError)])
def test_resume_truth(returned, ends):
    def f(x):
        if x:
            return "yes"
        return "no"

    offset, name, target, after = [i for i in instructions(f) if "POP_JUMP" in i[1]][0]
    outcome = lambda: waits("truth", returned, function=f, at=(offset, after), jump=target, jump_if="TRUE" in name)  # noqa: E731
    if isinstance(ends, str):
        assert outcome() == ends
    else:
        with pytest.raises(ends, match="__bool__ should return bool, returned int"):
            outcome()


def test_resume_not_bool_contains():
    def negated(x):
        return not x

    def inside(x):
        return x not in x

    assert [waits("not", v, function=negated, at="UNARY_NOT") for v in (True, False)] == [False, True]
    assert [waits("bool", v, function=negated, at="UNARY_NOT") for v in (True, False)] == [True, False]
    assert [waits("contains", v, function=inside, at="CONTAINS_OP") for v in ("text", "")] == [False, True]


def test_resume_get_iter():
    def g(x):
        for i in x:
            return i

    it = iter([5, 6])
    assert waits("get_iter", it, function=g, at="GET_ITER") == 5
    with pytest.raises(TypeError, match="iter\\(\\) returned non-iterator of type 'list'"):
        waits("get_iter", [1], function=g, at="GET_ITER")


def test_resume_next():
    def f(x):
        total = []
        for i in x:
            total.append(i)
        return total

    class Countdown:
        def __init__(self):
            self.n = 2

        def __iter__(self):
            return self

        def __next__(self):
            stop()
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return self.n

    stop = lambda: None  # noqa: E731
    step = Countdown.__next__
    offset, _, target, after = [i for i in instructions(f) if i[1] == "FOR_ITER"][0]
    names = {i[0]: (i[1], i[3]) for i in instructions(f)}
    while names[target][0] in ("END_FOR", "POP_TOP"):
        target = names[target][1]
    call = at_call_named(step, "stop")["frames"][0]
    total, count = [], slots_of(f.__code__)
    slots = {"x": "it", "total": "total", "i": "null"}
    values = [slots[f.__code__._varname_from_oparg(i)] for i in range(count)]
    cells = dict(zip(step.__code__.co_freevars, step.__closure__))
    value = plan("instruction", frame(f, offset, after, depth=1, resume="next", jump=target), call)
    it = Countdown()
    compiled = breaks(f, [*values, "it", "step", "it", "stop_cell", *call_of("stop")], value,
                      {"it": it, "total": total, "step": step, "stop_cell": cells["stop"], "stop": stop})
    assert compiled(None) == [1, 0]
    total.clear()
    assert compiled(None) == []      # exhausted at once: the StopIteration of __next__ ends the loop


def stack_of_names():
    frame, names = sys._getframe(1), []
    while frame is not None and not frame.f_code.co_name.startswith("test_"):
        names.append((frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno, frame.f_locals.get("x")))
        frame = frame.f_back
    return names


def test_what_is_called_sees_all_frames_that_wait():
    seen = []

    def inner(x, stop):
        stop()
        seen.append(stack_of_names())
        return x

    def middle(x, stop):
        return inner(x + "2", stop)

    def outer(x, stop):
        y = 1
        return y, middle(x + "1", stop)

    rows = [frame(f, *find(f, "CALL"), depth=depth, resume="push") for f, depth in ((outer, 1), (middle, 0))]
    rows.append(frame(inner, *find(inner, "CALL"), depth=2, pops=2, pushes=1))
    cells = {"seen": inner.__closure__[0], "inner_cell": middle.__closure__[0], "middle_cell": outer.__closure__[0]}

    def slots(f, **known):
        names = [f.__code__._varname_from_oparg(i) for i in range(slots_of(f.__code__))]
        return [known.get(n, "null") for n in names]

    values = [*slots(outer, x="x", stop="stop", y="one", middle="middle_cell"), "one",
              "middle", *slots(middle, x="x1", stop="stop", inner="inner_cell"),
              "inner", *slots(inner, x="x2", stop="stop", seen="seen"), *call_of("stop")]
    links = {"one": 1, "x1": "a1", "x2": "a12", "middle": middle, "inner": inner, **cells}
    compiled = breaks(outer, values, plan("instruction", *rows), links)
    assert compiled("a", lambda: seen.append(stack_of_names()[1:])) == (1, "a12")
    expected = [("middle", 1, "a1"), ("outer", 2, "a")]
    assert seen == [[("inner", 1, "a12"), *expected], [("inner", 2, "a12"), *expected]]
