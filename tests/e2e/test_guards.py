"""What no acceptance scenario shows: objects as keys, abstract classes, an object met together with its own __dict__."""

HEAD = """
import abc, types, framegate
framegate.config.graphless = "always"

def agrees(fn, *calls):
    compiled = framegate.compile(fn)
    for _ in range(3):
        for make in calls:
            assert compiled(*make()) == fn(*make()), fn.__name__

class Thing: pass
a, b = Thing(), Thing()
"""


def test_keys_by_identity_are_told_apart(place):
    place.python(HEAD + """
agrees(lambda d, o: o in d, lambda: ({a: 1}, b), lambda: ({a: 1}, a), lambda: ({b: 1}, b))
agrees(lambda d, o: d.get(o), lambda: ({a: 1}, b), lambda: ({a: 1}, a))
agrees(lambda s, o: o in s, lambda: ({a}, b), lambda: ({a}, a))
agrees(lambda x, o: {x: 1, o: 2}[x], lambda: (a, b), lambda: (a, a))
agrees(lambda x, o: len({x, o}), lambda: (a, b), lambda: (b, b))
agrees(lambda x, o: len({x: 1, o: 1, int: 2}), lambda: (a, int), lambda: (a, b), lambda: (a, a))
""")


def test_a_class_that_is_registered_later_is_noticed(place):
    place.python(HEAD + """
class Abstract(abc.ABC): pass
is_one = framegate.compile(lambda o: isinstance(o, Abstract))
assert [is_one(a) for _ in range(3)] == [False] * 3
Abstract.register(Thing)
assert [is_one(a) for _ in range(3)] == [True] * 3
""")


def test_an_object_and_its_own_dict_are_one(place):
    place.python(HEAD + """
def made(): o = types.SimpleNamespace(n=1); return o, o.__dict__
def apart(): return types.SimpleNamespace(n=1), {"n": 1}
def set_attribute(o, d): o.n = 5; return d["n"]
def set_item(o, d): d["n"] = 7; return o.n
def add_item(o, d): d["k"] = 7; return hasattr(o, "k")
for fn in (set_attribute, set_item, add_item):
    agrees(fn, apart, made)
    agrees(fn, made, apart)
""")
