"""set_stance: what calls of compiled functions may do in this thread. Needs no torch."""
from __future__ import annotations

import functools
import typing
from collections.abc import Callable

from framegate import _framegate
from framegate.backends import forced

# What the extension does for a stance; it knows no stance that runs another backend first.
_AS_EXTENSION = {"aot_eager_then_compile": "eager_then_compile"}


class set_stance:  # noqa: N801  as torch.compiler.set_stance
    """Sets the calling thread's stance; as a context manager for a block, as a decorator for each call of a function.

    stance                   "default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile" or
                             "aot_eager_then_compile" (here the first call runs as written), as torch.compiler.set_stance explains them
    skip_guard_eval_unsafe   UNSAFE: of the guards only those that tell installed entries apart are evaluated, and nothing is compiled
    force_backend            with "default" only: the backend that graphs compiled meanwhile are given. Entries made before are used

    Raises RuntimeError for an unknown stance and inside a compiled region.
    """

    _dynamo_forbidden = True     # torch.compile refuses to trace it as well

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False,
                 force_backend: str | Callable[..., typing.Any] | None = None) -> None:
        if _framegate.region_active():
            raise RuntimeError("set_stance was called inside a compiled region")
        if force_backend is not None and stance != "default":
            raise RuntimeError("set_stance: force_backend goes with the stance 'default' only")
        self._arguments = (stance, skip_guard_eval_unsafe, force_backend)
        self._before = self._set()

    def _set(self) -> tuple[typing.Any, bool, typing.Any]:
        stance, skip, backend = self._arguments
        before = _framegate.set_stance(typing.cast(typing.Any, _AS_EXTENSION.get(stance, stance)), skip)
        backend_before, forced.backend = getattr(forced, "backend", None), backend
        return (*before, backend_before)

    def _restore(self) -> None:
        stance, skip, backend = self._before
        _framegate.set_stance(stance, skip)
        forced.backend = backend

    def __enter__(self) -> None:
        self._set()

    def __exit__(self, *error: object) -> None:
        self._restore()

    def __call__(self, fn: Callable[..., typing.Any]) -> Callable[..., typing.Any]:
        self._restore()
        stance, skip, backend = self._arguments

        @functools.wraps(fn)
        def under_stance(*args: typing.Any, **kwargs: typing.Any) -> typing.Any:
            with set_stance(stance, skip_guard_eval_unsafe=skip, force_backend=backend):
                return fn(*args, **kwargs)

        under_stance._dynamo_forbidden = True  # type: ignore[attr-defined]
        return under_stance
