"""The metadata of an operator's result, from torch itself: the operator runs on fake tensors under the ambient state it would run in.

Asked by the extension for operators that the daemon has no rule for (client_ext/capture/answer.h). The first question imports torch's fake
tensors, and with them torch._dynamo. Nothing here touches real data or leaves a thread's state changed.
"""
from __future__ import annotations

import contextlib
import functools
import logging
import sys
import typing

if typing.TYPE_CHECKING:
    import torch


class TensorMeta(typing.NamedTuple):
    """model::TensorFacts, field by field."""

    dtype: str
    device: str
    layout: str
    requires_grad: bool
    is_leaf: bool
    is_inference: bool
    has_grad: bool
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    storage_offset: int
    keys: int
    dynamic_dims: tuple[int, ...]
    static_dims: tuple[int, ...]


CANNOT_TELL = object()  # no constant, so the extension gives no answer


class Ambient(typing.NamedTuple):
    """The parts of model/ambient.def that decide about metadata, by their places."""

    grad_mode: bool
    inference_mode: bool
    default_dtype: torch.dtype
    default_device: torch.device | None
    autocast: tuple[tuple[str, torch.dtype], ...]
    autocast_cache: bool
    deterministic: tuple[bool, bool]


class Answer(typing.NamedTuple):
    result: typing.Any
    same_as: int  # the result is this argument itself; -1: none
    after: tuple[typing.Any, ...]  # the positional arguments afterwards; None for what is no tensor or was not written to


def infer(symbol: str, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any], ambient: tuple[typing.Any, ...]) -> typing.Any:
    """The result alone of `answer`."""
    return answer(symbol, args, kwargs, ambient).result


def answer(symbol: str, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any], ambient: tuple[typing.Any, ...]) -> Answer:
    """What `symbol` ("module:qualified.name", or the name of a tensor method) gives for these arguments, tensors as TensorMeta.

    Raises what the operator raises. CANNOT_TELL where it needs data, or has no implementation for fake tensors.
    """
    import torch

    if any(meta.layout != "torch.strided" for meta in _metas((args, kwargs))):
        return Answer(CANNOT_TELL, -1, ())
    function = _find(symbol)
    with _without_modes(), _in_force(Ambient._make(ambient[:len(Ambient._fields)])):
        with _mode(), _quiet():
            fake_args, fake_kwargs = _map(_faked, args), _map(_faked, kwargs)
            before = [_state(value) for value in fake_args]
            try:
                result = function(*fake_args, **fake_kwargs)
            except NotImplementedError:
                return Answer(CANNOT_TELL, -1, ())
            except RuntimeError as error:
                if isinstance(error, _fake().errors):
                    return Answer(CANNOT_TELL, -1, ())
                raise
        same_as = next((at for at, value in enumerate(fake_args) if value is result and isinstance(value, torch.Tensor)), -1)
        after = tuple(_described(value) if was != _state(value) else None for was, value in zip(before, fake_args))
        return Answer(_described(result), same_as, after)


def _state(value: typing.Any) -> typing.Any:
    """Of a tensor, what changes where something is written to it or to its metadata."""
    import torch
    if not isinstance(value, torch.Tensor):
        return None
    version = object() if value.is_inference() else value._version   # those count no writes
    return version, value.shape, value.stride(), value.dtype, value.requires_grad, value.storage_offset()


class _Fake(typing.NamedTuple):
    mode: typing.Any
    errors: tuple[type[Exception], ...]  # fake tensors cannot tell: no error of the program


@functools.cache
def _fake() -> _Fake:
    from torch._subclasses import fake_tensor as fake
    errors = (fake.UnsupportedFakeTensorException, fake.DynamicOutputShapeException, fake.DataDependentOutputException,
              fake.UnsupportedOperatorException, fake.UnsupportedMutationAliasingException, fake.MetadataMismatchError)
    return _Fake(fake.FakeTensorMode(allow_non_fake_inputs=True), errors)


def _mode() -> typing.Any:
    return _fake().mode


def _find(symbol: str) -> typing.Callable[..., typing.Any]:
    module, colon, path = symbol.partition(":")
    if not colon:
        return lambda tensor, *args, **kwargs: getattr(tensor, symbol)(*args, **kwargs)
    if module not in sys.modules:  # torch.ops.<namespace>
        module, path = "torch", f"{module.removeprefix('torch.')}.{path}"
    return functools.reduce(getattr, path.split("."), typing.cast(typing.Any, sys.modules[module]))


@contextlib.contextmanager
def _without_modes() -> typing.Iterator[None]:
    """The modes of the user's code do not see what is asked here."""
    from torch.overrides import _len_torch_function_stack, _pop_mode, _push_mode
    from torch.utils._python_dispatch import _disable_current_modes
    modes = [_pop_mode() for _ in range(_len_torch_function_stack())]
    try:
        with _disable_current_modes():
            yield
    finally:
        for mode in reversed(modes):
            _push_mode(mode)


