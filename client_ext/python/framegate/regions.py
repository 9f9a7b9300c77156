"""Regions of the process: calls of compile() that mean the same share one, so that each finds the other's entries."""
from __future__ import annotations

import collections
import threading
import typing
import weakref
from collections.abc import Callable, Hashable, Mapping

from framegate import _framegate, logs
from framegate.backends import Backend
from framegate.guard_filters import Filter, adapt

_KEPT = 64      # regions that nobody may be using but a later compile() may ask for again; the least recently asked for goes first
_lock = threading.Lock()
_regions: collections.OrderedDict[Hashable, _framegate.Region] = collections.OrderedDict()
_backends: weakref.WeakSet[Backend] = weakref.WeakSet()


class Request(typing.NamedTuple):
    """The arguments of compile() that decide what is compiled and how; picklable where backend and options are."""

    backend: str | Callable[..., typing.Any] = "inductor"
    fullgraph: bool = False
    dynamic: bool | None = None
    mode: str | None = None
    options: Mapping[str, typing.Any] | None = None
    name: str | None = None
    recompile_limit: int | None = None
    isolated: bool = False
    guard_filter_fn: Filter | None = None


def region_for(request: Request, owner: object) -> _framegate.Region:
    """The region for `request`; one for each class of `owner`s, where their code objects are shared (see `owner_of`)."""
    key = _key(request, owner)
    if key is None:
        return _make(request)
    with _lock:
        region = _regions.pop(key, None) or _make(request)
        _regions[key] = region
        if len(_regions) > _KEPT:
            _regions.popitem(last=False)
    return region


def owner_of(fn: Callable[..., typing.Any]) -> object:
    """The class a bound method belongs to, None for functions. All modules of a program share the code of nn.Module.__call__, and
    recompile_limit counts entries per code object and region."""
    instance = getattr(fn, "__self__", None)
    return None if instance is None else type(instance)


def forget() -> None:
    """Drops what later calls of compile() could share, and resets backends that offer it."""
    with _lock:
        _regions.clear()
        backends = list(_backends)
    for backend in backends:
        backend.reset()


def _dynamic(request: Request) -> str:
    return "auto" if request.dynamic is None else "true" if request.dynamic else "false"


def _make(request: Request) -> _framegate.Region:
    backend = Backend(request.backend, request.mode, request.options, request.dynamic, request.name)
    _backends.add(backend)
    region = _framegate.Region({
        "backend": backend,
        "fullgraph": request.fullgraph,
        "dynamic": _dynamic(request),
        "guard_filter": None if request.guard_filter_fn is None else adapt(request.guard_filter_fn),
        "recompile_limit": request.recompile_limit,
        "on_limit": logs.on_limit,
        "name": request.name or backend.name,
    })
    logs.watch(region)
    return region


def _key(request: Request, owner: object) -> Hashable | None:
    """None where the request cannot be compared with another one."""
    if request.isolated:
        return None
    options = None if request.options is None else tuple(sorted(request.options.items(), key=lambda item: item[0]))
    key = (request._replace(options=None), options, owner)
    try:
        hash(key)
    except TypeError:
        return None
    return key
