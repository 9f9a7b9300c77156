"""explain(): one call of a function, and what its compilation came to."""
from __future__ import annotations

import dataclasses
import traceback
import typing
from collections.abc import Callable

from framegate import _framegate, logs
from framegate.backends import Backend
from framegate.compiling import innermost, is_module

if typing.TYPE_CHECKING:
    import torch.fx

    from framegate._framegate import BreakInfo, EntryInfo, GuardInfo


@dataclasses.dataclass
class BreakReason:
    """Why a graph ended: `reason` in words, `user_stack` with the place, as in torch's GraphCompileReason."""

    reason: str
    user_stack: list[traceback.FrameSummary]
    advice: str = ""
    graph_break: bool = True


@dataclasses.dataclass
class Guard:
    """One guard of one entry: what must be `expected` of what is reached by the path `name` ("" for state of the thread)."""

    name: str
    guard_type: str      # torch's name
    kind: str            # Framegate's name
    expected: str
    filename: str
    line: int            # of the user's code that made it; 0 where no line did
    entry: str           # compile id

    def __str__(self) -> str:
        place = f"    # {self.filename}:{self.line}" if self.line else ""
        return f"{self.name or self.guard_type} is {self.expected}    ({self.guard_type}){place}"


@dataclasses.dataclass
class ExplainOutput:
    """The fields of torch's ExplainOutput. Printing it shows all of them, with the source lines of breaks and guards."""

    graphs: list[torch.fx.GraphModule]
    graph_count: int
    graph_break_count: int
    break_reasons: list[BreakReason]
    op_count: int
    ops_per_graph: list[list[typing.Any]]
    out_guards: list[Guard]

    def __str__(self) -> str:
        parts = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}", f"Op Count: {self.op_count}",
                 "Break Reasons:"]
        for number, stop in enumerate(self.break_reasons, 1):
            parts += [f"  Break Reason {number}:", f"    Reason: {stop.reason}", "    User Stack:"]
            parts += [f"      {line}" for line in "".join(traceback.format_list(stop.user_stack)).splitlines()]
            parts.append(f"    Advice: {stop.advice}")
        parts.append("Ops per Graph:")
        for number, ops in enumerate(self.ops_per_graph, 1):
            parts += [f"  Ops {number}:", *(f"    {op}" for op in ops)]
        parts.append("Out Guards:")
        parts += [f"  Guard {number}: {guard}" for number, guard in enumerate(self.out_guards, 1)]
        return "\n".join(parts) + "\n"


class _Keeping(Backend):
    """Runs graphs as captured and keeps them as modules."""

    def __init__(self) -> None:
        super().__init__("eager")
        self.modules: list[torch.fx.GraphModule] = []

    def __call__(self, graph: _framegate.Graph, inputs: list[typing.Any]) -> Callable[..., typing.Any]:
        from framegate.example_inputs import ExampleInputs
        from framegate.graph_module import GraphModule
        from framegate.shapes import Shapes
        module = GraphModule(graph, ExampleInputs(inputs, Shapes(graph, inputs)))
        module.release_inputs()
        self.modules.append(module)
        return graph.forward


def explain(fn: Callable[..., typing.Any]) -> Callable[..., ExplainOutput]:
    """explain(fn)(*args, **kwargs) calls `fn` compiled, in a region of its own, and says what was captured and why it ended.

    The call is a real one: what `fn` does to its arguments and elsewhere happens. What is installed for other calls of compile() stays.
    """
    fn = innermost(fn)

    def call(*args: typing.Any, **kwargs: typing.Any) -> ExplainOutput:
        backend = _Keeping()
        region = _framegate.Region({"backend": backend, "on_limit": logs.on_limit, "name": "explain"})
        _framegate.Optimized(region, fn.__call__ if is_module(fn) else fn)(*args, **kwargs)
        return _summary(backend.modules, region.entries())

    return call


def _summary(modules: list[torch.fx.GraphModule], entries: list[EntryInfo]) -> ExplainOutput:
    breaks = [_reason(stop) for entry in entries for stop in entry["breaks"] if stop["reason"] != "user_exception"]
    ops = [[node.target for node in module.graph.nodes if node.op == "call_function"] for module in modules]
    guards = [_guard(guard, entry) for entry in entries for guard in entry["guards"]]
    return ExplainOutput(modules, len(modules), len(breaks), breaks, sum(map(len, ops)), ops, guards)


def _reason(stop: BreakInfo) -> BreakReason:
    text = stop["what"] + (f": {stop['detail']}" if stop["detail"] else "")
    return BreakReason(text, [traceback.FrameSummary(stop["filename"], stop["line"], stop["function"])], stop["advice"])


def _guard(guard: GuardInfo, entry: EntryInfo) -> Guard:
    return Guard(guard["name"], guard["torch_kind"], guard["kind"], guard["expected"], entry["filename"], guard["line"], entry["id"])
