"""Compiled continuations after a break, breaks in a row, and generators that wait across one."""
import gc
import itertools
import sys
import tracemalloc
import weakref

import pytest

from break_plans import at_call, breaks, call_of, fail, inner_plan, lines_of
from new_code import PASS, Assembler, Word, entry, find, frame, framegate, instructions, plan, region, slots_of, testing, text


def loop(x, stop, n):
    while n:
        stop()
        n = n - 1
    return x


def unit(*frames) -> str:
    return text({"continuation": True, "frames": [
        {"code": f["code"], "offset": f["offset"], "depth": f["depth"], "nulls": bytes(f["slots"] + f["depth"])} for f in frames]})


def endless(limit):
    """`loop`, compiled: its continuation after the call counts in a list and breaks again until `limit`."""
    owner = region()
    offset, after = find(loop, "CALL")
    call = plan("instruction", frame(loop, offset, after, depth=2, pops=2, pushes=1))
    first = breaks(loop, ["x", "stop", "n", *call_of("stop")], call, owner=owner)
    here = frame(loop, after, depth=1)
    count = itertools.count(1)

    def graph():
        if next(count) % limit == 0:
            raise StopIteration("done")

    def continuation(ends):
        locals = ["x", "stop", "n", "result", "drive", "null", "graph", "function"]
        code = Assembler(None, locals).at(call["frames"][0]["offset"]).call("graph").pop()
        code.call("drive", "function", "x", "stop", "n", *call_of("stop")).ret()
        links = {"drive": ("drive", 0), "null": ("null",), "graph": ("graph",)}
        return entry(code, links, [call]), f"(registers 1 0)\n(take o0 function 0)\n(keep o0 {locals.index('function')})\n(pass)\n"

    made, keep = continuation(False)
    testing.install_continuation(owner, (loop,), unit(here), made, keep, graph)
    return first


def test_a_continuation_that_breaks_each_time_stays_flat():
    depths = set()

    def stop():
        depth, frame = 0, sys._getframe()
        while frame is not None:
            depth, frame = depth + 1, frame.f_back
        depths.add(depth)

    compiled = endless(5000)
    for _ in range(2):
        with pytest.raises(StopIteration, match="done"):
            compiled([1], stop, 1)
    assert len(depths) == 1


def test_what_a_segment_held_is_gone_before_the_next():
    class Big:
        pass

    alive, most = weakref.WeakSet(), 0

    def stop():
        nonlocal most
        most = max(most, len(alive))

    owner = region()
    offset, after = find(loop, "CALL")
    call = plan("instruction", frame(loop, offset, after, depth=2, pops=2, pushes=1))
    count = itertools.count(1)

    def make():
        if next(count) % 100 == 0:
            raise StopIteration("done")
        big = Big()
        alive.add(big)
        return big

    def code_of(function, locals):
        code = Assembler(function, locals).call("graph").store("x").load("x").store("copy")
        return code.call("drive", "function", "x", "stop", "n", *call_of("stop")).ret()

    links = {"drive": ("drive", 0), "null": ("null",), "graph": ("graph",)}
    extra = ["drive", "null", "graph", "function", "copy"]
    root = code_of(loop, extra)
    rest = code_of(None, ["x", "stop", "n", "result", *extra])
    for code, install in ((root, lambda *a: testing.install(owner, loop, *a, make)),
                          (rest, lambda *a: testing.install_continuation(owner, (loop,), unit(frame(loop, after, depth=1)), *a, make))):
        install(entry(code, links, [call]), f"(registers 1 0)\n(take o0 function 0)\n(keep o0 {code.slot('function')})\n(pass)\n")
    with pytest.raises(StopIteration):
        framegate.Optimized(owner, loop)(None, stop, 1)
    assert most <= 2 and len(alive) == 0


def test_a_continuation_ends_the_root():
    def inner(a, stop):
        stop()
        return a * 2

    def outer(x, stop, inner):
        y = inner(x, stop)
        return x, y

    owner = region()
    compiled = breaks(outer, ["x", "stop", "inner", "null", "inner", "x", "stop", *call_of("stop")], inner_plan(outer, inner), owner=owner)
    rows = inner_plan(outer, inner)["frames"]
    frames = [{"code": rows[0]["code"], "offset": rows[0]["offset"], "resume": Word("push"), "next": rows[0]["next"], "nulls": b"\0\0\0\1"},
              {"code": rows[1]["code"], "offset": rows[1]["next"], "depth": 1, "nulls": b"\0\0\0"}]
    rest = Assembler(None, ["x", "stop", "inner", "y", "a", "stop2", "result"]).load("a").load("result").tuple(2).ret()
    testing.install_continuation(owner, (outer, inner), text({"continuation": True, "frames": frames}), entry(rest), PASS)
    assert compiled(4, lambda: "made", inner) == (4, "made")


