"""Trains a 12-layer GPT for some steps, with the model compiled by Framegate.

    python examples/train_gpt.py                        the eager backend: exactly the losses of --eager
    python examples/train_gpt.py --backend inductor     any backend that torch.compile knows by name
    python examples/train_gpt.py --eager                the same training without a compiler
"""
import argparse
import json
import time
from pathlib import Path

import torch
from gpt import GPT, GPTConfig, train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--eager", action="store_true", help="do not compile")
    parser.add_argument("--stats", type=Path, help="also write losses, seconds and counters to this file, as JSON")
    options = parser.parse_args()

    torch.manual_seed(1337)
    model = GPT(GPTConfig())
    if options.eager:
        compiled, stats = model, dict
    else:
        import framegate
        compiled, stats = framegate.compile(model, backend=options.backend), framegate.stats

    begin = time.perf_counter()
    losses = train(model, compiled, options.steps)
    seconds = time.perf_counter() - begin
    for step, loss in enumerate(losses):
        print(f"step {step:3}  loss {loss!r}")
    print(f"{options.steps} steps in {seconds:.2f} s  {stats()}")
    if options.stats:
        options.stats.write_text(json.dumps({"losses": losses, "seconds": seconds, **stats()}))


if __name__ == "__main__":
    main()
