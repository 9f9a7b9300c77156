// Tensor operations become graph nodes; metadata comes from guarded facts, the table of rules, or the oracle.
#include "translator/builtins/table.h"
#include "translator/graph/meta/infer.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::NodeOp;
using model::Operand;
using model::Reason;

namespace {

// A value as an operand of a metadata question. False: it has no such form.
bool ToMeta(Session& s, V value, Operand* operand, int depth = 0) {
  value = s.Resolve(value);
  if (value == nullptr || depth > 8)
    return false;
  if (auto* tensor = As<TensorValue>(value)) {
    const model::TensorFacts* facts = s.FactsOf(tensor);
    if (facts == nullptr)
      return false;
    operand->tensor = *facts;
    return true;
  }
  Constant constant;
  if (ToConstant(s, value, &constant)) {
    operand->constant = std::move(constant);
    return true;
  }
  if (auto* slice = As<SliceValue>(value)) {
    operand->sequence = "slice";
    for (V part : {slice->start, slice->stop, slice->step})
      if (!ToMeta(s, part, &operand->items.emplace_back(), depth + 1))
        return false;
    return true;
  }
  if (auto* sequence = As<SequenceValue>(value)) {
    operand->sequence = s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass) ? "list" : "tuple";
    for (V item : sequence->items)
      if (!ToMeta(s, item, &operand->items.emplace_back(), depth + 1))
        return false;
    return true;
  }
  return false;
}

TensorValue* NewTensor(Session& s, uint32_t node, const model::TensorFacts& facts) {
  auto* tensor = s.New<TensorValue>();
  tensor->node = node;
  tensor->facts = std::make_shared<model::TensorFacts>(facts);
  return tensor;
}

// The value of a node whose result looks like `result`; parts of a sequence become getitem nodes.
V ResultOf(Interp& in, uint32_t node, const Operand& result) {
  Session& s = in.s;
  if (result.tensor.has_value())
    return s.graph().nodes()[node].result = NewTensor(s, node, *result.tensor);
  if (result.sequence.empty())
    return s.graph().nodes()[node].result = s.Const(result.constant.value_or(Constant::None()));
  auto* whole = s.New<TensorValue>();  // stands for the sequence as an argument of getitem
  whole->node = node;
  Values items;
  for (size_t i = 0; i < result.items.size(); ++i) {
    uint32_t part = s.graph().Add({.op = NodeOp::kCallFunction,
                                   .target = "_operator:getitem",
                                   .args = {whole, s.Int(static_cast<int64_t>(i))},
                                   .position = s.graph().nodes()[node].position,
                                   .module_stack = s.graph().nodes()[node].module_stack});
    items.push_back(ResultOf(in, part, result.items[i]));
  }
  SequenceValue* sequence = result.sequence == "list" ? s.List(std::move(items)) : s.Tuple(std::move(items));
  if (result.sequence.find(':') != std::string::npos)
    sequence->type = s.TypeOfSymbol(result.sequence);  // named results, torch.return_types
  s.graph().nodes()[node].result = sequence;
  return sequence;
}

bool IsInPlace(std::string_view target) {
  std::string_view name = target.substr(target.find_last_of(":.") + 1);
  return (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) || target == "_operator:setitem" ||
         target.starts_with("_operator:i");
}

// torch._VF's functions are torch's own where Python code hides them there.
std::string RuleName(const std::string& target) {
  constexpr std::string_view kHidden = "torch._C:_VariableFunctionsClass.";
  return target.starts_with(kHidden) ? StrCat("torch:", target.substr(kHidden.size())) : target;
}

}  // namespace

const model::TensorFacts* Session::FactsOf(TensorValue* tensor) {
  if (tensor->node == UINT32_MAX && tensor->is_real() && !tensor->guarded) {
    tensor->guarded = true;
    AddGuard({.kind = guards::GuardKind::kTensorIs, .subject = tensor->subject, .fact = mirror_.Fact(tensor->handle, Fact::kTensor)});
  }
  return tensor->facts.get();
}

