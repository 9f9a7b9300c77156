"""What surrounds a backend while it compiles: torch's tracing context with fake inputs, made only if the backend looks for it."""
from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator

import torch
from torch._guards import CompileContext, TracingContext, compile_context, tracing

from framegate.fake_values import kept_random_state

if typing.TYPE_CHECKING:
    from framegate.graph_module import GraphModule


class BackendTracing(TracingContext):
    """A tracing context whose fake mode appears when it is first asked for.

    AOTAutograd and Inductor find their fake mode here; backends that use neither must not pay for it (a FakeTensorMode imports
    torch._dynamo). All sizes are static: a shape environment is there because Inductor's caches want one, and it makes no symbol.
    """

    def __init__(self, inputs: list[typing.Any]) -> None:
        self._inputs, self._mode, self._open = inputs, None, True
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

    def guards(self) -> list[str]:
        """What the backend assumed about shapes and aliases, in words; empty where it assumed nothing."""
        found = [str(guard) for guard in self.guards_context.aotautograd_guards]
        if self._mode is not None and self._mode.shape_env is not None:
            found += [str(guard.expr) for guard in self._mode.shape_env.guards]
        return found

    def _make_mode(self) -> typing.Any:
        from torch._dynamo.source import ConstantSource
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatefulSymbolicContext
        for number, value in enumerate(self._inputs):
            if isinstance(value, torch.Tensor):
                unconstrained: list[typing.Any] = [None] * value.dim()
                self.tensor_to_context[value] = StatefulSymbolicContext(
                    dynamic_sizes=[DimDynamic.STATIC] * value.dim(), dynamic_strides=[DimDynamic.INFER_STRIDE] * value.dim(),
                    constraint_sizes=unconstrained, constraint_strides=unconstrained, tensor_source=ConstantSource(f"input_{number}"))
        return FakeTensorMode(shape_env=ShapeEnv())


@contextlib.contextmanager
def compiling(module: GraphModule, inputs: list[typing.Any]) -> Iterator[BackendTracing]:
    """The thread's state while a backend compiles `module`: tracing context, compile id; grad mode and random numbers put back after it."""
    context = BackendTracing(inputs)
    grad = torch.is_grad_enabled()
    with kept_random_state(), compile_context(CompileContext(module.meta["dynamo_compile_id"])), tracing(context):
        try:
            yield context
        finally:
            context.close()
            torch.set_grad_enabled(grad)
