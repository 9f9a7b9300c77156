"""Guard filters: what a filter sees, the ready filters of torch.compiler, and what the extension calls. Needs no torch to import."""
from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Sequence

from framegate.errors import GuardFilterFailed

if typing.TYPE_CHECKING:
    from framegate._framegate import GuardInfo


class GuardSource:
    """Where a guarded value was found, as far as torch's ready filters ask."""

    __slots__ = ("name", "_module", "_is_global")

    def __init__(self, name: str, module: type | None, is_global: bool) -> None:
        self.name, self._module, self._is_global = name, module, is_global

    def is_unspecialized_nn_module(self) -> bool:
        """Whether the value is a module or was reached through one."""
        return self._module is not None

    def is_unspecialized_builtin_nn_module(self) -> bool:
        """Whether the innermost of these modules is torch's own (torch.nn, torch.ao) or of a class marked with mark_static()."""
        return self._module is not None and (self._module.__module__.startswith(("torch.nn.modules", "torch.ao."))
                                             or bool(getattr(self._module, "_dynamo_marked_static", False)))

    def is_local(self) -> bool:
        return not self._is_global


class OriginalGuard:
    """The guard behind an entry; `source` and `name` as in torch, `expected` (a repr) and `line` (of the user's code) are more."""

    __slots__ = ("name", "source", "expected", "line", "_type")

    def __init__(self, info: GuardInfo, source: GuardSource) -> None:
        self.name, self.source, self._type = info["name"], source, info["torch_kind"]
        self.expected, self.line = info["expected"], info["line"]

    def create_fn_name(self) -> str:
        return self._type

    def __repr__(self) -> str:
        return f"<guard {self._type} on {self.name or 'the thread'}: {self.expected}>"


class GuardFilterEntry:
    """One guard as a filter sees it; the fields of torch's GuardFilterEntry."""

    __slots__ = ("name", "has_value", "value", "guard_type", "derived_guard_types", "is_global", "orig_guard")

    def __init__(self, info: GuardInfo) -> None:
        self.name, self.guard_type, self.is_global = info["name"], info["torch_kind"], info["is_global"]
        self.has_value, self.value = info.get("has_value", False), info.get("value")
        self.derived_guard_types: tuple[str, ...] = (info["torch_kind"],)
        self.orig_guard = OriginalGuard(info, GuardSource(self.name, _innermost_module(info), self.is_global))

    def __repr__(self) -> str:
        return repr(self.orig_guard)


Filter = Callable[[Sequence[GuardFilterEntry]], Sequence[bool]]

# What a filter written for torch expects to see once per entry; shapes are guarded with their tensors here.
_SHAPE_ENV: GuardInfo = {"name": "", "kind": "", "torch_kind": "SHAPE_ENV", "expected": "", "line": 0, "is_global": False,
                         "has_value": False, "value": None, "chain": ()}


def _innermost_module(info: GuardInfo) -> type | None:
    nn = sys.modules.get("torch.nn")
    if nn is None:
        return None
    reached = [owner for _, owner in info.get("chain", ())] + [info.get("value")]
    return next((type(owner) for owner in reversed(reached) if isinstance(owner, nn.Module)), None)


def adapt(filter_fn: Filter) -> Callable[[list[GuardInfo]], list[bool]]:
    """What the extension calls for a user's filter: dicts in, one boolean per dict out. Raises GuardFilterFailed for another number of
    answers; what the filter raises is passed on."""
    def keep(infos: list[GuardInfo]) -> list[bool]:
        shown = list(infos)
        if not any(info["torch_kind"] == "SHAPE_ENV" for info in infos):
            shown.append(_SHAPE_ENV)
        answers = list(filter_fn([GuardFilterEntry(info) for info in shown]))
        if len(answers) != len(shown):
            raise GuardFilterFailed(f"guard_filter_fn answered for {len(answers)} of {len(shown)} guards")
        return [bool(answer) for answer in answers[:len(infos)]]
    return keep


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Sequence[GuardFilterEntry]) -> list[bool]:
    """Drops the guards on torch's own modules (nn.Linear, ...): a change of their attributes is not noticed."""
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Sequence[GuardFilterEntry]) -> list[bool]:
    """Drops the guards on all modules: a change of anything a module holds is not noticed."""
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Sequence[GuardFilterEntry], keep_parameters: bool = False) -> list[bool]:
    """Keeps the guards on tensors alone, without those on parameters unless `keep_parameters` says so."""
    torch = sys.modules.get("torch")
    return [entry.guard_type == "TENSOR_MATCH" and (keep_parameters or torch is None or not isinstance(entry.value, torch.nn.Parameter))
            for entry in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Sequence[GuardFilterEntry]) -> list[bool]:
    """Drops the guards on what is reached through globals."""
    return [not entry.is_global for entry in guard_entries]


def keep_portable_guards_unsafe(guard_entries: Sequence[GuardFilterEntry]) -> list[bool]:
    """Keeps ambient state, shapes and tensors that are no globals: what also holds outside Python."""
    return [entry.guard_type in ("GLOBAL_STATE", "SHAPE_ENV") or (entry.guard_type == "TENSOR_MATCH" and not entry.is_global)
            for entry in guard_entries]


def skip_all_guards_unsafe(guard_entries: Sequence[GuardFilterEntry]) -> list[bool]:
    """Drops every guard: the first entry serves all calls."""
    return [False for _ in guard_entries]
