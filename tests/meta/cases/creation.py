"""New tensors from sizes and numbers."""
import torch

from draw import FLOATS, Draw
from spec import spec


def making(d: Draw) -> dict:
    kwargs = {}
    if d.maybe():
        kwargs["dtype"] = d.pick(None, *FLOATS, torch.int64, torch.bool)
    if d.maybe(0.3):
        kwargs["device"] = d.pick("cpu", torch.device("cpu"), None)
    if d.maybe(0.2):
        kwargs["requires_grad"] = d.maybe()
    return kwargs


@spec("zeros ones empty rand randn", "torch:*")
def make(d: Draw):
    shape = d.shape()
    return (tuple(shape) if d.maybe() and shape else (d.pick(tuple, list)(shape),)), making(d)


@spec("full", "torch:*")
def full(d: Draw):
    return (d.shape(), d.number()), making(d)


@spec("randint", "torch:*")
def randint(d: Draw):
    kwargs = dict(dtype=d.pick(torch.int32, torch.float32)) if d.maybe(0.3) else {}
    return d.pick((5, d.shape()), (1, 5, d.shape()), (5, tuple(d.shape()))), kwargs


@spec("arange", "torch:*")
def arange(d: Draw):
    kwargs = {k: v for k, v in making(d).items() if k != "requires_grad"}
    return d.pick((d.integer(0, 9),), (d.integer(-3, 3), d.integer(3, 9)), (0, 9, d.integer(1, 4)), (2.5,), (0, 1, 0.3),
                  (9, 0, d.integer(-4, -1)), (3, 0)), kwargs


@spec("linspace", "torch:*")
def linspace(d: Draw):
    return (d.pick(0, 0.5), d.pick(1, 3.5), d.integer(0, 7)), making(d)


@spec("eye", "torch:*")
def eye(d: Draw):
    return d.pick((d.integer(0, 4),), (d.integer(1, 4), d.integer(1, 4))), making(d)


@spec("tensor", "torch:*")
def tensor(d: Draw):
    data = d.pick(3, 2.5, True, 1j, [], [1, 2], [1, 2.5], [True, 1], (1, 2), [[1, 2], [3, 4]], [[1.0], [2.0]], [[]], [True, False])
    return (data,), making(d)


@spec("zeros_like ones_like empty_like rand_like randn_like", "torch:*")
def like(d: Draw):
    kwargs = making(d)
    if d.maybe(0.2):
        kwargs["memory_format"] = d.pick(torch.contiguous_format, torch.preserve_format)
    return (d.tensor(dtype=d.any_type()),), kwargs


@spec("full_like", "torch:*")
def full_like(d: Draw):
    return (d.tensor(dtype=d.any_type()), d.number()), making(d)


@spec("new_zeros new_ones new_empty", "*")
def new(d: Draw):
    shape = d.shape()
    return (d.tensor(dtype=d.any_type()), *(shape if d.maybe() and shape else (shape,))), making(d)


@spec("new_full", "*")
def new_full(d: Draw):
    return (d.tensor(dtype=d.any_type()), d.shape(), d.number()), making(d)
