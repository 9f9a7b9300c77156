"""The seed program: a graph, a branch on a tensor, a graph for each arm."""
import torch


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


CALLS = [(toy, (torch.ones(10), torch.ones(10)))]
