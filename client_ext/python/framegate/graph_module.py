"""The torch.fx.GraphModule a backend is given. Needs torch; imported when the first graph exists."""
from __future__ import annotations

import typing
from collections.abc import Callable, Sequence

import torch
import torch.fx
from torch._guards import CompileId, GuardSource, Source
from torch.fx._lazy_graph_module import _LazyGraphModule

from framegate.example_inputs import ExampleInputs
from framegate.fake_values import map_refs
from framegate.node_facts import NodeFacts
from framegate.node_meta import LazyMeta

if typing.TYPE_CHECKING:
    from framegate._framegate import Body, Graph


class CompileReason(typing.NamedTuple):
    """Why the graph ends where it ends; the fields that readers of torch's GraphCompileReason use."""

    reason: str = ""
    user_stack: tuple[typing.Any, ...] = ()
    graph_break: bool = False


class InputSource(Source):
    """Where a placeholder comes from, for AOTAutograd, which tells inputs apart by it. Equal by Python path."""

    def __init__(self, path: str, parameter: bool) -> None:
        self._path, self._parameter = path, parameter

    @property
    def name(self) -> str:
        return self._path

    @property
    def _name_template(self) -> str:
        return self._path

    @property
    def guard_source(self) -> GuardSource:
        return GuardSource.LOCAL_UNSPECIALIZED_NN_MODULE if self._parameter else GuardSource.LOCAL

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSource) and self._path == other._path

    def __hash__(self) -> int:
        return hash(self._path)

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return InputSource, (self._path, self._parameter)


class GraphModule(_LazyGraphModule):
    """A graph module whose `forward` is ready and whose nodes and source do not exist before somebody looks at them.

    torch.fx takes 3.5 ms for the nodes and 7 ms for the source of a graph with 310 nodes: nearly all that is left of a second process.
    Until somebody looks at the source or calls `recompile()` (which assigning `graph` and pickling imply) `forward` is the function the
    extension made; from then on it is generated from the nodes, as in the modules TorchDynamo hands out.
    """

    # Not in the instance's dict, which torch pickles to name a graph in its caches.
    __slots__ = ("_described", "_inputs", "_facts")
    _described: Graph
    _inputs: ExampleInputs
    _facts: NodeFacts | None

    def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> GraphModule:
        return object.__new__(GraphModule)

    def __init__(self, graph: Graph, inputs: ExampleInputs) -> None:
        torch.nn.Module.__init__(self)
        frame, _, compiled = graph.compile_id.strip("[]").partition("/")
        number = CompileId(frame_id=int(frame), frame_compile_id=int(compiled.partition("_")[0]))
        for name, value in (("_described", graph), ("_inputs", inputs), ("_facts", None)):
            object.__setattr__(self, name, value)
        self.__dict__.update(
            forward=graph.forward,
            meta={"dynamo_flat_name_to_original_fqn": {}, "dynamo_compile_id": number, "backend_id": f"framegate_{frame}_{compiled}"},
            _tracer_cls=None, _tracer_extras={}, _replace_hooks=[], _create_node_hooks=[], _erase_node_hooks=[], _deepcopy_hooks=[],
            shape_env=None, compile_subgraph_reason=CompileReason(), _param_name_to_source={}, _source_to_user_stacks={})

    def __getattr__(self, name: str) -> typing.Any:
        return self._build_graph() if name == "_graph" else super().__getattr__(name)

    @property
    def facts(self) -> NodeFacts:
        """What the daemon said about the nodes, whatever became of them."""
        facts = self._facts
        if facts is None:
            facts = NodeFacts(self._described, self._inputs)
            object.__setattr__(self, "_facts", facts)
        return facts

    def release_inputs(self) -> None:
        """Lets go of the example inputs; example values can still be computed, from descriptions."""
        self._inputs.release()

    def _build_graph(self) -> torch.fx.Graph:
        graph = build_nodes(self.facts, attach_bodies(self, self._described.bodies()))
        self.__dict__["_graph"] = graph
        graph.owning_module = self
        return graph

    def _own_class(self) -> None:
        """torch.fx stores what it generates in the class, so each module needs its own once something is generated."""
        if type(self) is GraphModule:
            object.__setattr__(self, "__class__", type("GraphModule", (GraphModule,), {"__module__": __name__, "__slots__": ()}))

    def recompile(self) -> None:  # type: ignore[override]  # torch's is a class method
        self._own_class()
        self.__dict__.pop("forward", None)
        type(self).forward = type(self)._lazy_forward

    def real_recompile(self) -> None:
        """Generates source and forward where they are missing. Who looks at the source gets the forward that it describes."""
        if "forward" in self.__dict__ or self._needs_recompile():
            self._real_recompile()

    def _real_recompile(self) -> typing.Any:
        self.recompile()
        return super()._real_recompile()

    def __deepcopy__(self, memo: dict[int, typing.Any]) -> torch.fx.GraphModule:
        _ = self.graph
        return super().__deepcopy__(memo)


