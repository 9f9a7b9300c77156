// Pure C functions evaluated once in the client; isinstance.
#include <optional>

#include "translator/slots/fold_constants.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

bool ToConstant(Session& s, V value, Constant* constant) {
  value = s.Resolve(value);
  if (const Constant* c = AsConstant(value)) {
    *constant = *c;
    return true;
  }
  if (auto* slice = As<SliceValue>(value)) {
    *constant = Constant::Of(ConstantKind::kSlice);
    for (V part : {slice->start, slice->stop, slice->step})
      if (!ToConstant(s, part, &constant->items.emplace_back()))
        return false;
    return true;
  }
  auto* sequence = As<SequenceValue>(value);
  if (sequence == nullptr || !s.TypeOf(sequence)->Has(TypeFlag::kTupleSubclass))
    return false;
  bool is_size = s.TypeOf(sequence)->is("torch:Size");
  if (!is_size && !s.TypeOf(sequence)->is("builtins:tuple"))
    return false;
  *constant = Constant::Of(is_size ? ConstantKind::kSize : ConstantKind::kTuple);
  for (V item : sequence->items)
    if (!ToConstant(s, item, &constant->items.emplace_back()))
      return false;
  return true;
}

namespace {

// An operand for the client: constants by value, real objects whose answer depends on nothing but their identity and type by handle.
bool ToOperand(Session& s, V value, model::Operand* operand) {
  Constant constant;
  if (ToConstant(s, value, &constant)) {
    operand->constant = std::move(constant);
    return true;
  }
  value = s.Resolve(value);
  if (auto* dict = As<MappingValue>(value); dict != nullptr && s.TypeOf(dict)->is("builtins:dict") && s.Complete(dict)) {
    operand->sequence = "dict";
    for (const auto& [key, item] : dict->items)
      if (!ToOperand(s, key, &operand->items.emplace_back()) || !ToOperand(s, item, &operand->items.emplace_back()))
        return false;
    return true;
  }
  if (auto* list = As<SequenceValue>(value);
      list != nullptr && (s.TypeOf(list)->is("builtins:list") || s.TypeOf(list)->is("builtins:tuple"))) {
    operand->sequence = s.TypeOf(list)->is("builtins:list") ? "list" : "tuple";
    for (V item : list->items)
      if (!ToOperand(s, item, &operand->items.emplace_back()))
        return false;
    return true;
  }
  if (value->is_real() && (value->kind == ValueKind::kType || value->kind == ValueKind::kBuiltin)) {
    operand->handle = value->handle;
    return true;
  }
  return false;
}

// Lists that a pure call made.
V OfParts(Session& s, const model::Operand& parts) {
  if (parts.constant.has_value())
    return s.Const(*parts.constant);
  Values items;
  for (const model::Operand& item : parts.items)
    items.push_back(OfParts(s, item));
  if (parts.sequence == "dict") {
    MappingValue* dict = s.Dict();
    for (size_t at = 0; at + 1 < items.size(); at += 2)
      s.MappingSet(dict, items[at], items[at + 1]);
    return dict;
  }
  return parts.sequence == "list" ? s.List(std::move(items)) : s.Tuple(std::move(items));
}

// Without asking the client; null where only it can say.
V FoldHere(Session& s, const std::string& symbol, const Args& args) {
  if (!args.keyword.empty())
    return nullptr;
  std::vector<const Constant*> operands;
  for (V value : args.positional)
    if (operands.emplace_back(value == nullptr ? nullptr : AsConstant(s.Resolve(value))) == nullptr)
      return nullptr;
  std::optional<Constant> known = FoldConstants(symbol, operands);
  return known.has_value() ? s.Const(*std::move(known)) : nullptr;
}

}  // namespace

