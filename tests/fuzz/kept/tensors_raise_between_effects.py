"""Operators that raise once their data are known: what the program did before is done, what it would have done after is not; the line is theirs."""
import torch

LOG = []
TABLE = {}
STATE = {"step": 0, "mean": torch.zeros(3)}


def made(grad):
    return torch.ones(3).requires_grad_(grad)


def between_effects(x, index):
    first = STATE["mean"][index[:1]]
    LOG.append("first")
    STATE["step"] += 1
    x.add_(1)
    LOG.append("changed")
    second = STATE["mean"][index]
    LOG.append("second")
    return first, second


def view_of_a_leaf(x, index):
    LOG.append("before")
    x[0].add_(1)
    LOG.append("after")
    return x


def several_views(x, index):
    y = (x * 2).unbind(0)[1]
    STATE["mean"] = y
    LOG.append("before")
    y.mul_(2)
    LOG.append("after")
    return y


def inverse(x, index):
    LOG.append("before")
    y = torch.linalg.inv(torch.zeros(2, 2) * x[0].detach())
    LOG.append("after")
    return y + 1


CALLS = [('between_effects', ('made(False)', 'torch.tensor([0, 2])')), ('between_effects', ('made(False)', 'torch.tensor([0, 9])')), ('between_effects', ('made(False)', 'torch.tensor([9, 0])')), ('view_of_a_leaf', ('made(True)', '0')), ('view_of_a_leaf', ('made(False)', '0')), ('several_views', ('made(True)', '0')), ('inverse', ('made(True)', '0'))]
