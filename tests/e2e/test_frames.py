"""Frames under the hook: new code in the place of a frame's own, what a program can see of it, what it costs. Entries are installed by hand."""
import gc
import itertools
import sys
import threading
import traceback
import types
import weakref

import pytest

from new_code import PASS, Assembler, Word, added, entry, equals, framegate, fresh, keeps, original, region, swapped, testing


def test_without_an_entry_the_original_runs():
    assert framegate.Optimized(region(), fresh(original))(1) == ("original", 1, 2)


def test_new_code_runs_in_place_of_the_frame():
    f, _ = swapped(fresh(original), added(original))
    assert [f(1), f(1, 10), f(b=4, a=3)] == [3, 11, 7]


def test_outside_the_region_the_original_runs():
    function = fresh(original)
    f, _ = swapped(function, added(original))
    assert f(1) == 3 and function(1) == ("original", 1, 2) and f(1) == 3


def test_regions_do_not_share_entries():
    function = fresh(original)
    f, _ = swapped(function, added(original))
    other = framegate.Optimized(region(), function)
    assert f(1) == 3 and other(1) == ("original", 1, 2)


def test_a_check_that_fails_runs_the_original():
    function = fresh(original)
    f, _ = swapped(function, added(original), equals(0, 5))
    assert f(5) == 7 and f(6) == ("original", 6, 2)


def test_entries_are_found_by_their_checks():
    function, owner = fresh(original), region()
    for n in range(4):
        testing.install(owner, function, entry(Assembler(original, []).const(n * 100).ret()), equals(0, n))
    f = framegate.Optimized(owner, function)
    for n in itertools.chain(range(4), reversed(range(4)), [2, 2, 0, 3]):
        assert f(n) == n * 100
    assert f(9) == ("original", 9, 2)


def test_kept_objects_and_links_are_in_extra_locals():
    function = fresh(original)
    code = Assembler(original, ["kept", "graph", "cell_new"]).call("graph", "kept", "b").ret()
    f, _ = swapped(function, code, keeps(to_2=(0, 0)), {"graph": ("graph",), "cell_new": ("helper", "cell_new")}, lambda a, b: [a, b])
    assert f("x") == ["x", 2]


def test_globals_link_is_the_frames_own():
    function = fresh(original)
    f, _ = swapped(function, Assembler(original, ["g"]).load("g").ret(), links={"g": ("globals",)})
    assert f(1) is original.__globals__
    other = types.FunctionType(function.__code__, {"other": 1}, "f", (2,))
    assert framegate.Optimized(f.region, other)(1) == {"other": 1}


def test_star_arguments_keep_their_slots():
    def function(a, *rest, k=3, **more):
        return a

    code = Assembler(function, []).load("a").load("k").load("rest").load("more").tuple(4).ret()
    f, _ = swapped(function, code)
    assert f(1, 2, 3, k=4, z=5) == (1, 4, (2, 3), {"z": 5})


def test_a_frame_that_grows_at_every_depth():
    """The data stack comes in chunks: some frame meets the end of one."""
    function = fresh(original)
    many = [f"v{i}" for i in range(300)]
    code = Assembler(original, many).load("a")
    for name in many:
        code.store(name).load(name)
    f, _ = swapped(function, code.ret())

    def at_depth(n):
        return f(n) if n == 0 else (at_depth(n - 1), f(n))[1]

    sys.setrecursionlimit(5000)
    try:
        assert at_depth(700) == 700
    finally:
        sys.setrecursionlimit(1000)


def test_raising_where_the_frame_does_not_fit_keeps_the_exception():
    def failing(_):
        raise KeyError("inside")

    function = fresh(original)
    many = [f"v{i}" for i in range(500)]
    f, _ = swapped(function, Assembler(original, [*many, "graph"]).call("graph", "a").ret(), links={"graph": ("graph",)}, graph=failing)

    def at_depth(n):
        if n:
            at_depth(n - 1)
        with pytest.raises(KeyError, match="inside"):
            f(n)

    at_depth(120)


