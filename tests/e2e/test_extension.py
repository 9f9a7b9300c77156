"""What the extension gives to the Python package: callables, options, stances, counters, misses. Entries are installed by hand."""
import copy
import functools
import inspect
import pickle
import threading
import types

import pytest

from new_code import PASS, added, entry, equals, framegate, fresh, original, region, swapped, testing


@pytest.fixture(autouse=True)
def defaults_again():
    yield
    framegate.set_option("make_error", None)
    framegate.set_stance("default")


# --- the wrapper ---


def test_attributes_are_the_functions():
    def documented(x: int) -> str:
        """doc"""

    documented.mark = 1
    f = framegate.Optimized(region(), documented)
    assert (f.__name__, f.__doc__, f.__module__, f.mark) == ("documented", "doc", __name__, 1)
    assert f.__qualname__ == documented.__qualname__ and f.__annotations__ == {"x": int, "return": str}
    assert inspect.signature(f) == inspect.signature(documented) and f.__wrapped__ is documented
    f.mark = 2
    assert documented.mark == 2
    del f.mark
    assert not hasattr(documented, "mark") and callable(f) and "documented" in repr(f)
    functools.update_wrapper(f, documented)
    with pytest.raises(AttributeError):
        f.absent


def test_binding():
    class C:
        @functools.partial(framegate.Optimized, region())
        def method(self, x):
            return self, x

        static = staticmethod(framegate.Optimized(region(), lambda x: x))
        klass = classmethod(framegate.Optimized(region(), lambda cls, x: (cls, x)))
        quiet = framegate.Disabled(lambda self, x: (x, self))

    c = C()
    assert c.method(1) == (c, 1) and C.method(c, 2) == (c, 2) and c.static(3) == 3 and C.klass(4) == (C, 4)
    assert c.quiet(5) == (5, c) and c.method.__self__ is c and isinstance(C.method, framegate.Optimized)


@functools.partial(framegate.Optimized, region())
def by_name(x):
    return x


def test_copies_and_pickles():
    assert pickle.loads(pickle.dumps(by_name)) is by_name and copy.deepcopy(by_name) is by_name and copy.copy(by_name) is by_name

    class Adder:
        def __init__(self, n):
            self.n = n

        def __call__(self, x):
            return x + self.n

    f = framegate.Optimized(region(), Adder(2))
    twin = copy.deepcopy(f)
    twin.n = 10
    assert f(1) == 3 and twin(1) == 11 and twin.region is f.region


# --- module functions ---


def test_options():
    assert framegate.set_option("recompile_limit", 3) == 8 and framegate.get_option("recompile_limit") == 3
    framegate.set_option("recompile_limit", 8)
    for name, value in [("no_such", 1), ("graphless", "sometimes"), ("recompile_limit", -1), ("skip_files", ["a"]), ("make_error", 1)]:
        with pytest.raises((ValueError, TypeError)):
            framegate.set_option(name, value)
    with pytest.raises(ValueError):
        framegate.Region({"dynamic": "perhaps"})
    with pytest.raises(TypeError):
        framegate.Region([])
    with pytest.raises(TypeError):
        framegate.Optimized(region(), 3)


def test_stance_is_the_threads():
    function = fresh(original)
    f, _ = swapped(function, added(original), equals(0, 1))
    assert framegate.set_stance("force_eager") == ("default", False)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(f(1)))
    thread.start()
    thread.join()
    assert f(1) == ("original", 1, 2) and seen == [3]
    assert framegate.set_stance("fail_on_recompile") == ("force_eager", False)
    framegate.set_option("make_error", lambda facts: LookupError(facts["kind"], facts["function"]))
    assert f(1) == 3
    with pytest.raises(LookupError, match="fail_on_recompile") as caught:
        f(2)
    assert caught.value.__traceback__.tb_next is None
    framegate.set_option("make_error", None)
    framegate.set_stance("default")
    assert f(2) == ("original", 2, 2)
    with pytest.raises(RuntimeError, match="no_such"):
        framegate.set_stance("no_such")


def test_misses_say_what_was_looked_at():
    framegate.reset_stats()
    function = fresh(original)
    f, _ = swapped(function, added(original), equals(0, 1))
    f(1)
    assert framegate.misses() == []
    f(2)
    (miss,) = framegate.misses()
    assert miss["code"] == "original" and set(miss) == {"code", "entry", "subject", "expected", "actual"}
    framegate.reset_stats()
    assert framegate.misses() == [] and set(framegate.stats().values()) == {0}


def test_skipped_files_are_roots_only_where_asked_for():
    callee = fresh(original)
    owner = region()
    testing.install(owner, callee, entry(added(original)), PASS)
    code = callee.__code__.replace(co_filename="/skipped/lib.py")
    skipped = types.FunctionType(code, globals(), "skipped", (2,))
    framegate.set_option("skip_files", ("/skipped/",))
    try:
        framegate.Optimized(owner, lambda: skipped(1))()
        framegate.reset_stats()
        framegate.Optimized(owner, lambda: skipped(1))()
        assert framegate.stats()["frames"] == 1      # the lambda alone
        framegate.Optimized(owner, skipped)(1)
        assert framegate.stats()["frames"] == 2
    finally:
        framegate.set_option("skip_files", ())
