"""framegate.config: process-wide settings under the names of torch._dynamo.config where torch has them."""
from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator, Mapping

from framegate import _framegate


class Setting(typing.NamedTuple):
    kind: type
    allowed: tuple[typing.Any, ...] | None    # the values, or None for any of its kind
    default: typing.Any                       # of settings that the extension does not keep
    about: str


_KEPT_BY_EXTENSION = object()
_SETTINGS: dict[str, Setting] = {
    "graphless": Setting(str, ("auto", "always", "never"), _KEPT_BY_EXTENSION,
                         "whether code without a graph gets an entry: where that is cheaper, always, or never"),
    "recompile_limit": Setting(int, None, _KEPT_BY_EXTENSION, "entries per code object and region before it is left alone"),
    "guard_nn_modules": Setting(bool, None, _KEPT_BY_EXTENSION, "UNSAFE if False: what modules hold is assumed not to change"),
    "install_free_tensors": Setting(bool, None, _KEPT_BY_EXTENSION, "parameters and buffers become attributes of the graph, not inputs"),
    "instruction_budget": Setting(int, None, _KEPT_BY_EXTENSION, "instructions interpreted for one entry before its graph ends"),
    "inline_depth": Setting(int, None, _KEPT_BY_EXTENSION, "calls nested in one entry before its graph ends"),
    "suppress_errors": Setting(bool, None, _KEPT_BY_EXTENSION, "where a backend raises, the original runs"),
    "use_recursive_dict_tags_for_guards": Setting(bool, None, False, "accepted: the fast path it asks for is always on, and sound"),
}
_ALIASES = {"cache_size_limit": "recompile_limit"}


class Config:
    """Attributes are the settings; reading an unknown one or assigning a wrong value raises AttributeError, TypeError or ValueError."""

    def __init__(self) -> None:
        self.__dict__["_values"] = {name: s.default for name, s in _SETTINGS.items() if s.default is not _KEPT_BY_EXTENSION}

    def __getattr__(self, name: str) -> typing.Any:
        name = _known(name)
        return self._values[name] if name in self._values else _framegate.get_option(name)

    def __setattr__(self, name: str, value: typing.Any) -> None:
        name = _known(name)
        setting = _SETTINGS[name]
        if type(value) is not setting.kind:
            raise TypeError(f"{name} must be of type {setting.kind.__name__}, not {type(value).__name__}")
        if setting.allowed is not None and value not in setting.allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, setting.allowed))}, not {value!r}")
        if name in self._values:
            self._values[name] = value
        else:
            _framegate.set_option(name, value)

    def __dir__(self) -> list[str]:
        return ["patch", *_SETTINGS, *_ALIASES]

    def patch(self, settings: str | Mapping[str, typing.Any] | None = None, value: typing.Any = None,
              **more: typing.Any) -> contextlib.AbstractContextManager[None]:
        """A context manager and decorator under which settings have other values: patch(name=value), patch("name", value), patch({...})."""
        changes = {settings: value} if isinstance(settings, str) else dict(settings or {})
        changes.update(more)
        for name in changes:
            _known(name)
        return self._patched(changes)

    @contextlib.contextmanager
    def _patched(self, changes: Mapping[str, typing.Any]) -> Iterator[None]:
        before = {name: getattr(self, name) for name in changes}
        try:
            for name, value in changes.items():
                setattr(self, name, value)
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


def _known(name: str) -> str:
    name = _ALIASES.get(name, name)
    if name not in _SETTINGS:
        raise AttributeError(f"framegate.config has no setting {name!r}; there are {', '.join(_SETTINGS)}")
    return name


config = Config()
