"""What is known of a graph's nodes beside op, target and arguments, computed node by node when somebody asks. Needs torch."""
from __future__ import annotations

import linecache
import os
import re
import sys
import typing

import torch

from framegate.example_inputs import ExampleInputs
from framegate.fake_values import FakePass, run_fake
from framegate.node_meta import MISSING

if typing.TYPE_CHECKING:
    from framegate._framegate import Graph

_TORCH_FILES = os.path.dirname(torch.__file__) + os.sep
_LAZY = {
    "placeholder": frozenset({"stack_trace", "example_value"}),
    "call_function": frozenset({"stack_trace", "nn_module_stack", "source_fn_stack", "example_value"}),
    "call_method": frozenset({"stack_trace", "nn_module_stack", "source_fn_stack", "example_value"}),
    "get_attr": frozenset({"stack_trace", "nn_module_stack", "example_value"}),
    "output": frozenset[str](),
}


class NodeFacts:
    """Meta entries of the nodes of one graph, by node index; the source of its LazyMeta dicts."""

    def __init__(self, graph: Graph, inputs: ExampleInputs) -> None:
        self.graph, self.inputs, self.nodes = graph, inputs, graph.nodes()
        self._positions: list[tuple[int, str, str, int]] | None = None
        self._scopes: list[tuple[int, str, str]] | None = None
        self._fakes: FakePass | None = None

    def lazy_keys(self, index: int) -> frozenset[str]:
        return _LAZY[self.nodes[index][0]]

    def value(self, index: int, key: str) -> object:
        return getattr(self, f"_{key}")(index)

    def why_missing(self, key: str) -> Exception | None:
        return self._fakes.error if key == "example_value" and self._fakes is not None else None

    def fake_pass(self) -> FakePass:
        """Fake values of all nodes; the first call imports torch._dynamo, as every FakeTensorMode does."""
        if self._fakes is None:
            self._fakes = run_fake(self.nodes, self.graph.bodies(), self.inputs)
        return self._fakes

    def frames(self, index: int) -> list[tuple[str, int, str]]:
        """(filename, line, function) of the user's frames at this node, outermost first; torch's own only where there are no others."""
        if self._positions is None:
            self._positions = self.graph.positions()
        positions, position, chain = self._positions, self.nodes[index][5], []
        while position >= 0:
            position, filename, function, line = positions[position]
            chain.append((filename, line, function))
        chain.reverse()
        return [frame for frame in chain if not frame[0].startswith(_TORCH_FILES)] or chain

    def scopes(self, index: int) -> list[tuple[str, object]]:
        """(path, class) of the modules whose forward is running at this node, outermost first; a class that cannot be found is its name."""
        if self._scopes is None:
            self._scopes = self.graph.module_stacks()
        scopes, scope, chain = self._scopes, self.nodes[index][6], []
        while scope >= 0:
            scope, path, symbol = scopes[scope]
            chain.append((path, find_symbol(symbol)))
        return chain[::-1]

    def _example_value(self, index: int) -> object:
        return self.fake_pass().values[index]

    def _stack_trace(self, index: int) -> object:
        frames = self.frames(index)
        return "".join(format_frame(*frame) for frame in frames) if frames else MISSING

    def _nn_module_stack(self, index: int) -> object:
        scopes = self.scopes(index)
        return {re.sub(r"\W", "_", path): (path, kind) for path, kind in scopes} if scopes else MISSING

    def _source_fn_stack(self, index: int) -> object:
        name, target = self.nodes[index][1:3]
        scopes = self.scopes(index)
        inside = scopes[-1][1] if scopes else None
        of_torch = isinstance(inside, type) and inside.__module__.startswith("torch.nn.")
        return [(name, inside if of_torch else target)]


def format_frame(filename: str, line: int, function: str) -> str:
    """Two lines as in a traceback; one where the source is not to be had."""
    text = linecache.getline(filename, line).strip()
    return f'  File "{filename}", line {line}, in {function}\n' + (f"    {text}\n" if text else "")


def find_symbol(symbol: str) -> object:
    """The object `module:qualified.name` of a loaded module; the string itself where there is none."""
    module, _, qualname = symbol.partition(":")
    found: object = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return symbol if found is None else found