Outcome Interp::Fold(const std::string& symbol, const Args& args) {
  if (V known = FoldHere(s, symbol, args))
    return Done(known);
  model::Question question{.symbol = symbol};
  for (V value : args.positional)
    if (value == nullptr || !ToOperand(s, value, &question.args.emplace_back()))
      return Break(Reason::kOpaqueCall, symbol);
  for (const auto& [name, value] : args.keyword)
    if (!ToOperand(s, value, &question.kwargs.emplace_back(name, model::Operand{}).second))
      return Break(Reason::kOpaqueCall, symbol);
  const model::AnswerItem* answer = s.mirror().Call(std::move(question));
  if (answer == nullptr)
    return Break(Reason::kOpaqueCall, symbol);
  if (!answer->raised_type.empty()) {
    if (answer->raised_type.find(':') == std::string::npos)
      return Break(Reason::kOpaqueCall, symbol);
    Outcome raised = Raise(answer->raised_type, answer->raised_text);
    if (auto* exception = As<ObjectValue>(s.raised); answer->raised_args.has_value() && exception != nullptr)
      if (auto* args = As<SequenceValue>(s.Const(*answer->raised_args)))
        exception->arguments = args->items;
    return raised;
  }
  if (answer->result.has_value())
    return Done(OfParts(s, *answer->result));
  if (!answer->constant.has_value())
    return Break(Reason::kOpaqueCall, symbol);
  const Constant& constant = *answer->constant;
  if (constant.kind == ConstantKind::kTuple) {
    Values items;
    for (const Constant& item : constant.items)
      items.push_back(s.Const(item));
    return Done(s.Tuple(std::move(items)));
  }
  return Done(s.Const(constant));
}

namespace {

// A __subclasshook__ in Python, of a class that is not the standard library's. A protocol's looks at what is derived from it: not typing's
// own.
bool HasHook(Session& s, TypeValue* type) {
  V hook = s.Resolve(s.TypeAttr(type, "__subclasshook__"));
  V function = hook != nullptr && s.TypeOf(hook)->is("builtins:classmethod") ? s.Resolve(PartOf(s, hook, model::Step::kMethodFunc)) : hook;
  auto* python = As<FunctionValue>(function);
  const Constant* module = python == nullptr || python->module == nullptr ? nullptr : ConstantOf(s, python->module, ConstantKind::kStr);
  return python != nullptr && (module == nullptr || (module->text != "collections.abc" && module->text != "numbers" &&
                                                     (module->text != "typing" || !type->symbol.starts_with("typing:"))));
}

}  // namespace

// What abstract classes say, also by what was registered with them. Of classes that have names another process can ask for itself.
Outcome FoldSubclass(Interp& in, TypeValue* type, TypeValue* base) {
  Session& s = in.s;
  const bool has_hook = HasHook(s, base);
  if (!has_hook && s.IsNamed(type) && s.IsNamed(base)) {
    FRAMEGATE_TAKE(V answer, in.Fold("builtins:issubclass", {.positional = {type, base}}));
    if (const Constant* said = AsConstant(answer); said != nullptr && said->is_bool())
      s.RelyOnAbcAnswer(type, base, said->is_true());
    return in.Done(answer);
  }
  if (!s.RelyOnRegistrations())
    return in.Break(Reason::kUnsupportedCall, StrCat("issubclass(..., ", base->symbol, ")"));
  if (has_hook) {
    FRAMEGATE_TAKE(V hook, in.GetAttr(base, "__subclasshook__"));
    FRAMEGATE_TAKE(V found, in.Call(hook, {.positional = {type}}));
    const Constant* said = AsConstant(in.s.Resolve(found));
    if (said != nullptr && said->is_bool())
      return in.Done(found);
    if (said == nullptr || said->kind != ConstantKind::kNotImplemented)
      return in.Break(Reason::kUnsupportedCall, StrCat(base->symbol, ".__subclasshook__"));
    FRAMEGATE_TAKE(V known, in.Fold("framegate._pure:is_registered", {.positional = {type, base}}));
    const Constant* answer = AsConstant(known);
    return answer != nullptr && answer->is_bool() ? in.Done(known)
                                                  : in.Break(Reason::kUnsupportedCall, StrCat(base->symbol, ", an abstract class"));
  }
  return in.Fold("builtins:issubclass", {.positional = {type, base}});
}