def test_code_shows_itself_as_the_original(request):
    def failing(_):
        raise KeyError("inside")

    def function(a):
        b = a
        return b

    line = function.__code__.co_firstlineno + 2
    place = [o for o, _, n in function.__code__.co_lines() if n == line][0] // 2
    code = Assembler(function, ["graph"]).at(place).call("graph", "a").ret()
    f, _ = swapped(function, code, links={"graph": ("graph",)}, graph=failing)
    with pytest.raises(KeyError) as caught:
        f(1)
    tb = caught.value.__traceback__.tb_next
    shown = traceback.extract_tb(tb)
    assert [(s.name, s.lineno) for s in shown] == [("function", line), ("failing", failing.__code__.co_firstlineno + 1)]
    assert shown[0].filename == __file__ and shown[0].line == "return b"
    frame = tb.tb_frame.f_code
    assert (frame.co_qualname, frame.co_firstlineno) == (function.__qualname__, function.__code__.co_firstlineno)
    assert list(frame.co_positions())[-1] == [p for p in function.__code__.co_positions()][place]


def test_the_caller_is_seen_from_below():
    def depth(_):
        frame = sys._getframe(1)
        return frame.f_code.co_name, frame.f_back.f_code.co_name, frame.f_locals["a"]

    function = fresh(original)
    f, _ = swapped(function, Assembler(original, ["graph"]).call("graph", "a").ret(), links={"graph": ("graph",)}, graph=depth)
    assert f(1) == ("original", "test_the_caller_is_seen_from_below", 1)


def test_callees_of_an_original_are_looked_at():
    callee = fresh(original)

    def outer(x):
        return callee(x)

    owner = region()
    testing.install(owner, callee, entry(added(original)), PASS)
    assert framegate.Optimized(owner, outer)(1) == 3 and outer(1) == ("original", 1, 2)


@pytest.mark.parametrize("reason, hooked", [("no_graph", False), ("unsupported_frame", True)])
def test_the_hook_is_off_where_callees_need_no_decision(reason, hooked):
    seen = []

    def outer():
        seen.append(framegate.region_active())

    owner = region()
    testing.install(owner, outer, entry(reason=Word(reason)), PASS)
    framegate.Optimized(owner, outer)()
    assert seen == [hooked]


def test_graph_calls_and_disabled_functions_suspend_the_region():
    seen, callee = [], fresh(original)

    @framegate.Disabled
    def disabled(x):
        seen.append(framegate.region_active())
        return callee(x)

    def outer(x):
        seen.append(framegate.region_active())
        return disabled(x)

    owner = region()
    testing.install(owner, callee, entry(added(original)), PASS)
    assert framegate.Optimized(owner, outer)(1) == ("original", 1, 2) and seen == [True, False]
    assert not framegate.region_active()


def test_an_exception_leaves_the_region():
    def failing():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        framegate.Optimized(region(), failing)()
    assert not framegate.region_active()


def test_generators_and_coroutines_run_untouched():
    def numbers(n):
        got = yield from range(n)
        try:
            while True:
                got = yield got
        except KeyError:
            yield "thrown"

    made = framegate.Optimized(region(), numbers)(2)
    assert [next(made), next(made), next(made), made.send(5), made.throw(KeyError())] == [0, 1, None, 5, "thrown"]

    async def work(x):
        return x + 1

    with pytest.raises(StopIteration) as stop:
        framegate.Optimized(region(), work)(1).send(None)
    assert stop.value.value == 2
    assert list(framegate.Optimized(region(), lambda: [i for i in (x * 2 for x in range(4))])()) == [0, 2, 4, 6]


