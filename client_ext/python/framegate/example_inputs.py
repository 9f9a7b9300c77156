"""The inputs a graph was met with, and fake tensors made of them. Needs torch; imports torch._dynamo only when a fake is made."""
from __future__ import annotations

import typing

import torch

from framegate.shapes import Shapes


class TensorDescription(typing.NamedTuple):
    """What is left of an input when the tensor itself may be freed: enough for a fake tensor."""

    shape: tuple[int, ...]
    stride: tuple[int, ...] | None      # None for layouts without strides
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool
    is_parameter: bool


def describe(value: object) -> object:
    """A TensorDescription of a tensor; any other value as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    stride = tuple(value.stride()) if value.layout is torch.strided else None
    return TensorDescription(tuple(value.shape), stride, value.dtype, value.device, value.requires_grad,
                             isinstance(value, torch.nn.Parameter))


class ExampleInputs:
    """The real inputs while the backend runs; descriptions of them afterwards, so that a kept graph keeps no activation alive."""

    def __init__(self, values: list[typing.Any], shapes: Shapes) -> None:
        self.values: list[typing.Any] | None = values
        self.shapes = shapes
        self._described: list[object] = []
        self.grad_enabled = torch.is_grad_enabled()

    def release(self) -> None:
        if self.values is not None:
            self._described = [describe(value) for value in self.values]
            self.values = None

    def annotations(self) -> list[type]:
        """One class per input, as fx annotates placeholders with."""
        return [_annotation(value) for value in (self._described if self.values is None else self.values)]

    def fakes(self) -> list[object]:
        """Fake tensors in the mode of `shapes`, and its symbols for sizes; other inputs as they are."""
        kept = self._described if self.values is None else self.values
        with self.shapes.mode:
            return [self._fake(place, value) for place, value in enumerate(kept)]

    def _fake(self, place: int, value: object) -> object:
        if self.shapes.is_size(place):
            return torch.SymInt(self.shapes.node(place))
        if isinstance(value, torch.Tensor):
            return self.shapes.fake(place, value)
        return _rebuild(value, self.shapes, place) if isinstance(value, TensorDescription) else value


def _annotation(value: object) -> type:
    if isinstance(value, torch.nn.Parameter) or (isinstance(value, TensorDescription) and value.is_parameter):
        return torch.nn.Parameter
    if isinstance(value, (torch.Tensor, TensorDescription)):
        return torch.Tensor
    return torch.SymInt if isinstance(value, (int, torch.SymInt)) else type(value)


def _rebuild(value: TensorDescription, shapes: Shapes, place: int) -> object:
    if value.stride is None:
        raise NotImplementedError("a fake tensor of a layout without strides, after the real one was released")
    sizes, strides = shapes.sizes(place, value.shape, value.stride)
    fake = torch.empty_strided(sizes, strides, dtype=value.dtype, device=value.device)
    if value.is_parameter:
        return torch.nn.Parameter(fake, requires_grad=value.requires_grad)
    return fake.requires_grad_(value.requires_grad)
