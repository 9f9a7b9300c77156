#include "client_ext/torch_bridge/slow_ambient.h"

#include "base/strings.h"
#include "client_ext/torch_bridge/slow_objects.h"

namespace framegate::client {

namespace {

using model::AmbientPart;
using model::Constant;
using model::ConstantKind;

Constant BoolOf(const char* symbol) {
  return Constant::Bool(IsTrue(CallSymbol(symbol)));
}

// Some switches are pairs in newer versions: whether reduction is reduced, whether splitting is allowed.
Constant PairOf(const char* symbol) {
  Ref value = CallSymbol(symbol);
  if (!value || !PyTuple_Check(value.get()))
    return Constant::Bool(IsTrue(value));
  bool all = true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value.get()); ++i)
    all = all && IsTrue(Ref::Share(PyTuple_GET_ITEM(value.get(), i)));
  return Constant::Bool(all);
}

Constant AutocastDtype(const Ref& device) {
  return Constant::Named(ConstantKind::kDtype, StrOf(CallSymbol("torch:get_autocast_dtype", {device.get()})));
}

Constant Autocast() {
  static constexpr const char* kDevices[] = {"cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps"};
  std::vector<Constant> rows;
  for (const char* device : kDevices) {
    Ref name = Ref::Steal(PyUnicode_FromString(device));
    if (IsTrue(CallSymbol("torch:is_autocast_enabled", {name.get()})))
      rows.push_back(Constant::Tuple({Constant::Str(device), AutocastDtype(name)}));
  }
  return Constant::Tuple(std::move(rows));
}

Constant AutocastDtypes() {
  std::vector<Constant> dtypes;
  for (const char* device : {"cpu", "cuda"})
    dtypes.push_back(AutocastDtype(Ref::Steal(PyUnicode_FromString(device))));
  return Constant::Tuple(std::move(dtypes));
}

Constant NameOf(PyObject* type) {
  return Constant::Str(StrCat(StrOf(Attribute(type, "__module__")), ":", StrOf(Attribute(type, "__qualname__"))));
}

// The function modes, and the default device, which is one of them.
void ReadModes(Constant* modes, Constant* device) {
  Ref context = FindSymbol("torch.utils._device:DeviceContext");
  const int64_t count = IntOf(CallSymbol("torch._C:_len_torch_function_stack"), 0);
  const bool enabled = IsTrue(CallSymbol("torch._C:_is_torch_function_enabled"));
  const bool off = IsTrue(CallSymbol("torch._C:_is_torch_function_all_disabled"));
  std::vector<Constant> names;
  for (int64_t i = 0; i < count; ++i) {
    Ref place = Ref::Steal(PyLong_FromLongLong(i));
    Ref mode = CallSymbol("torch._C:_get_function_stack_at", {place.get()});
    if (!mode)
      continue;
    if (reinterpret_cast<PyObject*>(Py_TYPE(mode.get())) == context.get())
      *device = Constant::Named(ConstantKind::kDevice, StrOf(Attribute(mode.get(), "device")));
    else
      names.push_back(NameOf(reinterpret_cast<PyObject*>(Py_TYPE(mode.get()))));
  }
  *modes = Constant::Tuple({Constant::Int(off ? 2 : enabled ? 0 : 1), Constant::Tuple(std::move(names))});
}

Constant Matmul() {
  return Constant::Tuple(
      {Constant::Str(StrOf(CallSymbol("torch._C:_get_float32_matmul_precision"))), BoolOf("torch._C:_get_cublas_allow_tf32"),
       BoolOf("torch._C:_get_cudnn_allow_tf32"), PairOf("torch._C:_get_cublas_allow_fp16_reduced_precision_reduction"),
       PairOf("torch._C:_get_cublas_allow_bf16_reduced_precision_reduction"), BoolOf("torch:is_anomaly_enabled"),
       BoolOf("torch:is_anomaly_check_nan_enabled"), BoolOf("torch._C:_get_cudnn_enabled"), BoolOf("torch._C:_get_cudnn_benchmark"),
       BoolOf("torch._C:_get_cudnn_deterministic"), BoolOf("torch._C:_get_mkldnn_enabled"), BoolOf("torch._C:_get_flash_sdp_enabled"),
       BoolOf("torch._C:_get_mem_efficient_sdp_enabled"), BoolOf("torch._C:_get_math_sdp_enabled"),
       BoolOf("torch._C:_get_cudnn_sdp_enabled"), BoolOf("torch._C:_get_overrideable_sdp_enabled")});
}

int64_t LengthOf(const Ref& sequence) {
  const Py_ssize_t size = sequence && sequence.get() != Py_None ? PyObject_Size(sequence.get()) : 0;
  if (size < 0)
    PyErr_Clear();
  return std::max<Py_ssize_t>(size, 0);
}

// Torch shows the uppermost pair only, so more than one counts as one here.
int64_t SavedHooks() {
  Ref top = CallSymbol("torch._C._autograd:_top_saved_tensors_default_hooks", {Py_True});
  return top && top.get() != Py_None ? 1 : 0;
}

}  // namespace

Constant ReadAmbientSlowly() {
  std::vector<Constant> parts(model::kAmbientParts);
  const auto at = [&](AmbientPart part) -> Constant& { return parts[static_cast<size_t>(part)]; };
  at(AmbientPart::kGradMode) = BoolOf("torch:is_grad_enabled");
  at(AmbientPart::kInferenceMode) = BoolOf("torch:is_inference_mode_enabled");
  at(AmbientPart::kDefaultDtype) = Constant::Named(ConstantKind::kDtype, StrOf(CallSymbol("torch:get_default_dtype")));
  at(AmbientPart::kAutocast) = Autocast();
  at(AmbientPart::kAutocastDtypes) = AutocastDtypes();
  at(AmbientPart::kAutocastCache) = BoolOf("torch:is_autocast_cache_enabled");
  at(AmbientPart::kDeterministic) =
      Constant::Tuple({BoolOf("torch._C:_get_deterministic_algorithms"), BoolOf("torch._C:_get_deterministic_algorithms_warn_only")});
  ReadModes(&at(AmbientPart::kTorchFunction), &at(AmbientPart::kDefaultDevice));
  at(AmbientPart::kThreads) = Constant::Int(IntOf(CallSymbol("torch:get_num_threads"), 0));
  at(AmbientPart::kMatmul) = Matmul();
  at(AmbientPart::kFunctorch) = Constant::Int(LengthOf(CallSymbol("torch._C._functorch:get_interpreter_stack")));
  at(AmbientPart::kDispatchModes) = Constant::Int(IntOf(CallSymbol("torch._C:_len_torch_dispatch_stack"), 0));
  at(AmbientPart::kSavedTensorHooks) = Constant::Int(SavedHooks());
  at(AmbientPart::kForwardAd) = Constant::Int(IntOf(FindSymbol("torch.autograd.forward_ad:_current_level"), -1));
  return Constant::Tuple(std::move(parts));
}

}  // namespace framegate::client
