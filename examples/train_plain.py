"""A training script that knows only torch.compile. Framegate takes over without a change to it:

    python -m framegate examples/train_plain.py
    python examples/train_plain.py                  the same script with torch's own front-end
"""
import argparse

import torch
from gpt import GPT, GPTConfig, train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()

    torch.manual_seed(1337)
    model = GPT(GPTConfig())
    compiled = torch.compile(model, backend=options.backend)
    for step, loss in enumerate(train(model, compiled, options.steps)):
        print(f"step {step:3}  loss {loss!r}")


if __name__ == "__main__":
    main()
