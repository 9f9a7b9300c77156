"""Changes of the ambient state that graphs make and torch has no single function for, and putting the state back after a failure."""
from __future__ import annotations

import contextlib
import typing

if typing.TYPE_CHECKING:
    import torch

_DEVICES = ("cpu", "cuda")
_SWITCHES = tuple((f"_get_{name}_sdp_enabled", f"_set_sdp_use_{name}") for name in ("flash", "mem_efficient", "math", "cudnn", "overrideable")) + (
    ("_get_cudnn_enabled", "_set_cudnn_enabled"), ("_get_cudnn_benchmark", "_set_cudnn_benchmark"),
    ("_get_cudnn_deterministic", "_set_cudnn_deterministic"), ("_get_mkldnn_enabled", "_set_mkldnn_enabled"))


def leave_autocast(device: str, enabled: bool, dtype: torch.dtype, cache: bool) -> None:
    """What autocast.__exit__ does, for a block that was entered elsewhere."""
    import torch
    if torch.autocast_decrement_nesting() == 0:
        torch.clear_autocast_cache()
    torch.set_autocast_enabled(device, enabled)
    torch.set_autocast_dtype(device, dtype)
    torch.set_autocast_cache_enabled(cache)


def enter_device(device: torch.device) -> None:
    device.__enter__()


def leave_device(device: torch.device) -> None:
    device.__exit__(None, None, None)


class Inference:
    """What an inference_mode holds while its block is open, where the frame enters it after the graph that began it; also: what was in force before."""

    def __init__(self, mode: bool, inference_before: bool, grad_before: bool, grad: bool) -> None:
        import torch
        self.inference_before, self.grad_before = inference_before, grad_before
        self._context = torch._C._InferenceMode(mode)
        self._context.__enter__()
        torch._C._set_grad_enabled(grad)

    def __exit__(self, *exception: typing.Any) -> None:
        self._context.__exit__(*exception)


def leave_inference_mode(context: Inference, grad: bool) -> None:
    import torch
    context.__exit__(None, None, None)
    torch._C._set_grad_enabled(grad)


class State(typing.NamedTuple):
    grad: bool
    dtype: torch.dtype
    autocast: tuple[tuple[str, bool, torch.dtype], ...]
    cache: bool
    nesting: int
    modes: int
    levels: int
    duals: int
    switches: tuple[bool, ...]


def _nesting() -> int:
    import torch
    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting()


def _dual_levels() -> int:
    import torch
    return torch.autograd.forward_ad._current_level + 1


def read(_: None = None) -> State:
    import torch
    return State(torch.is_grad_enabled(), torch.get_default_dtype(),
                 tuple((device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in _DEVICES),
                 torch.is_autocast_cache_enabled(), _nesting(), torch._C._len_torch_function_stack(),
                 torch._C._functorch.get_dynamic_layer_stack_depth(), _dual_levels(),
                 tuple(getattr(torch._C, getter)() for getter, _ in _SWITCHES))


def read_random(_: None = None) -> list[torch.Tensor]:
    """Where the default generators stand: the CPU's, then those of devices in use."""
    import torch
    states = [torch.get_rng_state()]
    if torch.cuda.is_initialized():
        states += torch.cuda.get_rng_state_all()
    return states


def restore_random(before: list[torch.Tensor]) -> None:
    import torch
    torch.set_rng_state(before[0])
    if len(before) > 1:
        torch.cuda.set_rng_state_all(before[1:])


def _elements(tensor: torch.Tensor) -> torch.Tensor:
    """Each element of its memory once along dimensions that repeat it."""
    return tensor.detach().as_strided([1 if stride == 0 else size for size, stride in zip(tensor.shape, tensor.stride())], tensor.stride())


def save(tensors: tuple[torch.Tensor, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The memory of each tensor and a copy of it."""
    import torch
    with torch._C.DisableTorchFunction():
        return [(memory, memory.clone()) for memory in map(_elements, tensors)]


def put_back(saved: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    import torch
    with torch._C.DisableTorchFunction():
        for memory, copy in saved:
            memory.copy_(copy)


def restore(before: State) -> None:
    import torch
    torch._C._set_grad_enabled(before.grad)
    if torch.get_default_dtype() is not before.dtype:
        torch.set_default_dtype(before.dtype)
    while _nesting() > before.nesting:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
    for device, enabled, dtype in before.autocast:
        torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_dtype(device, dtype)
    torch.set_autocast_cache_enabled(before.cache)
    while torch._C._len_torch_function_stack() > before.modes:
        torch.overrides._pop_mode()
    torch._C._functorch.pop_dynamic_layer_stack_and_undo_to_depth(before.levels)
    if before.duals == 0:  # Python's count is not what the graph's own level is seen in
        with contextlib.suppress(RuntimeError):
            torch._C._exit_dual_level(level=0)
    for (_, setter), value in zip(_SWITCHES, before.switches):
        getattr(torch._C, setter)(value)
