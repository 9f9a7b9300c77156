"""Real objects as the translator sees them: operands, tensor facts, the ambient fact, symbols."""
from __future__ import annotations

import importlib

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode

import fields

KIND = fields.numbers("constants")
AMBIENT = list(fields.numbers("ambient"))
NAMED_KINDS = {torch.dtype: "dtype", torch.device: "device", torch.layout: "layout", torch.memory_format: "memory_format"}


class Indescribable(Exception):
    """An object that no operand stands for."""


def constant(value) -> dict:
    if value is None or value is True or value is False or value is Ellipsis:
        return dict(kind=KIND[str(value)])
    kind = type(value)
    if kind in NAMED_KINDS:
        return dict(kind=KIND[NAMED_KINDS[kind]], text=str(value))
    if kind is int:
        if -2**63 <= value < 2**63:
            return dict(kind=KIND["int"], integer=value)
        return dict(kind=KIND["bigint"], text=str(value))
    if kind is float:
        return dict(kind=KIND["float"], real=value)
    if kind is complex:
        return dict(kind=KIND["complex"], real=value.real, imaginary=value.imag)
    if kind is str:
        return dict(kind=KIND["str"], text=value)
    if kind is torch.Size:
        return dict(kind=KIND["torch.Size"], items=[constant(v) for v in value])
    if kind is tuple:
        return dict(kind=KIND["tuple"], items=[constant(v) for v in value])
    if kind is slice:
        return dict(kind=KIND["slice"], items=[constant(v) for v in (value.start, value.stop, value.step)])
    raise Indescribable(kind)


def tensor_facts(tensor: torch.Tensor) -> dict:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        raise Indescribable(type(tensor))
    strided = tensor.layout is torch.strided and not tensor.is_nested
    return dict(dtype=str(tensor.dtype), device=str(tensor.device), layout=str(tensor.layout), requires_grad=tensor.requires_grad,
                is_leaf=tensor.is_leaf, is_inference=tensor.is_inference(), sizes=list(tensor.shape) if strided else [],
                strides=list(tensor.stride()) if strided else [], storage_offset=tensor.storage_offset() if strided else 0,
                keys=torch._C._dispatch_keys(tensor).raw_repr())


def sequence_name(value) -> str:
    kind = type(value)
    if kind in (tuple, list):
        return kind.__name__
    if kind.__module__ == "torch.return_types":
        return f"torch.return_types:{kind.__name__}"
    raise Indescribable(kind)


def operand(value) -> dict:
    if isinstance(value, torch.Tensor):
        return dict(tensor=tensor_facts(value))
    if type(value) is slice:
        return dict(sequence="slice", items=[operand(v) for v in (value.start, value.stop, value.step)])
    try:
        return dict(constant=constant(value))
    except Indescribable:
        return dict(sequence=sequence_name(value), items=[operand(v) for v in value])


def autocast_rows() -> tuple:
    return tuple((kind, True, torch.get_autocast_dtype(kind)) for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind))


def ambient() -> dict:
    """The ambient fact in force, in the order of model/ambient.def."""
    parts = dict(grad_mode=torch.is_grad_enabled(), inference_mode=torch.is_inference_mode_enabled(),
                 default_dtype=torch.get_default_dtype(), default_device=None, autocast=autocast_rows(), torch_function=(True, ()),
                 functorch=0, dispatch_modes=0 if _get_current_dispatch_mode() is None else 1)
    return constant(tuple(parts.get(name) for name in AMBIENT))


def resolve(symbol: str):
    """The callable behind module:qualified.name; a bare name is a tensor method."""
    module, _, path = symbol.rpartition(":")
    if not module:
        found = getattr(torch.Tensor, path)
        return found if callable(found) else found.__get__   # an attribute, such as T
    found = importlib.import_module(module) if not module.startswith("torch._C.") else eval(module, {"torch": torch})
    for name in path.split("."):
        found = getattr(found, name)
    return found