bool Interp::HasTensor(V value, int depth) {
  value = s.Resolve(value);
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

Outcome Interp::GraphCall(NodeOp op, const std::string& symbol, Args args) {
  bool is_method = op == NodeOp::kCallMethod;
  std::string target = is_method ? symbol.substr(symbol.find_last_of(":.") + 1) : symbol;
  MetaRequest request{.symbol = RuleName(target), .ambient = s.ambient()};
  for (V value : args.positional)
    if (!ToMeta(s, value, &request.args.emplace_back()))
      return Break(Reason::kUnsupportedTensor, StrCat(symbol, " on an argument that no graph can take"));
  for (const auto& [name, value] : args.keyword)
    if (!ToMeta(s, value, &request.kwargs.emplace_back(name, Operand{}).second))
      return Break(Reason::kUnsupportedTensor, StrCat(symbol, " on an argument that no graph can take"));
  MetaResult meta = InferMeta(request);
  if (meta.outcome != MetaOutcome::kKnown) {
    const model::AnswerItem* answer = s.mirror().Ask(
        {.kind = model::QuestionKind::kMeta, .symbol = target, .args = request.args, .kwargs = request.kwargs, .ambient = s.ambient()});
    if (answer == nullptr || (!answer->result.has_value() && answer->raised_type.empty()))
      return Break(Reason::kUnsupportedTensor, symbol);
    if (!answer->raised_type.empty()) {
      if (answer->raised_type.find("DataDependent") != std::string::npos || answer->raised_type.find("DynamicOutput") != std::string::npos)
        return Break(Reason::kDataDependentShape, symbol);
      return Break(Reason::kUnsupportedTensor, StrCat(symbol, ": ", answer->raised_text));  // eager says it better
    }
    meta.result = *answer->result;
    meta.mutates_first = IsInPlace(target);
  }
  for (size_t part = 0; s.graph().nodes().empty() && part < model::kAmbientParts; ++part)
    s.AddGuard({.kind = guards::GuardKind::kAmbientIs,
                .part = static_cast<uint32_t>(part),
                .constant = s.initial_ambient(static_cast<model::AmbientPart>(part))});
  if (meta.same_as.has_value() && !meta.mutates_first && *meta.same_as < args.positional.size())
    return Done(args.positional[*meta.same_as]);
  Node node{.op = op,
            .target = target,
            .args = args.positional,
            .kwargs = args.keyword,
            .position = Position(),
            .module_stack = top().module_stack,
            .has_effect = meta.mutates_first || HasGraphEffect(target)};
  uint32_t index = s.graph().Add(std::move(node));
  if (meta.mutates_first && !args.positional.empty()) {
    auto* first = As<TensorValue>(s.Resolve(args.positional[0]));
    if (first != nullptr && meta.result.tensor.has_value()) {
      if (first->is_real() && first->node == UINT32_MAX)
        s.Touch(first);
      s.graph().nodes()[index].result = first;
      first->facts = std::make_shared<model::TensorFacts>(*meta.result.tensor);
      return Done(target == "_operator:setitem" ? s.None() : first);
    }
  }
  if (target == "_operator:setitem")
    return Done(s.None());
  return Done(ResultOf(*this, index, meta.result));
}

// A node that changes a mode: no metadata, always kept.
Outcome Interp::GraphState(const std::string& symbol, Args args) {
  Node node{.op = NodeOp::kCallFunction,
            .target = symbol,
            .args = args.positional,
            .kwargs = args.keyword,
            .position = Position(),
            .module_stack = top().module_stack,
            .has_effect = true};
  s.graph().Add(std::move(node));
  return Done(s.None());
}

namespace {

V SizeOf(Session& s, const std::vector<int64_t>& sizes) {
  Values items;
  for (int64_t size : sizes)
    items.push_back(s.Int(size));
  SequenceValue* tuple = s.Tuple(std::move(items));
  tuple->type = s.TypeOfSymbol("torch:Size");
  return tuple;
}

// Attributes that are metadata; null: it is none.
V MetadataAttr(Session& s, TensorValue* tensor, const model::TensorFacts& f, const std::string& name) {
  auto flag = [&](bool value) { return s.Bool(value); };
  if (name == "shape")
    return SizeOf(s, f.sizes);
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
  if (name == "is_leaf")
    return flag(f.is_leaf);
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
  if (name == "itemsize")
    return nullptr;
  (void)tensor;
  return nullptr;
}

constexpr std::string_view kGraphAttributes[] = {"T", "mT", "H", "mH", "real", "imag"};

}  // namespace

Outcome Interp::TensorAttr(TensorValue* tensor, const std::string& name, Tail tail) {
  for (const auto& [own, value] : tensor->attributes)
    if (own == name)
      return Done(value);
  TypeValue* type = s.TypeOf(tensor);
  if (name == "__class__")
    return Done(type);
  if (const model::TensorFacts* facts = s.FactsOf(tensor)) {
    if (V value = MetadataAttr(s, tensor, *facts, name))
      return Done(value);
  }
  for (std::string_view attribute : kGraphAttributes)
    if (name == attribute)
      return GraphCall(NodeOp::kCallFunction, "builtins:getattr", {.positional = {tensor, s.Str(name)}});
  if (name == "data" && tensor->node != UINT32_MAX)
    return GraphCall(NodeOp::kCallMethod, "detach", {.positional = {tensor}});
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
  if (kind != nullptr && kind->is("builtins:property"))
    return Call(s.StepFrom(meta, model::Step::kPropertyGet), {.positional = {tensor}}, tail);
  auto* method = s.New<MethodValue>();
  method->function = meta;
  method->self = tensor;
  return Done(method);
}

}  // namespace framegate::translator
