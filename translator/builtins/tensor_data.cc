// Tensors and their data as Python numbers.
#include <optional>

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

// The node that made it, while nothing has been done with the tensor that could have changed it; null otherwise.
const Node* Unchanged(Session& s, TensorValue* tensor) {
  const std::vector<Node>& nodes = s.graph().nodes();
  if (tensor->node >= nodes.size() || tensor->facts == nullptr || tensor->facts->requires_grad)
    return nullptr;
  for (size_t at = tensor->node + 1; at < nodes.size(); ++at) {
    bool uses =
        std::any_of(nodes[at].args.begin(), nodes[at].args.end(), [&](V value) { return Mentions(s, value, tensor); }) ||
        std::any_of(nodes[at].kwargs.begin(), nodes[at].kwargs.end(), [&](const auto& each) { return Mentions(s, each.second, tensor); });
    if (uses && nodes[at].has_effect)
      return nullptr;
  }
  return &nodes[tensor->node];
}

std::optional<int64_t> IntIn(Session& s, V value, int depth = 0);

std::optional<int64_t> Quotient(std::string_view rounding, int64_t left, int64_t right) {
  constexpr int64_t kLargest = int64_t{1} << 52;  // exact as a double, which is what torch computes with
  if (right == 0 || left > kLargest || left < -kLargest)
    return std::nullopt;
  const int64_t quotient = left / right;
  if (rounding == "trunc")
    return quotient;
  return rounding == "floor" ? std::optional(quotient - ((left % right != 0) && ((left < 0) != (right < 0)) ? 1 : 0)) : std::nullopt;
}

// The int that a tensor without dimensions was computed to be, from ints alone.
std::optional<int64_t> IntOfTensor(Session& s, TensorValue* tensor, int depth) {
  if (tensor->facts == nullptr || !tensor->facts->sizes.empty() || tensor->facts->dtype != "torch.int64" || depth > 8)
    return std::nullopt;
  const Node* made = Unchanged(s, tensor);
  if (made == nullptr || made->args.empty() || made->args.size() > 2)
    return std::nullopt;
  const std::optional<int64_t> left = IntIn(s, made->args[0], depth + 1);
  if (made->target == "torch:tensor" && made->args.size() == 1)
    return left;
  const std::optional<int64_t> right = made->args.size() == 2 ? IntIn(s, made->args[1], depth + 1) : std::nullopt;
  if (!left.has_value() || !right.has_value())
    return std::nullopt;
  if (made->target == "torch:div" && made->kwargs.size() == 1 && made->kwargs[0].first == "rounding_mode") {
    const Constant* rounding = AsConstant(s.Resolve(made->kwargs[0].second));
    return rounding == nullptr ? std::nullopt : Quotient(rounding->text, *left, *right);
  }
  int64_t result = 0;
  if (!made->kwargs.empty())
    return std::nullopt;
  if (made->target == "_operator:add" && !__builtin_add_overflow(*left, *right, &result))
    return result;
  if (made->target == "_operator:sub" && !__builtin_sub_overflow(*left, *right, &result))
    return result;
  if (made->target == "_operator:mul" && !__builtin_mul_overflow(*left, *right, &result))
    return result;
  return made->target == "_operator:floordiv" ? Quotient("floor", *left, *right) : std::nullopt;
}

std::optional<int64_t> IntIn(Session& s, V value, int depth) {
  if (auto* tensor = As<TensorValue>(s.Look(value)))
    return IntOfTensor(s, tensor, depth);
  Size size;
  if (!s.AsSize(value, &size))
    return std::nullopt;
  s.Fix(value);
  return size.now();
}

// What torch.tensor was given; null where that is not what it holds.
V DataOf(Session& s, TensorValue* tensor) {
  const Node* made = Unchanged(s, tensor);
  if (made != nullptr && made->target == "torch:tensor" && made->args.size() == 1)
    return made->args[0];
  const std::optional<int64_t> number = made == nullptr ? std::nullopt : IntOfTensor(s, tensor, 0);
  return number.has_value() ? s.Int(*number) : nullptr;
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

// Lists of tensors of one kind, as one group. In which order several come is not told.
Outcome BuiltinGroupTensors(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* lists = args.positional.empty() || args.positional.size() > 2 ? nullptr : As<SequenceValue>(s.Resolve(args.positional[0]));
  const model::TensorFacts* first = nullptr;
  bool alike = lists != nullptr && args.keyword.empty();
  size_t count = 0;
  Values copies;
  for (size_t at = 0; alike && at < lists->items.size(); ++at) {
    auto* list = As<SequenceValue>(s.Resolve(lists->items[at]));
    alike = list != nullptr && !list->items.empty() && (at == 0 || list->items.size() == count);
    for (size_t i = 0; alike && i < list->items.size(); ++i) {
      auto* tensor = As<TensorValue>(s.Resolve(list->items[i]));
      const model::TensorFacts* facts = tensor == nullptr ? nullptr : s.FactsOf(tensor);
      first = first == nullptr ? facts : first;
      alike = facts != nullptr && facts->dtype == first->dtype && facts->device == first->device;
    }
    if (alike) {
      count = list->items.size();
      copies.push_back(s.List(list->items));
    }
  }
  if (!alike || first == nullptr)
    return in.Break(Reason::kUnsupportedTensor, "tensors of several kinds in lists");
  Values indices;
  if (args.positional.size() == 2 && s.Resolve(args.positional[1]) == s.Bool(true))
    for (size_t i = 0; i < count; ++i)
      indices.push_back(s.Int(static_cast<int64_t>(i)));
  MappingValue* groups = s.Dict();
  V key = s.Tuple(
      {s.Const(Constant::Named(ConstantKind::kDevice, first->device)), s.Const(Constant::Named(ConstantKind::kDtype, first->dtype))});
  s.MappingSet(groups, key, s.Tuple({s.List(std::move(copies)), s.List(std::move(indices))}));
  return in.Done(groups);
}

Outcome BuiltinTensorItem(Interp& in, Args& args, Tail) {
  return DataAsNumbers(in, args, true);
}

Outcome BuiltinTensorToList(Interp& in, Args& args, Tail) {
  return DataAsNumbers(in, args, false);
}

namespace {

void TakeSizes(Session& s, V* value, int depth) {
  V known = s.Look(*value);
  if (auto* sequence = As<SequenceValue>(known); sequence != nullptr && depth == 0 && !sequence->is_real()) {
    Values items = sequence->items;
    for (V& item : items)
      TakeSizes(s, &item, 1);
    if (items != sequence->items)
      *value = s.Tuple(std::move(items));
  } else if (auto* tensor = As<TensorValue>(known)) {
    if (std::optional<int64_t> number = IntOfTensor(s, tensor, 0))
      *value = s.Int(*number);
  }
}

}  // namespace

void TakeSizes(Session& s, std::string_view symbol, Args* args) {
  constexpr std::string_view kMethods[] = {"view",     "reshape",    "expand", "repeat",    "new_zeros", "new_ones", "new_empty",
                                           "new_full", "as_strided", "split",  "unflatten", "narrow",    "chunk",    "tile"};
  constexpr std::string_view kPlace = "torch._C:TensorBase.";
  if (!symbol.starts_with(kPlace) ||
      std::find(std::begin(kMethods), std::end(kMethods), symbol.substr(kPlace.size())) == std::end(kMethods))
    return;
  for (size_t i = 1; i < args->positional.size(); ++i)
    TakeSizes(s, &args->positional[i], 0);
  for (auto& [name, value] : args->keyword)
    TakeSizes(s, &value, 0);
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
