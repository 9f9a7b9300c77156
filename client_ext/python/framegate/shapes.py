"""Sizes that a graph takes by name, as backends know them: symbols of torch's ShapeEnv. Needs torch; imports torch._dynamo when somebody
looks at a symbol or at a fake tensor."""
from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence

import torch

from framegate.conditions import Condition, lower

if typing.TYPE_CHECKING:
    from framegate._framegate import Graph


class Shapes:
    """The shape environment of one graph, with a symbol for each placeholder that is a size or an int, and its fake tensor mode."""

    def __init__(self, graph: Graph, values: Sequence[typing.Any]) -> None:
        placeholders = graph.placeholders()
        tensors = {path: place for place, (_, _, path, dimension) in enumerate(placeholders)
                   if dimension < 0 and not isinstance(values[place], int)}
        self._hints = {place: int(value) for place, value in enumerate(values) if isinstance(value, int) and not isinstance(value, bool)}
        self._owners: dict[int, tuple[int, int]] = {}               # size's place -> place and dimension of the tensor, if that is an input
        self._dims: dict[int, dict[int, int]] = {}                  # tensor's place -> dimension -> place of the size
        for place in self._hints:
            _, _, path, dimension = placeholders[place]
            if dimension >= 0 and path in tensors:
                self._owners[place] = tensors[path], dimension
                self._dims.setdefault(tensors[path], {})[dimension] = place
        self._looked_at = False

    @property
    def looked_at(self) -> bool:
        """Whether anybody has had a symbol or the fake mode."""
        return self._looked_at

    def symint(self, place: int) -> typing.Any:
        """The input at `place` as a torch.SymInt, whose symbol appears when it is first computed with."""
        pending = _PendingNode(lambda: self.node(place))
        number = pending.of = torch.SymInt(pending)
        return number

    def is_size(self, place: int) -> bool:
        return place in self._hints

    def node(self, place: int) -> typing.Any:
        return self.env.create_symintnode(self._symbols[place], hint=self._hints[place]).node

    @functools.cached_property
    def env(self) -> typing.Any:
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        self._looked_at = True
        return ShapeEnv()

    @functools.cached_property
    def mode(self) -> typing.Any:
        from torch._subclasses.fake_tensor import FakeTensorMode
        return FakeTensorMode(shape_env=self.env)

    @functools.cached_property
    def _symbols(self) -> dict[int, typing.Any]:
        from torch.fx.experimental.symbolic_shapes import DimDynamic
        return {place: self.env.create_symbol(hint, self._source(place), DimDynamic.DYNAMIC) for place, hint in self._hints.items()}

    def _source(self, place: int) -> typing.Any:
        from torch._dynamo.source import ConstantSource, TensorProperty, TensorPropertySource
        if place not in self._owners:
            return ConstantSource(f"input_{place}")
        tensor, dimension = self._owners[place]
        return TensorPropertySource(self._source(tensor), TensorProperty.SIZE, dimension)

    def context(self, place: int, value: torch.Tensor) -> typing.Any:
        """How a fake of the tensor at `place` is made: torch's StatefulSymbolicContext."""
        from torch.fx.experimental.symbolic_shapes import DimDynamic, StatefulSymbolicContext
        dims = self._dims.get(place, {})
        unconstrained: list[typing.Any] = [None] * value.dim()
        known = {self._source(size).name: self._symbols[size] for size in dims.values()}
        return StatefulSymbolicContext(
            dynamic_sizes=[DimDynamic.DYNAMIC if dim in dims else DimDynamic.STATIC for dim in range(value.dim())],
            dynamic_strides=[DimDynamic.INFER_STRIDE] * value.dim(), constraint_sizes=unconstrained, constraint_strides=unconstrained,
            tensor_source=self._source(place), shape_env_to_source_to_symbol_cache={id(self.env): known})

    def fake(self, place: int, value: torch.Tensor) -> object:
        """A fake of a real tensor."""
        if place not in self._dims:
            return self.mode.from_tensor(value, static_shapes=True)
        context = self.context(place, value)
        return self.mode.from_tensor(value, symbolic_context=context, source=context.tensor_source)

    def sizes(self, place: int, shape: Sequence[int], stride: Sequence[int]) -> tuple[list[typing.Any], list[typing.Any]]:
        """Sizes and strides of a tensor that is gone; strides follow the sizes of dimensions further in, where they did so."""
        dims = self._dims.get(place, {})
        sizes = [self.symint(dims[dim]) if dim in dims else size for dim, size in enumerate(shape)]
        strides: list[typing.Any] = list(stride)
        expected: typing.Any = 1
        at_present = 1
        for dim in sorted(range(len(shape)), key=lambda dim: (stride[dim], -dim)):
            if shape[dim] != 1:
                strides[dim] = expected if stride[dim] == at_present else stride[dim]
                expected, at_present = strides[dim] * sizes[dim], stride[dim] * shape[dim]
        return sizes, strides

    def conditions(self) -> list[Condition]:
        """What has been assumed about sizes since the environment was made, as words over the inputs. CannotLower where one has no such form."""
        if not self.looked_at:
            return []
        places = {symbol: place for place, symbol in self._symbols.items()}
        found = [lower(guard.expr, places) for guard in self.env.guards]
        for symbol, place in places.items():
            bounds = self.env.var_to_range[symbol]
            found += [lower(relation, places) for relation in _narrower(symbol, bounds)]
        return [condition for condition in found if condition]


def _narrower(symbol: typing.Any, bounds: typing.Any) -> list[typing.Any]:
    """What the range of a symbol says beyond that it is a size of two or more."""
    found = []
    if bounds.lower.is_Integer and bounds.lower > 2:
        found.append(symbol >= bounds.lower)
    if bounds.upper.is_Integer:
        found.append(symbol <= bounds.upper)
    return found


class _PendingNode:
    """Stands for the node of a SymInt until somebody asks it anything: most backends take sizes as they take tensors, unread, and the
    environment costs a second to import."""

    of: typing.Any = None      # the SymInt, which has the real node from then on

    def __init__(self, make: Callable[[], typing.Any]) -> None:
        self._make = make

    @functools.cached_property
    def _real(self) -> typing.Any:
        node, number, self.of = self._make(), self.of, None
        number.node = node
        return node

    @property
    def __class__(self) -> typing.Any:      # noqa: D105  isinstance asks it
        from torch.fx.experimental.sym_node import SymNode
        return SymNode

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._real, name)

