"""Ways of torch that metadata do not show: what is a size and what is data, which flags change an argument, where hooks come from."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn.modules.module import register_module_forward_hook  # noqa: E402
from torch.nn.utils import parametrize  # noqa: E402

import framegate  # noqa: E402

X = torch.linspace(-1.0, 1.0, 12).view(3, 4)


@pytest.fixture(autouse=True)
def fresh():
    framegate.reset()


def same(function, *args):
    torch.manual_seed(3)
    expected = function(*args)
    torch.manual_seed(3)
    actual = framegate.compile(function, backend="eager")(*args)
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


def test_new_takes_a_size_for_a_size():
    same(lambda x: x.new(x.shape).fill_(2), X)
    same(lambda x: x.new(x.shape[:1]).exponential_(), X)


def test_a_legacy_type_takes_sizes_and_data():
    same(lambda x: (torch.Tensor(2, 3).shape, torch.Tensor([2, 3]), torch.FloatTensor(x.shape).fill_(1), torch.LongTensor()), X)


def test_a_flag_given_by_place_changes_the_argument():
    layer = nn.Dropout(0.5)
    compiled = framegate.compile(lambda x: layer(x * 1), backend="eager")
    for p, inplace in ((0.5, False), (0.1, False), (0.2, False), (0.2, True)):
        layer.p, layer.inplace = p, inplace
        torch.manual_seed(3)
        expected = layer(X * 1)
        torch.manual_seed(3)
        assert torch.equal(compiled(X), expected)


def test_a_hook_on_all_modules_that_the_frame_registers():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def run(x):
        handle = register_module_forward_hook(lambda module, args, output: output + 1)
        try:
            return model(x)
        finally:
            handle.remove()

    same(run, X)


def test_cached_parametrizations():
    class Doubled(nn.Module):
        def forward(self, weight):
            return weight * 2

    layer = nn.Linear(4, 4)
    parametrize.register_parametrization(layer, "weight", Doubled())

    def run(x):
        with parametrize.cached():
            return layer(x) + layer(x)

    same(run, X)


@pytest.mark.filterwarnings("ignore")
def test_quantized_tensors_are_no_plain_ones():
    same(lambda x: torch.quantize_per_tensor(x, 0.1, 10, torch.quint8).dequantize(), X)
    same(lambda q: q.dequantize() * 2 if q.is_quantized else q, torch.quantize_per_tensor(X, 0.1, 0, torch.qint8))


def test_sizes_that_are_tensors_of_numbers():
    def run(x):
        chunks = torch.div(x.size(0) * 4, 2, rounding_mode="trunc")
        return x.view(chunks, 2), x.new_ones((chunks + 1, 2)), torch.div(-7, 2, rounding_mode="floor").item()

    same(run, X)
    framegate.reset()
    framegate.compile(run, backend="eager", fullgraph=True)(X)


def test_a_function_of_numpy_is_one_break():
    numpy = pytest.importorskip("numpy")
    numpy.random.seed(0)

    def mask(size):
        drawn = numpy.random.rand(size) > 0.5
        return numpy.concatenate([drawn, numpy.zeros(1, dtype=bool)]).reshape(1, -1)

    framegate.reset_stats()
    compiled = framegate.compile(lambda x: x * 2 + torch.from_numpy(mask(3)), backend="eager")
    assert compiled(X).shape == (3, 4)
    assert framegate.stats()["graph_breaks"] <= 2


@pytest.mark.parametrize("key", [torch.device("cpu"), (torch.device("cpu"), torch.float32), torch.Size([2]), torch.float32])
def test_dict_keys_that_are_torch_s_own(key):
    table = {key: X}
    framegate.reset_stats()
    for function in (lambda d: [v * 2 for v in d.values()], lambda d: d[key] * 2):
        compiled = framegate.compile(function, backend="eager")
        for factor in (1, 3):
            table[key] = X * factor
            torch.testing.assert_close(compiled(table), function(table))
    stats = framegate.stats()
    assert (stats["entries"], stats["refused_entries"]) == (2, 0)


def test_gradients_of_one_kind_are_one_group():
    def clipped(clip):
        parameters = [nn.Parameter(X.clone()), nn.Parameter(X[0].clone())]
        for parameter in parameters:
            parameter.grad = torch.ones_like(parameter)
        return clip(parameters, 0.5), [parameter.grad for parameter in parameters]

    clip = nn.utils.clip_grad_norm_
    compiled = framegate.compile(lambda parameters, most: clip(parameters, most), backend="eager", fullgraph=True)
    torch.testing.assert_close(clipped(compiled), clipped(clip), rtol=0, atol=0)


def test_cond_that_is_not_captured_runs_as_written():
    def run(x):
        try:
            return torch.cond(x[0, 0] > 0, lambda a: (a, a * 2), lambda a: (a * 3, a * 1), (x,))
        except torch._dynamo.exc.UncapturedHigherOrderOpError:
            return "refused"

    assert run(X) == framegate.compile(run, backend="eager")(X) == "refused"
