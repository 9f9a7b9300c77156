"""The Python package: every public name does what docs/api.md says. What is compiled and how well is judged by tests/acceptance."""
import json
import re
from pathlib import Path

import pytest
from conftest import ROOT

needs_torch = pytest.mark.needs_torch


def test_importing_it_imports_no_torch(place):
    place.python("""
        import sys, framegate
        assert not {"torch", "numpy", "sympy"} & set(sys.modules), sorted(sys.modules)
        assert sorted(framegate.__all__) == [name for name in sorted(framegate.__all__) if hasattr(framegate, name)]
    """)


def test_every_public_name_is_documented(place):
    names = place.python("import framegate; print(*framegate.__all__)").split()
    text = (ROOT / "docs/api.md").read_text()
    assert [name for name in names if f"`{name}" not in text and f"framegate.{name}" not in text] == []


@needs_torch
def test_importing_it_and_compiling_without_a_name_imports_no_dynamo(place):
    place.python("""
        import sys, torch, framegate
        f = framegate.compile(lambda x: x.sin() + 1, backend=lambda module, inputs: module.forward)
        g = framegate.compile(lambda x: x.cos(), backend="eager")
        assert torch.equal(f(torch.ones(2)), torch.ones(2).sin() + 1) and torch.equal(g(torch.ones(2)), torch.ones(2).cos())
        assert not {"torch._dynamo", "sympy"} & set(sys.modules)
        assert framegate.stats()["graphs"] == 2
    """)


def test_forms_of_compile_and_disable(place):
    place.python('''
        import copy, functools, pickle, framegate

        @framegate.compile(backend="eager")
        def f(x, *, y=2):
            """doc"""
            return x * y

        assert f(3) == 6 and f(3, y=5) == 15 and (f.__name__, f.__doc__) == ("f", "doc")
        assert framegate.compile(f, backend="eager").__wrapped__ is f.__wrapped__ is framegate.disable(f).__wrapped__
        assert pickle.loads(pickle.dumps(f)) is f and copy.deepcopy(f) is f
        plain = lambda x: x
        assert framegate.compile(plain, disable=True) is plain
        assert framegate.optimize("eager", disable=True)(plain) is plain
        assert framegate.optimize("eager", nopython=True)(plain)(4) == 4

        class C:
            @framegate.compile(backend="eager")
            def method(self, n): return self.k + n
            k = 4
            def __call__(self, n): return n - self.k
        assert C().method(1) == 5 and framegate.compile(C(), backend="eager")(5) == 1
        assert framegate.compile(C, backend="eager") is C and C()(9) == 5
        assert framegate.compile(functools.partial(plain, 7), backend="eager")() == 7
        assert framegate.disable(lambda n: n + 1)(1) == 2 and framegate.disable()(plain)(3) == 3

        for wrong, error in ((lambda: framegate.compile(3), TypeError), (lambda: framegate.compile(plain, backend=3), TypeError),
                             (lambda: framegate.compile(plain, mode="default", options={}), RuntimeError)):
            try:
                wrong()
            except error:
                continue
            raise AssertionError("no error")
    ''')


def test_switches_in_the_environment_turn_it_off(place):
    for switch in ("FRAMEGATE_DISABLE", "TORCHDYNAMO_DISABLE"):
        place.python("import framegate; f = lambda x: x; assert framegate.compile(f) is f", **{switch: "1"})


def test_settings_are_checked_and_put_back(place):
    place.python("""
        import framegate
        config = framegate.config
        assert (config.graphless, config.recompile_limit, config.cache_size_limit) == ("auto", 8, 8)
        with config.patch(recompile_limit=3, graphless="always"):
            assert (config.graphless, config.cache_size_limit) == ("always", 3)
        assert (config.graphless, config.recompile_limit) == ("auto", 8)
        assert config.patch("recompile_limit", 5)(lambda: config.recompile_limit)() == 5 and config.recompile_limit == 8
        for name, value, error in (("nothing", 1, AttributeError), ("recompile_limit", "9", TypeError), ("graphless", "maybe", ValueError)):
            try:
                with config.patch({name: value}):
                    raise SystemExit("no error")
            except error as wrong:
                assert name in str(wrong)
        assert (config.graphless, config.recompile_limit) == ("auto", 8)
    """)


def test_stances_nest_and_belong_to_their_thread(place):
    place.python("""
        import threading, framegate
        framegate.config.graphless = "always"
        f = framegate.compile(lambda n: [n + i for i in range(30)], backend="eager")
        def entries():
            before = framegate.stats()["entries"]
            assert f("a".count("a")) == list(range(1, 31))
            return framegate.stats()["entries"] - before
        seen = []
        with framegate.set_stance("force_eager"):
            thread = threading.Thread(target=lambda: seen.append(entries()))
            thread.start(), thread.join()
            assert entries() == 0
        assert seen == [1], "another thread compiles"
        assert framegate.set_stance("fail_on_recompile")(lambda: f(1))() == list(range(1, 31))
        for wrong in ({"stance": "no_such_stance"}, {"stance": "force_eager", "force_backend": "eager"}):
            try:
                framegate.set_stance(**wrong)
            except RuntimeError:
                continue
            raise AssertionError("no error")
    """)