def attach_bodies(owner: torch.nn.Module, bodies: Sequence[Body]) -> list[str]:
    """Makes each function that nodes of `owner`'s graph are given a submodule; gives their names."""
    names = []
    for number, (nodes, _, inner) in enumerate(bodies):
        root = torch.nn.Module()
        graph, made = torch.fx.Graph(), list[torch.fx.Node]()
        of = references(graph, made, attach_bodies(root, inner))
        for op, name, target, args, kwargs, _, _ in nodes:
            made.append(graph.create_node(op, target, map_refs(args, of), map_refs(kwargs, of), name))
        names.append(f"wrap_body_{number}")
        owner.add_module(names[-1], torch.fx.GraphModule(root, graph))
    return names


def references(graph: torch.fx.Graph, made: list[torch.fx.Node], bodies: list[str]) -> Callable[[int], torch.fx.Node]:
    """What stands for a reference in a graph: the node made at its place, or one that gets the submodule that is a body."""
    found: dict[int, torch.fx.Node] = {}

    def of(index: int) -> torch.fx.Node:
        if index >= 0:
            return made[index]
        if index not in found:
            found[index] = graph.get_attr(bodies[-1 - index])
        return found[index]

    return of


def hold_inputs(module: GraphModule, held: dict[int, torch.Tensor]) -> None:
    """Makes inputs, by position, attributes of the module, whose forward then takes the others."""
    graph = module.graph
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for position, value in sorted(held.items()):
        node = placeholders[position]
        if isinstance(value, torch.nn.Parameter):
            module.register_parameter(node.name, value)
        else:
            module.register_buffer(node.name, value)
        module._param_name_to_source[node.name] = node._dynamo_source
        with graph.inserting_before(node):
            attribute = graph.create_node("get_attr", node.name)
        attribute.meta = node.meta
        node.replace_all_uses_with(attribute)
        graph.erase_node(node)
    module.recompile()


def build_nodes(facts: NodeFacts, bodies: list[str]) -> torch.fx.Graph:
    """Real fx nodes, with lazy meta. Names are unique in what the daemon sends, so they come out as they are."""
    graph = torch.fx.Graph()
    made: list[torch.fx.Node] = []
    of = references(graph, made, bodies)
    annotations, described = facts.inputs.annotations(), facts.graph.placeholders()
    for index, (op, name, target, args, kwargs, _, _) in enumerate(facts.nodes):
        annotation = annotations[index] if op == "placeholder" else None
        node = graph.create_node(op, target, map_refs(args, of), map_refs(kwargs, of), name, annotation)
        node.meta = LazyMeta(facts, index, facts.lazy_keys(index))
        if op == "placeholder":
            parameter = annotation is torch.nn.Parameter
            _, _, path, dimension = described[index]
            node._dynamo_source = InputSource(path if dimension < 0 else f"{path}.size()[{dimension}]", parameter)
            # "unguarded": the address may change (torch's word for parameters, which CUDA graphs then check themselves).
            node.meta["tensor_dict"] = {"_dynamo_static_input_type": "unguarded"} if parameter else {}
        made.append(node)
    return graph
