"""Views, indexing, and what gives a tensor in another format or type."""
import torch

from draw import Draw
from spec import TORCH, spec


def factors(d: Draw, count: int) -> list[int]:
    """Some sizes with this many elements."""
    sizes = []
    for _ in range(d.integer(0, 3)):
        divisor = d.pick(*[f for f in range(1, 7) if count % f == 0 and count])if count else 1
        sizes.append(divisor)
        count //= max(divisor, 1)
    sizes.insert(d.integer(0, len(sizes)), count)
    if d.maybe(0.4):
        sizes[d.integer(0, len(sizes) - 1)] = -1
    if d.maybe(0.03):
        sizes.append(7)
    return sizes


def spread(d: Draw, first: torch.Tensor, rest: list):
    return (first, *rest) if d.maybe() else (first, d.pick(tuple, list)(rest))


@spec("view reshape", "*")
def view(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return spread(d, x, factors(d, x.numel()))


@spec("reshape", "torch:*")
def reshape(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, factors(d, x.numel())


@spec("flatten", TORCH)
def flatten(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return d.pick((x,), (x, d.dim(x.dim())), (x, d.dim(x.dim()), d.dim(x.dim())))


@spec("transpose swapaxes swapdims", TORCH)
def transpose(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim()), d.dim(x.dim())


@spec("permute", "*")
def permute(d: Draw):
    x = d.tensor(dtype=d.any_type())
    order = d.random.sample(range(x.dim()), x.dim())
    return spread(d, x, [i - x.dim() * d.maybe() for i in order] or [()]) if x.dim() else (x, ())


@spec("permute", "torch:*")
def permute_function(d: Draw):
    x = d.tensor()
    return x, d.random.sample(range(x.dim()), x.dim())


@spec("unsqueeze", TORCH)
def unsqueeze(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.integer(-x.dim() - 1, x.dim())


@spec("squeeze", TORCH)
def squeeze(d: Draw):
    x = d.tensor([1 if d.maybe() else 3 for _ in range(d.integer(0, 4))], d.any_type())
    return d.pick((x,), (x, d.dim(x.dim())), (x, tuple({d.dim(x.dim()) % max(x.dim(), 1) for _ in range(2)})))


@spec("expand", "*")
def expand(d: Draw):
    x = d.tensor([1 if d.maybe() else 3 for _ in range(d.integer(0, 4))], d.any_type())
    sizes = [d.pick(-1, size, d.integer(1, 4) if size == 1 else size) for size in x.shape]
    return spread(d, x, [d.integer(1, 3) for _ in range(d.integer(0, 2))] + sizes)


@spec("split", TORCH)
def split(d: Draw):
    x = d.tensor(dtype=d.any_type())
    dim = d.dim(x.dim())
    size = x.shape[dim] if x.dim() and -x.dim() <= dim < x.dim() else 1
    cut = d.integer(0, size)
    sizes = d.pick(d.integer(1, 4), [cut, size - cut], [size])
    return d.pick((x, sizes, dim), ((x, sizes), dict(dim=dim)))


@spec("chunk", TORCH)
def chunk(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.integer(1, 4), d.dim(x.dim())


@spec("contiguous", "*")
def contiguous(d: Draw):
    formats = [torch.contiguous_format, torch.channels_last, torch.channels_last_3d]
    return (d.tensor(dtype=d.any_type()),), dict(memory_format=d.pick(*formats)) if d.maybe() else {}


def index_item(d: Draw, size: int):
    bounds = [None if d.maybe(0.3) else d.integer(-size - 1, size + 1) for _ in range(2)]
    choices = [d.integer(-size, size - 1) if size else 0, slice(*bounds), slice(*bounds, d.integer(1, 3)), slice(None)]
    if size and d.maybe(0.35):
        shape = [d.integer(1, 3) for _ in range(d.integer(1, 2))]
        index = torch.randint(-size, size, shape, dtype=d.pick(torch.int64, torch.int64, torch.int32))
        choices = [index.t() if d.maybe(0.3) else index, [0] * d.integer(1, 3)]
    return d.pick(*choices)


def index(d: Draw, x: torch.Tensor):
    items = [index_item(d, size) for size in x.shape[:d.integer(0, x.dim())]]
    if d.maybe(0.3):
        items.insert(d.integer(0, len(items)), None)
    if d.maybe(0.3):
        items.insert(d.integer(0, len(items)), ...)
    if d.maybe(0.05):
        items.append(0)
    return items[0] if len(items) == 1 and d.maybe() else tuple(items)


@spec("getitem", "_operator:*")
@spec("__getitem__", "*")
def getitem(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, index(d, x)


@spec("setitem", "_operator:*")
@spec("__setitem__", "*")
def setitem(d: Draw):
    x = d.tensor(dtype=d.any_type())
    place = index(d, x)
    if d.maybe(0.2):
        place = torch.rand(x.shape) > 0.5
    try:
        shape = x[place].shape
    except IndexError:
        return x, place, 2
    if d.maybe():
        return x, place, d.number()
    return x, place, d.tensor(d.broadcastable(shape), d.pick(x.dtype, x.dtype, d.any_type()))
