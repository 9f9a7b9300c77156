#include "client_ext/torch_bridge/native/tensor.h"

#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <memory>

#include "client_ext/torch_bridge/native/marks.h"
#include "client_ext/torch_bridge/native/names.h"

namespace framegate::client {

namespace {

// TensorImpl says only to its subclasses which of its answers come from Python code or from overridden functions. Never constructed.
struct Insight : c10::TensorImpl {
  static const Insight& Of(const c10::TensorImpl& impl) { return static_cast<const Insight&>(impl); }

  bool PythonTells() const {
    return python_custom_device_ || python_custom_layout_ || matches_python_custom(SizesStridesPolicy::CustomStrides);
  }

  bool HasPlainSizes() const { return !matches_policy(SizesStridesPolicy::CustomSizes); }

  bool HasPlainStrides() const { return !matches_policy(SizesStridesPolicy::CustomStrides); }

  bool HasPlainPlace() const { return !device_policy_ && !layout_policy_ && device_opt_.has_value(); }

  // From the dtype to the keys lie device, layout and all that says how to read the rest.
  const void* PropertiesBegin() const { return &data_type_; }

  size_t PropertiesSize() const {
    return static_cast<size_t>(reinterpret_cast<const char*>(&key_set_ + 1) - reinterpret_cast<const char*>(&data_type_));
  }

  const void* RankAt() const { return &sizes_and_strides_; }

  // The member behind the storage; null where this torch has it somewhere else.
  const void* AutogradAt() const {
    const char* at = reinterpret_cast<const char*>(&storage_) + sizeof storage_;
    return *reinterpret_cast<c10::AutogradMetaInterface* const*>(at) == autograd_meta() ? at : nullptr;
  }
};

const c10::TensorImpl* ImplOf(PyObject* object) noexcept {
  return native::IsTensor(object) ? THPVariable_Unpack(object).unsafeGetTensorImpl() : nullptr;
}

// Sizes and strides that can be read as they lie: neither symbolic nor of an implementation with its own.
bool IsPlain(const c10::TensorImpl& impl) noexcept {
  return !impl.has_symbolic_sizes_strides() && Insight::Of(impl).HasPlainSizes();
}

// The dispatch keys of an operation on this tensor alone, as torch's own guards take them.
uint64_t KeysOf(const c10::TensorImpl& impl) noexcept {
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  return ((impl.key_set() | local.included_) - local.excluded_).raw_repr();
}

// Its values are not those in its storage: no metadata says so.
bool IsLazyView(const c10::TensorImpl& impl) noexcept {
  return impl.key_set().has_any(
      c10::DispatchKeySet({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor}));
}

bool IsInference(const c10::TensorImpl& impl) noexcept {
  return const_cast<c10::TensorImpl&>(impl).is_inference();
}

bool RequiresGrad(const c10::TensorImpl& impl) noexcept {
  c10::AutogradMetaInterface* meta = impl.autograd_meta();
  return meta != nullptr && meta->requires_grad();
}

void ReadPlace(const at::Tensor& tensor, model::TensorFacts* facts) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  facts->dtype = TextOf(impl.dtype().toScalarType());
  facts->device = TextOf(impl.device());
  facts->layout = TextOf(impl.layout());
  facts->keys = KeysOf(impl);
  facts->is_inference = IsInference(impl);
  facts->requires_grad = RequiresGrad(impl);
  facts->is_leaf = tensor.is_leaf();
  facts->has_grad = impl.autograd_meta() != nullptr && impl.autograd_meta()->grad().defined();
}

void ReadShape(const c10::TensorImpl& impl, model::TensorFacts* facts) {
  if (impl.has_symbolic_sizes_strides() || impl.is_nested())
    return;
  const c10::IntArrayRef sizes = impl.sizes();
  facts->sizes.assign(sizes.begin(), sizes.end());
  if (impl.layout() != c10::kStrided)
    return;
  const c10::IntArrayRef strides = impl.strides();
  facts->strides.assign(strides.begin(), strides.end());
  facts->storage_offset = impl.storage_offset();
}

}  // namespace

