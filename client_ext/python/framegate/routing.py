"""Sends what a script asks of torch.compile, torch.compiler and torch._dynamo to Framegate, without an edit of the script.

torch is patched when the script imports it and torch._dynamo when anything imports that; neither is imported here. Calls of
torch.compile from inside torch (torch.cond, flex attention, ...) stay torch's: they count on what torch's front-end makes of them.
"""
from __future__ import annotations

import functools
import sys
import types
import typing
from collections.abc import Callable

import framegate
from framegate import _framegate
from framegate.import_patches import on_import
from framegate.recognition import recognise

_FORWARDED = frozenset({"recompile_limit", "cache_size_limit", "suppress_errors", "guard_nn_modules", "install_free_tensors",
                        "use_recursive_dict_tags_for_guards"})
_OF_TORCH_FOR_USERS = ("torch.nn.modules.module", "torch.compiler")     # nn.Module.compile and torch.compiler.compile


def install() -> None:
    """From here on torch's front-end is ours in this process. Calling it again changes nothing."""
    on_import("torch", _patch_torch)
    on_import("torch._dynamo", recognise)
    on_import("torch._dynamo", _patch_dynamo)


def _patch_torch(torch: typing.Any) -> None:
    torch.compile = _compile_for(torch.compile)
    compiler = torch.compiler
    compiler.disable, compiler.set_stance = _disable, framegate.set_stance
    compiler.reset = _reset
    _spare_dynamo(torch.optim.Optimizer)


def _patch_dynamo(dynamo: typing.Any) -> None:
    optimize = _optimize_for(dynamo.optimize)
    dynamo.optimize, dynamo.explain, dynamo.disable = optimize, framegate.explain, _disable
    dynamo.graph_break, dynamo.set_stance = framegate.graph_break, framegate.set_stance
    for name in ("disable", "graph_break", "set_stance"):
        setattr(dynamo.decorators, name, getattr(dynamo, name))
    dynamo.eval_frame.optimize, dynamo.eval_frame.explain = optimize, framegate.explain
    _torchs_reset.append(dynamo.reset)
    dynamo.reset = _reset
    _forward_settings(dynamo.config)


_torchs_reset: list[Callable[[], None]] = []


def _compile_for(torchs: Callable[..., typing.Any]) -> Callable[..., typing.Any]:
    @functools.wraps(torchs)
    def compile(model: typing.Any = None, *, shapes_spec: typing.Any = None, **arguments: typing.Any) -> typing.Any:  # noqa: A001
        if _called_inside_torch() or shapes_spec is not None:
            return torchs(model, shapes_spec=shapes_spec, **arguments)
        arguments.setdefault("backend", None)
        return framegate.compile(model, **arguments)
    return compile


def _called_inside_torch() -> bool:
    """Whether the caller of the function that asks is torch's own code."""
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name.partition(".")[0] == "torch" and name not in _OF_TORCH_FOR_USERS


def _optimize_for(torchs: Callable[..., typing.Any]) -> Callable[..., typing.Any]:
    @functools.wraps(torchs)
    def optimize(*arguments: typing.Any, **options: typing.Any) -> Callable[..., typing.Any]:
        return (torchs if _called_inside_torch() else _optimize)(*arguments, **options)
    return optimize


def _optimize(backend: typing.Any = "inductor", *, nopython: bool = False, disable: bool = False, dynamic: bool | None = None,
              guard_filter_fn: typing.Any = None, recompile_limit: int | None = None, **_: object) -> Callable[..., typing.Any]:
    """torch._dynamo.optimize; its hooks for guards, packages and exports have no meaning here."""
    return framegate.optimize(backend, nopython=nopython, dynamic=dynamic, guard_filter_fn=guard_filter_fn, disable=disable,
                              recompile_limit=recompile_limit)


def _disable(fn: typing.Any = None, recursive: bool = True, *, reason: str | None = None, wrapping: bool = True) -> typing.Any:
    return framegate.disable(fn, recursive, reason=reason)


def _reset() -> None:
    framegate.reset()
    for reset in _torchs_reset:
        reset()


def _spare_dynamo(optimizer: typing.Any) -> None:
    """Some of Optimizer's methods import torch._dynamo on their first call, to be disabled for it. They are disabled for us already."""
    inner = sys.modules["torch._compile"].__file__
    for member in vars(optimizer).values():
        if isinstance(member, types.FunctionType) and member.__code__.co_filename == inner:
            wrapped = typing.cast(typing.Any, member).__wrapped__
            wrapped.__dynamo_disable = _framegate.Disabled(wrapped)


def _forward_settings(config: types.ModuleType) -> None:
    """What is assigned in torch._dynamo.config under a name that framegate.config has as well counts there too."""
    class Forwarding(type(config)):  # type: ignore[misc]
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name in _FORWARDED:
                setattr(framegate.config, name, value)

    types.ModuleType.__setattr__(config, "__class__", Forwarding)     # its own refuses names that are no settings
