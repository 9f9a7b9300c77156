"""What graphs call that has no name in torch."""
from __future__ import annotations

import typing


class CannotTrace(RuntimeError):
    """The graph does what a trace of it would not do again: it has to run as captured."""


def _refuse_traces() -> None:
    from torch.utils._python_dispatch import _get_current_dispatch_mode
    if _get_current_dispatch_mode() is not None:
        raise CannotTrace("the state of random numbers is set")


def manual_seed(seed: int) -> None:
    import torch
    _refuse_traces()
    torch.manual_seed(seed)


def get_rng_state() -> typing.Any:
    import torch
    _refuse_traces()
    return torch.get_rng_state()


def set_rng_state(state: typing.Any) -> None:
    import torch
    _refuse_traces()
    torch.set_rng_state(state)


def number_as_tensor(number: float) -> typing.Any:
    """What a graph takes a float as: back-ends hold any other number for a constant. No mode of the program sees it being made."""
    import torch
    with torch._C.DisableTorchFunction():
        return torch.tensor(number, dtype=torch.float64, device="cpu")


def as_plain(tensor: typing.Any) -> typing.Any:
    """A subclass's tensor as torch's own functions see it."""
    import torch
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor)


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


def checkpoint(body: typing.Any, preserve_rng_state: bool, determinism_check: str, early_stop: bool, *tensors: typing.Any) -> typing.Any:
    """`body` on tensors; what it keeps for the backward pass is computed again there."""
    from torch.utils.checkpoint import checkpoint as of_torch
    return of_torch(body, *tensors, use_reentrant=False, preserve_rng_state=preserve_rng_state, determinism_check=determinism_check,
                    early_stop=early_stop)


def cond(true_body: typing.Any, false_body: typing.Any, pred: typing.Any, *tensors: typing.Any) -> typing.Any:
    """One of two functions on tensors. Who traces the graph, or differentiates it, sees both: gradients of what only the other one uses
    are zeros."""
    import torch
    from torch._guards import detect_fake_mode
    from torch.utils._python_dispatch import _get_current_dispatch_mode
    differentiable = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors if isinstance(tensor, torch.Tensor))
    if not differentiable and _get_current_dispatch_mode() is None and detect_fake_mode((pred, *tensors)) is None:
        return true_body(*tensors) if pred else false_body(*tensors)
    from torch._higher_order_ops.cond import cond_op
    return tuple(cond_op(pred, true_body, false_body, tensors))
