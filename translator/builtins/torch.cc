// torch functions that are neither graph nodes nor Python code to inline.
#include "translator/builtins/table.h"
#include "translator/graph/meta/layout.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

const model::TensorFacts* SelfFacts(Interp& in, Args& args) {
  auto* tensor = args.positional.empty() ? nullptr : As<TensorValue>(in.s.Resolve(args.positional[0]));
  return tensor == nullptr ? nullptr : in.s.FactsOf(tensor);
}

const model::TensorFacts* FactsWithStrides(Interp& in, Args& args) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  return facts == nullptr || As<TensorValue>(in.s.Resolve(args.positional[0]))->strides_guessed ? nullptr : facts;
}

Outcome NoFacts(Interp& in) {
  return in.Break(Reason::kUnsupportedTensor, "metadata that is not known");
}

V Sizes(Interp& in, const Dims& sizes, const char* type) {
  Values items;
  for (const Size& size : sizes)
    items.push_back(in.s.Number(size));
  SequenceValue* tuple = in.s.Tuple(std::move(items));
  tuple->type = in.s.TypeOfSymbol(type);
  return tuple;
}

// size(dim) and stride(dim), or all of them.
Outcome PerDimension(Interp& in, Args& args, const Dims& values, const char* type) {
  V dim = args.positional.size() > 1 ? args.positional[1] : args.Keyword("dim");
  if (dim == nullptr || in.s.Resolve(dim) == in.s.None())
    return in.Done(Sizes(in, values, type));
  const Constant* at = IntOf(in.s, dim);
  int64_t rank = static_cast<int64_t>(values.size());
  if (at == nullptr)
    return in.Break(Reason::kUnsupportedTensor, "a dimension that is no int");
  int64_t place = IntValue(*at);
  if (place < -rank || place >= rank)
    return in.Raise("builtins:IndexError", StrCat("Dimension out of range (expected to be in range of [", -std::max<int64_t>(rank, 1), ", ",
                                                  std::max<int64_t>(rank, 1) - 1, "], but got ", place, ")"));
  return in.Done(in.s.Number(values[static_cast<size_t>(place < 0 ? place + rank : place)]));
}

}  // namespace

// Module.__call__: with no hooks anywhere it is forward.
Outcome BuiltinModuleCall(Interp& in, Args& args, Tail tail) {
  Session& s = in.s;
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  TypeValue* type = self == nullptr ? nullptr : s.TypeOf(self);
  V function = s.Symbol("torch.nn.modules.module:Module._call_impl");
  auto* object = As<ObjectValue>(self);
  bool plain = object != nullptr && object->is_real() && s.PeekFact(self, Fact::kHooksEmpty).word == 1;
  for (const auto& [name, value] : object == nullptr ? std::vector<std::pair<std::string, V>>{} : object->attributes)
    plain = plain && name != "forward" && name.find("hooks") == std::string::npos;
  // Hooks are kept in ordered dicts, the module's own and everybody's: one that the frame has changed may be any of these.
  plain = plain && std::none_of(s.mutated.begin(), s.mutated.end(), [&](V changed) {
            return As<MappingValue>(changed) != nullptr && s.TypeOf(changed)->is("collections:OrderedDict");
          });
  if (!plain)  // the frame, not the function: its symbol leads back here
    return in.PushFrame(As<FunctionValue>(s.Resolve(function)), std::move(args), tail);
  s.ReadFact(self, Fact::kHooksEmpty);
  V forward = s.Resolve(s.TypeAttr(type, "forward"));
  auto* target = As<FunctionValue>(forward);
  if (target == nullptr)
    return in.Break(Reason::kUnsupportedCall, StrCat(type->symbol, ".forward"));
  Outcome outcome = in.CallFunction(target, std::move(args), tail);
  if (outcome.flow == Flow::kFrame)
    in.EnterScope(in.top(), self);
  return outcome;
}

Outcome BuiltinTensorSize(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  return facts == nullptr ? NoFacts(in) : PerDimension(in, args, SizesOf(*facts), "torch:Size");
}

