"""Back-ends and sizes known by name: what they are given, and what follows from what they ask."""
import pytest

pytest.importorskip("torch")

PROGRAM = """
import framegate, torch

asked = []

def curious(gm, inputs):
    sizes = [value for value in inputs if isinstance(value, torch.SymInt)]
    asked.append((len(sizes), bool(sizes[0] % 2 == 0)))
    return gm.forward

def run(fn, backend, sizes):
    compiled = framegate.compile(fn, backend=backend, dynamic=True, fullgraph=True)
    for size in sizes:
        x = torch.randn(size, 3, requires_grad=True)
        compiled(x).sum().backward()
        y = x.detach().clone().requires_grad_()
        fn(y).sum().backward()
        assert torch.allclose(compiled(x), fn(x)) and torch.allclose(x.grad, y.grad)
    entries = framegate.stats()["entries"], framegate.stats()["translations"]
    framegate.reset_stats()
    return entries
"""


def test_a_back_end_by_name_gets_one_graph_for_all_sizes(place):
    out = place.python(PROGRAM + "print(run(lambda x: x.view(-1) * x.size(0), 'aot_eager', (4, 5, 8)))")
    assert out.split("\n")[0] == "(1, 1)"


def test_what_a_back_end_asks_of_a_size_is_checked_by_its_entry_alone(place):
    out = place.python(PROGRAM + "print(run(lambda x: x * 2, curious, (4, 5, 8, 7)), asked)")
    assert out.split("\n")[0] == "(2, 1) [(2, True), (2, False)]"
