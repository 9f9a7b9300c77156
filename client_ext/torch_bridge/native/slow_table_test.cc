// The slow table says what the native one says.
#include "client_ext/torch_bridge/slow_table.h"

#include "base/text.h"
#include "client_ext/torch_bridge/native/ambient.h"
#include "client_ext/torch_bridge/native/constants.h"
#include "client_ext/torch_bridge/native/tensor.h"
#include "client_ext/torch_bridge/slow_objects.h"
#include "gtest/gtest.h"

namespace framegate::client {
namespace {

Ref Eval(const std::string& code) {
  PyObject* globals = PyModule_GetDict(PyImport_AddModule("__main__"));
  Ref value = Ref::Steal(PyRun_String(code.c_str(), Py_eval_input, globals, globals));
  if (!value)
    PyErr_Print();
  EXPECT_TRUE(value) << code;
  return value;
}

void Exec(const char* code) {
  ASSERT_EQ(PyRun_SimpleString(code), 0) << code;
}

TEST(SlowTable, TensorsAsNative) {
  Exec("marked = torch.ones(2, 3); marked._dynamo_dynamic_indices = {0, -1}; marked._dynamo_static_indices = {1}");
  Exec("graded = torch.ones(2, 3, requires_grad=True); graded.sum().backward()");
  Exec("with torch.inference_mode(): inferred = torch.ones(2, 3)");
  for (const char* code :
       {"torch.ones(2, 3)", "torch.ones(4, 4, dtype=torch.float64)[1:, 2:]", "torch.ones(3, 2).t()",
        "torch.ones(2, requires_grad=True) * 2", "torch.ones(())", "torch.nn.Parameter(torch.ones(2))", "torch.eye(3).to_sparse()",
        "torch.ones(2, device='meta')", "torch.ones(2, dtype=torch.complex64)", "marked", "graded", "inferred"}) {
    Ref tensor = Eval(code);
    model::TensorFacts native, slow;
    ASSERT_TRUE(native::ReadTensor(tensor.get(), &native)) << code;
    ASSERT_TRUE(SlowTable()->read_tensor(tensor.get(), &slow)) << code;
    EXPECT_EQ(Print(slow), Print(native)) << code;
    TensorPattern* pattern = SlowTable()->make_tensor_pattern({.facts = native, .parts = guards::kAllTensorParts});
    EXPECT_TRUE(SlowTable()->tensor_matches(tensor.get(), pattern)) << code;
    EXPECT_FALSE(SlowTable()->tensor_matches(Eval("torch.ones(7, 7)").get(), pattern)) << code;
    EXPECT_FALSE(SlowTable()->tensor_matches(Py_None, pattern)) << code;
    SlowTable()->free_tensor_pattern(pattern);
  }
  model::TensorFacts facts;
  EXPECT_FALSE(SlowTable()->read_tensor(Eval("torch.ones(2, dtype=torch.complex64).conj()").get(), &facts));
  EXPECT_FALSE(PyErr_Occurred());
}

TEST(SlowTable, SizesOneByOne) {
  Ref tensor = Eval("torch.ones(4, 6)[1:, ::2]");
  int64_t slow = 0, native = 0;
  EXPECT_TRUE(SlowTable()->tensor_size(tensor.get(), 1, &slow) && native::TensorSize(tensor.get(), 1, &native));
  EXPECT_EQ(slow, native);
  EXPECT_TRUE(SlowTable()->tensor_stride(tensor.get(), 1, &slow) && native::TensorStride(tensor.get(), 1, &native));
  EXPECT_EQ(slow, native);
  EXPECT_TRUE(SlowTable()->tensor_offset(tensor.get(), &slow) && native::TensorOffset(tensor.get(), &native));
  EXPECT_EQ(slow, native);
  EXPECT_FALSE(SlowTable()->tensor_size(tensor.get(), 2, &slow));
  EXPECT_EQ(SlowTable()->tensor_rank(tensor.get()), 2);
  EXPECT_EQ(SlowTable()->tensor_rank(Py_None), -1);
}

TEST(SlowTable, CodeOfSubclassesIsNotRun) {
  Exec(R"(
class Loud(torch.Tensor):
    asked = 0
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.asked += 1
        return super().__torch_function__(func, types, args, kwargs or {})
loud = torch.ones(2).as_subclass(Loud)
Loud.asked = 0
)");
  model::TensorFacts facts;
  EXPECT_TRUE(SlowTable()->is_tensor(Eval("loud").get()));
  EXPECT_FALSE(SlowTable()->read_tensor(Eval("loud").get(), &facts));
  EXPECT_EQ(PyLong_AsLong(Eval("Loud.asked").get()), 0);
}

TEST(SlowTable, AmbientStateAsNative) {
  struct Change {
    const char* enter;
    const char* leave;
  };

  Exec("class Mode(torch.overrides.TorchFunctionMode): pass\nclass Dispatch(torch.utils._python_dispatch.TorchDispatchMode): pass");
  for (const Change& change : {
           Change{"pass", "pass"},
           Change{"torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"},
           Change{"torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.float32)"},
           Change{"torch.set_default_device('meta')", "torch.set_default_device(None)"},
           Change{"c = torch.autocast('cpu', torch.float16); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"torch.use_deterministic_algorithms(True, warn_only=True)", "torch.use_deterministic_algorithms(False)"},
           Change{"torch.set_float32_matmul_precision('high')", "torch.set_float32_matmul_precision('highest')"},
           Change{"torch.backends.mkldnn.enabled = False", "torch.backends.mkldnn.enabled = True"},
           Change{"c = torch.inference_mode(); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"c = torch._C.DisableTorchFunctionSubclass(); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"c = torch.autograd.forward_ad.dual_level(); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"c = torch.autograd.graph.saved_tensors_hooks(abs, abs); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"torch._C._functorch._vmap_increment_nesting(2, 'error')", "torch._C._functorch._vmap_decrement_nesting()"},
           Change{"c = Mode(); c.__enter__()", "c.__exit__(None, None, None)"},
           Change{"c = Dispatch(); c.__enter__()", "c.__exit__(None, None, None)"},
       }) {
    Exec(change.enter);
    model::Constant native = native::ReadAmbient(), slow = SlowTable()->read_ambient();
    EXPECT_EQ(Repr(slow), Repr(native)) << change.enter;
    std::vector<std::pair<uint8_t, model::Constant>> parts;
    for (size_t i = 0; i < native.items.size(); ++i)
      parts.emplace_back(static_cast<uint8_t>(i), native.items[i]);
    AmbientPattern* pattern = SlowTable()->make_ambient_pattern(parts);
    EXPECT_EQ(SlowTable()->failing_ambient(pattern), -1) << change.enter;
    SlowTable()->free_ambient_pattern(pattern);
    Exec(change.leave);
  }
  EXPECT_FALSE(PyErr_Occurred());
}

TEST(SlowTable, ConstantsAsNative) {
  for (const char* code : {"torch.float32", "torch.device('cuda', 1)", "torch.strided", "torch.channels_last", "torch.Size([2, 3])"}) {
    Ref object = Eval(code);
    model::Constant native, slow;
    ASSERT_TRUE(native::ConstantOf(object.get(), &native) && SlowTable()->constant_of(object.get(), &slow)) << code;
    EXPECT_TRUE(slow == native) << Repr(slow) << " " << Repr(native);
    Ref back = Ref::Steal(SlowTable()->object_of(slow));
    ASSERT_TRUE(back) << code;
    EXPECT_EQ(PyObject_RichCompareBool(back.get(), object.get(), Py_EQ), 1) << code;
  }
  model::Constant constant;
  EXPECT_FALSE(SlowTable()->constant_of(Py_None, &constant));
  EXPECT_EQ(SlowTable()->object_of(model::Constant::Named(model::ConstantKind::kDtype, "torch.float31")), nullptr);
  EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_ValueError));
  PyErr_Clear();
}

}  // namespace
}  // namespace framegate::client