Outcome BuiltinTensorStride(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = FactsWithStrides(in, args);
  return facts == nullptr ? NoFacts(in) : PerDimension(in, args, StridesOf(*facts), "builtins:tuple");
}

Outcome BuiltinTensorDim(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  return facts == nullptr ? NoFacts(in) : in.Done(in.s.Int(static_cast<int64_t>(facts->sizes.size())));
}

Outcome BuiltinTensorNumel(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  if (facts == nullptr)
    return NoFacts(in);
  Size count = 1;
  for (const Size& size : SizesOf(*facts))
    count *= size;
  return in.Done(in.s.Number(count));
}

Outcome BuiltinTensorIsFloatingPoint(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  return facts == nullptr ? NoFacts(in) : in.Done(in.s.Bool(facts->dtype.find("float") != std::string::npos));
}

Outcome BuiltinTensorIsContiguous(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = FactsWithStrides(in, args);
  V format = args.positional.size() > 1 ? args.positional[1] : args.Keyword("memory_format");
  const Constant* wanted = format == nullptr ? nullptr : AsConstant(in.s.Resolve(format));
  std::string name = format == nullptr ? "torch.contiguous_format" : wanted == nullptr ? "" : wanted->text;
  if (facts == nullptr || name.empty() || name == "torch.preserve_format" || facts->strides.size() != facts->sizes.size())
    return NoFacts(in);
  meta::MemoryFormat wanted_format = name == "torch.channels_last"      ? meta::MemoryFormat::kChannelsLast
                                     : name == "torch.channels_last_3d" ? meta::MemoryFormat::kChannelsLast3d
                                                                        : meta::MemoryFormat::kContiguous;
  return in.Done(in.s.Bool(meta::IsContiguousIn(wanted_format, {SizesOf(*facts), StridesOf(*facts)})));
}

Outcome BuiltinTensorElementSize(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  int64_t size = facts == nullptr ? 0 : ItemSizeOf(facts->dtype);
  return size == 0 ? NoFacts(in) : in.Done(in.s.Int(size));
}

// Guards compare an offset only where it is asked for.
Outcome BuiltinTensorStorageOffset(Interp& in, Args& args, Tail) {
  auto* tensor = args.positional.empty() ? nullptr : As<TensorValue>(in.s.Resolve(args.positional[0]));
  if (tensor != nullptr && tensor->is_real() && tensor->node == UINT32_MAX) {
    in.s.RelyOnParts(tensor, guards::kOffsetPart);
    return in.Done(in.s.Int(tensor->facts->storage_offset));
  }
  if (tensor == nullptr || tensor->foreign)
    return NoFacts(in);
  const TensorValue* root = tensor;
  while (root->base != nullptr)
    root = root->base;
  return root->foreign ? NoFacts(in)
                       : in.Done(in.s.Number(Size::Symbol(in.s.FactsOf(tensor)->storage_offset, in.s.FactsOf(tensor)->offset_term)));
}

Outcome BuiltinTensorIsComplex(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  return facts == nullptr ? NoFacts(in) : in.Done(in.s.Bool(facts->dtype.starts_with("torch.complex")));
}

Outcome BuiltinTensorIsSigned(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  V flag = facts == nullptr ? nullptr : TorchConstantAttr(in.s, Constant::Named(ConstantKind::kDtype, facts->dtype), "is_signed");
  return flag == nullptr ? NoFacts(in) : in.Done(flag);
}

// A tensor that is one has no facts, so what comes from outside and has some is none.
Outcome BuiltinTensorIsLazyView(Interp& in, Args& args, Tail) {
  auto* tensor = args.positional.empty() ? nullptr : As<TensorValue>(in.s.Resolve(args.positional[0]));
  const model::TensorFacts* facts = SelfFacts(in, args);
  if (facts == nullptr || (tensor->node != UINT32_MAX && facts->dtype.starts_with("torch.complex")))
    return NoFacts(in);
  return in.Done(in.s.Bool(false));
}

