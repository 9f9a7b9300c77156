"""Random module trees, random mutations of them: what is compiled must always compute what the modules compute.

    python tests/fuzz/modules.py [--seconds 120] [--seed N]

As mutations.py, for nn.Module: parameters, buffers, submodules, hooks, modes, metadata changed in place. Run it with FRAMEGATE_SHADOW=1.
"""
from __future__ import annotations

import argparse
import random
import sys
import time

import framegate
import torch
from torch import nn


class Leaf(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.gain, self.mode, self.names = chance.randint(1, 2), "a", ["x", "y"]
        self.linear = nn.Linear(4, 4)
        self.register_buffer("offset", torch.full((4,), float(chance.randint(0, 2))))

    def forward(self, x):
        x = self.linear(x) * self.gain + self.offset
        return x + len(self.names) if self.mode == "a" else x - 1


class Tree(nn.Module):
    def __init__(self, chance, depth):
        super().__init__()
        self.layers = nn.ModuleList(Tree(chance, depth - 1) if depth and chance.random() < 0.6 else Leaf(chance)
                                    for _ in range(chance.randint(1, 3)))
        self.norm, self.scale = nn.LayerNorm(4), 1.0

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) * self.scale if self.training else self.norm(x)


def leaf(chance, net):
    return chance.choice([m for m in net.modules() if isinstance(m, Leaf)])


def tree(chance, net):
    return chance.choice([m for m in net.modules() if isinstance(m, Tree)])


def in_place(change):
    def changed(chance, net):
        with torch.no_grad():
            change(chance, net)
    return changed


MUTATIONS = [
    lambda c, n: setattr(leaf(c, n), "gain", c.randint(1, 3)), lambda c, n: setattr(leaf(c, n), "mode", c.choice("ab")),
    lambda c, n: leaf(c, n).names.append("z"), lambda c, n: leaf(c, n).names.__setitem__(slice(2, None), []),
    lambda c, n: setattr(leaf(c, n), "linear", nn.Linear(4, 4)), lambda c, n: setattr(leaf(c, n), "linear", nn.Identity()),
    lambda c, n: [setattr(m, "weight", nn.Parameter(torch.rand(4, 4))) for m in n.modules() if isinstance(m, nn.Linear)],
    lambda c, n: [setattr(m, "bias", None) for m in n.modules() if isinstance(m, nn.Linear)],
    lambda c, n: setattr(leaf(c, n), "offset", torch.rand(4)), lambda c, n: n.requires_grad_(c.choice([True, False])),
    lambda c, n: n.train(c.choice([True, False])), lambda c, n: tree(c, n).train(c.choice([True, False])),
    lambda c, n: setattr(tree(c, n), "scale", float(c.randint(1, 3))), lambda c, n: setattr(tree(c, n).norm, "eps", c.choice([1e-5, 0.5])),
    lambda c, n: tree(c, n).layers.append(Leaf(c)), lambda c, n: tree(c, n).layers.__setitem__(0, Leaf(c)),
    in_place(lambda c, n: [p.mul_(1.5) for p in n.parameters()]), in_place(lambda c, n: leaf(c, n).offset.add_(1)),
    in_place(lambda c, n: [setattr(p, "data", p.data.clone()) for p in n.parameters()]),
    lambda c, n: setattr(n, "hook", leaf(c, n).register_forward_hook(lambda m, a, out: out * 2)),
    lambda c, n: n.hook.remove(), lambda c, n: setattr(leaf(c, n), "forward", lambda x: x * 3), lambda c, n: leaf(c, n).__dict__.pop("forward", None),
    lambda c, n: setattr(Leaf, "forward", c.choice([FORWARD, lambda self, x: x - self.gain])), lambda c, n: setattr(n, "note", c.random()),
    lambda c, n: leaf(c, n).__dict__.update(gain=c.randint(1, 3)), lambda c, n: setattr(leaf(c, n), "__class__", c.choice([Leaf, Twin])),
]
FORWARD = Leaf.forward


class Twin(Leaf):
    def forward(self, x):
        return x * 0.5 + self.gain


def call(fn, x):
    try:
        out = fn(x)
        return "value", out.requires_grad, out.detach().clone()
    except Exception as error:   # noqa: BLE001
        return "raise", type(error), str(error)


def same(a, b):
    return a[:2] == b[:2] and (torch.equal(a[2], b[2]) if a[0] == "value" else a[2] == b[2])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    framegate.config.recompile_limit = 16
    end, mutations, worlds = time.monotonic() + options.seconds, 0, 0
    while time.monotonic() < end:
        chance = random.Random(options.seed + worlds)
        net = Tree(chance, 2)
        compiled, x, done = framegate.compile(net, backend="eager", dynamic=False), torch.linspace(-1, 1, 8).reshape(2, 4), []
        for _ in range(150):
            at = chance.randrange(len(MUTATIONS))
            done.append(at)
            try:
                MUTATIONS[at](chance, net)
            except (AttributeError, TypeError):
                pass   # it is so already
            mutations += 1
            for _ in range(chance.choice([1, 3])):
                expected, actual = call(net, x), call(compiled, x)
                if not same(expected, actual):
                    print(f"seed {options.seed + worlds}: expected {expected}\nactual {actual}\nlast mutations {done[-8:]} of {mutations}")
                    return 1
        Leaf.forward = FORWARD
        worlds += 1
        framegate.reset()
    print(f"{mutations} mutations in {worlds} worlds, none noticed too late; seed {options.seed}; {framegate.stats()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
