"""Random worlds, random functions that read them, random mutations: what is compiled must always answer as what is not.

    python tests/fuzz/mutations.py [--seconds 120] [--mutations N] [--seed N]

A world is a module with classes, instances, containers, functions and cells; a reader is a function of a few random expressions over it. Between
calls the world is changed by rows of MUTATIONS, from small sets of values, so that old entries are met again. A difference prints the
seed, the reader and the last mutations, and is status 1. Run it with FRAMEGATE_SHADOW=1: then memos are compared with programs too.
"""
from __future__ import annotations

import argparse
import gc
import random
import sys
import time
import types

import framegate

SOURCE = '''
class Base:
    shared, inherited = 1, 10
    def who(self): return ("base", self.n)
    def twice(self): return self.n * 2
    @property
    def double(self): return self.n * 2
    @staticmethod
    def fixed(): return 7
    @classmethod
    def named(cls): return cls.shared

class Thing(Base):
    pass

class Other(Base):
    shared = 2
    def who(self): return ("other", self.n)

class Slotted:
    __slots__ = ("n", "m")

class Mixin:
    inherited = 11

def outer():
    cell = 1
    def get(a=1, *, k=2): return (cell, a, k)
    def put(value):
        nonlocal cell
        cell = value
    return get, put

def one(): return 1
def two(): return 2

get, put = outer()
number, text, items, table = 1, "a", [1, 2, 3], {"a": 1, "b": 2}
thing, other, slotted = Thing(), Other(), Slotted()
for each in (thing, other, slotted): each.n = 1
slotted.m = 1
thing.child, thing.list, thing.dict = other, [1, [2]], {"k": 1, 1: "x"}
pair = (thing, items)
func = one
'''
# Expressions over the world, which is the globals of the reader; o, l and d are arguments.
READS = ["number", "text", "number + 1", "items[0]", "len(items)", "[x for x in items]", "table['a']", "'b' in table", "table.get('c', 0)",
         "sorted(table)", "list(table)", "thing.n", "thing.child.n", "thing.list[1][0]", "thing.dict['k']", "thing.dict.get(1)", "len(thing.dict)",
         "thing.who()", "thing.twice()", "thing.double", "thing.fixed()", "thing.named()", "thing.shared", "thing.inherited",
         "hasattr(thing, 'extra')", "getattr(thing, 'extra', 0)", "type(thing).__name__", "isinstance(thing, Other)", "isinstance(thing, Mixin)",
         "thing.child is other", "slotted.n", "slotted.m", "get()", "get(5)", "func()", "one()", "one.__name__", "get.__defaults__", "pair[0].n", "pair[1][0]",
         "o.n", "o.who()", "o.shared", "l[0]", "len(l)", "bool(l)", "d['a']", "'z' in d", "number == 1", "text.upper()", "Base.shared", "Thing.inherited",
         "(lambda: number)()", "sum(items)", "max(items)", "len(text)", "thing.child.child if hasattr(thing.child, 'child') else None"]
