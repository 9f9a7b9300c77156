"""What framegate._oracle says of an operator's result is what the operator gives on real tensors."""
import pytest

torch = pytest.importorskip("torch")
_oracle = pytest.importorskip("framegate._oracle")

PLAIN = (True, False, torch.float32, None, (), True, (False, False))


def meta(tensor):
    keys = torch._C._dispatch_keys(tensor) | torch._C._dispatch_tls_local_include_set()
    return _oracle.TensorMeta(str(tensor.dtype), str(tensor.device), str(tensor.layout), tensor.requires_grad, tensor.is_leaf,
                              tensor.is_inference(), False, tuple(tensor.size()), tuple(tensor.stride()), tensor.storage_offset(),
                              (keys - torch._C._dispatch_tls_local_exclude_set()).raw_repr(), (), ())


def metas(value):
    if isinstance(value, torch.Tensor):
        return meta(value)
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return type(value)(metas(item) for item in value) if type(value) in (tuple, list) else tuple(metas(item) for item in value)
    return value


def leaf(*sizes):
    return torch.ones(*sizes, requires_grad=True)


CASES = {
    "broadcast": ("torch:add", lambda: (torch.ones(2, 3), torch.ones(3))),
    "method": ("matmul", lambda: (leaf(2, 3), torch.ones(3, 4))),
    "function": ("torch.nn.functional:softmax", lambda: (torch.ones(2, 3), -1)),
    "several": ("torch:max", lambda: (torch.ones(2, 3), 1)),
    "views": ("split", lambda: (torch.ones(4, 3), 2)),
    "strides": ("mul", lambda: (torch.ones(3, 2).t() * leaf(()), 2)),
    "offset": ("add", lambda: (torch.ones(9, 4)[2:, 1:], 1)),
    "in_place": ("add_", lambda: (leaf(2) * 2, 1)),
    "no_tensor": ("size", lambda: (torch.ones(2, 3),)),
    "creation": ("torch:ones", lambda: ((2, 3),)),
    "parameter": ("torch.nn.functional:linear", lambda: (torch.ones(2, 4), torch.nn.Parameter(torch.ones(3, 4)))),
    "complex": ("torch:view_as_complex", lambda: (torch.ones(3, 2),)),
}


def find(symbol):
    module, colon, name = symbol.partition(":")
    if not colon:
        return lambda tensor, *args: getattr(tensor, symbol)(*args)
    import importlib
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("case", CASES)
def test_as_on_real_tensors(case):
    symbol, make = CASES[case]
    args = make()
    asked = tuple(meta(a) if isinstance(a, torch.Tensor) and not isinstance(a, torch.nn.Parameter) else a for a in args)
    assert _oracle.infer(symbol, asked, {}, PLAIN) == metas(find(symbol)(*args))


def in_force(**changes):
    return tuple(_oracle.Ambient._make(PLAIN)._replace(**changes))


def test_the_ambient_state_of_the_operation_counts():
    args = (meta(leaf(2, 3)), meta(torch.ones(3, 4)))
    assert not _oracle.infer("torch:matmul", args, {}, in_force(grad_mode=False)).requires_grad
    assert _oracle.infer("torch:matmul", args, {}, in_force(autocast=(("cpu", torch.bfloat16),))).dtype == "torch.bfloat16"
    assert _oracle.infer("torch:ones", (2,), {}, in_force(default_dtype=torch.float64)).dtype == "torch.float64"
    assert _oracle.infer("torch:ones", (2,), {}, in_force(default_device=torch.device("meta"))).device == "meta"
    assert _oracle.infer("torch:ones", (2,), {}, in_force(grad_mode=False, inference_mode=True)).is_inference
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        result = _oracle.infer("torch:matmul", args, {}, PLAIN)
    assert (result.requires_grad, result.dtype) == (True, "torch.float32")


def test_nothing_is_left_changed():
    class Mode(torch.overrides.TorchFunctionMode):
        seen = 0

        def __torch_function__(self, func, types, args=(), kwargs=None):
            Mode.seen += 1
            return func(*args, **(kwargs or {}))

    state = torch.get_rng_state()
    with Mode(), torch.no_grad():
        seen = Mode.seen
        _oracle.infer("torch:rand", (2,), {}, in_force(default_dtype=torch.float64, deterministic=(True, True)))
        assert Mode.seen == seen
        assert torch._C._len_torch_function_stack() == 1
        assert not torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() is torch.float32
    assert not torch.are_deterministic_algorithms_enabled()


def test_errors_of_the_program_are_raised(capfd):
    with pytest.raises(RuntimeError):
        _oracle.infer("torch:add", (meta(torch.ones(2, 3)), meta(torch.ones(4))), {}, PLAIN)
    with pytest.raises(RuntimeError, match="leaf"):
        _oracle.infer("add_", (meta(leaf(2)), 1), {}, PLAIN)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("symbol", ["torch:nonzero", "item", "to_sparse"])
def test_what_needs_data_is_not_told(symbol):
    assert _oracle.infer(symbol, (meta(torch.ones(1)),), {}, PLAIN) is _oracle.CANNOT_TELL
