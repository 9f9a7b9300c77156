"""A region's backend: found when the first graph exists, called once per graph. torch is imported then, torch._dynamo for names only."""
from __future__ import annotations

import logging
import re
import sys
import threading
import typing
import weakref
from collections.abc import Callable, Mapping

from framegate import _framegate
from framegate.errors import BackendCompilerFailed, like_torchs

if typing.TYPE_CHECKING:
    from framegate._framegate import Graph
    from framegate.graph_module import GraphModule

log = logging.getLogger("framegate")
_OF_A_MODULE = re.compile(r"\._(parameters|buffers)\['[^']*'\]$")
Compiled = Callable[..., typing.Any]
forced = threading.local()     # .backend: what set_stance(force_backend=) asks for in this thread


class Backend:
    """What `backend=`, `mode=` and `options=` of one compile() call mean. Called by the extension with a graph and its real inputs."""

    def __init__(self, backend: str | Compiled, mode: str | None = None, options: Mapping[str, typing.Any] | None = None,
                 dynamic: bool | None = None, name: str | None = None) -> None:
        if not isinstance(backend, str) and not callable(backend):
            raise TypeError(f"backend must be a name or a callable, not {backend!r}")
        self.backend, self.mode, self.options, self.dynamic, self.region_name = backend, mode, dict(options or {}), dynamic, name
        self._found: Compiled | None = None

    @property
    def name(self) -> str:
        backend = self.backend
        return backend if isinstance(backend, str) else getattr(backend, "__name__", type(backend).__name__)

    def __call__(self, graph: Graph, inputs: list[typing.Any]) -> Compiled:
        """The compiled form of `graph`, which takes the graph's flat inputs and returns its flat results.

        Raises BackendCompilerFailed for anything the backend raises, and where it returns no callable.
        """
        instead = getattr(forced, "backend", None)
        if instead is not None and instead != self.backend:
            return Backend(instead)(graph, inputs)
        if self.backend == "eager" or _is_watched():
            return graph.forward
        held = free_tensors(graph) if _framegate.get_option("install_free_tensors") else []
        if not held:
            return self._compile(graph, inputs)
        return _framegate.HeldInputs(held, lambda values: self._compile(graph, values, frozenset(held)), inputs)

    def reset(self) -> None:
        """Forgets what the backend remembers, where it offers that, as torch._dynamo.reset() does."""
        reset = getattr(self._found, "reset", None)
        if callable(reset):
            reset()

    def find(self) -> Compiled:
        """The function to call with (module, inputs). Raises what torch raises for an unknown name or option."""
        if self._found is None:
            self._found = self._inductor() if self.backend == "inductor" else self._lookup()
        return self._found

    def _inductor(self) -> Compiled:
        import torch
        if self.options.get("use_aoti"):
            rest = {key: value for key, value in self.options.items() if key != "use_aoti"}
            return torch._TorchCompileAOTInductorWrapper(self.mode, rest, self.dynamic, self.region_name)
        return torch._TorchCompileInductorWrapper(self.mode, self.options, self.dynamic, self.region_name)

    def _lookup(self) -> Compiled:
        function = self.backend
        if isinstance(function, str):
            from torch._dynamo.backends.registry import lookup_backend
            function = lookup_backend(function)
        extra: dict[str, typing.Any] = {}
        if self.mode and self.mode != "default":
            extra["mode"] = self.mode
        if self.options:
            extra["options"] = self.options
        return (lambda module, inputs: function(module, inputs, **extra)) if extra else function

    def _compile(self, graph: Graph, inputs: list[typing.Any], held: frozenset[int] = frozenset()) -> Compiled:
        """`held`: positions of inputs that become attributes of the module; the result takes the others."""
        from framegate.backend_context import compiling
        from framegate.example_inputs import ExampleInputs
        from framegate.graph_module import GraphModule, hold_inputs
        from framegate.shapes import Shapes
        shapes = Shapes(graph, inputs)
        inputs = [shapes.symint(place) if shapes.is_size(place) else value for place, value in enumerate(inputs)]
        function, module = self.find(), GraphModule(graph, ExampleInputs(inputs, shapes))
        if held:
            hold_inputs(module, {position: inputs[position] for position in held})
        places = [place for place in range(len(inputs)) if place not in held]
        inputs = [inputs[place] for place in places]
        try:
            with compiling(module, inputs, places, shapes) as context:
                compiled = function(module, inputs)
            if not callable(compiled):
                raise TypeError(f"the backend returned {compiled!r}, which is not callable")
        except Exception as error:
            return self._after_failure(error, module)
        if unchecked := context.aliases() + _conditions_without_check(graph, shapes):
            log.warning("backend %s assumes %s; its code is not used", self.name, "; ".join(unchecked))
            compiled = module.forward
        still_held = weakref.ref(module)
        del module
        if (kept := still_held()) is not None:
            kept.release_inputs()
        return compiled

    def _after_failure(self, error: Exception, module: GraphModule) -> Compiled:
        """A graph that raises by itself is the program's error, not the backend's: it runs as captured and raises what eager raises."""
        if _is_request_to_skip(error) or _program_fails(error, module):
            return module.forward
        failure = like_torchs(BackendCompilerFailed(self.name, error, module))
        raise failure.with_traceback(error.__traceback__) from None


def _is_watched() -> bool:
    """Whether a mode of the program's own decides, each time, what functions of torch do: only the graph as captured calls those."""
    from torch._C import _get_function_stack_at, _len_torch_function_stack
    from torch.utils._device import DeviceContext
    stack = map(_get_function_stack_at, range(_len_torch_function_stack()))
    return any(not isinstance(mode, DeviceContext) for mode in stack)


def free_tensors(graph: Graph) -> list[int]:
    """Positions of the inputs that are parameters and buffers of modules."""
    return [position for position, (_, _, path, _) in enumerate(graph.placeholders()) if _OF_A_MODULE.search(path)]


def _conditions_without_check(graph: Graph, shapes: Shapes) -> list[str]:
    """Asks for checks of what the backend assumed about sizes; gives, in words, what there can be no check for."""
    from framegate.conditions import CannotLower
    try:
        conditions = shapes.conditions()
    except CannotLower as error:
        return [str(error)]
    return [] if not conditions or graph.require(conditions) else ["something about sizes"]


def _is_request_to_skip(error: Exception) -> bool:
    from framegate._graph_calls import CannotTrace
    theirs = sys.modules.get("torch._dynamo.exc")
    # RestartAnalysis: torch would trace again, with a number as a constant. As captured the graph takes any.
    return isinstance(error, CannotTrace) or (theirs is not None and isinstance(error, (theirs.SkipFrame, theirs.RestartAnalysis)))


def _program_fails(error: Exception, module: GraphModule) -> bool:
    """Whether the captured graph fails on fake tensors with the very error the backend reports."""
    if "torch._subclasses.fake_tensor" not in sys.modules or "torch._dynamo" not in sys.modules:
        return False     # the backend made no fake tensors, so it did not run the graph on any
    found = module.facts.fake_pass().error
    return found is not None and type(found) is type(error)