Outcome BuiltinTensorType(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 1 || !args.keyword.empty())
    return in.GraphCall(model::NodeOp::kCallMethod, "torch._C:TensorBase.type", std::move(args));
  const model::TensorFacts* facts = SelfFacts(in, args);
  std::string name = facts == nullptr ? "" : TensorTypeOf(*facts);
  return name.empty() ? NoFacts(in) : in.Done(in.s.Str(name));
}

Outcome BuiltinTensorGetDevice(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  if (facts == nullptr)
    return NoFacts(in);
  size_t colon = facts->device.find(':');
  return in.Done(in.s.Int(colon == std::string::npos ? -1 : std::stoll(facts->device.substr(colon + 1))));
}

Outcome BuiltinSizeNumel(Interp& in, Args& args, Tail) {
  auto* size = args.positional.size() == 1 ? As<SequenceValue>(in.s.Resolve(args.positional[0])) : nullptr;
  Size count = 1;
  for (size_t at = 0; size != nullptr && at < size->items.size(); ++at) {
    Size item;
    if (!in.s.AsSize(size->items[at], &item))
      return NoFacts(in);
    count *= item;
  }
  return size == nullptr ? NoFacts(in) : in.Done(in.s.Number(count));
}

// The same memory under another type.
Outcome BuiltinAsSubclass(Interp& in, Args& args, Tail) {
  const model::TensorFacts* facts = SelfFacts(in, args);
  auto* type = facts != nullptr && args.positional.size() == 2 ? As<TypeValue>(in.s.Resolve(args.positional[1])) : nullptr;
  bool plain = type != nullptr && type->is("torch:Tensor");
  if (type == nullptr || (!plain && !in.s.IsPlainSubclass(type)))
    return in.Break(Reason::kUnsupportedTensor, "as_subclass");
  model::Operand result{.tensor = *facts};
  if (in.s.AmbientPart(model::AmbientPart::kGradMode).is_true() && facts->requires_grad)
    result.tensor->is_leaf = false;
  FRAMEGATE_TAKE(V value, in.GraphResult("torch._C:TensorBase.as_subclass", std::move(args), result));
  if (auto* tensor = As<TensorValue>(value))
    tensor->type = plain ? nullptr : type;
  return in.Done(value);
}

Outcome BuiltinDtypeToReal(Interp& in, Args& args, Tail) {
  const Constant* dtype = args.positional.size() == 1 ? AsConstant(in.s.Resolve(args.positional[0])) : nullptr;
  V other = dtype == nullptr ? nullptr : TorchConstantAttr(in.s, *dtype, "to_real");
  return other == nullptr ? NoFacts(in) : in.Done(other);
}

Outcome BuiltinDtypeToComplex(Interp& in, Args& args, Tail) {
  const Constant* dtype = args.positional.size() == 1 ? AsConstant(in.s.Resolve(args.positional[0])) : nullptr;
  V other = dtype == nullptr ? nullptr : TorchConstantAttr(in.s, *dtype, "to_complex");
  return other == nullptr ? NoFacts(in) : in.Done(other);
}

Outcome BuiltinTensorValue(Interp& in, Args&, Tail) {
  return in.Break(Reason::kTensorValue, "a tensor's data are read");
}

Outcome BuiltinBackward(Interp& in, Args&, Tail) {
  return in.Break(Reason::kBackward, "backward()");
}

Outcome BuiltinIsTensor(Interp& in, Args& args, Tail) {
  return in.Done(in.s.Bool(args.positional.size() == 1 && As<TensorValue>(in.s.Resolve(args.positional[0])) != nullptr));
}

Outcome BuiltinReturnsTrue(Interp& in, Args&, Tail) {
  return in.Done(in.s.Bool(true));
}

Outcome BuiltinReturnsFalse(Interp& in, Args&, Tail) {
  return in.Done(in.s.Bool(false));
}

Outcome BuiltinReturnsNone(Interp& in, Args&, Tail) {
  return in.Done(in.s.None());
}

}  // namespace framegate::translator
