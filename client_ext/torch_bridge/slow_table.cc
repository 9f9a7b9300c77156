#include "client_ext/torch_bridge/slow_table.h"

#include <algorithm>
#include <memory>

#include "client_ext/torch_bridge/slow_ambient.h"
#include "client_ext/torch_bridge/slow_objects.h"
#include "model/entry.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::ConstantKind;

PyTypeObject* TypeOf(const char* symbol) {
  Ref type = FindSymbol(symbol);  // torch keeps it alive
  return type && PyType_Check(type.get()) ? reinterpret_cast<PyTypeObject*>(type.get()) : nullptr;
}

bool IsTensor(PyObject* object) noexcept {
  static PyTypeObject* const type = TypeOf("torch:Tensor");
  return type != nullptr && PyType_IsSubtype(Py_TYPE(object), type);
}

// Reading an attribute of a subclass that overrides operations would run its code.
bool IsPlainTensor(PyObject* object) {
  static const Ref plain = FindSymbol("torch._C:_disabled_torch_function_impl");
  static PyTypeObject* const tensor = TypeOf("torch:Tensor");
  if (Py_TYPE(object) == tensor)
    return true;
  return IsTensor(object) && Attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__torch_function__").get() == plain.get();
}

std::vector<int64_t> IntsOf(const Ref& sequence) {
  std::vector<int64_t> ints;
  if (sequence && PyTuple_Check(sequence.get()))
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence.get()); ++i)
      ints.push_back(IntOf(Ref::Share(PyTuple_GET_ITEM(sequence.get(), i)), -1));
  return ints;
}

