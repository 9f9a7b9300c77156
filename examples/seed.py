"""The smallest program that shows Framegate at work: a function with a branch on a tensor, called 100 times.

    python examples/seed.py

The branch ends a graph, because only the running program knows the sign. So there are three graphs: before
the branch, and one for each way it goes on. The backend prints each when it is handed over. Run it a second
time: the same graphs, and nothing is translated, because the daemon has the answers.
"""
import argparse
import json
from pathlib import Path

import torch

import framegate


def printing_backend(graph_module, example_inputs):
    """A backend is any function that takes a graph and gives back something to call."""
    shapes = ", ".join(str(tuple(t.shape)) for t in example_inputs)
    print(f"--- a graph, called with {shapes} ---\n{graph_module.graph}")
    return graph_module.forward


@framegate.optimize(printing_backend)
def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stats", type=Path, help="also write the counters to this file, as JSON")
    options = parser.parse_args()

    for _ in range(100):
        a, b = torch.randn(10), torch.randn(10)
        expected = a / (torch.abs(a) + 1) * (-b if b.sum() < 0 else b)
        assert torch.equal(toy(a, b), expected)

    stats = framegate.stats()
    print("100 calls: " + ", ".join(f"{stats[name]} {name.replace('_', ' ')}" for name in (
        "frames", "entries", "graphs", "graph_breaks", "translations", "round_trips")) + f", {stats['front_end_us'] / 1000:.1f} ms in the front-end")
    if options.stats:
        options.stats.write_text(json.dumps(stats))


if __name__ == "__main__":
    main()
