"""What surrounds a backend while it compiles: torch's tracing context with fake inputs, made only if the backend looks for it."""
from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator

import torch
from torch._guards import CompileContext, TracingContext, compile_context, tracing

from framegate.fake_values import kept_random_state
from framegate.shapes import Shapes

if typing.TYPE_CHECKING:
    from framegate.graph_module import GraphModule


class BackendTracing(TracingContext):
    """A tracing context whose fake mode appears when it is first asked for.

    AOTAutograd and Inductor find their fake mode here; backends that use neither must not pay for it (a FakeTensorMode imports
    torch._dynamo).
    """

    def __init__(self, inputs: list[typing.Any], places: list[int], shapes: Shapes) -> None:
        self._inputs, self._places, self._shapes, self._mode, self._open = inputs, places, shapes, None, True
        super().__init__(None)

    @property
    def fake_mode(self) -> typing.Any:
        if self._mode is None and self._open:
            self._mode = self._make_mode()
        return self._mode

    @fake_mode.setter
    def fake_mode(self, mode: typing.Any) -> None:
        self._mode = mode

    def close(self) -> None:
        """From here on a fake mode that nobody asked for is not made any more."""
        self._open, self._inputs = False, []

    def aliases(self) -> list[str]:
        """What the backend assumed about inputs that share memory, in words."""
        return [str(guard) for guard in self.guards_context.aotautograd_guards]

    def _make_mode(self) -> typing.Any:
        for place, value in zip(self._places, self._inputs):
            if isinstance(value, torch.Tensor):
                self.tensor_to_context[value] = self._shapes.context(place, value)
        return self._shapes.mode


@contextlib.contextmanager
def compiling(module: GraphModule, inputs: list[typing.Any], places: list[int], shapes: Shapes) -> Iterator[BackendTracing]:
    """The thread's state while a backend compiles `module`, whose inputs are those of the graph at `places`: tracing context, compile id; grad mode and random numbers put back after it."""
    context = BackendTracing(inputs, places, shapes)
    grad = torch.is_grad_enabled()
    with kept_random_state(), compile_context(CompileContext(module.meta["dynamo_compile_id"])), tracing(context):
        try:
            yield context
        finally:
            context.close()
            torch.set_grad_enabled(grad)
