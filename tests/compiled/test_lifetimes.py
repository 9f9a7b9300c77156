"""What shows when an object dies: weak references, __del__, id(), reference counts."""
import gc
import sys
import weakref

import pytest

import framegate


class Plain:
    def __init__(self, value=0):
        self.value = value

    def method(self):
        return self.value


class Noisy:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("gone")


KEPT = Plain(5)


def deleted():
    o = Plain()
    r = weakref.ref(o)
    alive = r() is o
    del o
    return alive, r() is None


def rebound():
    o = Plain()
    r = weakref.ref(o)
    o = None
    return r()


def temporary():
    return weakref.ref(Plain())(), [weakref.ref(Plain(i))() for i in range(2)]


def taken_out_of_a_list():
    xs = [Plain()]
    r = weakref.ref(xs[0])
    alive = r() is xs[0]
    xs.clear()
    return alive, r()


def in_a_ring():
    a = Plain()
    a.value = a
    r = weakref.ref(a)
    del a
    return r() is not None, gc.collect() > 0, r()


def with_a_callback():
    log = []
    o = Plain()
    r = weakref.ref(o, lambda r: log.append("called"))
    del o
    return log, r()


def in_a_weak_value_dictionary():
    d = weakref.WeakValueDictionary()
    o = Plain()
    d["a"] = o
    before = len(d)
    del o
    return before, len(d), "a" in d


def in_a_weak_set():
    s = weakref.WeakSet()
    o = Plain()
    s.add(o)
    before = o in s
    del o
    return before, len(s), KEPT in weakref.WeakSet([KEPT])


def finalized():
    log = []
    o = Plain()
    f = weakref.finalize(o, log.append, 1)
    before = f.alive
    del o
    return before, f.alive, log


def of_a_method():
    o = Plain(3)
    m = weakref.WeakMethod(o.method)
    before = m()()
    del o
    return before, m()


def after_an_opaque_call():
    o = Plain()
    gc.isenabled()
    r = weakref.ref(o)
    alive = r() is o
    del o
    return alive, r()


def with_del():
    log = []
    d = Noisy(log)
    log.append("made")
    del d
    log.append("after")
    return log


def with_del_in_a_callee():
    log = []

    def callee():
        d = Noisy(log)
        return d.log is log

    log.append(callee())
    return log


def ids():
    o = Plain()
    return id(Plain()) == id(Plain()), id(o) == id(o), id(o) == id(Plain())


def counted():
    o = Plain()
    before = sys.getrefcount(o)
    other = o
    return before, sys.getrefcount(other)


def one_reference():
    o = Plain()
    return weakref.ref(o) is weakref.ref(o), weakref.ref(KEPT) is weakref.ref(KEPT)


def not_referable():
    def said(o):
        try:
            return weakref.ref(o)
        except TypeError as error:
            return error.args

    class Slots:
        __slots__ = ("a",)

    return said(1), said([]), said(Slots()), said(ValueError())


CASES = [deleted, rebound, temporary, taken_out_of_a_list, in_a_ring, with_a_callback, in_a_weak_value_dictionary, in_a_weak_set, finalized,
         of_a_method, after_an_opaque_call, with_del, with_del_in_a_callee, ids, counted, one_reference, not_referable]


@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_as_in_eager(fn):
    with framegate.config.patch(graphless="always"):
        compiled = framegate.compile(fn, backend="eager")
        for _ in range(3):
            assert compiled() == fn()


@pytest.mark.parametrize("fn", [deleted, rebound, temporary, taken_out_of_a_list], ids=lambda fn: fn.__name__)
def test_is_captured_whole(fn):
    with framegate.config.patch(graphless="always"):
        assert framegate.compile(fn, backend="eager", fullgraph=True)() == fn()
        framegate.reset()
