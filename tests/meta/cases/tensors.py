"""Reductions, scans, joining, lookup."""
import torch

from draw import Draw
from spec import IN_PLACE, TORCH, spec


def some_dims(d: Draw, rank: int):
    if d.maybe(0.4) or rank == 0:
        return d.dim(rank)
    return d.pick(tuple, list)(d.random.sample(range(-rank, 0), d.integer(1, rank)))


@spec("sum nansum mean nanmean amax amin logsumexp norm any all count_nonzero", TORCH)
def reduction(d: Draw):
    x = d.tensor(dtype=d.any_type())
    kwargs = dict(dim=some_dims(d, x.dim())) if d.maybe(0.7) else {}
    if kwargs and d.maybe():
        kwargs["keepdim"] = d.maybe()
    return (x,), kwargs


@spec("sum mean prod", TORCH)
def reduction_with_type(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return ((x, d.dim(x.dim())) if d.maybe() else (x,)), dict(dtype=d.pick(None, torch.float64, torch.int64, torch.float32))


@spec("max min argmax argmin median prod var std", TORCH)
@spec("var_mean std_mean", "torch:*")
def reduction_one_dim(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return d.pick((x,), (x, d.dim(x.dim())), ((x, d.dim(x.dim())), dict(keepdim=d.maybe())))


@spec("var std", TORCH)
def variance(d: Draw):
    x = d.tensor()
    return d.pick((x, d.maybe()), ((x,), dict(dim=some_dims(d, x.dim()), correction=d.pick(0, 1), keepdim=d.maybe())),
                  ((x,), dict(unbiased=d.maybe())))


@spec("max min", TORCH)
def extremum(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.tensor(d.broadcastable(x.shape), d.any_type())


@spec("vector_norm norm", "torch.linalg:*")
def vector_norm(d: Draw):
    x = d.tensor(dtype=d.any_type())
    kwargs = dict(dim=some_dims(d, x.dim()), keepdim=d.maybe()) if d.maybe(0.7) else {}
    return (x, d.pick(2, 1, float("inf"), 0, 2.5)) if d.maybe(0.6) else (x,), kwargs


@spec("norm", TORCH)
def norm(d: Draw):
    x = d.tensor()
    return (x, d.pick(2, 1, "fro", float("inf"))), dict(dim=some_dims(d, x.dim()), keepdim=d.maybe()) if d.maybe(0.7) else {}


@spec("cumsum cumprod cummax cummin sort argsort", TORCH)
def scan(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim())


@spec("sort argsort", TORCH)
def sort(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return (x,), dict(dim=d.dim(x.dim()), descending=d.maybe())


@spec("topk", TORCH)
def topk(d: Draw):
    x = d.tensor(dtype=d.any_type())
    dim = d.dim(x.dim())
    size = x.shape[dim] if x.dim() and -x.dim() <= dim < x.dim() else 1
    return x, d.integer(0, size + d.maybe(0.1)), dim


def tensors_to_join(d: Draw, same: bool):
    shape = d.shape(d.integer(1, 4))
    dim = d.integer(0, len(shape) - 1)
    format = d.pick(None, None, "channels_last", "contiguous")
    kind = d.any_type()
    tensors = []
    for _ in range(d.integer(1, 3)):
        own = list(shape)
        if not same:
            own[dim] = d.integer(0 if d.maybe(0.1) else 1, 3)
        tensors.append(d.tensor(own, d.any_type() if d.maybe(0.2) else kind, format=format))
    if not same and d.maybe(0.08):
        tensors.append(torch.zeros(0, dtype=kind))
    return d.pick(list, tuple)(tensors), dim


@spec("cat concat", "torch:*")
def cat(d: Draw):
    tensors, dim = tensors_to_join(d, False)
    return (tensors, dim) if d.maybe() else ((tensors,), dict(dim=dim))


@spec("stack", "torch:*")
def stack(d: Draw):
    tensors, dim = tensors_to_join(d, True)
    return tensors, d.pick(dim, -1, tensors[0].dim())


@spec("hstack vstack", "torch:*")
def stacks(d: Draw):
    return tensors_to_join(d, True)[0],


@spec("repeat tile", "*")
def repeat(d: Draw):
    x = d.tensor(dtype=d.any_type())
    counts = [d.integer(0 if d.maybe(0.1) else 1, 3) for _ in range(x.dim() + d.integer(0, 1))]
    return (x, *counts) if d.maybe() and counts else (x, counts)


@spec("repeat_interleave", TORCH)
def repeat_interleave(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return d.pick((x, d.integer(0, 3)), (x, d.integer(0, 3), d.dim(x.dim())), ((x, 2), dict(dim=d.dim(x.dim()))))


@spec("flip", "torch:* *")
def flip(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.random.sample(range(-x.dim(), 0), d.integer(0, x.dim()))


@spec("roll", TORCH)
def roll(d: Draw):
    x = d.tensor(dtype=d.any_type())
    dims = d.random.sample(range(-x.dim(), 0), d.integer(1, x.dim())) if x.dim() else []
    return d.pick((x, [d.integer(-2, 2) for _ in dims], dims), (x, 1, d.dim(x.dim())), (x, 2))


@spec("tril triu", IN_PLACE)
def triangle(d: Draw):
    return d.pick((d.tensor(dtype=d.any_type()),), (d.tensor(dtype=d.any_type()), d.integer(-2, 2)))


@spec("pixel_shuffle", "torch.nn.functional:* torch:*")
def pixel_shuffle(d: Draw):
    factor = d.integer(1, 3)
    return d.tensor([*d.shape(d.integer(0, 2)), factor**2 * d.integer(1, 2), 3, 2]), factor


@spec("embedding", "torch.nn.functional:*")
def embedding(d: Draw):
    rows = d.integer(1, 5)
    weight = d.tensor([rows, d.integer(1, 4)])
    index = torch.randint(0, rows, d.shape(), dtype=d.pick(torch.int64, torch.int32))
    return d.pick((index, weight), (index.t() if index.dim() == 2 else index, weight, 0))


def indexed(d: Draw):
    x = d.tensor(d.shape(d.integer(1, 4)), d.any_type())
    dim = d.integer(0, x.dim() - 1)
    return x, dim, x.shape[dim]


@spec("gather", TORCH)
def gather(d: Draw):
    x, dim, size = indexed(d)
    shape = [d.integer(1, s) if s else 0 for s in x.shape]
    return x, dim, torch.randint(0, max(size, 1), shape)


@spec("scatter scatter_add", IN_PLACE)
def scatter(d: Draw):
    x, dim, index = gather(d)
    return x, dim, index, d.number() if d.maybe(0.3) else d.tensor(index.shape, x.dtype if d.maybe(0.9) else None)


@spec("index_select", TORCH)
def index_select(d: Draw):
    x, dim, size = indexed(d)
    return x, dim - x.dim() * d.maybe(), torch.randint(0, max(size, 1), [d.integer(1, 4)], dtype=d.pick(torch.int64, torch.int32))


@spec("index_add", "torch:* * *_")
def index_add(d: Draw):
    x, dim, size = indexed(d)
    count = d.integer(1, 4)
    shape = [count if i == dim else s for i, s in enumerate(x.shape)]
    return x, dim, torch.randint(0, max(size, 1), [count]), d.tensor(shape, x.dtype)


@spec("one_hot", "torch.nn.functional:*")
def one_hot(d: Draw):
    return torch.randint(0, 4, d.shape()), d.pick(5, 4, -1)
