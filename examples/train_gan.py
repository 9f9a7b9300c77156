"""A GAN with two optimizers: two compiled networks that train each other, labels and noise drawn in eager code.

    python -m framegate examples/train_gan.py
    python examples/train_gan.py --plain                    without torch.compile
"""
import argparse
import math

import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, noise=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(noise, 32), nn.LayerNorm(32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, z):
        return self.layers(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 32))
        self.rest = nn.Sequential(nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.rest(self.first(x)).squeeze(-1)


def real(count):
    angle = torch.rand(count) * 2 * math.pi
    return torch.stack((angle.cos(), angle.sin()), dim=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()

    torch.manual_seed(3)
    generator, discriminator = Generator(), Discriminator()
    make, judge = generator, discriminator
    if not options.plain:
        make, judge = (torch.compile(module, backend=options.backend) for module in (generator, discriminator))
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    loss_of = nn.BCEWithLogitsLoss()
    for step in range(options.steps):
        truth, z = real(64), torch.randn(64, 8)
        fake = make(z)
        of_discriminator.zero_grad()
        loss = loss_of(judge(truth), torch.full((64,), 0.9)) + loss_of(judge(fake.detach()), torch.zeros(64))
        loss.backward()
        of_discriminator.step()

        of_generator.zero_grad()
        fooled = loss_of(judge(fake), torch.ones(64))
        fooled.backward()
        of_generator.step()
        print(f"step {step:3}  loss {loss.item()!r}  generator {fooled.item()!r}")


if __name__ == "__main__":
    main()
