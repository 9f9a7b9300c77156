// What tensors say of themselves: metadata from guards, attributes that are tensors.
#include "translator/builtins/table.h"
#include "translator/slots/overrides.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::NodeOp;
using model::Reason;

const model::TensorFacts* Session::FactsOf(TensorValue* tensor) {
  if (tensor->node == UINT32_MAX && tensor->is_real() && !tensor->guarded) {
    tensor->guarded = true;
    guards::Guard guard{.kind = guards::GuardKind::kTensorIs,
                        .subject = tensor->subject,
                        .fact = Shared<model::FactValue>::Borrow(mirror_.Fact(tensor->handle, Fact::kTensor))};
    for (uint32_t dim = 0; dim < guard.fact->tensor->sizes.size(); ++dim) {
      if (terms_.IsSize(tensor->subject, dim))
        guard.free_sizes.push_back(dim);
      for (const StrideTerm& stride : stride_terms_)
        if (stride.subject == tensor->subject && stride.dimension == dim)
          guard.free_strides.push_back(dim);
    }
    AddGuard(std::move(guard));
  }
  return tensor->facts.get();
}

bool Interp::HasTensor(V value, int depth) {
  value = s.Look(value);
  if (value == nullptr || depth > 4)
    return false;
  if (As<TensorValue>(value) != nullptr)
    return true;
  if (auto* sequence = As<SequenceValue>(value))
    for (V item : sequence->items)
      if (HasTensor(item, depth + 1))
        return true;
  if (auto* mapping = As<MappingValue>(value); mapping != nullptr && mapping->complete)
    for (const auto& [key, item] : mapping->items)
      if (item != nullptr && HasTensor(item, depth + 1))
        return true;
  return false;
}

bool Interp::HasTensor(const Args& args) {
  for (V value : args.positional)
    if (HasTensor(value))
      return true;
  for (const auto& [name, value] : args.keyword)
    if (HasTensor(value))
      return true;
  return false;
}

namespace {

V SizeOf(Session& s, const Dims& sizes) {
  Values items;
  for (const Size& size : sizes)
    items.push_back(s.Number(size));
  SequenceValue* tuple = s.Tuple(std::move(items));
  tuple->type = s.TypeOfSymbol("torch:Size");
  return tuple;
}

// Attributes that are metadata; null: it is none.
V MetadataAttr(Session& s, TensorValue* tensor, const model::TensorFacts& f, const std::string& name) {
  auto flag = [&](bool value) { return s.Bool(value); };
  if (name == "shape")
    return SizeOf(s, SizesOf(f));
  if (name == "dtype")
    return s.Const(Constant::Named(ConstantKind::kDtype, f.dtype));
  if (name == "device")
    return s.Const(Constant::Named(ConstantKind::kDevice, f.device));
  if (name == "layout")
    return s.Const(Constant::Named(ConstantKind::kLayout, f.layout));
  if (name == "ndim")
    return s.Int(static_cast<int64_t>(f.sizes.size()));
  if (name == "requires_grad")
    return flag(f.requires_grad);
  if (name == "is_leaf") {
    s.RelyOnParts(tensor, guards::kLeafPart);
    return flag(f.is_leaf);
  }
  if (name == "is_cuda")
    return flag(f.device.starts_with("cuda"));
  if (name == "is_cpu")
    return flag(f.device == "cpu");
  if (name == "is_meta")
    return flag(f.device == "meta");
  if (name == "is_sparse")
    return flag(f.layout.starts_with("torch.sparse"));
  if (name == "is_quantized" || name == "is_mkldnn" || name == "is_xla" || name == "is_mps" || name == "is_xpu" || name == "is_nested" ||
      name == "is_ipu" || name == "is_vulkan" || name == "is_maia" || name == "is_mtia" || name == "is_ort")
    return flag(false);
  if ((name == "itemsize" || name == "nbytes") && ItemSizeOf(f.dtype) != 0) {
    Size bytes = ItemSizeOf(f.dtype);
    for (const Size& size : SizesOf(f))
      bytes *= name == "nbytes" ? size : Size(1);
    return s.Number(bytes);
  }
  if (name == "grad_fn" && !tensor->doubtful && (!f.requires_grad || f.is_leaf))
    return s.None();
  if (name == "grad" && tensor->node != UINT32_MAX && !tensor->doubtful && !f.requires_grad)
    return s.None();
  return nullptr;
}

constexpr std::string_view kGraphAttributes[] = {"T", "mT", "H", "mH", "real", "imag", "data"};

}  // namespace

