// Tensors and their data as Python numbers.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

// Nested lists and tuples of ints, and of floats where those are wanted.
bool AreNumbers(Session& s, V value, bool floats, int depth = 0) {
  if (auto* sequence = As<SequenceValue>(s.Look(value)); sequence != nullptr && depth < 8)
    return std::all_of(sequence->items.begin(), sequence->items.end(), [&](V item) { return AreNumbers(s, item, floats, depth + 1); });
  if (Size size; depth > 0 && s.AsSize(value, &size))
    return true;
  const Constant* number = AsConstant(s.Look(value));
  return depth > 0 && floats && number != nullptr && number->kind == ConstantKind::kFloat;
}

struct LegacyType {
  std::string_view name, dtype;
  bool floats;
};

constexpr LegacyType kLegacyTypes[] = {{"torch:FloatTensor", "torch.float32", true}, {"torch:DoubleTensor", "torch.float64", true},
                                       {"torch:HalfTensor", "torch.float16", true},  {"torch:BFloat16Tensor", "torch.bfloat16", true},
                                       {"torch:ByteTensor", "torch.uint8", false},   {"torch:CharTensor", "torch.int8", false},
                                       {"torch:ShortTensor", "torch.int16", false},  {"torch:IntTensor", "torch.int32", false},
                                       {"torch:LongTensor", "torch.int64", false}};

bool IsSize(Session& s, V value) {
  auto* sequence = As<SequenceValue>(s.Look(value));
  return sequence != nullptr && s.TypeOf(sequence)->is("torch:Size");
}

// Sizes, one by one or as a torch.Size: other sequences are data.
bool AreSizes(Session& s, const Values& values) {
  return values.empty() || (values.size() == 1 && IsSize(s, values[0])) || std::all_of(values.begin(), values.end(), [&](V value) {
           Size size;
           return s.AsSize(value, &size);
         });
}

// torch.FloatTensor([1, 2]), torch.FloatTensor(2, 3) and the like.
Outcome OfLegacyType(Interp& in, std::string_view name, Args& args) {
  Session& s = in.s;
  auto row = std::find_if(std::begin(kLegacyTypes), std::end(kLegacyTypes), [&](const LegacyType& each) { return each.name == name; });
  const bool sizes = AreSizes(s, args.positional);
  if (!args.keyword.empty() || !(sizes || (args.positional.size() == 1 && As<SequenceValue>(s.Look(args.positional[0])) != nullptr &&
                                           AreNumbers(s, args.positional[0], row->floats))))
    return in.Break(Reason::kOpaqueCall, std::string(name));
  if (args.positional.empty())
    args.positional.push_back(s.Int(0));
  args.keyword.emplace_back("dtype", s.Const(Constant::Named(ConstantKind::kDtype, std::string(row->dtype))));
  args.keyword.emplace_back("device", s.Const(Constant::Named(ConstantKind::kDevice, "cpu")));
  return in.GraphCall(model::NodeOp::kCallFunction, sizes ? "torch:empty" : "torch:tensor", std::move(args));
}

bool Mentions(Session& s, V value, const TensorValue* tensor, int depth = 0) {
  value = s.Look(value);
  if (auto* sequence = As<SequenceValue>(value); sequence != nullptr && depth < 8)
    return std::any_of(sequence->items.begin(), sequence->items.end(), [&](V item) { return Mentions(s, item, tensor, depth + 1); });
  const auto* other = As<TensorValue>(value);
  for (; other != nullptr; other = other->base)
    if (other == tensor)
      return true;
  return false;
}

// What torch.tensor was given, while nothing has been done with the tensor that could have changed it; null otherwise.
V DataOf(Session& s, TensorValue* tensor) {
  const std::vector<Node>& nodes = s.graph().nodes();
  if (tensor->node >= nodes.size() || tensor->facts == nullptr || tensor->facts->requires_grad)
    return nullptr;
  const Node& made = nodes[tensor->node];
  if (made.target != "torch:tensor" || made.args.size() != 1)
    return nullptr;
  for (size_t at = tensor->node + 1; at < nodes.size(); ++at) {
    bool uses =
        std::any_of(nodes[at].args.begin(), nodes[at].args.end(), [&](V value) { return Mentions(s, value, tensor); }) ||
        std::any_of(nodes[at].kwargs.begin(), nodes[at].kwargs.end(), [&](const auto& each) { return Mentions(s, each.second, tensor); });
    if (uses && nodes[at].has_effect)
      return nullptr;
  }
  return made.args[0];
}