def test_an_original_in_the_middle_then_a_continuation():
    """The callee goes on in original code; the frame that waits for it is looked up when it returns."""
    def inner(a, stop):
        stop()
        return a * 2

    def outer(x, stop, inner):
        y = inner(x, stop)
        return x, y

    owner = region()
    compiled = breaks(outer, ["x", "stop", "inner", "null", "inner", "x", "stop", *call_of("stop")], inner_plan(outer, inner), owner=owner)
    row = inner_plan(outer, inner)["frames"][0]
    frames = [{"code": row["code"], "offset": row["next"], "depth": 1, "nulls": b"\0\0\0\1\0"}]
    rest = Assembler(None, ["x", "stop", "inner", "y", "value"]).const("rest").load("value").tuple(2).ret()
    testing.install_continuation(owner, (outer,), text({"continuation": True, "frames": frames}), entry(rest), PASS)
    assert compiled(4, lambda: None, inner) == ("rest", 8)


def test_a_continuation_of_a_handler():
    def f(x, stop):
        try:
            stop()
        except ValueError as e:
            return "original", e
        return x

    owner = region()
    compiled = breaks(f, ["x", "stop", "null", *call_of("stop")], at_call(f), owner=owner)
    push = [b for b, op, *_ in instructions(f) if op == "PUSH_EXC_INFO"][0]
    frames = [{"code": Word(testing.code_id(f.__code__)), "offset": push // 2, "depth": 1, "nulls": b"\0\0\1\0"}]
    rest = Assembler(None, ["x", "stop", "e", "error"]).const("compiled").load("error").tuple(2).ret()
    testing.install_continuation(owner, (f,), text({"continuation": True, "frames": frames}), entry(rest), PASS)
    kind, error = compiled(1, fail)
    assert kind == "compiled" and lines_of(error, f, fail) == [("f", 2), ("fail", 1)] and compiled(1, lambda: None) == 1


def test_memory_is_flat_over_many_breaks():
    compiled = endless(5000)
    with pytest.raises(StopIteration):
        compiled([1], lambda: None, 1)
    gc.collect()
    tracemalloc.start()
    try:
        with pytest.raises(StopIteration):
            compiled([1], lambda: None, 1)
        current, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000


# --- suspended generators ---


def test_a_suspended_generator():
    log = []

    def numbers(n, log):
        try:
            for i in range(n):
                got = yield i
                log.append(got)
        finally:
            log.append("closed")

    def f(n):
        return n

    yields = [b for b, op, *_ in instructions(numbers) if op == "YIELD_VALUE"][0]

    def suspended(i, iterator):
        names = [numbers.__code__._varname_from_oparg(k) for k in range(slots_of(numbers.__code__))]
        locals = {"n": "n", "log": "log", "i": "i", "got": "null"}
        code = Assembler(f, ["make", "null", "graph", "numbers", "log", "i", "iterator", "at"]).call("graph").unpack(5)
        for name in ("numbers", "log", "i", "iterator", "at"):
            code.store(name)
        code.call("make", "numbers", "at", *[locals[k] for k in names], "iterator").ret()
        owner = region()
        testing.install(owner, f, entry(code, {"make": ("helper", "generator_suspended"), "null": ("null",), "graph": ("graph",)}), PASS,
                        lambda: (numbers, log, i, iterator, yields // 2))
        result = framegate.Optimized(owner, f)(5)
        owner.reset()
        return result

    iterator = iter(range(5))
    next(iterator)
    made = suspended(0, iterator)
    assert made.gi_frame.f_lineno == numbers.__code__.co_firstlineno + 3 and made.gi_frame.f_locals["i"] == 0
    assert made.send("sent") == 1 and log == ["sent"] and next(made) == 2
    made.close()
    assert log == ["sent", None, "closed"]
    log.clear()
    thrown = suspended(0, iter(()))
    with pytest.raises(KeyError) as caught:
        thrown.throw(KeyError("thrown"))
    assert log == ["closed"] and lines_of(caught.value, numbers) == [("numbers", 3)]
    log.clear()
    del thrown
    dropped = suspended(0, iter(()))
    del dropped
    gc.collect()
    assert log == ["closed"]
    assert list(suspended(0, iter([8, 9]))) == [8, 9]
