"""Random worlds that change: objects, functions that read them, mutations between calls. A compiled function must always give what the plain one gives.

    python tests/fuzz/mutations.py --mutations 1000000 [--seed 0]

A world is a graph of objects: instances with attributes, slots, properties, lists, dicts, tuples, a module's globals, closures, classes.
A function reads some paths through it. Then the world changes, one mutation at a time, and after each the function is called both ways.
"""
from __future__ import annotations

import argparse
import random
import sys

import framegate

KEYS = ["a", "b", "size", "tag", "items"]


class Node:
    shared = 1

    def __init__(self):
        self.a = 1
        self.b = "x"
        self.items = [1, 2]

    def method(self):
        return self.a

    @property
    def size(self):
        return len(self.items)

    def __repr__(self):
        return "a node"


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 2, "y"

    def __repr__(self):
        return "slotted"

    def method(self):
        return self.b


class Child(Node):
    def method(self):
        return (super().method(), self.b)


class World:
    """Made from a seed; two of the same seed are equal and share nothing."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.classes = {name: type(name, (base,), {"__slots__": ()} if base is Slotted else {})
                        for name, base in (("N", Node), ("S", Slotted), ("C", Child))}
        self.space: dict = {"__name__": "world", "G": 5, "TABLE": {"a": 1, "b": [1]}, "helper": _helper(1), **self.classes}
        self.roots = [self.classes[self.random.choice("NSC")]() for _ in range(3)]
        self.roots += [[1, 2, 3], {"a": 1, "b": 2}, (1, "t")]
        for root in self.roots[:3]:
            root.a = self.value(2)
        self.cell = self.value(1)

    def value(self, depth: int) -> object:
        r = self.random
        simple = [lambda: r.randint(0, 3), lambda: r.choice(["x", "y", ""]), lambda: None, lambda: r.random() < 0.5, lambda: 0.5]
        nested = [lambda: [self.value(depth - 1) for _ in range(r.randint(0, 3))], lambda: {r.choice(KEYS): self.value(depth - 1) for _ in range(2)},
                  Node, lambda: (self.value(depth - 1), 1), lambda: {1, r.randint(1, 4)}]
        return r.choice(simple + nested if depth > 0 else simple)()



def _helper(number: int):
    def helper(x=number, *, y=number):
        return x, y, number
    return helper


READS = ["p{i}.a", "p{i}.b", "p{i}.items", "p{i}.size", "p{i}.shared", "p{i}.method()", "len(p3)", "p3[0]", "p3[-1]", "sum(p3)", "p4['a']", "p4.get('b')",
         "list(p4)", "sorted(p4.items(), key=str)", "p5", "G", "TABLE['a']", "TABLE.get('zz')", "len(TABLE)", "helper()", "helper(3)", "type(p{i}).__name__",
         "isinstance(p{i}, N)", "hasattr(p{i}, 'tag')", "getattr(p{i}, 'tag', 7)", "p{i} is p{j}", "p{i} == p{j}", "N.shared", "[x for x in p3 if x]", "captured",
         "p{i}.a is None", "bool(p{i}.a)", "str(p{i}.b)", "'a' in p4", "p3 == [1, 2, 3]", "(p{i}.a if p{i}.b else p{j}.b)", "p{i}.__class__.__name__", "vars(p{i})"
         ".get('a') if hasattr(p{i}, '__dict__') else 0", "max(p3, default=0)", "tuple(p3[:2])", "[k for k in TABLE]", "p{i}.items[0] if p{i}.items else 'none'"]

CHANGES = ["p{i}.a = v", "p{i}.b = v", "p{i}.tag = v", "del p{i}.a", "del p{i}.tag", "p{i}.items = v", "p{i}.items.append(v)", "p{i}.items.clear()", "p3.append(v)",
           "p3[0] = v", "del p3[0]", "p3.sort(key=str)", "p4['a'] = v", "p4[v] = 1", "p4.pop('a', 0)", "p4.clear()", "p4.update(b=v)", "space['G'] = v",
           "space.pop('G', 0)", "space['TABLE'] = {'a': v}", "space['TABLE']['a'] = v", "space['TABLE'].pop('a', 0)", "space['TABLE']['zz'] = v", "type(p{i}).shared = v",
           "N.shared = v", "del type(p{i}).shared", "type(p{i}).method = lambda self: v", "N.method = lambda self: (v, self)[0]", "del type(p{i}).method",
           "p{i}.method = lambda: v", "p{i}.__class__ = N if type(p{i}) is C else C", "space['helper'].__defaults__ = (v,)", "space['helper'].__kwdefaults__ = {'y': v}",
           "space['helper'].__code__ = other_code", "space['helper'] = (lambda *a: v)", "space['len'] = lambda x: 99", "space.pop('len', 0)", "type(p{i}).size = property(lambda self: v)",
           "type(p{i}).__len__ = lambda self: 0", "type(p{i}).__bool__ = lambda self: False", "type(p{i}).__eq__ = lambda self, other: v", "type(p{i}).__getattr__ = lambda self, n: n",
           "cell.cell_contents = v", "p{i}.__dict__['a'] = v", "p{i}.__dict__['shared'] = v", "p3.extend([v, v])", "p3.reverse()", "type(p{i}).a = v",
           "type(p{i}).a = property(lambda self: v)", "del type(p{i}).a", "p{i}.b = [p{j}]", "p3[:] = [1, 2, 3]", "space['N'] = C", "space['N'] = N0"]


def filled(text: str, chance: random.Random) -> str:
    return text.replace("{i}", str(chance.randint(0, 2))).replace("{j}", str(chance.randint(0, 2)))


def source_of(chance: random.Random) -> str:
    lines = []
    for read in chance.sample(READS, chance.randint(1, 5)):
        text = filled(read, chance)
        lines.append(f"        try: out.append({text})\n        except Exception as e: out.append((type(e).__name__, str(e)))" if chance.random() < 0.5
                     else f"        out.append({text})")
    body = "\n".join(lines)
    return (f"def make(captured):\n    def f(p0, p1, p2, p3, p4, p5):\n        out = []\n{body}\n        return out\n"
            "    def own_cell(): return captured\n    return f, own_cell.__closure__[0], f.__closure__\n")


class Half:
    """A world with its function in it, plain or compiled."""

    def __init__(self, seed: int, source: str, wrap):
        self.world = World(seed)
        exec(compile(source, "<world>", "exec"), self.world.space)  # noqa: S102
        self.plain, self.cell, _ = self.world.space["make"](self.world.cell)
        self.function = wrap(self.plain)

    def change(self, text: str, seed: int) -> None:
        space = self.world.space
        self.world.random = random.Random(seed)
        names = {f"p{i}": root for i, root in enumerate(self.world.roots)}
        names |= {"v": self.world.value(1), "space": space, "N": self.world.classes["N"], "C": self.world.classes["C"], "N0": self.world.classes["N"],
                  "other_code": _other.__code__, "cell": self.cell}
        try:
            exec(text, names)  # noqa: S102
        except Exception:  # noqa: BLE001  a change that is not possible here is none
            pass

    def call(self) -> str:
        try:
            return show(self.function(*self.world.roots), 4)
        except Exception as error:  # noqa: BLE001
            return f"{type(error).__name__}: {error}"


def _other(x=1, *, y=1):
    return "other", x, y


def show(value: object, depth: int) -> str:
    if depth == 0:
        return "..."
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(show(v, depth - 1) for v in value)})"
    if isinstance(value, set):
        return f"set({sorted(value)})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{k!r}: {show(v, depth - 1)}' for k, v in value.items())})"
    if type(value).__module__ == "builtins" and not callable(value):
        return repr(value)
    return f"<{type(value).__name__}>"


def run(seed: int, mutations: int) -> tuple[int, str | None]:
    """(how many mutations were made, what went wrong)."""
    framegate.reset()
    chance = random.Random(seed)
    source = source_of(chance)
    halves = Half(seed, source, lambda f: f), Half(seed, source, lambda f: framegate.compile(f, backend="eager"))
    history = []
    for step in range(mutations):
        results = [half.call() for half in halves]
        if results[0] != results[1]:
            return step, f"seed {seed}\n{source}changes: {history}\n  plain    {results[0]}\n  compiled {results[1]}"
        change, number = filled(chance.choice(CHANGES), chance), chance.randint(0, 10**6)
        history.append(change)
        for half in halves:
            half.change(change, number)
    return mutations, None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=10)
    options = parser.parse_args()
    framegate.config.graphless = "always"
    framegate.config.recompile_limit = 64
    framegate.reset_stats()
    seed, made, wrong, entries = options.seed, 0, 0, 0
    while made < options.mutations and wrong < options.most:
        count, problem = run(seed, 40)
        made += count
        seed += 1
        if problem:
            wrong += 1
            print(problem, flush=True)
    stats = framegate.stats()
    print(f"{made} mutations of {seed - options.seed} worlds, {wrong} stale; {stats['entries']} entries, {stats['translations']} translations, "
          f"{stats['graph_breaks']} breaks, {stats['frames_skipped']} frames as they are, {stats['fallbacks']} fallbacks")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