# What changes the world: statements in its globals. `v` is a small number.
MUTATIONS = ["number = v", "number = True", "number = float(v)", "text = 'ab'[v % 2]", "text = ''.join(['a', 'b'][:v % 3])", "items[0] = v", "items.append(v)",
             "items.pop() if len(items) > 1 else None", "items[:] = [1, 2, 3]", "items = [v, 2, 3]", "table['a'] = v", "table['c'] = v", "table.pop('c', None)",
             "table.pop('b', None)", "table['b'] = 2", "table = dict(table)", "table.clear(); table.update(a=1, b=2)", "table['a'] = table.pop('a', 1)",
             "thing.n = v", "thing.n = True", "object.__setattr__(thing, 'n', v)", "thing.__dict__['n'] = v", "thing.__dict__.update(n=v)",
             "thing.__dict__ = dict(thing.__dict__)", "thing.extra = v", "thing.__dict__.pop('extra', None)", "thing.shared = v",
             "thing.__dict__.pop('shared', None)", "thing.who = lambda: v", "thing.__dict__.pop('who', None)", "thing.child = other", "thing.child = thing",
             "thing.child = Other(); thing.child.n = v", "thing.list = [1, [v]]", "thing.list[1][0] = v", "thing.list[1] = [v]", "thing.dict['k'] = v",
             "thing.dict[True] = 'y'", "thing.dict[1] = 'x'", "thing.dict = {'k': v, 1: 'x'}", "other.n = v", "other.child = v", "other.__dict__.pop('child', None)",
             "Thing.shared = v", "del Thing.shared", "Base.shared = v", "Base.inherited = 10 + v", "Thing.inherited = v", "del Thing.inherited",
             "Thing.who = lambda self: ('patched', v)", "del Thing.who", "Base.who = lambda self: ('base', self.n, v)", "Base.double = property(lambda self: v)",
             "Base.double = property(lambda self: self.n * 2)", "Base.fixed = staticmethod(lambda: v)", "Thing.n = property(lambda self: 90 + v)", "del Thing.n",
             "Slotted.__getattr__ = lambda self, name: v", "del Slotted.__getattr__", "del slotted.n", "del slotted.m", "Thing.extra = v", "del Thing.extra", "Thing.__getattr__ = lambda self, name: v", "del Thing.__getattr__",
             "Thing.__getattribute__ = lambda self, name: v if name == 'n' else object.__getattribute__(self, name)", "del Thing.__getattribute__",
             "thing.__class__ = Other", "Thing.__name__ = 'T' + str(v)", "thing.__class__ = Thing", "Thing.__bases__ = (Mixin, Base)", "Thing.__bases__ = (Base,)",
             "thing = Thing(); thing.n = v; thing.child, thing.list, thing.dict = other, [1, [2]], {'k': 1, 1: 'x'}", "slotted.n = v", "slotted = Slotted(); slotted.n = v",
             "put(v)", "get, put = outer()", "get.__defaults__ = (v,)", "get.__kwdefaults__ = {'k': v}", "get.__kwdefaults__['k'] = v", "func = two", "func = one",
             "func = lambda: v", "one.__code__ = two.__code__", "one.__code__ = (lambda: v).__code__", "one.__name__ = 'o' + str(v)", "pair = (thing, items)",
             "pair = (other, [v])", "len = lambda x: 50 + v", "del len", "isinstance = lambda *a: v", "del isinstance"]


class World:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.module = types.ModuleType("fuzzed")
        exec(SOURCE, self.module.__dict__)
        parts = chance.sample(READS, chance.randint(1, 6))
        self.source = f"def reader(o, l, d): return ({', '.join(parts)},)"
        exec(self.source, self.module.__dict__)
        self.reader = self.module.reader
        self.compiled = framegate.compile(self.reader)
        self.done: list[str] = []

    def mutate(self) -> None:
        statement = self.chance.choice(MUTATIONS)
        if self.chance.random() < 0.01:
            gc.collect(0)
        self.done.append(statement)
        self.module.v = self.chance.randint(0, 2)
        try:
            exec(statement, self.module.__dict__)
        except Exception:   # noqa: BLE001
            pass   # it is so already

    def arguments(self) -> tuple:
        space = self.module.__dict__
        return (self.chance.choice([space["thing"], space["other"]]), self.chance.choice([space["items"], [], [1]]),
                self.chance.choice([space["table"], {"a": 1, "z": 2}]))

    def agrees(self) -> bool:
        arguments = self.arguments()
        expected, actual = outcome(self.reader, arguments), outcome(self.compiled, arguments)
        if expected == actual:
            return True
        print(f"reader: {self.source}\nexpected {expected}\nactual   {actual}\nlast mutations, oldest first:", *self.done[-12:], sep="\n  ")
        return False


def outcome(function, arguments) -> tuple:
    try:
        return "value", [(type(part), part if isinstance(part, (int, float, str)) else repr(part)) for part in function(*arguments)]
    except Exception as error:   # noqa: BLE001  whatever a changed world makes of it
        return "raise", type(error), str(error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--mutations", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    framegate.config.graphless = "always"
    framegate.config.recompile_limit = 24
    end, mutations, worlds, seed = time.monotonic() + options.seconds, 0, 0, options.seed
    while time.monotonic() < end and mutations < options.mutations:
        world = World(random.Random(seed + worlds))
        for _ in range(400):
            world.mutate()
            mutations += 1
            for _ in range(world.chance.choice([1, 1, 4])):
                if not world.agrees():
                    print(f"seed {seed + worlds}: DIFFERENT after {mutations} mutations")
                    return 1
        worlds += 1
        framegate.reset()
    print(f"{mutations} mutations in {worlds} worlds, none noticed too late; seed {seed}; {framegate.stats()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
