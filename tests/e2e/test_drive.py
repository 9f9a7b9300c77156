"""Break plans run by hand: the breaking instruction, original code entered in the middle, handlers."""
import gc
import sys
import types

import pytest

from break_plans import at_call, at_call_named, breaks, call_of, fail, inner_plan, lines_of
from new_code import Assembler, entry, find, frame, instructions, plan, region, slots_of, testing, PASS


# --- the instruction, then the original ---


def test_the_original_goes_on_after_the_instruction():
    def f(x, stop):
        stop()
        return x, stop

    calls = []
    stop = lambda: calls.append(sys._getframe(1).f_lineno)  # noqa: E731
    compiled = breaks(f, ["x", "stop", *call_of("stop")], at_call(f))
    for n in range(3):
        assert compiled(n, stop) == (n, stop)
    assert calls == [f.__code__.co_firstlineno + 1] * 3


def test_values_below_the_operands_stay_on_the_stack():
    def f(x, stop):
        return [x, stop(), x]

    compiled = breaks(f, ["x", "stop", "x", *call_of("stop")], at_call(f, depth=1))
    assert compiled(5, lambda: "made") == [5, "made", 5]


def test_empty_slots_stay_empty():
    def f(x, stop):
        stop()
        if x:
            y = 1
        return locals(), y

    compiled = breaks(f, ["x", "stop", "null", *call_of("stop")], at_call(f))
    assert compiled(1, print) == ({"x": 1, "stop": print, "y": 1}, 1)
    with pytest.raises(UnboundLocalError):
        compiled(0, lambda: None)


def test_the_callers_frames_are_seen():
    seen = []

    def stop():
        frame = sys._getframe(1)
        while frame is not None:
            seen.append(frame.f_code.co_name)
            frame = frame.f_back

    def f(x, stop):
        stop()
        x = sys._getframe().f_back.f_code.co_name
        return x

    compiled = breaks(f, ["x", "stop", *call_of("stop")], at_call(f))
    assert compiled(1, stop) == "test_the_callers_frames_are_seen"
    assert seen[:2] == ["f", "test_the_callers_frames_are_seen"]


def test_what_a_callee_of_original_code_is_looked_at():
    def inner(a):
        return "original"

    def f(x, stop):
        stop()
        return inner(x)

    owner = region()
    testing.install(owner, inner, entry(Assembler(inner, []).load("a").ret()), PASS)
    values = ["x", "stop", *(["inner"] if slots_of(f.__code__) == 3 else []), *call_of("stop")]
    cell = f.__closure__[0]
    compiled = breaks(f, values, at_call(f), {"inner": cell, "unused": 0}, owner=owner)
    assert compiled(7, lambda: None) == 7 and inner(1) == "original"


def test_cells_are_shared():
    def f(x, stop):
        count = x

        def add():
            nonlocal count
            count += 1
            return count

        stop()
        return add(), count, add

    cell = types.CellType(10)
    add = types.FunctionType(next(c for c in f.__code__.co_consts if isinstance(c, types.CodeType)), globals(), "add", None, (cell,))
    names = [f.__code__._varname_from_oparg(i) for i in range(slots_of(f.__code__))]
    values = [{"x": "x", "stop": "stop", "count": "cell", "add": "add"}[n] for n in names]
    offset, after = find(f, "CALL", 0)
    compiled = breaks(f, [*values, *call_of("stop")], at_call(f), {"cell": cell, "add": add})
    assert compiled(0, add)[:2] == (12, 12) and cell.cell_contents == 12


def test_super_without_arguments():
    class Base:
        def m(self, stop):
            return "base"

    class Derived(Base):
        def m(self, stop):
            stop()
            return super().m(stop)

    f = Derived.m
    names = [f.__code__._varname_from_oparg(i) for i in range(slots_of(f.__code__))]
    values = [{"self": "self", "stop": "stop", "__class__": "klass"}[n] for n in names]
    compiled = breaks(f, [*values, *call_of("stop")], at_call(f), {"klass": f.__closure__[0], "unused": 0})
    assert compiled(Derived(), lambda: None) == "base"


