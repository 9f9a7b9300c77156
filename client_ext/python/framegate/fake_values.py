"""One pass over a graph with fake tensors: what `node.meta["example_value"]` shows. Needs torch."""
from __future__ import annotations

import contextlib
import typing
from collections.abc import Callable, Iterator, Sequence

import torch

from framegate._framegate import NodeRef
from framegate.example_inputs import ExampleInputs
from framegate.node_meta import MISSING

if typing.TYPE_CHECKING:
    from framegate._framegate import Body, Node


class FakePass(typing.NamedTuple):
    values: list[object]               # per node; MISSING from the node that failed on
    error: Exception | None            # what that node raised


def map_refs(argument: typing.Any, of: Callable[[int], typing.Any]) -> typing.Any:
    """`argument` with each reference to a node replaced by `of(its index)`; containers are rebuilt, other values are kept."""
    kind = type(argument)
    if kind is NodeRef:
        return of(argument.index)
    if kind is tuple or kind is list:
        return kind([map_refs(item, of) for item in argument])
    if kind is dict:
        return {key: map_refs(item, of) for key, item in argument.items()}
    if kind is slice:
        return slice(map_refs(argument.start, of), map_refs(argument.stop, of), map_refs(argument.step, of))
    return argument


def run_fake(nodes: Sequence[Node], bodies: Sequence[Body], inputs: ExampleInputs) -> FakePass:
    """Runs `nodes` on fakes of `inputs`. Never raises for what the graph does; leaves the thread's grad and
    autocast modes and random state as they were."""
    values: list[object] = [MISSING] * len(nodes)
    with _unchanged_state(), torch.set_grad_enabled(inputs.grad_enabled):
        try:
            fakes = inputs.fakes()
            values[:len(fakes)] = fakes
            with inputs.shapes.mode:
                for index in range(len(fakes), len(nodes)):
                    values[index] = _run_node(nodes[index], lambda at: bodies[-1 - at][1] if at < 0 else values[at])
        except Exception as error:
            _leave_autocast(nodes, values)
            return FakePass(values, error)
    return FakePass(values, None)


def _run_node(node: Node, of: Callable[[int], object]) -> object:
    op, _, target, args, kwargs = node[:5]
    args, kwargs = map_refs(args, of), map_refs(kwargs, of)
    if op == "call_function":
        return target(*args, **kwargs)
    if op == "call_method":
        return getattr(args[0], target)(*args[1:], **kwargs)
    if op == "output":
        return args[0]
    raise NotImplementedError(f"a fake value for a node of kind {op}")


def _leave_autocast(nodes: Sequence[Node], values: list[object]) -> None:
    """After a failure: leaves the autocast regions that the graph had entered."""
    for node, value in zip(nodes, values):
        if value is MISSING and getattr(node[2], "__name__", "") == "_exit_autocast" and values[node[3][0].index] is not MISSING:
            node[2](values[node[3][0].index])


@contextlib.contextmanager
def _unchanged_state() -> Iterator[None]:
    grad = torch.is_grad_enabled()
    with kept_random_state():
        try:
            yield
        finally:
            torch.set_grad_enabled(grad)


@contextlib.contextmanager
def kept_random_state() -> Iterator[None]:
    """torch's generators as they were before, whatever a backend or a pass draws: compiling must not change what the program computes."""
    cpu = torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        torch.set_rng_state(cpu)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)