// Numbers and bits of a TensorCheck. What takes more than a comparison of words (an implementation with sizes of its own, marks) goes the
// long way.
struct TensorPattern {
  guards::TensorCheck check;
  DimMarks marks;
  uint64_t keys = 0;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  c10::Device device{c10::kCPU};
  c10::Layout layout = c10::kStrided;
  bool requires_grad = false;
  bool possible = false;  // all names are known to this torch
  size_t rank = 0;
  // Per dimension: the size or stride, and all ones where it is compared, zero where it is free.
  std::vector<int64_t> sizes, strides, size_mask, stride_mask;
};

namespace {

std::vector<int64_t> MaskOf(size_t rank, const std::vector<uint32_t>& free) {
  std::vector<int64_t> mask(rank, -1);
  for (uint32_t dimension : free)
    if (dimension < rank)
      mask[dimension] = 0;
  return mask;
}

bool Same(const int64_t* actual, const std::vector<int64_t>& expected, const std::vector<int64_t>& mask) noexcept {
  int64_t difference = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    difference |= (actual[i] ^ expected[i]) & mask[i];
  return difference == 0;
}

bool ShapeMatches(const c10::TensorImpl& impl, const TensorPattern& pattern) noexcept {
  const c10::IntArrayRef sizes = impl.sizes();
  if (sizes.size() != pattern.rank || !Same(sizes.data(), pattern.sizes, pattern.size_mask))
    return false;
  return pattern.strides.size() == pattern.rank && Same(impl.strides().data(), pattern.strides, pattern.stride_mask);
}

bool PartsMatch(const at::Tensor& tensor, const guards::TensorCheck& check) noexcept {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if ((check.parts & guards::kOffsetPart) && impl.storage_offset() != check.facts.storage_offset)
    return false;
  if ((check.parts & guards::kLeafPart) && tensor.is_leaf() != check.facts.is_leaf)
    return false;
  if (!(check.parts & guards::kGradPart))
    return true;
  c10::AutogradMetaInterface* meta = impl.autograd_meta();
  return (meta != nullptr && meta->grad().defined()) == check.facts.has_grad;
}

// By the definition. For implementations with sizes of their own.
bool MatchesSlowly(PyObject* tensor, const TensorPattern& pattern) noexcept {
  try {
    model::TensorFacts facts;
    return native::ReadTensor(tensor, &facts) && guards::Matches(pattern.check, facts);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

namespace native {

bool IsTensor(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  if (THPVariableClass == nullptr)
    return false;
  return THPVariable_CheckTypeExact(type) || PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(THPVariableClass));
}

bool ReadTensor(PyObject* object, model::TensorFacts* facts) {
  const c10::TensorImpl* impl = ImplOf(object);
  if (impl == nullptr || !THPVariable_Unpack(object).defined() || Insight::Of(*impl).PythonTells() || IsLazyView(*impl) ||
      impl->is_quantized())
    return false;
  *facts = {};
  try {
    ReadPlace(THPVariable_Unpack(object), facts);
    ReadShape(*impl, facts);
  } catch (const std::exception&) {  // an implementation that has no such thing says so by raising
    return false;
  }
  DimMarks marks = ReadMarks(object, static_cast<int64_t>(facts->sizes.size()));
  facts->dynamic_dims = std::move(marks.dynamic_dims);
  facts->static_dims = std::move(marks.static_dims);
  return true;
}

TensorPattern* MakeTensorPattern(const guards::TensorCheck& check) {
  auto pattern = std::make_unique<TensorPattern>();
  const model::TensorFacts& facts = check.facts;
  pattern->check = check;
  pattern->marks = {facts.dynamic_dims, facts.static_dims};
  std::optional<c10::ScalarType> dtype = DtypeOf(facts.dtype);
  std::optional<c10::Device> device = DeviceOf(facts.device);
  std::optional<c10::Layout> layout = LayoutOf(facts.layout);
  pattern->possible = dtype && device && layout;
  if (pattern->possible) {
    pattern->dtype = *dtype;
    pattern->device = *device;
    pattern->layout = *layout;
  }
  pattern->keys = facts.keys;
  pattern->requires_grad = facts.requires_grad;
  pattern->rank = facts.sizes.size();
  pattern->sizes = facts.sizes;
  pattern->strides = facts.strides;
  pattern->size_mask = MaskOf(facts.sizes.size(), check.free_sizes);
  pattern->stride_mask = MaskOf(facts.strides.size(), check.free_strides);
  return pattern.release();
}

void FreeTensorPattern(TensorPattern* pattern) noexcept {
  delete pattern;
}

bool TensorMatches(PyObject* object, const TensorPattern* pattern) noexcept {
  const c10::TensorImpl* impl = ImplOf(object);
  if (impl == nullptr || !pattern->possible || KeysOf(*impl) != pattern->keys)
    return false;
  const Insight& insight = Insight::Of(*impl);
  if (pattern->layout != c10::kStrided || !IsPlain(*impl) || !insight.HasPlainStrides() || !insight.HasPlainPlace())
    return MatchesSlowly(object, *pattern);
  // The keys already tell layout; a strided one cannot be anything else.
  if (impl->layout() != c10::kStrided || impl->dtype().toScalarType() != pattern->dtype || impl->device() != pattern->device ||
      RequiresGrad(*impl) != pattern->requires_grad || IsInference(*impl) != pattern->check.facts.is_inference)
    return false;
  if (!ShapeMatches(*impl, *pattern) || !MarksAre(object, static_cast<int64_t>(pattern->rank), pattern->marks))
    return false;
  return pattern->check.parts == 0 || PartsMatch(THPVariable_Unpack(object), pattern->check);
}

bool TensorWords(PyObject* object, const TensorPattern* pattern, void* sink, void (*add)(void*, const void*, size_t)) noexcept {
  const c10::TensorImpl* impl = ImplOf(object);
  if (impl == nullptr || pattern->check.parts != 0 || pattern->layout != c10::kStrided || !IsPlain(*impl))
    return false;
  const Insight& insight = Insight::Of(*impl);
  const void* autograd_at = insight.AutogradAt();
  if (!insight.HasPlainStrides() || !insight.HasPlainPlace() || autograd_at == nullptr || !pattern->marks.dynamic_dims.empty() ||
      !pattern->marks.static_dims.empty())
    return false;
  add(sink, &reinterpret_cast<THPVariable*>(object)->cdata, sizeof(at::Tensor));
  add(sink, insight.PropertiesBegin(), insight.PropertiesSize());
  add(sink, insight.RankAt(), sizeof(size_t));
  const c10::IntArrayRef sizes = impl->sizes(), strides = impl->strides();
  constexpr size_t kInline = 5;  // beyond them they lie apart
  if (sizes.size() > kInline)
    return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (pattern->size_mask[i] != 0)
      add(sink, &sizes[i], sizeof(int64_t));
    if (pattern->stride_mask[i] != 0)
      add(sink, &strides[i], sizeof(int64_t));
  }
  add(sink, autograd_at, sizeof(void*));
  if (const auto* meta = static_cast<const torch::autograd::AutogradMeta*>(impl->autograd_meta())) {
    if (meta->is_view_)  // its base has a say as well
      return false;
    add(sink, &meta->requires_grad_, sizeof meta->requires_grad_);
    if (!meta->requires_grad_)  // then what has a history requires gradients too
      add(sink, &meta->grad_fn_, sizeof(void*));
  }
  return true;
}

void ThreadKeys(uint64_t keys[2]) noexcept {
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  keys[0] = local.included_.raw_repr();
  keys[1] = local.excluded_.raw_repr();
}

bool TensorSize(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept {
  const c10::TensorImpl* impl = ImplOf(tensor);
  if (impl == nullptr || !IsPlain(*impl) || dimension >= impl->sizes().size())
    return false;
  *value = impl->sizes()[dimension];
  return true;
}

bool TensorStride(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept {
  const c10::TensorImpl* impl = ImplOf(tensor);
  if (impl == nullptr || !IsPlain(*impl) || !Insight::Of(*impl).HasPlainStrides() || dimension >= impl->strides().size())
    return false;
  *value = impl->strides()[dimension];
  return true;
}

bool TensorOffset(PyObject* tensor, int64_t* value) noexcept {
  const c10::TensorImpl* impl = ImplOf(tensor);
  if (impl == nullptr || !IsPlain(*impl) || !Insight::Of(*impl).HasPlainStrides())
    return false;
  *value = impl->storage_offset();
  return true;
}

int TensorRank(PyObject* tensor) noexcept {
  const c10::TensorImpl* impl = ImplOf(tensor);
  return impl == nullptr || !IsPlain(*impl) ? -1 : static_cast<int>(impl->sizes().size());
}

}  // namespace native

}  // namespace framegate::client
