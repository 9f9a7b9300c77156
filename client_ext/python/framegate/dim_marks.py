"""Marks on tensors that say which sizes change. They are the attributes torch's own marks leave, so marks made by either count for both."""
from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Sequence

Dims = int | Sequence[int]


class DimRange(typing.NamedTuple):
    """A dimension and the least and greatest size it takes; None where open."""

    dim: int
    min: int | None
    max: int | None


def mark_dynamic(tensor: typing.Any, dim: Dims, *, hint_override: int | None = None, min: int | None = None,
                 max: int | None = None, specialize_on: list[typing.Any] | None = None) -> None:
    """Marks a size of `tensor` (or several) as dynamic from the first compilation on; that a graph fixes it nevertheless is an error.

    min, max   the range of sizes this dimension takes
    """
    _on_parts(mark_dynamic, tensor, dim, min=min, max=max)
    for one in _each(dim):
        _attribute(tensor, "_dynamo_dynamic_indices", set).add(one)
        _attribute(tensor, "_dynamo_dynamic_range", set).add(DimRange(one, min, max))
        hints = _attribute(tensor, "_dynamo_hint_overrides", dict)
        if hint_override:
            hints[one] = hint_override
        _attribute(tensor, "_specialize_on", dict)[one] = list(specialize_on or [])
        tensor._has_dynamo_dim_marking = True


def maybe_mark_dynamic(tensor: typing.Any, dim: Dims) -> None:
    """As mark_dynamic(), but a graph may fix the size."""
    _on_parts(maybe_mark_dynamic, tensor, dim)
    for one in _each(dim):
        _attribute(tensor, "_dynamo_weak_dynamic_indices", set).add(one)
        tensor._has_dynamo_dim_marking = True


def mark_static(tensor: typing.Any, dim: Dims | None = None) -> typing.Any:
    """Marks sizes of `tensor` (all without `dim`) as static, or a module class as one whose attributes stay; returns such a class.

    Raises TypeError for anything else.
    """
    torch = sys.modules["torch"]
    if isinstance(tensor, type) and issubclass(tensor, torch.nn.Module):
        setattr(tensor, "_dynamo_marked_static", True)
        return tensor
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"mark_static takes a tensor or a module class, not {type(tensor).__name__}")
    _on_parts(mark_static, tensor, dim)
    for one in range(tensor.dim()) if dim is None else _each(dim):
        _attribute(tensor, "_dynamo_static_indices", set).add(one)
        tensor._has_dynamo_dim_marking = True
    return None


def _each(dim: Dims) -> Sequence[int]:
    if isinstance(dim, int):
        return (dim,)
    if not isinstance(dim, (list, tuple)):
        raise TypeError(f"a dimension is an int, or a list or tuple of them, not {type(dim).__name__}")
    return dim


def _attribute(tensor: typing.Any, name: str, make: type) -> typing.Any:
    if not hasattr(tensor, name):
        setattr(tensor, name, make())
    return getattr(tensor, name)


def _on_parts(mark: Callable[..., object], tensor: typing.Any, *args: typing.Any, **kwargs: typing.Any) -> None:
    """The same mark on the tensors of as many dimensions that a wrapper subclass consists of."""
    if not hasattr(type(tensor), "__tensor_flatten__"):
        return
    for name in tensor.__tensor_flatten__()[0]:
        part = getattr(tensor, name)
        if part.dim() == tensor.dim():
            mark(part, *args, **kwargs)


for _mark in (mark_dynamic, maybe_mark_dynamic):
    _mark._dynamo_forbidden = True  # type: ignore[attr-defined]  # neither front-end traces it