def test_a_break_under_fullgraph_is_explained(place):
    out = place.python("""
        import framegate
        framegate.config.graphless = "always"
        @framegate.compile(backend="eager", fullgraph=True)
        def f(n):
            n += 1
            print(n)
            return n
        try:
            f(1)
        except framegate.Unsupported as error:
            assert error.filename.endswith("script.py") and error.reason and error.advice
            print(error)
    """)
    assert re.search(r'script.py", line 7, in f', out) and ">     7 |" in out and "print(n)" in out and "advice:" in out


@pytest.mark.parametrize("form", ["text", "json"])
def test_logs_name_the_break(place, form):
    out = place.python("""
        import framegate
        framegate.config.graphless = "always"
        @framegate.compile(backend="eager")
        def f(n):
            framegate.graph_break()
            return n
        assert f(1) == 1
    """, FRAMEGATE_LOGS="all", FRAMEGATE_LOGS_FORMAT=form)
    if form == "json":
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["line"] for line in lines if line["log"] == "graph_breaks"] == [6]
    else:
        assert "[framegate.graph_breaks]" in out and "framegate.graph_break()" in out and "[framegate.guards]" in out


@needs_torch
def test_a_compiled_module_is_the_module(place):
    place.python("""
        import copy, pickle, torch, framegate
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.scale = nn.Linear(2, 2), 1.0
            def forward(self, x): return self.layer(x) * self.scale
            def itself(self): return self
            def __len__(self): return 7
            @property
            def twice(self): return self.scale * 2
            @twice.setter
            def twice(self, value): self.scale = value / 2

        net, x = Net(), torch.ones(1, 2)
        compiled = framegate.compile(net, backend="eager")
        assert isinstance(compiled, Net) and compiled._orig_mod is net and torch.equal(compiled(x), net(x))
        assert list(compiled.state_dict()) == list(net.state_dict()) and repr(compiled) == repr(net) and len(compiled) == 7
        compiled.twice = 8
        compiled.new = nn.Linear(1, 1)
        assert net.scale == 4 and net.new is compiled.new and compiled.itself() is net and compiled.eval() is compiled and not net.training
        twin, again = copy.deepcopy(nn.Sequential(compiled))[0], pickle.loads(pickle.dumps(compiled))
        for other in (twin, again):
            assert type(other) is type(compiled) and other.layer.weight is not net.layer.weight and torch.equal(other(x), net(x))
        assert not compiled.load_state_dict({"_orig_mod." + k: v + 1 for k, v in net.state_dict().items()}).missing_keys
        assert torch.equal(compiled(x), net(x)) and torch.equal(compiled.forward(x), net(x))
        compiled._orig_mod = twin._orig_mod
        assert compiled.layer is twin.layer and "_orig_mod" not in compiled._modules
        assert framegate.compile(compiled, backend="eager")._orig_mod is twin._orig_mod
        assert torch.equal(framegate.disable(net)(x), net(x))
        import torch._dynamo
        assert isinstance(compiled, torch._dynamo.OptimizedModule) and not isinstance(net, torch._dynamo.OptimizedModule)
    """)


@needs_torch
def test_a_graph_module_has_no_nodes_before_somebody_looks(place):
    place.python("""
        import copy, pickle, sys, torch, torch.fx, framegate
        modules = []
        def keep(module, inputs):
            modules.append(module)
            return module.forward
        def f(a, b):
            h = a @ b
            return h.relu(), torch.sin(h)
        a, b = torch.randn(2, 3), torch.randn(3, 2)
        framegate.compile(f, backend=keep, fullgraph=True)(a, b)
        module, = modules
        forward = module.forward
        assert isinstance(module, torch.fx.GraphModule) and "_graph" not in vars(module)
        nodes = [node for node in module.graph.nodes if node.op.startswith("call")]
        assert "h = a @ b" in nodes[0].stack_trace and module.forward is forward, "looking at nodes keeps the ready function"
        assert "sin" in module.code and torch.equal(forward(a, b)[1], module(a, b)[1]) and "torch._dynamo" not in sys.modules
        twin = copy.deepcopy(module)
        for node in module.graph.nodes:
            if node.target is torch.sin:
                node.target = torch.cos
        module.recompile()
        assert torch.equal(module(a, b)[1], torch.cos(a @ b)) and torch.equal(twin(a, b)[1], torch.sin(a @ b))
        assert torch.equal(pickle.loads(pickle.dumps(twin))(a, b)[1], torch.sin(a @ b))
        assert [tuple(node.meta["example_value"].shape) for node in nodes] == [(2, 2)] * 3
    """)


