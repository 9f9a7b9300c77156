"""The include rules: what may be and what may not."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
from check_layers import function_lengths, include_errors  # noqa: E402


@pytest.mark.parametrize("path, target", [
    ("base/hash.cc", "model/entry.h"),
    ("model/entry.cc", "guards/program/eval.h"),
    ("guards/program/eval.h", "guards/ir/guard_set.h"),
    ("client_ext/hook/hook.cc", "translator/translate.h"),
    ("client_ext/hook/hook.cc", "server/engine/engine.h"),
    ("client_ext/hook/hook.cc", "guards/ir/guard_set.h"),
    ("client_ext/hook/hook.cc", "framegate/v1/framegate.pb.h"),
    ("translator/ops/calls.cc", "proto/wire/entry.h"),
    ("translator/ops/calls.cc", "Python.h"),
    ("server/engine/engine.cc", "client_ext/hook/hook.h"),
    ("server/engine/engine.cc", "framegate/v1/framegate.pb.h"),
    ("client_ext/transport/stream.cc", "grpcpp/grpcpp.h"),
    ("client_ext/observe/facts.cc", "torch/csrc/autograd/python_variable.h"),
])
def test_refused(path, target):
    assert include_errors(path, target)


@pytest.mark.parametrize("path, target", [
    ("model/entry.cc", "base/hash.h"),
    ("guards/kinds/tensor.cc", "guards/program/check_ops.h"),
    ("translator/ops/calls.cc", "guards/ir/guard_set.h"),
    ("server/service/translate.cc", "framegate/v1/framegate.grpc.pb.h"),
    ("server/service/translate.cc", "translator/translate.h"),
    ("server/engine/engine_test.cc", "grpcpp/grpcpp.h"),
    ("client_ext/transport/stream.cc", "framegate/v1/framegate.pb.h"),
    ("client_ext/pycompat/frame.h", "internal/pycore_frame.h"),
    ("client_ext/torch_bridge/facts.cc", "torch/csrc/autograd/python_variable.h"),
    ("base/hash.cc", "vector"),
])
def test_allowed(path, target):
    assert include_errors(path, target) is None


def test_function_lengths():
    text = "namespace fg {\n\nint F(int a) {\n  return a;\n}\n\nstruct S {\n  int G() {\n    return 1;\n  }\n};\n\n}  // namespace fg\n"
    assert list(function_lengths(text.splitlines())) == [(3, 3), (8, 3)]
