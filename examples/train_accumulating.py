"""A language model with gradient accumulation and clipping; the whole micro step, loss included, is compiled.

    python -m framegate examples/train_accumulating.py
    python examples/train_accumulating.py --plain           without torch.compile
"""
import argparse

import torch
from gpt import GPT, GPTConfig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--accumulate", type=int, default=3)
    options = parser.parse_args()

    torch.manual_seed(7)
    config = GPTConfig(layers=3)
    model = GPT(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))

    def micro_step(tokens, targets):
        _, loss = model(tokens, targets)
        return loss / options.accumulate

    if not options.plain:
        micro_step = torch.compile(micro_step, backend=options.backend)
    text = torch.randint(0, config.vocabulary, (4, config.context + 1))
    for step in range(options.steps):
        total = 0.0
        for micro in range(options.accumulate):
            tokens = text.roll(micro, dims=0)
            loss = micro_step(tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous())
            loss.backward()
            total += loss.item()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step:3}  loss {total!r}  norm {norm.item()!r}")


if __name__ == "__main__":
    main()
