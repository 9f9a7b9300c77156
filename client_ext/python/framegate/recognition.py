"""Compiled modules as instances of torch's OptimizedModule: accelerate, transformers and others unwrap by asking for that class."""
from __future__ import annotations

import sys
import typing


def recognise(dynamo: typing.Any) -> None:
    """Replaces OptimizedModule in torch._dynamo by a subclass of it of which compiled modules are instances too. Once is enough."""
    torchs = dynamo.eval_frame.OptimizedModule
    if type(torchs).__module__ == __name__:
        return

    class Recognising(type(torchs)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, torchs) or is_compiled_module(instance)

    names = {"__module__": torchs.__module__, "__qualname__": torchs.__qualname__}
    dynamo.OptimizedModule = dynamo.eval_frame.OptimizedModule = Recognising(torchs.__name__, (torchs,), names)


def is_compiled_module(instance: object) -> bool:
    """Whether this is what compile() or disable() made of a module."""
    made = sys.modules.get("framegate.compiled_module")
    return made is not None and isinstance(instance, made.CompiledModule)
