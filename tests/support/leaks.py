"""What is left behind by hits, misses, entries made and dropped: `python tests/support/leaks.py [--hits N] [--cycles N]`, in one process.

Counts, not sizes of the process: memory blocks of the interpreter, objects that the collector knows, references of the objects that calls use.
A path may take a few blocks the first time (caches, interned names), so each is run before it is counted; a few blocks for counting are no leak.
"""
from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable

import framegate


class Holder:
    def __init__(self, value: int):
        self.value, self.items, self.table = value, [1, 2, 3], {"k": value}

    def step(self, x: int) -> int:
        return self.value + x + sum(self.items) + self.table["k"]


def reads(holder: Holder, x: int, names: tuple = ("a", "b")) -> tuple:
    return holder.step(x), len(names), holder.items[0]


def raises(holder: Holder, x: int) -> int:
    try:
        return holder.table["missing"] + x
    except KeyError as error:
        return len(error.args) + opaque(holder.value)


def changes(holder: Holder, x: int) -> list:
    holder.value = x
    holder.items.append(x)
    holder.items.pop()
    return [holder.value, *holder.items]


@framegate.disable
def opaque(value: int) -> int:
    return value


def breaks(holder: Holder, x: int) -> int:
    total = 0
    for item in holder.items:
        total += opaque(item) + x
    return total


FEW = 10   # blocks, however often a path runs
FUNCTIONS = (reads, raises, changes, breaks)


def blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()


def left(runs: int, path: Callable[[], None], *watched: object) -> tuple[int, list[int]]:
    """Blocks and references of `watched` that `runs` leave behind, after some that are not counted."""
    for _ in range(min(runs, 3)):
        path()
    before, references = blocks(), [sys.getrefcount(x) for x in watched]
    for _ in range(runs):
        path()
    after = blocks()
    return after - before, [sys.getrefcount(x) - n for x, n in zip(watched, references)]


def paths(function: Callable) -> dict[str, tuple[Callable[[], None], tuple]]:
    holder = Holder(2)
    compiled = framegate.compile(function, backend="eager")
    others = [Holder(n) for n in range(3)]

    def hit() -> None:
        compiled(holder, 1)

    def miss() -> None:
        for x in (1, "no number", 2.5, None):   # no entry fits and none is made beyond the limit
            try:
                compiled(others[0], x)
            except TypeError:
                pass

    def remake() -> None:
        framegate.reset()
        compiled(others[1], 1)

    def come_and_go() -> None:
        def local(h: Holder, x: int) -> int:
            return h.value + x
        framegate.compile(local, backend="eager")(others[2], 1)

    return {"hit": (hit, (holder, holder.items, function)), "miss": (miss, (others[0],)), "remake": (remake, (others[1], function)),
            "come and go": (come_and_go, (others[2],))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hits", type=int, default=1_000_000)
    parser.add_argument("--cycles", type=int, default=1_000)
    options = parser.parse_args()
    framegate.config.graphless = "always"
    framegate.config.recompile_limit = 8
    bad = 0
    for function in FUNCTIONS:
        for name, (path, watched) in paths(function).items():
            runs = options.hits // len(FUNCTIONS) if name in ("hit", "miss") else options.cycles
            more, references = left(runs, path, *watched)
            leaks = more > FEW or any(n > 2 for n in references)
            bad += leaks
            print(f"{'LEAKS' if leaks else 'ok   '} {function.__name__:8} {name:12} {runs:9} runs  {more:6} blocks  references {references}", flush=True)
    stats = framegate.stats()
    print(f"{bad} paths leak; {stats['entries']} entries, {stats['fallbacks']} fallbacks")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