@contextlib.contextmanager
def _quiet() -> typing.Iterator[None]:
    """Fake tensors log each error of an operator; here it is an answer."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


@contextlib.contextmanager
def _in_force(ambient: Ambient) -> typing.Iterator[None]:
    """The state at the operation, and afterwards the one of now."""
    import torch
    dtype = torch.get_default_dtype()
    deterministic = (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled())
    with contextlib.ExitStack() as stack:
        stack.callback(torch.set_default_dtype, dtype)
        stack.callback(torch._C._set_deterministic_algorithms, deterministic[0], warn_only=deterministic[1])
        stack.callback(torch.random.set_rng_state, torch.random.get_rng_state())
        torch.set_default_dtype(ambient.default_dtype)
        torch._C._set_deterministic_algorithms(ambient.deterministic[0], warn_only=ambient.deterministic[1])
        for device in ("cpu", "cuda", "xpu", "mps"):
            if torch.is_autocast_enabled(device) and all(row[0] != device for row in ambient.autocast):
                stack.enter_context(torch.autocast(device, enabled=False))
        for device, lower in ambient.autocast:
            stack.enter_context(torch.autocast(device, dtype=lower, cache_enabled=False))
        stack.enter_context(torch.inference_mode(ambient.inference_mode))
        stack.enter_context(torch.set_grad_enabled(ambient.grad_mode))
        if ambient.default_device is not None:
            stack.enter_context(ambient.default_device)
        yield


def _map(change: typing.Callable[[typing.Any], typing.Any], value: typing.Any) -> typing.Any:
    """Applies `change` to what is no container."""
    if type(value) in (tuple, list):
        return type(value)(_map(change, item) for item in value)
    if type(value) is dict:
        return {key: _map(change, item) for key, item in value.items()}
    return change(value)


def _metas(value: typing.Any) -> typing.Iterator[TensorMeta]:
    found: list[TensorMeta] = []
    _map(lambda item: found.append(item) if isinstance(item, TensorMeta) else None, value)
    return iter(found)


def _faked(value: typing.Any) -> typing.Any:
    import torch
    if isinstance(value, TensorMeta):
        with torch.inference_mode(value.is_inference):
            return _fake_tensor(value)
    if isinstance(value, torch.Tensor):
        return _mode().from_tensor(value, static_shapes=True)
    return value


def _fake_tensor(meta: TensorMeta) -> torch.Tensor:
    import torch
    dtype = getattr(torch, meta.dtype.removeprefix("torch."))
    span = meta.storage_offset + sum((size - 1) * stride for size, stride in zip(meta.sizes, meta.strides)) + 1
    with torch.set_grad_enabled(meta.requires_grad and not meta.is_leaf):
        base = torch.empty(max(span, 0), dtype=dtype, device=meta.device)
        if not meta.requires_grad or meta.is_leaf:
            tensor = base.as_strided(meta.sizes, meta.strides, meta.storage_offset).detach()
            return tensor.requires_grad_() if meta.requires_grad else tensor
        # Not a leaf: a view of a copy of one, which may be changed in place.
        return base.requires_grad_().clone().as_strided(meta.sizes, meta.strides, meta.storage_offset)


def _described(value: typing.Any) -> typing.Any:
    import torch
    if isinstance(value, torch.Tensor):
        return _meta_of(value)
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        items = [_described(item) for item in value]
        if type(value).__module__ == "torch.return_types":
            return type(value)(items)
        return items if isinstance(value, list) else tuple(items)
    return CANNOT_TELL if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else value


def _meta_of(tensor: torch.Tensor) -> typing.Any:
    import torch
    if tensor.layout is not torch.strided:
        return CANNOT_TELL
    return TensorMeta(str(tensor.dtype), str(tensor.device), str(tensor.layout), tensor.requires_grad, tensor.is_leaf,
                      tensor.is_inference(), False, tuple(tensor.size()), tuple(tensor.stride()), tensor.storage_offset(),
                      _keys(tensor), (), ())


def _keys(fake: torch.Tensor) -> int:
    """The dispatch keys of a real tensor like this one; 0 where none can be made."""
    import torch
    if fake.device.type not in ("cpu", "meta"):
        return 0
    with torch.inference_mode(fake.is_inference()):
        real = torch.empty(0, dtype=fake.dtype, device=fake.device)
    keys = torch._C._dispatch_keys(real) | torch._C._dispatch_tls_local_include_set()
    return (keys - torch._C._dispatch_tls_local_exclude_set()).raw_repr()