// The numbers as tolist() gives them of a tensor of that dtype; null where that is not for us to say.
V Listed(Session& s, V data, const std::string& dtype) {
  data = s.Look(data);
  if (auto* sequence = As<SequenceValue>(data)) {
    Values items;
    for (V item : sequence->items) {
      V made = Listed(s, item, dtype);
      if (made == nullptr)
        return nullptr;
      items.push_back(made);
    }
    return s.List(std::move(items));
  }
  if (Size size; s.AsSize(data, &size))
    return dtype == "torch.int64" ? data : nullptr;
  const Constant* constant = AsConstant(data);
  if (constant != nullptr && constant->kind == ConstantKind::kFloat && dtype == "torch.float64")
    return data;
  return constant != nullptr && constant->kind == ConstantKind::kFloat && dtype == "torch.float32"
             ? s.Const(Constant::Float(static_cast<double>(static_cast<float>(constant->real))))
             : nullptr;
}

Outcome DataAsNumbers(Interp& in, Args& args, bool one) {
  auto* tensor = args.positional.size() == 1 && args.keyword.empty() ? As<TensorValue>(in.s.Resolve(args.positional[0])) : nullptr;
  V data = tensor == nullptr ? nullptr : DataOf(in.s, tensor);
  V made = data == nullptr || (one && !tensor->facts->sizes.empty()) ? nullptr : Listed(in.s, data, tensor->facts->dtype);
  return made == nullptr ? in.Break(Reason::kTensorValue, "a tensor's data are read") : in.Done(made);
}

}  // namespace

#define FRAMEGATE_LEGACY(name)                          \
  Outcome Builtin##name(Interp& in, Args& args, Tail) { \
    return OfLegacyType(in, "torch:" #name, args);      \
  }
FRAMEGATE_LEGACY(FloatTensor)
FRAMEGATE_LEGACY(DoubleTensor)
FRAMEGATE_LEGACY(HalfTensor)
FRAMEGATE_LEGACY(BFloat16Tensor)
FRAMEGATE_LEGACY(ByteTensor)
FRAMEGATE_LEGACY(CharTensor)
FRAMEGATE_LEGACY(ShortTensor)
FRAMEGATE_LEGACY(IntTensor)
FRAMEGATE_LEGACY(LongTensor)
#undef FRAMEGATE_LEGACY

// torch.Tensor is the legacy type of the default dtype.
Outcome BuiltinDefaultTensor(Interp& in, Args& args, Tail) {
  const Constant dtype = in.s.AmbientPart(model::AmbientPart::kDefaultDtype);
  auto row =
      std::find_if(std::begin(kLegacyTypes), std::end(kLegacyTypes), [&](const LegacyType& each) { return each.dtype == dtype.text; });
  if (row == std::end(kLegacyTypes) || !in.s.AmbientPart(model::AmbientPart::kDefaultDevice).text.empty())
    return in.Break(Reason::kOpaqueCall, "torch:Tensor");
  return OfLegacyType(in, row->name, args);
}

// A graph holds a torch.Size as a tuple, which `new` takes for data.
Outcome BuiltinTensorNew(Interp& in, Args& args, Tail) {
  const bool size = args.positional.size() == 2 && IsSize(in.s, args.positional[1]);
  return in.GraphCall(model::NodeOp::kCallMethod, size ? "torch._C:TensorBase.new_empty" : "torch._C:TensorBase.new", std::move(args));
}

Outcome BuiltinTensorItem(Interp& in, Args& args, Tail) {
  return DataAsNumbers(in, args, true);
}

Outcome BuiltinTensorToList(Interp& in, Args& args, Tail) {
  return DataAsNumbers(in, args, false);
}

// What torch takes a scalar of numpy for; null where it is none, or neither an int nor a float.
V NumberOfNumpy(Session& s, V value) {
  auto* object = As<ObjectValue>(s.Look(value));
  TypeValue* type = object == nullptr || !object->is_real() ? nullptr : s.TypeOf(object);
  if (type == nullptr || !type->symbol.starts_with("numpy:") || type->Has(model::TypeFlag::kHeapType))
    return nullptr;
  const model::FactValue& payload = s.ReadFact(object, model::Fact::kPayload);
  return payload.known && (payload.constant.is_int() || payload.constant.kind == ConstantKind::kFloat) ? s.Const(payload.constant)
                                                                                                       : nullptr;
}

}  // namespace framegate::translator
