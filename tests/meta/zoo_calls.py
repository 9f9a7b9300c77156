"""The torch calls that real models make, with what eager gave: captured by running models of the acceptance zoo under a function mode."""
from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode

import asking
import describe

sys.path.append(str(Path(__file__).resolve().parents[1] / "acceptance"))

FUNCTIONS = {id(v): name for name, v in vars(torch.nn.functional).items() if isinstance(v, types.FunctionType)}
# What the interpreter answers from metadata itself, or never puts into a graph.
NO_OPERATORS = {"dim", "size", "numel", "is_floating_point", "__len__", "__bool__", "backward", "requires_grad_", "torch:_assert",
                "torch.autograd:grad"}


def symbol_of(function) -> str | None:
    """The name under which the translator would ask for a function that torch's function protocol gives."""
    name = getattr(function, "__name__", "")
    if id(function) in FUNCTIONS:
        return f"torch.nn.functional:{FUNCTIONS[id(function)]}"
    if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return name
    if isinstance(function, types.FunctionType):
        if getattr(torch.Tensor, name, None) is function:
            return name
        return f"{function.__module__}:{function.__qualname__}"
    if not isinstance(function, types.BuiltinFunctionType):
        return None   # the getter of an attribute
    for module in ("torch._C._nn", "torch._C._linalg", "torch._C._special"):
        if getattr(eval(module), name, None) is function:
            return f"{module}:{name}"
    return f"torch:{name}" if getattr(torch._C._VariableFunctions, name, None) == function else None


class Capture(TorchFunctionMode):
    """Keeps each call once; calls run as they would."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.seen: dict[bytes, asking.Observation] = {}

    def __torch_function__(self, function, types_, args=(), kwargs=None):
        symbol, results = symbol_of(function), []

        def run(*a, **k):
            results.append(function(*a, **k))
            return results[-1]
        if symbol is not None and symbol not in NO_OPERATORS:
            try:
                seen = asking.observe(self.name, symbol, run, args, kwargs or {})
                self.seen.setdefault(seen.question, seen)
            except describe.Indescribable:
                pass
        return results[0] if results else function(*args, **(kwargs or {}))


def captured(model, mode: str) -> Iterator[asking.Observation]:
    from zoo.registry import step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, call = model.model(mode), model.draw(1)
        with Capture(model.name) as capture:
            step(module, mode, call, 0)
    yield from capture.seen.values()
