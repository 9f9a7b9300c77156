"""Runs a function on a module right after it was imported, whenever that will be. Imports nothing itself."""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
import typing
from collections.abc import Callable, Sequence

Patch = Callable[[typing.Any], None]
_patches: dict[str, list[Patch]] = {}


def on_import(name: str, patch: Patch) -> None:
    """Calls `patch(module)` once the module `name` has been executed: now, if it has been. The same patch is registered once."""
    registered = _patches.setdefault(name, [])
    if patch in registered:
        return
    registered.append(patch)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    loaded = sys.modules.get(name)
    if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
        patch(loaded)


class _PatchingFinder(importlib.abc.MetaPathFinder):
    """Lets the other finders find a module, and has it patched when it has been executed."""

    def find_spec(self, name: str, path: Sequence[str] | None,
                  target: types.ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if name not in _patches:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((spec for spec in (finder.find_spec(name, path, target) for finder in others) if spec is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                execute(module)
                for patch in _patches[name]:
                    patch(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_finder = _PatchingFinder()
