"""An image classifier as people write them: BatchNorm, residual blocks, augmentation in plain Python, a schedule, train and eval.

    python -m framegate examples/train_classifier.py
    python examples/train_classifier.py --plain             without torch.compile
"""
import argparse
import random

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class Classifier(nn.Module):
    def __init__(self, classes=4, widths=(8, 16, 32)):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 3, padding=1)
        self.blocks = nn.ModuleList(Block(a, b, stride=2) for a, b in zip(widths[:1] + widths, widths))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.dropout(x.mean(dim=(2, 3))))


def augment(image, chance):
    if chance.random() < 0.5:
        image = image.flip(-1)
    dx, dy = chance.randint(-2, 2), chance.randint(-2, 2)
    return image.roll((dy, dx), dims=(-2, -1))


def batches(images, labels, size, chance):
    order = list(range(len(images)))
    chance.shuffle(order)
    for begin in range(0, len(order), size):
        chosen = order[begin:begin + size]
        yield torch.stack([augment(images[i], chance) for i in chosen]), labels[chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()

    torch.manual_seed(1)
    chance = random.Random(1)
    labels = torch.arange(128) % 4
    images = torch.randn(128, 3, 16, 16) + labels.float().view(-1, 1, 1, 1)
    model = Classifier()
    run = model if options.plain else torch.compile(model, backend=options.backend)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)
    for epoch in range(options.epochs):
        model.train()
        for step, (x, y) in enumerate(batches(images, labels, 32, chance)):
            loss = F.cross_entropy(run(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"step {epoch * 4 + step:3}  loss {loss.item()!r}")
        schedule.step()
        model.eval()
        with torch.no_grad():
            right = (run(images).argmax(1) == labels).sum().item()
        print(f"epoch {epoch}  {right} of {len(labels)} right")


if __name__ == "__main__":
    main()
