"""compile(), optimize() and disable(): what to do with which kind of callable."""
from __future__ import annotations

import functools
import os
import sys
import typing
from collections.abc import Callable, Mapping

from framegate import _framegate
from framegate.guard_filters import Filter
from framegate.recognition import is_compiled_module
from framegate.regions import Request, owner_of, region_for

if typing.TYPE_CHECKING:
    import torch

Fn = typing.TypeVar("Fn", bound=Callable[..., typing.Any])
Decorator = Callable[[typing.Any], typing.Any]

_OFF_SWITCHES = ("FRAMEGATE_DISABLE", "TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE")


@typing.overload
def compile(fn: Fn, *, backend: str | Callable[..., typing.Any] | None = ..., fullgraph: bool = ...,  # noqa: A001
            dynamic: bool | None = ..., mode: str | None = ..., options: Mapping[str, typing.Any] | None = ..., disable: bool = ...,
            recompile_limit: int | None = ..., name: str | None = ..., isolate_recompiles: bool = ...) -> Fn: ...
@typing.overload
def compile(fn: None = ..., *, backend: str | Callable[..., typing.Any] | None = ..., fullgraph: bool = ...,  # noqa: A001
            dynamic: bool | None = ..., mode: str | None = ..., options: Mapping[str, typing.Any] | None = ..., disable: bool = ...,
            recompile_limit: int | None = ..., name: str | None = ..., isolate_recompiles: bool = ...) -> Callable[[Fn], Fn]: ...
def compile(fn: typing.Any = None, *, backend: str | Callable[..., typing.Any] | None = "inductor",  # noqa: A001  as torch.compile
            fullgraph: bool = False, dynamic: bool | None = None, mode: str | None = None,
            options: Mapping[str, typing.Any] | None = None, disable: bool = False, recompile_limit: int | None = None,
            name: str | None = None, isolate_recompiles: bool = False) -> typing.Any:
    """Compiles a function, a method, a callable object, a module or a class's calls; without `fn`, a decorator. As torch.compile.

    backend            a name of torch's registry, or a callable `backend(graph_module, example_inputs) -> callable`; None: torch's default
    fullgraph          a graph break is an error, framegate.Unsupported
    dynamic            True: sizes are symbolic from the start; False: never; None: where they changed
    mode, options      handed to the backend as torch does (one of them at most); options may hold guard_filter_fn
    disable            returns `fn` as it is
    recompile_limit    entries per code object before it is left alone; default: framegate.config.recompile_limit
    name               shows in logs
    isolate_recompiles entries are not shared with other calls of compile() that mean the same
    """
    if mode is not None and options is not None:
        raise RuntimeError("either mode or options can be given, not both")
    settings = dict(options or {})
    guard_filter = settings.pop("guard_filter_fn", None)
    request = Request(_default_backend() if backend is None else backend, fullgraph, dynamic, mode, settings or None, name,
                      recompile_limit, isolate_recompiles, guard_filter)
    return _decorated(fn, request, disable)


def optimize(backend: str | Callable[..., typing.Any] = "inductor", *, nopython: bool = False, dynamic: bool | None = None,
             guard_filter_fn: Filter | None = None, disable: bool = False, recompile_limit: int | None = None) -> Decorator:
    """A decorator, as torch._dynamo.optimize: compile() without what is for the backend alone; `nopython` is `fullgraph`."""
    request = Request(backend, nopython, dynamic, recompile_limit=recompile_limit, guard_filter_fn=guard_filter_fn)
    return functools.partial(_decorated, request=request, off=disable)


def _decorated(fn: typing.Any, request: Request, off: bool) -> typing.Any:
    if not (isinstance(request.backend, str) or callable(request.backend)):
        raise TypeError(f"backend must be a name or a callable, not {request.backend!r}")
    if fn is None:
        return functools.partial(_decorated, request=request, off=off)
    if not callable(fn):
        raise TypeError(f"only what can be called can be compiled, not {type(fn).__name__}")
    if off or any(os.environ.get(switch) == "1" for switch in _OFF_SWITCHES):
        return fn
    _leave_torch_alone()
    return compile_callable(fn, request)


def compile_callable(fn: typing.Any, request: Request) -> typing.Any:
    """`fn` compiled; of a module a CompiledModule, of a class the class itself, whose calls are compiled from now on."""
    fn = innermost(fn)
    if is_module(fn):
        from framegate.compiled_module import wrap_module
        return wrap_module(fn, lambda method: _framegate.Optimized(region_for(request, type(fn)), method), (compile_callable, (request,)))
    if isinstance(fn, type):
        if not any("__call__" in vars(base) for base in fn.__mro__):
            raise TypeError(f"objects of class {fn.__qualname__} cannot be called: there is nothing to compile")
        setattr(fn, "__call__", compile_callable(fn.__call__, request))
        return fn
    return _framegate.Optimized(region_for(request, owner_of(fn)), fn)


def disable(fn: typing.Any = None, recursive: bool = True, *, reason: str | None = None) -> typing.Any:
    """`fn` as it is written: it runs uncompiled, and so does what it calls; a graph ends where it is called. Without `fn`, a decorator.

    recursive, reason   accepted as torch does; what `fn` calls stays uncompiled even if recursive is False
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    fn = innermost(fn)
    if is_module(fn):
        from framegate.compiled_module import wrap_module
        return wrap_module(fn, _framegate.Disabled, (disable, ()))
    if isinstance(fn, type):
        for name in ("__init__", "__call__"):
            if any(name in vars(base) for base in fn.__mro__[:-1]):
                setattr(fn, name, _framegate.Disabled(getattr(fn, name)))
        return fn
    if not callable(fn):
        raise TypeError(f"only what can be called can be disabled, not {type(fn).__name__}")
    return _framegate.Disabled(fn)


def innermost(fn: typing.Any) -> typing.Any:
    """What the user wrote, under wrappers of ours and of torch's."""
    while True:
        if isinstance(fn, (_framegate.Optimized, _framegate.Disabled)):
            fn = fn.__wrapped__
        elif is_compiled_module(fn):
            fn = fn._orig_mod
        elif getattr(fn, "_torchdynamo_wrapper_id", None) == id(fn):
            fn = fn._torchdynamo_orig_callable
        else:
            return fn


def is_module(fn: object) -> typing.TypeGuard[torch.nn.Module]:
    nn = sys.modules.get("torch.nn")
    return nn is not None and isinstance(fn, nn.Module)


def _default_backend() -> str | Callable[..., typing.Any]:
    """torch.compiler.set_default_backend() can have been called only if torch's registry is loaded."""
    registry = sys.modules.get("torch._dynamo.backends.registry")
    return registry.get_default_backend() if registry is not None else "inductor"


@functools.cache
def _torch_files() -> tuple[str, ...]:
    torch = sys.modules["torch"]
    root = os.path.dirname(typing.cast(str, torch.__file__)) + os.sep
    folders = ("_dynamo", "_inductor", "_functorch", "_higher_order_ops", "_subclasses", "_logging", "_library", "_custom_op", "fx",
               "autograd", "optim")
    files = ("_tensor", "_tensor_str", "_ops", "library", "functional", "_jit_internal", "overrides", os.path.join("nn", "parameter"))
    return (*(root + folder + os.sep for folder in folders), *(f"{root}{file}.py" for file in files))


def _leave_torch_alone() -> None:
    """What torch's compilers, operators, autograd and optimizers run is not compiled where it is called: it is not the user's program."""
    if "torch" in sys.modules and not _framegate.get_option("quiet_files"):
        _framegate.set_option("quiet_files", _torch_files())
