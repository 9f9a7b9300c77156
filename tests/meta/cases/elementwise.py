"""Elementwise operators and activation functions."""
import torch

from draw import Draw
from spec import FUNCTIONAL, IN_PLACE, TORCH, spec

UNARY = ("neg negative sign sgn ceil floor trunc fix frac bitwise_not round abs absolute relu logical_not square acos arccos acosh asin "
         "asinh atan atanh cos cosh sin sinh tan tanh exp exp2 expm1 log log10 log1p log2 sqrt rsqrt reciprocal sigmoid erf erfc "
         "erfinv lgamma digamma sinc i0 isnan isinf isfinite signbit isposinf isneginf positive")


@spec(UNARY, IN_PLACE)
@spec("neg pos invert abs", "_operator:*")
@spec("abs", "builtins:*")
@spec("__neg__ __abs__ __invert__", "*")
@spec("exp2 expm1 log1p sinc erf erfc erfinv expit digamma psi gammaln i0", "torch.special:*")
@spec("sigmoid tanh", FUNCTIONAL)
@spec("selu", "torch:* torch:*_")
def unary(d: Draw):
    return d.tensor(dtype=d.any_type()),


@spec("relu relu6 selu hardswish hardsigmoid silu mish leaky_relu elu celu hardtanh", FUNCTIONAL)
def activation(d: Draw):
    kwargs = dict(inplace=d.maybe()) if d.maybe(0.5) else {}
    return (d.tensor(dtype=d.any_type() if d.maybe(0.2) else None),), kwargs


@spec("gelu softplus", FUNCTIONAL)
@spec("relu_ leaky_relu_ elu_ selu_ celu_ hardtanh_", FUNCTIONAL)
def activation_without_flag(d: Draw):
    return d.tensor(dtype=d.any_type() if d.maybe(0.2) else None),


BINARY = ("add sub subtract mul multiply fmod remainder floor_divide bitwise_and bitwise_or bitwise_xor bitwise_left_shift "
          "bitwise_right_shift maximum minimum fmax fmin div divide true_divide pow eq ne not_equal gt greater ge greater_equal lt "
          "less le less_equal logical_and logical_or logical_xor")
OPERATORS = "add sub mul floordiv mod and_ or_ xor lshift rshift truediv pow eq ne gt ge lt le"
ASSIGNMENTS = "iadd isub imul ifloordiv imod iand ior ixor ilshift irshift itruediv ipow"
REFLECTED = "__radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rand__ __ror__ __rxor__"


def pair(d: Draw):
    integers = d.maybe(0.25)
    kind = (lambda: d.pick(torch.int64, torch.bool, torch.int32, torch.uint8)) if integers else d.any_type
    first = d.tensor(dtype=kind())
    if d.maybe(0.3):
        return first, (d.integer(0, 3) if integers else d.number())
    second = d.tensor(d.broadcastable(first.shape) if d.maybe(0.6) else first.shape, kind(), format=d.pick(None, "contiguous"))
    if d.maybe(0.03):
        second = d.tensor([7, 3], kind())
    return first, second


spec(BINARY, IN_PLACE)(pair)
spec("rsub", "torch:*")(pair)
spec(ASSIGNMENTS, "_operator:*")(pair)


@spec(REFLECTED, "*")
def reflected(d: Draw):
    return d.tensor(dtype=d.any_type()), d.number()


spec("__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __eq__ __gt__ __iadd__ __and__ __or__", "*")(pair)


@spec(OPERATORS, "_operator:*")
def operator_pair(d: Draw):
    first, second = pair(d)
    return (second, first) if d.maybe(0.3) else (first, second)


@spec("add sub", "torch:* * *_")
def with_alpha(d: Draw):
    return pair(d), dict(alpha=d.pick(2, 0.5))


@spec("div", "torch:* * *_")
def rounded(d: Draw):
    return pair(d), dict(rounding_mode=d.pick(None, "floor", "trunc"))


@spec("clamp clip", IN_PLACE)
def clamp(d: Draw):
    first = d.tensor(dtype=d.any_type())
    if d.maybe(0.3):
        bounds = [d.tensor(d.broadcastable(first.shape), d.any_type()) if d.maybe(0.8) else None for _ in range(2)]
    else:
        bounds = [d.pick(None, d.number()), d.number()]
    return (first, *bounds) if d.maybe() else ((first,), dict(zip(("min", "max"), bounds)))


@spec("clamp_min clamp_max", IN_PLACE)
def clamp_one(d: Draw):
    return pair(d)


@spec("where", "torch:*")
def where(d: Draw):
    first, second = pair(d)
    condition = d.tensor(d.broadcastable(first.shape), torch.bool)
    return (condition, first, second) if d.maybe() else (condition, second, first)


@spec("masked_fill", IN_PLACE)
def masked_fill(d: Draw):
    first = d.tensor(dtype=d.any_type())
    value = d.number() if d.maybe(0.7) else d.tensor([], d.any_type())
    return first, d.tensor(d.broadcastable(first.shape), torch.bool), value