# --- exceptions ---


def test_an_exception_of_the_instruction_is_caught():
    def f(x, stop):
        try:
            stop()
        except ValueError as e:
            return x, str(e), lines_of(e, f, fail)
        return "not caught"

    compiled = breaks(f, ["x", "stop", *slot_values(f, 2), *call_of("stop")], at_call(f), {"f": f_cell(f), "unused": 0})
    assert compiled(3, fail) == (3, "from outside", [("f", 2), ("fail", 1)])
    assert compiled(3, lambda: 1) == "not caught"


def test_an_exception_of_the_instruction_leaves():
    def f(x, stop):
        y = x
        stop()
        return y

    compiled = breaks(f, ["x", "stop", "x", *call_of("stop")], at_call(f))
    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            compiled(3, fail)
        assert lines_of(caught.value, f, fail) == [("f", 2), ("fail", 1)]
        tb = caught.value.__traceback__.tb_next
        assert tb.tb_frame.f_locals == {"x": 3, "stop": fail, "y": 3} and tb.tb_frame.f_back.f_code.co_name.startswith("test_")


def test_an_exception_of_the_original_leaves():
    def f(x, stop):
        stop()
        return x[
            "missing"]

    compiled = breaks(f, ["x", "stop", *call_of("stop")], at_call(f))
    with pytest.raises(KeyError) as caught:
        compiled({}, lambda: None)
    plain = None
    try:
        f({}, lambda: None)
    except KeyError as e:
        plain = lines_of(e, f)
    assert lines_of(caught.value, f) == plain and len(plain) == 1


def test_finally_and_with_run():
    log = []

    class Manager:
        def __enter__(self):
            log.append("enter")

        def __exit__(self, kind, value, tb):
            log.append(("exit", kind and kind.__name__))
            return kind is KeyError

    def f(x, stop):
        try:
            with x:
                stop()
                log.append("body")
        finally:
            log.append("finally")
        return log

    manager = Manager()
    exit = manager.__exit__
    slots = ["x", "stop"] + ["log"] * (slots_of(f.__code__) - 2)
    closure = dict(zip(f.__code__.co_freevars, f.__closure__))
    compiled = breaks(f, [*slots, "exit", *call_of("stop")], at_call_named(f, "stop", depth=1), {"log": closure["log"], "exit": exit})
    assert compiled(manager, lambda: None) == ["body", ("exit", None), "finally"]
    log.clear()
    assert compiled(manager, lambda: {}["x"]) == [("exit", "KeyError"), "finally"]
    log.clear()
    with pytest.raises(ValueError) as caught:
        compiled(manager, fail)
    assert log == [("exit", "ValueError"), "finally"] and lines_of(caught.value, f, fail)[-1] == ("fail", 1)


def test_raising_at_a_break():
    def f(x, error):
        try:
            raise error
        except ValueError as e:
            return x, e.args
        finally:
            x.append("finally")

    offset, after = find(f, "RAISE_VARARGS")
    compiled = breaks(f, ["x", "error", "null", "error", "error"], plan("raise", frame(f, offset, after, depth=1)))
    assert compiled([], ValueError(1)) == (["finally"], (1,))
    log = []
    with pytest.raises(KeyError) as caught:
        compiled(log, KeyError(2))
    assert log == ["finally"] and lines_of(caught.value, f) == [("f", 2)]


def test_the_exception_being_handled():
    def f(x, stop):
        try:
            raise x
        except ValueError:
            stop()
            raise
        return "not raised"

    handled = []
    offset, after = find(f, "CALL", 0)
    # In the handler the stack holds what was handled before; the exception being handled is one more value.
    break_plan = plan("instruction", frame(f, offset, after, depth=3, pops=2, pushes=1))
    compiled = breaks(f, ["x", "stop", "none", *call_of("stop"), "x"], break_plan, {"none": None, "unused": 0})
    error = ValueError("again")
    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            compiled(error, lambda: handled.append(sys.exc_info()[1]))
        assert caught.value is error and sys.exc_info()[1] is None
    assert handled == [error] * 3

    def raising():
        raise KeyError("second")

    with pytest.raises(KeyError) as caught:
        compiled(error, raising)
    assert caught.value.__context__ is error


