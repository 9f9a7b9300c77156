"""`node.meta` of a lazily built torch.fx graph: a dict whose expensive entries are computed when they are first looked at."""
from __future__ import annotations

import typing
from collections.abc import Iterator

MISSING = object()


class FactSource(typing.Protocol):
    def value(self, index: int, key: str) -> object:
        """The entry `key` of node `index`, or MISSING where that node has none."""

    def why_missing(self, key: str) -> Exception | None:
        """What kept the entry `key` from being computed, if anything did."""


class LazyMeta(dict[str, object]):
    """A dict with entries that are still pending; reading one computes it, looking at all of them computes all.

    A plain dict would need the fake-tensor pass (it imports torch._dynamo, a second) before any backend may see the graph,
    although most backends never read `example_value`.
    """

    __slots__ = ("_source", "_index", "_pending")

    def __init__(self, source: FactSource, index: int, pending: frozenset[str]) -> None:
        super().__init__()
        self._source, self._index, self._pending = source, index, pending

    def _fill(self, key: str) -> None:
        self._pending -= {key}
        value = self._source.value(self._index, key)
        if value is not MISSING:
            dict.__setitem__(self, key, value)

    def _fill_all(self) -> None:
        for key in sorted(self._pending):
            self._fill(key)

    def __getitem__(self, key: str) -> typing.Any:
        if key in self._pending:
            self._fill(key)
        return super().__getitem__(key)

    def __missing__(self, key: str) -> typing.NoReturn:
        raise KeyError(key) from self._source.why_missing(key)

    def __contains__(self, key: object) -> bool:
        if key in self._pending:
            self._fill(key)
        return super().__contains__(key)

    def get(self, key: str, default: typing.Any = None) -> typing.Any:
        return self[key] if key in self else default

    def __setitem__(self, key: str, value: object) -> None:
        self._pending -= {key}
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        if key in self:
            super().__delitem__(key)
        else:
            raise KeyError(key)

    def setdefault(self, key: str, default: typing.Any = None) -> typing.Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: typing.Any) -> typing.Any:
        if key in self._pending:
            self._fill(key)
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, object]:
        self._fill_all()
        return super().popitem()

    def update(self, *args: typing.Any, **kwargs: typing.Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def clear(self) -> None:
        self._pending = frozenset()
        super().clear()

    def __iter__(self) -> Iterator[str]:
        self._fill_all()
        return super().__iter__()

    def __len__(self) -> int:
        self._fill_all()
        return super().__len__()

    def keys(self) -> typing.Any:
        self._fill_all()
        return super().keys()

    def values(self) -> typing.Any:
        self._fill_all()
        return super().values()

    def items(self) -> typing.Any:
        self._fill_all()
        return super().items()

    def __eq__(self, other: object) -> bool:
        return dict(self) == other

    __hash__ = None     # as dict

    def __or__(self, other: typing.Any) -> typing.Any:
        return dict(self) | other

    def __ror__(self, other: typing.Any) -> typing.Any:
        return other | dict(self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def copy(self) -> LazyMeta:
        """A second dict; what is pending here stays pending there. Passes over graphs copy every node's meta and read little of it."""
        twin = LazyMeta(self._source, self._index, self._pending)
        dict.update(twin, dict.items(self))
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> LazyMeta:
        return self.copy()

    def __reduce__(self) -> tuple[type, tuple[dict[str, object]]]:
        return dict, (dict(self),)