Outcome Interp::TensorAttr(TensorValue* tensor, const std::string& name, Tail tail) {
  for (const auto& [own, value] : tensor->attributes)
    if (own == name)
      return Done(value);
  TypeValue* type = s.TypeOf(tensor);
  if (name == "__class__")
    return Done(type);
  if (InFunctionMode(s) || HasRealModes(s) || OverridesTorchFunction(s, type))
    if (TypeValue* kind = s.TypeOf(s.TypeAttr(type, name));
        kind != nullptr && (kind->is("builtins:getset_descriptor") || kind->is("builtins:property")))
      return Break(Reason::kUnsupportedAttribute, StrCat("Tensor.", name, " where a __torch_function__ has a say"));
  if (tensor->doubtful && (name == "requires_grad" || name == "is_leaf"))
    return Break(Reason::kUnsupportedAttribute, StrCat("Tensor.", name, " of what may be a view of a tensor changed in place"));
  if (const model::TensorFacts* facts = s.FactsOf(tensor)) {
    if (V value = MetadataAttr(s, tensor, *facts, name))
      return Done(value);
  }
  for (std::string_view attribute : kGraphAttributes)
    if (name == attribute)
      return GraphCall(NodeOp::kCallFunction, "builtins:getattr", {.positional = {tensor, s.Str(name)}});
  if (name == "grad" && tensor->is_real()) {
    V grad = s.StepFrom(tensor, model::Step::kTensorGrad);
    return Done(grad == nullptr ? s.None() : grad);
  }
  if (name == "grad" || name == "grad_fn" || name == "data" || name == "_version" || name == "output_nr")
    return Break(Reason::kUnsupportedAttribute, StrCat("Tensor.", name));
  V meta = s.Resolve(s.TypeAttr(type, name));
  if (meta == nullptr) {
    if (tensor->is_real() && tensor->node == UINT32_MAX)
      if (V value = s.StepFrom(tensor, model::Step::kAttr, name))
        return Done(value);
    return Raise("builtins:AttributeError", StrCat("'", TypeName(type), "' object has no attribute '", name, "'"));
  }
  if (auto* builtin = As<BuiltinValue>(meta)) {
    TypeValue* kind = s.TypeOf(builtin);
    if (kind->is("builtins:getset_descriptor") || kind->is("builtins:member_descriptor"))
      return Break(Reason::kUnsupportedAttribute, StrCat("Tensor.", name));
  }
  TypeValue* kind = s.TypeOf(meta);
  if (kind != nullptr && IsProperty(s, kind))
    return Call(s.StepFrom(meta, model::Step::kPropertyGet), {.positional = {tensor}}, tail);
  auto* method = s.New<MethodValue>();
  method->function = meta;
  method->self = tensor;
  return Done(method);
}

// Attributes of real tensors are set after the graph ran; what is not Python's own to set is left to torch.
Outcome Interp::SetTensorAttr(TensorValue* tensor, const std::string& name, V value) {
  TypeValue* type = s.TypeOf(tensor);
  V descriptor = s.TypeAttr(type, name);
  bool is_grad = name == "grad" && tensor->node == UINT32_MAX && value != nullptr;
  if (is_grad && s.Resolve(value) != s.None()) {
    auto* grad = As<TensorValue>(s.Resolve(value));
    const model::TensorFacts *own = s.FactsOf(tensor), *other = grad == nullptr ? nullptr : s.FactsOf(grad);
    is_grad = own != nullptr && other != nullptr && SizesOf(*own) == SizesOf(*other) && own->dtype == other->dtype &&
              own->device == other->device;
  }
  if (value == nullptr || (descriptor != nullptr && !is_grad))
    return Break(Reason::kUnsupportedMutation, StrCat("Tensor.", name));
  s.Touch(tensor);
  auto same = [&](const auto& own) { return own.first == name; };
  if (auto it = std::find_if(tensor->attributes.begin(), tensor->attributes.end(), same); it != tensor->attributes.end())
    it->second = value;
  else
    tensor->attributes.emplace_back(name, value);
  s.AddEffect({.helper = model::Helper::kSetAttrGeneric, .args = {tensor, s.Str(name), value}});
  return Done(s.None());
}

}  // namespace framegate::translator
