"""What graphs call that has no name in torch."""
from __future__ import annotations

import typing


def apply_function(function: typing.Any, *args: typing.Any) -> typing.Any:
    """An autograd.Function on its arguments."""
    return function.apply(*args)


def require_grad(tensor: typing.Any) -> None:
    """Makes a tensor of a torch.func level a leaf of that level."""
    from torch._functorch.eager_transforms import enable_inplace_requires_grad
    with enable_inplace_requires_grad(True):
        tensor.requires_grad_()


def make_dual(tensor: typing.Any, tangent: typing.Any) -> typing.Any:
    """A dual number of the outermost level of forward-mode differentiation."""
    from torch.autograd import forward_ad
    return forward_ad.make_dual(tensor, tangent, level=0)


def unpack_dual(dual: typing.Any, strict: bool) -> typing.Any:
    """Its value and tangent, zeros where it has none."""
    import torch
    primal, tangent = torch._VF._unpack_dual(dual, level=0)
    if tangent is None and strict:
        raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
                           "This is not allowed with strict=True.")
    return primal, torch.zeros_like(primal) if tangent is None else tangent
