"""What one process has stored is right in another: other hash seeds, other addresses, another order of events."""
import json

PROGRAM = """
import json, sys
import framegate
framegate.config.graphless = "always"

WORDS = {"alpha", "beta", "gamma", "delta", "epsilon"}

def orders():
    return list(WORDS), [w for w in frozenset("abcdef")], hash("alpha") % 1000

def sorts(words):
    return sorted(words), len(words), max(words), {w: len(w) for w in sorted(words)}, "beta" in words

def ids(box):
    return box is BOX, sorted(vars(box))

class Box:
    def __init__(self): self.a, self.b = 1, 2

BOX = Box()
results = []
for function, arguments in ((orders, ()), (sorts, (WORDS,)), (ids, (BOX,)), (ids, (Box(),))):
    compiled = framegate.compile(function, backend="eager")
    plain = function(*arguments)
    assert compiled(*arguments) == plain, (function, plain, compiled(*arguments))
    assert compiled(*arguments) == plain
print(json.dumps(framegate.stats()))
"""


def test_processes_with_other_hash_seeds_share_a_store(place):
    place.start_daemon()
    for number, seed in enumerate(("1", "2", "1", "12345", "2")):
        stats = json.loads(place.python(PROGRAM, PYTHONHASHSEED=seed))
        assert stats["fallbacks"] == 0 and stats["refused_entries"] == 0
        assert number == 0 or stats["lookup_hits"] >= 2, stats


SHARED = """
import functools
import json
import framegate
from collections.abc import Iterable, Mapping

framegate.config.graphless = "always"
WORDS = {"alpha", "beta", "gamma", "delta", "epsilon"}
SEEN = []

@functools.lru_cache
def noted(word):
    SEEN.append(word)
    return len(word)

def members(word):
    return word in WORDS, len(WORDS), sorted(WORDS), WORDS.isdisjoint({"zeta"})

def kinds(value):
    return isinstance(value, Mapping), isinstance(value, Iterable)

def remembered():
    return noted("alpha")

noted("alpha")
for function, arguments in ((members, ("beta",)), (kinds, ({},)), (kinds, (3,)), (remembered, ())):
    compiled = framegate.compile(function, backend="eager")
    assert compiled(*arguments) == function(*arguments)
print(json.dumps(framegate.stats()))
"""


def test_what_looks_at_no_order_is_shared(place):
    place.start_daemon()
    first, second = (json.loads(place.python(SHARED, PYTHONHASHSEED=seed)) for seed in ("1", "2"))
    assert first["frames_skipped"] == 0 and first["graph_breaks"] == 0, first
    assert second["translations"] == 0 and second["entries"] == first["entries"], second


ORDERED = """
import json
import framegate

framegate.config.graphless = "always"
LENGTHS = {"alpha": 2, "beta": 3, "gamma": None, "delta": 5}

class Recipe:
    def __init__(self, known, unknown):
        self.known, self.unknown = known, unknown

def recipe(axes):
    known = {axis for axis in axes if LENGTHS[axis] is not None}
    unknown = {axis for axis in axes if LENGTHS[axis] is None}
    return Recipe([axis for axis in known], [axis for axis in unknown])

def product(axes):
    found, count = recipe(axes), 1
    for axis in found.known:
        count *= LENGTHS[axis]
    return count, found.unknown

def order(axes):
    return [LENGTHS[axis] for axis in set(axes)]

results = []
for function in (product, order):
    compiled = framegate.compile(function, backend="eager")
    for axes in (("alpha", "beta", "gamma"), ("beta", "alpha", "delta")):
        before = framegate.stats()["translations"]
        for _ in range(2):
            assert compiled(axes) == function(axes)
        results.append(framegate.stats()["translations"] - before)
assert framegate.stats()["graph_breaks"] == 0
print(json.dumps(results))
"""


def test_an_order_that_changes_nothing_is_no_guard(place):
    place.start_daemon()
    results = [json.loads(place.python(ORDERED, PYTHONHASHSEED=seed)) for seed in "12345"]
    assert results[0] == [1, 1, 1, 1]
    assert all(more[:2] == [0, 0] and more[2:] == [1, 1] for more in results[1:]), results