std::vector<int64_t> MarksOf(PyObject* tensor, const char* name, size_t rank) {
  Ref set = Attribute(tensor, name);
  Ref list = set && PySet_Check(set.get()) ? Ref::Steal(PySequence_Tuple(set.get())) : Ref();
  std::vector<int64_t> marks = IntsOf(list);
  for (int64_t& mark : marks)
    mark += mark < 0 ? static_cast<int64_t>(rank) : 0;
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

uint64_t KeysOf(PyObject* tensor) {
  Ref keys = CallSymbol("torch._C:_dispatch_keys", {tensor});
  Ref included = CallSymbol("torch._C:_dispatch_tls_local_include_set");
  Ref excluded = CallSymbol("torch._C:_dispatch_tls_local_exclude_set");
  Ref with = keys && included ? Ref::Steal(PyNumber_Or(keys.get(), included.get())) : Ref();
  Ref without = with && excluded ? Ref::Steal(PyNumber_Subtract(with.get(), excluded.get())) : Ref();
  PyErr_Clear();
  Ref number = without ? CallMethod(without.get(), "raw_repr") : Ref();
  const uint64_t raw = number ? PyLong_AsUnsignedLongLongMask(number.get()) : 0;
  PyErr_Clear();
  return raw;
}

bool ReadTensor(PyObject* tensor, model::TensorFacts* facts) {
  if (!IsPlainTensor(tensor) || IsTrue(CallMethod(tensor, "is_conj")) || IsTrue(CallMethod(tensor, "is_neg")) ||
      IsTrue(CallMethod(tensor, "_is_zerotensor")) || IsTrue(Attribute(tensor, "is_quantized")))
    return false;
  *facts = {.dtype = StrOf(Attribute(tensor, "dtype")),
            .device = StrOf(Attribute(tensor, "device")),
            .layout = StrOf(Attribute(tensor, "layout")),
            .requires_grad = IsTrue(Attribute(tensor, "requires_grad")),
            .is_leaf = IsTrue(Attribute(tensor, "is_leaf")),
            .is_inference = IsTrue(CallMethod(tensor, "is_inference")),
            .sizes = IntsOf(CallMethod(tensor, "size")),
            .keys = KeysOf(tensor)};
  if (facts->is_leaf || IsTrue(Attribute(tensor, "retains_grad"))) {  // others warn when they are asked
    Ref gradient = Attribute(tensor, "_grad");
    facts->has_grad = gradient && gradient.get() != Py_None;
  }
  if (facts->layout == "torch.strided") {
    facts->strides = IntsOf(CallMethod(tensor, "stride"));
    facts->storage_offset = IntOf(CallMethod(tensor, "storage_offset"), 0);
  }
  facts->dynamic_dims = MarksOf(tensor, "_dynamo_dynamic_indices", facts->sizes.size());
  facts->static_dims = MarksOf(tensor, "_dynamo_static_indices", facts->sizes.size());
  return true;
}

bool NumberOf(const std::vector<int64_t>& numbers, uint32_t dimension, int64_t* value) {
  if (dimension >= numbers.size())
    return false;
  *value = numbers[dimension];
  return true;
}

bool TensorSize(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept {
  return IsPlainTensor(tensor) && NumberOf(IntsOf(CallMethod(tensor, "size")), dimension, value);
}

bool TensorStride(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept {
  return IsPlainTensor(tensor) && NumberOf(IntsOf(CallMethod(tensor, "stride")), dimension, value);
}

bool TensorOffset(PyObject* tensor, int64_t* value) noexcept {
  *value = IsPlainTensor(tensor) ? IntOf(CallMethod(tensor, "storage_offset"), -1) : -1;
  return *value >= 0;
}

int TensorRank(PyObject* tensor) noexcept {
  return IsPlainTensor(tensor) ? static_cast<int>(IntOf(CallMethod(tensor, "dim"), -1)) : -1;
}

bool ConstantOf(PyObject* object, Constant* constant) {
  struct Kind {
    const char* type;
    ConstantKind kind;
  };

  static constexpr Kind kKinds[] = {{"torch:dtype", ConstantKind::kDtype},
                                    {"torch:device", ConstantKind::kDevice},
                                    {"torch:layout", ConstantKind::kLayout},
                                    {"torch:memory_format", ConstantKind::kMemoryFormat}};
  for (const Kind& kind : kKinds) {
    if (Py_TYPE(object) != TypeOf(kind.type))
      continue;
    *constant = Constant::Named(kind.kind, StrOf(Ref::Share(object)));
    return true;
  }
  if (Py_TYPE(object) != TypeOf("torch:Size"))
    return false;
  *constant = Constant::Of(ConstantKind::kSize);
  for (int64_t size : IntsOf(Ref::Share(object)))
    constant->items.push_back(Constant::Int(size));
  return true;
}

PyObject* ObjectOf(const Constant& constant) {
  if (constant.kind == ConstantKind::kSize) {
    Ref list = Ref::Steal(PyList_New(0));
    for (const Constant& item : constant.items)
      if (Ref size = Ref::Steal(PyLong_FromLongLong(item.integer)); !size || PyList_Append(list.get(), size.get()) != 0)
        return nullptr;
    return CallSymbol("torch:Size", {list.get()}).release();
  }
  Ref object;
  if (constant.kind == ConstantKind::kDevice) {
    Ref text = Ref::Steal(PyUnicode_FromString(constant.text.c_str()));
    object = CallSymbol("torch:device", {text.get()});
  } else if (constant.text.starts_with("torch.")) {
    object = FindSymbol(("torch:" + constant.text.substr(sizeof("torch.") - 1)).c_str());
  }
  if (!object)
    PyErr_Format(PyExc_ValueError, "this torch has no %s", constant.text.c_str());
  return object.release();
}

// What the opaque patterns are here: the checks as they came.
using Parts = std::vector<std::pair<uint8_t, Constant>>;

TensorPattern* MakeTensorPattern(const guards::TensorCheck& check) {
  return reinterpret_cast<TensorPattern*>(new guards::TensorCheck(check));
}

void FreeTensorPattern(TensorPattern* pattern) noexcept {
  delete reinterpret_cast<guards::TensorCheck*>(pattern);
}

bool TensorMatches(PyObject* tensor, const TensorPattern* pattern) noexcept {
  model::TensorFacts facts;
  return ReadTensor(tensor, &facts) && guards::Matches(*reinterpret_cast<const guards::TensorCheck*>(pattern), facts);
}

AmbientPattern* MakeAmbientPattern(const Parts& parts) {
  return reinterpret_cast<AmbientPattern*>(new Parts(parts));
}

void FreeAmbientPattern(AmbientPattern* pattern) noexcept {
  delete reinterpret_cast<Parts*>(pattern);
}

int FailingAmbient(AmbientPattern* pattern) noexcept {
  const Constant now = ReadAmbientSlowly();
  const Parts& parts = *reinterpret_cast<const Parts*>(pattern);
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& [part, expected] = parts[i];
    if (part >= now.items.size() || !(now.items[part] == expected))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

const TorchTable* SlowTable() {
  static const TorchTable table = {
      .schema = model::SchemaHash(),
      .is_tensor = IsTensor,
      .read_tensor = ReadTensor,
      .make_tensor_pattern = MakeTensorPattern,
      .free_tensor_pattern = FreeTensorPattern,
      .tensor_matches = TensorMatches,
      .tensor_words = nullptr,
      .thread_keys = nullptr,
      .tensor_size = TensorSize,
      .tensor_stride = TensorStride,
      .tensor_offset = TensorOffset,
      .tensor_rank = TensorRank,
      .read_ambient = ReadAmbientSlowly,
      .make_ambient_pattern = MakeAmbientPattern,
      .free_ambient_pattern = FreeAmbientPattern,
      .failing_ambient = FailingAmbient,
      .constant_of = ConstantOf,
      .object_of = ObjectOf,
  };
  return &table;
}

}  // namespace framegate::client
