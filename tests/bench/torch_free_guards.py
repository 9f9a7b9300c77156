"""The guard-heavy model of hit_overhead.py without torch: how the cost of deciding grows with the number of objects behind a call.

Runs on every Python: `python tests/bench/torch_free_guards.py`. Each figure is the time of a hit minus the time of a function that
returns the same constant, in microseconds; the last column is against the smallest model, in the same process and round.
"""
from __future__ import annotations

import platform
import statistics
import time

import framegate

LAYERS, LEAVES, ROUNDS = (1, 9, 36), 14, 7


class Flags:
    def __init__(self):
        self.active = True


class Leaf:
    def __init__(self, width, weighted):
        self.width, self.weight, self.bias = width, ("w", width) if weighted else None, None

    def forward(self):
        weight = 0 if self.weight is None else self.weight[1]
        bias = 0 if self.bias is None else self.bias[1]
        return self.width + weight + bias


class Layer:
    def __init__(self, index, flags):
        self.scale, self.flags = 0.5 + index * 1e-3, flags
        self.leaves = [Leaf(8 + j, j < 11) for j in range(LEAVES)]

    def forward(self):
        value = 0
        if self.flags.active:
            for leaf in self.leaves:
                value += leaf.forward()
        return value + self.scale


class Model:
    def __init__(self, layers):
        flags = Flags()
        self.layers = [Layer(i, flags) for i in range(layers)]

    def forward(self, x):
        value = 0
        for layer in self.layers:
            value += layer.forward()
        return value if x is None else x


def nothing(model, x):
    return 1.5


def seconds_per_call(fn, *arguments):
    fn(*arguments)
    calls, spent = 1, 0.0
    while spent < 0.02:
        calls *= 2
        begin = time.perf_counter()
        for _ in range(calls):
            fn(*arguments)
        spent = time.perf_counter() - begin
    return spent / calls


def main():
    framegate.config.graphless = "always"
    measured = {}
    for layers in LAYERS:
        model = Model(layers)
        compiled = framegate.compile(Model.forward, backend="eager")
        for _ in range(4):
            assert compiled(model, None) == model.forward(None)
        measured[layers] = (compiled, model)
    before = framegate.stats()
    rounds = {layers: [] for layers in LAYERS}
    for _ in range(ROUNDS):
        for layers, (compiled, model) in measured.items():
            rounds[layers].append(seconds_per_call(compiled, model, None) - seconds_per_call(nothing, model, None))
    after = framegate.stats()
    if after["round_trips"] != before["round_trips"] or after["entries"] != before["entries"] or after["entries"] < len(LAYERS):
        raise RuntimeError("not every call was a hit")
    print(f"Python {platform.python_version()}")
    for layers, figures in rounds.items():
        growth = statistics.median(a / b for a, b in zip(figures, rounds[LAYERS[0]]))
        print(f"{layers:3d} x {LEAVES}  {statistics.median(figures) * 1e6:8.3f} us   x {growth:.2f}")


if __name__ == "__main__":
    main()