@pytest.mark.parametrize("limit", [1000, 20_000])
def test_recursion_depth_is_that_of_plain_python(limit):
    def depth_of(call):
        deepest = 0

        def down(n):
            nonlocal deepest
            deepest = n
            down(n + 1)

        sys.setrecursionlimit(limit)
        try:
            call(down)(0)
        except RecursionError:
            pass
        finally:
            sys.setrecursionlimit(1000)
        return deepest

    results = []
    threading.stack_size(256 * 1024 * 1024)
    thread = threading.Thread(target=lambda: results.extend(
        [depth_of(lambda f: f), depth_of(lambda f: framegate.Optimized(region(), f))]))
    thread.start()
    thread.join()
    threading.stack_size(0)
    plain, hooked = results
    assert plain - 10 <= hooked <= plain


def test_running_out_of_c_stack_is_an_error_and_no_crash():
    def down(n):
        return down(n + 1)

    caught = []

    def work():
        sys.setrecursionlimit(1_000_000)
        try:
            framegate.Optimized(region(), down)(0)
        except RecursionError as e:
            caught.append(str(e))
        finally:
            sys.setrecursionlimit(1000)

    threading.stack_size(1024 * 1024)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    threading.stack_size(0)
    assert len(caught) == 1


def test_traced_code_runs_as_the_original():
    function = fresh(original)
    f, _ = swapped(function, added(original))
    events = []
    sys.settrace(lambda frame, event, arg: events.append((frame.f_code.co_name, event)))
    try:
        traced = f(1)
    finally:
        sys.settrace(None)
    assert traced == ("original", 1, 2) and ("original", "call") in events and f(1) == 3


def test_threads_have_regions_of_their_own():
    function = fresh(original)
    f, _ = swapped(function, added(original))
    wrong, barrier = [], threading.Barrier(4)

    def hooked():
        barrier.wait()
        wrong.extend(r for r in (f(i) for i in range(3000)) if not isinstance(r, int))

    def plain():
        barrier.wait()
        wrong.extend(r for r in (function(i) for i in range(3000)) if isinstance(r, int))

    threads = [threading.Thread(target=target) for target in (hooked, plain) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_profiler_hook_of_somebody_else_is_kept():
    """Two regions in turn and nested leave nothing behind: the same call costs the same interpreter state."""
    inner = framegate.Optimized(region(), fresh(original))
    outer = framegate.Optimized(region(), lambda: inner(1))
    for _ in range(3):
        assert outer() == ("original", 1, 2) and not framegate.region_active()


def test_weak_references_and_cycles():
    def make():
        function = fresh(original)
        f, owner = swapped(function, Assembler(original, ["graph"]).call("graph", "a").ret(), links={"graph": ("graph",)},
                           graph=lambda a: (a, owner))
        function.__dict__["me"] = f
        return weakref.ref(f), weakref.ref(owner), weakref.ref(function)

    references = make()
    gc.collect()
    assert [r() for r in references] == [None, None, None]


def test_an_entry_dies_with_its_code():
    function = fresh(original)
    graph = lambda a: a  # noqa: E731
    f, owner = swapped(function, Assembler(original, ["graph"]).call("graph", "a").ret(), links={"graph": ("graph",)}, graph=graph)
    assert f(1) == 1
    dead = weakref.ref(graph)
    del f, function, graph
    gc.collect()
    assert dead() is None and owner.entries() == []


def test_reset_drops_entries():
    function = fresh(original)
    f, owner = swapped(function, added(original))
    assert f(1) == 3 and len(owner.entries()) == 1
    owner.reset()
    assert f(1) == ("original", 1, 2)
    testing.install(owner, function, entry(added(original)), PASS)
    assert f(1) == 3
    framegate.reset()
    assert f(1) == ("original", 1, 2)


def references(*objects):
    return [sys.getrefcount(o) for o in objects]


def test_no_reference_is_leaked():
    function, kept, graph = fresh(original), object(), lambda *a: a
    code = Assembler(original, ["kept", "graph", "g"]).call("graph", "kept", "b").ret()
    f, _ = swapped(function, code, keeps(to_2=(0, 0)), {"graph": ("graph",), "g": ("globals",)}, graph)
    f(kept)
    before = references(kept, graph, function, function.__code__, globals())
    for _ in range(2000):
        f(kept)
    after = references(kept, graph, function, function.__code__, globals())
    assert before == after