def test_the_caller_handles_something_else():
    def f(x, stop):
        stop()
        return sys.exc_info()[1]

    compiled = breaks(f, ["x", "stop", *call_of("stop")], at_call(f))
    try:
        raise LookupError
    except LookupError as e:
        assert compiled(1, lambda: None) is e and sys.exc_info()[1] is e


# --- the other kinds of break ---


@pytest.mark.parametrize("truth", [True, False])
def test_a_branch(truth):
    def f(x, y):
        if x:
            return "yes", y
        return "no", y

    (offset, name, target, after), = [i for i in instructions(f) if "POP_JUMP" in i[1]]
    compiled = breaks(f, ["x", "y", "x"], plan("truth", frame(f, offset, after, depth=1, pops=1, jump=target, jump_if="TRUE" in name)))
    assert compiled(truth, 1) == f(truth, 1)

    class Failing:
        def __bool__(self):
            raise ValueError

    with pytest.raises(ValueError) as caught:
        compiled(Failing(), 1)
    assert lines_of(caught.value, f) == [("f", 1)]


def test_iteration():
    def f(items, log):
        for item in items:
            log.append(item)
        return log

    offset, after = find(f, "FOR_ITER")
    target = [i for i in instructions(f) if i[0] == offset][0][2]
    names = dict((i[0], (i[1], i[3])) for i in instructions(f))
    while names[target][0] in ("END_FOR", "POP_TOP"):
        target = names[target][1]
    compiled = breaks(f, ["items", "log", "null", "items"], plan("next", frame(f, offset, after, depth=1, jump=target)))
    assert compiled(iter([1, 2, 3]), []) == [1, 2, 3] and compiled(iter([]), []) == []

    def raising():
        yield 1
        raise KeyError

    log = []
    with pytest.raises(KeyError):
        compiled(raising(), log)
    assert log == [1]


def test_going_on():
    def f(x):
        y = x
        return y + 1

    offset, _ = find(f, "BINARY_OP")
    load = [b for b, op, *_ in instructions(f) if b < offset and op.startswith("LOAD")][-2]
    compiled = breaks(f, ["x", "x"], plan("go_on", frame(f, load)))
    assert compiled(4) == 5


def slot_values(function, known):
    """Locals for the slots after the first `known` ones: empty, or the function's own cell where it is free."""
    code = function.__code__
    names = [code._varname_from_oparg(i) for i in range(known, slots_of(code))]
    return ["f" if n in code.co_freevars else "null" for n in names]


def f_cell(function):
    return function.__closure__[function.__code__.co_freevars.index("f")] if function.__closure__ else None


# --- nothing is lost ---


@pytest.mark.parametrize("raises", [False, True])
def test_no_reference_is_leaked(raises):
    def inner(a, stop):
        try:
            stop()
        except KeyError:
            return a
        return a

    def outer(x, stop, inner):
        return inner(x, stop)

    def failing():
        raise ValueError

    kept, stop = object(), failing if raises else (lambda: None)
    compiled = breaks(outer, ["x", "stop", "inner", "inner", "x", "stop", *call_of("stop")], inner_plan(outer, inner))

    def once():
        try:
            compiled(kept, stop, inner)
        except ValueError:
            pass

    once()
    before = [sys.getrefcount(o) for o in (kept, stop, inner, outer, inner.__code__, outer.__code__)]
    for _ in range(5000):
        once()
    after = [sys.getrefcount(o) for o in (kept, stop, inner, outer, inner.__code__, outer.__code__)]
    assert before == after


def test_drive_is_called_by_compiled_code_only():
    def f(x, stop):
        stop()
        return x

    drives = []

    def keep(_):
        drives.extend(o for o in gc.get_objects() if type(o).__name__ == "Drive")

    compiled = breaks(f, ["x", "stop", *call_of("stop")], at_call(f))
    compiled(1, lambda: None)
    keep(None)
    assert drives
    for drive in drives:
        with pytest.raises(SystemError):
            drive(1, 2, 3)
