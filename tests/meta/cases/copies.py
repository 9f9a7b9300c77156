"""Parts and other views of tensors; other formats, types and contents."""
import torch

from draw import Draw
from spec import TORCH, spec


@spec("unbind", TORCH)
def unbind(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim())


@spec("select", TORCH)
def select(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim()), d.integer(-3, 2)


@spec("narrow", TORCH)
def narrow(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim()), d.integer(-2, 3), d.integer(0, 3)


@spec("real", "torch:*")
@spec("T mT real data", "*")
@spec("t detach ravel positive", TORCH)
def unary_view(d: Draw):
    return d.tensor(dtype=d.any_type()),


@spec("reshape_as view_as expand_as", "*")
def like_other(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.tensor(d.pick([x.numel()], x.shape, [2, *x.shape], [1, x.numel()]))


@spec("unflatten", TORCH)
def unflatten(d: Draw):
    x = d.tensor([d.integer(1, 3), 6, d.integer(1, 3)], d.any_type())
    return x, d.pick(1, -2), d.pick((2, 3), [-1, 3], (6,), (2, -1), (4, 2))


@spec("movedim moveaxis", TORCH)
def movedim(d: Draw):
    x = d.tensor(dtype=d.any_type())
    dims = range(-x.dim(), x.dim())
    if d.maybe() or x.dim() < 2:
        return x, d.dim(x.dim()), d.dim(x.dim())
    return x, tuple(d.random.sample(dims, 2)), d.random.sample(dims, 2)


@spec("diagonal", TORCH)
def diagonal(d: Draw):
    x = d.tensor(rank=d.integer(2, 4), dtype=d.any_type())
    return d.pick((x,), (x, d.integer(-3, 3)), (x, d.integer(-2, 2), d.dim(x.dim()), d.dim(x.dim())))


@spec("unfold", "*")
def unfold(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim()), d.integer(0, 3), d.integer(1, 2)


@spec("as_strided", TORCH)
def as_strided(d: Draw):
    sizes = d.shape(d.integer(0, 3))
    return d.tensor(dtype=d.any_type()), sizes, [d.integer(0, 4) for _ in sizes], *([d.integer(0, 2)] if d.maybe() else [])


@spec("clone", TORCH)
def clone(d: Draw):
    formats = [torch.contiguous_format, torch.channels_last, torch.preserve_format]
    return (d.tensor(dtype=d.any_type()),), dict(memory_format=d.pick(*formats)) if d.maybe() else {}


@spec("to", "*")
def to(d: Draw):
    x = d.tensor(dtype=d.any_type())
    kwargs = dict(memory_format=d.pick(torch.contiguous_format, torch.channels_last, torch.preserve_format)) if d.maybe(0.2) else {}
    if d.maybe(0.2):
        kwargs["copy"] = d.maybe()
    kind = d.pick(x.dtype, d.any_type())
    args = d.pick((kind,), ("cpu",), (torch.device("cpu"), kind), (d.tensor(dtype=kind),), ("cpu", kind), ())
    if not args:
        kwargs |= d.pick(dict(dtype=kind), dict(device="cpu"), dict(device=torch.device("cpu"), dtype=kind))
    return (x, *args), kwargs


@spec("float double half bfloat16 int long short char byte bool cpu", "*")
def named_type(d: Draw):
    return d.tensor(dtype=d.any_type()),


@spec("type", "*")
def type_(d: Draw):
    return d.tensor(dtype=d.any_type()), d.any_type()


@spec("type_as", "*")
def type_as(d: Draw):
    return d.tensor(dtype=d.any_type()), d.tensor(dtype=d.any_type())


@spec("copy_", "*")
def copy(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.tensor(d.broadcastable(x.shape), d.any_type())


@spec("fill_", "*")
def fill(d: Draw):
    return d.tensor(dtype=d.any_type()), d.number()


@spec("zero_ uniform_ normal_ bernoulli_", "*")
def refill(d: Draw):
    return d.tensor(),


@spec("bernoulli", TORCH)
def bernoulli(d: Draw):
    return d.tensor().sigmoid(),


@spec("multinomial", TORCH)
def multinomial(d: Draw):
    return d.tensor(d.shape(d.integer(1, 2))).abs(), d.integer(1, 3)