namespace {

// torch.FloatTensor and the like, which name a dtype of the CPU.
bool IsOldTensorType(std::string_view symbol) {
  return symbol.starts_with("torch:") && symbol.ends_with("Tensor") && symbol != "torch:Tensor";
}

}  // namespace

Outcome Interp::IsInstance(V object, V type) {
  type = s.Resolve(type);
  if (auto* tuple = As<SequenceValue>(type)) {
    for (V item : tuple->items) {
      FRAMEGATE_TAKE(V found, IsInstance(object, item));
      if (found == s.Bool(true))
        return Done(found);
    }
    return Done(s.Bool(false));
  }
  auto* cls = As<TypeValue>(type);
  if (cls == nullptr) {
    TypeValue* kind = s.TypeOf(type);
    auto* made = As<ObjectValue>(type);
    if (kind != nullptr && kind->is("types:UnionType") && made != nullptr && !made->is_real()) {
      for (V side : made->arguments) {
        FRAMEGATE_TAKE(V found, IsInstance(object, s.Resolve(side) == s.None() ? s.TypeOf(side) : side));
        if (found == s.Bool(true))
          return Done(found);
      }
      return Done(s.Bool(false));
    }
    if (kind != nullptr && kind->is("types:UnionType")) {
      FRAMEGATE_TAKE(V args, GetAttr(type, "__args__"));
      return IsInstance(object, args);
    }
    if (V check = kind == nullptr ? nullptr : s.TypeAttr(kind, "__instancecheck__"); As<FunctionValue>(s.Resolve(check)) != nullptr) {
      FRAMEGATE_TAKE(V found, Call(check, {.positional = {type, object}}));
      return Truth(found);
    }
    if (kind == nullptr || s.TypeAttr(kind, "__instancecheck__") != nullptr)
      return Break(Reason::kUnsupportedCall, "isinstance(..., an object that decides)");
    return Raise("builtins:TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
  }
  TypeValue* actual = s.TypeOf(object);
  if (actual == nullptr)
    return Break(Reason::kUnsupportedValue, "isinstance() of an object of unknown type");
  if (s.IsSubclassOf(actual, cls))
    return Done(s.Bool(true));
  if (IsOldTensorType(cls->symbol)) {
    auto* tensor = As<TensorValue>(s.Resolve(object));
    const model::TensorFacts* facts = tensor == nullptr ? nullptr : s.FactsOf(tensor);
    if (tensor != nullptr && facts == nullptr)
      return Break(Reason::kUnsupportedTensor, "metadata that is not known");
    const std::string name = StrCat("torch.", cls->symbol.substr(cls->symbol.find(':') + 1));
    return Done(s.Bool(facts != nullptr && TensorTypeOf(*facts) == name));
  }
  if (cls->is("torch.nn.parameter:Parameter") || cls->is("torch.nn.parameter:Buffer") || cls->is("torch:Tensor"))
    return Done(s.Bool(false));
  TypeValue* metatype = s.TypeOf(cls);
  V check = metatype == nullptr ? nullptr : s.Resolve(s.TypeAttr(metatype, "__instancecheck__"));
  if (auto* builtin = As<BuiltinValue>(check); builtin != nullptr && builtin->symbol == "builtins:type.__instancecheck__")
    return Done(s.Bool(false));
  auto* function = As<FunctionValue>(check);
  if (function == nullptr)
    return Break(Reason::kUnsupportedCall, StrCat("isinstance(..., ", cls->symbol, ")"));
  if (function->symbol == "abc:ABCMeta.__instancecheck__") {
    return FoldSubclass(*this, actual, cls);
  }
  FRAMEGATE_TAKE(V found, Call(function, {.positional = {cls, object}}));
  return Truth(found);
}

}  // namespace framegate::translator
