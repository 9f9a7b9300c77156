"""Framegate: compiles Python frames once per fleet instead of once per process.

    @framegate.compile(backend="inductor")
    def step(x): ...

Names and meanings are those of torch.compile and torch.compiler; docs/api.md has the table. Importing this imports no torch.
"""
from __future__ import annotations

import os
import sys
import typing

from framegate import (_ambient, _framegate, _graph_calls, _polyfills, _polyfills_bytes, _polyfills_consumers,  # noqa: F401  found by name
                       _polyfills_groups, _polyfills_iteration, _polyfills_library, _polyfills_order, _polyfills_records, _polyfills_services,
                       _pure, logs)
from framegate._framegate import misses, stats
from framegate.compiling import compile, disable, optimize  # noqa: A004  torch.compile's name
from framegate.dim_marks import mark_dynamic, mark_static, maybe_mark_dynamic
from framegate.errors import (BackendCompilerFailed, GuardFilterFailed, RecompileLimitReached, RecompileRefused, Unsupported,
                              make_error)
from framegate.guard_filters import (GuardFilterEntry, keep_portable_guards_unsafe, keep_tensor_guards_unsafe, skip_all_guards_unsafe,
                                     skip_guard_on_all_nn_modules_unsafe, skip_guard_on_globals_unsafe,
                                     skip_guard_on_inbuilt_nn_modules_unsafe)
from framegate.logs import set_logs
from framegate.regions import forget
from framegate.settings import config
from framegate.stances import set_stance

if sys.version_info >= (3, 12):  # before, typing is Python code
    from framegate import _polyfills_typing  # noqa: F401  found by name
if typing.TYPE_CHECKING:
    from framegate.explaining import ExplainOutput

__all__ = [
    "BackendCompilerFailed", "GuardFilterEntry", "GuardFilterFailed", "RecompileLimitReached", "RecompileRefused", "Unsupported", "compile",
    "config", "disable", "explain", "graph_break", "is_compiling", "keep_portable_guards_unsafe", "keep_tensor_guards_unsafe",
    "list_backends", "mark_dynamic", "mark_static", "maybe_mark_dynamic", "misses", "optimize", "reset", "reset_stats", "set_logs",
    "set_stance", "skip_all_guards_unsafe", "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "stats",
]


def graph_break(msg: str = "") -> None:
    """In compiled code a graph ends here and a new one begins after it. Does nothing otherwise."""


def is_compiling() -> bool:
    """True in compiled code, False in code that runs as written."""
    return False


def explain(fn: typing.Callable[..., typing.Any]) -> typing.Callable[..., ExplainOutput]:
    """explain(fn)(*args, **kwargs) calls `fn` compiled and returns what was captured, why graphs ended and which guards were made."""
    from framegate.explaining import explain as explain_call
    return explain_call(fn)


def list_backends(exclude_tags: typing.Sequence[str] = ("debug", "experimental")) -> list[str]:
    """Names that `backend=` takes, from torch's registry (imports torch._dynamo)."""
    from torch._dynamo.backends.registry import list_backends as in_registry
    return in_registry(exclude_tags)


def reset() -> None:
    """Drops every entry, decision and automatic-dynamic history of this process; what the daemon has stored stays."""
    logs.tell_news()
    _framegate.reset()
    forget()


def reset_stats() -> None:
    """Sets the counters of stats() to zero and empties misses()."""
    logs.tell_news()
    _framegate.reset_stats()
    logs.forget_misses()


_framegate.set_option("make_error", make_error)
_framegate.set_option("skip_files", (os.path.dirname(__file__) + os.sep, os.path.dirname(os.__file__) + os.sep, "<frozen "))
logs.start()