@needs_torch
def test_what_a_backend_raises_is_also_torchs_exception(place):
    place.python("""
        import torch, torch._dynamo, framegate
        def broken(module, inputs): raise ValueError("no")
        for backend, kind in ((broken, ValueError), (lambda module, inputs: 42, TypeError)):
            try:
                framegate.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
            except torch._dynamo.exc.BackendCompilerFailed as error:
                assert isinstance(error, framegate.BackendCompilerFailed) and type(error.inner_exception) is kind
                assert isinstance(error.graph_module, torch.fx.GraphModule)
            else:
                raise AssertionError("no error")
        with framegate.config.patch(suppress_errors=True):
            assert torch.equal(framegate.compile(lambda x: x + 1, backend=broken)(torch.ones(2)), torch.ones(2) + 1)
    """)


@needs_torch
def test_random_numbers_are_those_of_eager(place):
    place.python("""
        import torch, framegate
        def wasteful(module, inputs):
            torch.randn(5)
            return module.forward
        def f(x): return x + 1
        torch.manual_seed(3)
        expected = torch.randn(2)
        torch.manual_seed(3)
        framegate.compile(f, backend=wasteful)(torch.ones(2))
        assert torch.equal(torch.randn(2), expected)
    """)


@needs_torch
def test_explain(place):
    out = place.python("""
        import torch, framegate
        def f(x):
            y = torch.sin(x)
            framegate.graph_break()
            return torch.cos(y) + 1
        told = framegate.explain(f)(torch.ones(2))
        assert (told.graph_count, told.graph_break_count, told.op_count) == (2, 1, 3)
        assert told.ops_per_graph[0] == [torch.sin] and len(told.graphs) == 2
        assert told.break_reasons[0].user_stack[0].lineno == 5
        assert any(guard.guard_type == "TENSOR_MATCH" and guard.name == "x" for guard in told.out_guards)
        print(told)
    """)
    assert "Graph Count: 2" in out and "framegate.graph_break()" in out


ROUTED = """
    import sys
    assert sys.argv[1:] == ["a", "--b"] and __name__ == "__main__"
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)
        def forward(self, x): return self.layer(x).relu()

    @torch.compile(backend="eager", fullgraph=True)
    def f(x): return x.sin()

    @torch.compiler.disable
    def plain(x): return x + 1

    net = Net()
    net.compile(backend="eager")
    optimizer = torch.optim.AdamW(net.parameters())
    optimizer.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    with torch.compiler.set_stance("force_eager"):
        f(torch.ones(3))
    assert torch.equal(torch.compile(lambda x: plain(x) * 2, backend="eager")(f(torch.ones(2))), (torch.ones(2).sin() + 1) * 2)
    torch.compiler.reset()
    assert "torch._dynamo" not in sys.modules
    optimizer.step()   # torch's own optimizers import it
    import framegate
    made = framegate.stats()["entries"]
    assert made >= 3 and framegate.stats()["graph_breaks"] == 1, framegate.stats()   # at `plain` alone
    import torch._dynamo
    torch._dynamo.config.cache_size_limit = 5
    assert framegate.config.recompile_limit == 5
    assert torch.equal(torch._dynamo.optimize("eager")(lambda x: x + 2)(torch.ones(2)), torch.ones(2) + 2)
    assert framegate.stats()["entries"] == made + 1
    assert torch.equal(torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(2),)), torch.ones(2) + 1)
    sys.exit(7)
"""


@needs_torch
def test_an_unmodified_script_is_routed(place):
    import subprocess
    import sys
    import textwrap
    script = place.folder / "train.py"
    script.write_text(textwrap.dedent(ROUTED))
    done = subprocess.run([sys.executable, "-m", "framegate", "train.py", "a", "--b"], env=place.environment, cwd=place.folder,
                          capture_output=True, text=True)
    assert done.returncode == 7, done.stdout + done.stderr


def test_running_a_script_a_module_and_nothing(place):
    Path(place.folder, "tool.py").write_text("import sys, pickle\nclass A: pass\npickle.dumps(A())\nprint(sys.argv, sys.path[0], __name__)\n")
    assert place.run("-m", "framegate", "tool.py", "x") == f"['tool.py', 'x'] {place.folder} __main__\n"
    assert place.run("-m", "framegate", "-m", "tool", "y").startswith("[") and "'y'] " in place.run("-m", "framegate", "-m", "tool", "y")
    assert "SCRIPT" in place.run("-m", "framegate", check=False) and "cannot open" in place.run("-m", "framegate", "no.py", check=False)
