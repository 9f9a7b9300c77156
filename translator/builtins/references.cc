// References, bound methods and generic aliases: what they lead to decides what they are equal to. Operators of torch.Size.
#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

bool IsAmong(const TypeValue* type, std::initializer_list<std::string_view> symbols) {
  return std::any_of(symbols.begin(), symbols.end(), [&](std::string_view symbol) { return type->is(symbol); });
}

bool IsBuiltinWithout(const TypeValue* type) {
  return IsAmong(type, {"builtins:int", "builtins:bool", "builtins:float", "builtins:complex", "builtins:str", "builtins:bytes",
                        "builtins:list", "builtins:dict", "builtins:tuple", "builtins:range", "builtins:slice", "builtins:bytearray"}) ||
         (type->Has(model::TypeFlag::kExceptionSubclass) && !type->Has(model::TypeFlag::kHeapType));
}

bool IsBuiltinWith(const TypeValue* type) {
  return type->Has(model::TypeFlag::kTypeSubclass) || type->Has(model::TypeFlag::kSetSubclass) ||
         IsAmong(type, {"types:FunctionType", "builtins:function", "types:MethodType", "builtins:method", "types:GeneratorType",
                        "types:ModuleType", "builtins:module", "collections:deque", "collections:OrderedDict", "functools:partial",
                        "re:Pattern", "types:BuiltinFunctionType"});
}

bool LeavesRoom(Session& s, TypeValue* made) {
  V slots = OwnAttr(s, made, "__slots__");
  auto* names = As<SequenceValue>(s.Resolve(slots));
  const auto is_room = [&](V name) {
    const Constant* text = ConstantOf(s, name, ConstantKind::kStr);
    return text != nullptr && text->text == "__weakref__";
  };
  return slots == nullptr || is_room(slots) || (names != nullptr && std::any_of(names->items.begin(), names->items.end(), is_room));
}

// Objects of the type have room for weak references; nullopt: nobody can say.
std::optional<bool> IsReferable(Session& s, TypeValue* type) {
  if (IsBuiltinWithout(type))
    return false;
  if (IsBuiltinWith(type) || s.TypeAttr(type, "__weakref__") != nullptr)
    return true;
  if (!type->Has(model::TypeFlag::kHeapType))
    return std::nullopt;
  bool has_room = false, is_known = true;
  for (TypeValue* base : s.MroOf(type)) {
    has_room = has_room || (base->is_real() ? IsBuiltinWith(base) : LeavesRoom(s, base));
    is_known = is_known && (base->Has(model::TypeFlag::kHeapType) || base->is("builtins:object") || IsBuiltinWithout(base));
  }
  return has_room || is_known ? std::optional(has_room) : std::nullopt;
}

// A reference to `target` of the class, which is weakref.ref or derived from it.
Outcome Refer(Interp& in, TypeValue* type, V target, V callback) {
  Session& s = in.s;
  target = s.Resolve(target);
  callback = callback == nullptr ? s.None() : s.Resolve(callback);
  TypeValue* of = s.TypeOf(target);
  if (of == nullptr)
    return in.Break(Reason::kUnsupportedCall, "weakref.ref of this object");
  const std::optional<bool> fits = IsReferable(s, of);
  if (!fits.value_or(true))
    return in.Raise("builtins:TypeError", StrCat("cannot create weak reference to '", FullTypeName(of), "' object"));
  if (!fits.has_value() || AsConstant(target) != nullptr)
    return in.Break(Reason::kUnsupportedCall, "weakref.ref of this object");
  const bool plain = type->is("weakref:ReferenceType"), calls = callback != s.None();
  if (auto known = s.references.find(target); plain && !calls && known != s.references.end())
    return in.Done(known->second);
  if (target->is_real() ? target->subject == model::kNoSubject : !target->mutable_made)
    return in.Break(Reason::kUnsupportedCall, "weakref.ref of this object");
  if (calls) {  // classes are in rings of their own; of others the end may come in this frame
    const bool stays = target->kind == ValueKind::kType || (target->is_real() && !in.IsOfCells(target));
    if (!stays)
      return in.LeaveAsWritten(Reason::kLifetime, "a weak reference with a callback");
    s.has_callbacks = s.has_callbacks || target->kind != ValueKind::kType;
  }
  auto* object = s.New<ObjectValue>();
  object->type = type;
  object->mutable_made = true;
  (plain ? object->constructor : object->hint) = plain ? "weakref" : kReferenceHint;
  object->arguments = {target};
  if (calls)
    object->arguments.push_back(callback);
  if (plain && !calls)
    s.references[target] = object;
  return in.Done(object);
}

}  // namespace

Outcome BuiltinWeakRef(Interp& in, Args& args, Tail) {
  if (args.positional.empty() || args.positional.size() > 2 || !args.keyword.empty())
    return WrongArguments(in, "weakref.ref");
  return Refer(in, in.s.TypeOfSymbol("weakref:ReferenceType"), args.positional[0],
               args.positional.size() == 2 ? args.positional[1] : nullptr);
}

// What else is given is for __init__.
Outcome BuiltinWeakRefNew(Interp& in, Args& args, Tail) {
  auto* type = args.positional.size() < 2 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (type == nullptr)
    return WrongArguments(in, "weakref.ref.__new__");
  return Refer(in, type, args.positional[1], args.positional.size() > 2 ? args.positional[2] : nullptr);
}

Outcome BuiltinFinalize(Interp& in, Args&, Tail) {
  return in.LeaveAsWritten(Reason::kLifetime, "weakref.finalize");
}

Outcome BuiltinGetRefCount(Interp& in, Args&, Tail) {
  return in.LeaveAsWritten(Reason::kLifetime, "sys.getrefcount");
}

namespace {

V Referent(Session& s, ObjectValue* reference) {
  return reference->is_real() ? s.StepFrom(reference, model::Step::kWeakrefTarget) : reference->arguments[0];
}

// Equal where what they refer to is, as long as both live.
Outcome EqualReferents(Interp& in, Args& args) {
  Session& s = in.s;
  if (args.positional.size() != 2)
    return WrongArguments(in, "weakref.ref.__eq__");
  auto *a = As<ObjectValue>(s.Resolve(args.positional[0])), *b = As<ObjectValue>(s.Resolve(args.positional[1]));
  auto is_reference = [&](ObjectValue* object) { return object != nullptr && s.IsSubclass(s.TypeOf(object), "weakref:ReferenceType"); };
  if (!is_reference(a) || !is_reference(b))
    return in.Done(s.Const(Constant::Of(ConstantKind::kNotImplemented)));
  V left = Referent(s, a), right = Referent(s, b);
  return left == nullptr || right == nullptr ? in.Is(a, b) : in.Equal(left, right);
}

// The inverse of a truth, NotImplemented as it is.
Outcome Inverse(Interp& in, Outcome outcome) {
  if (outcome.ok() && (outcome.value == in.s.Bool(true) || outcome.value == in.s.Bool(false)))
    outcome.value = in.s.Bool(outcome.value != in.s.Bool(true));
  return outcome;
}

}  // namespace

Outcome BuiltinWeakRefEqual(Interp& in, Args& args, Tail) {
  return EqualReferents(in, args);
}

Outcome BuiltinWeakRefNotEqual(Interp& in, Args& args, Tail) {
  return Inverse(in, EqualReferents(in, args));
}

Outcome BuiltinWeakRefHash(Interp& in, Args& args, Tail) {
  auto* self = args.positional.size() != 1 ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  V referent = self == nullptr ? nullptr : Referent(in.s, self);
  return referent == nullptr ? in.Break(Reason::kUnsupportedValue, "the hash of a dead reference") : Hash(in, referent);
}

Outcome BuiltinMethodEqual(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  if (args.positional.size() != 2)
    return WrongArguments(in, "method.__eq__");
  auto *a = As<MethodValue>(s.Resolve(args.positional[0])), *b = As<MethodValue>(s.Resolve(args.positional[1]));
  if (a == nullptr || b == nullptr)
    return in.Done(s.Const(Constant::Of(ConstantKind::kNotImplemented)));
  FRAMEGATE_TAKE(V same, in.Is(a->self, b->self));
  return same == s.Bool(true) ? in.Equal(a->function, b->function) : in.Done(same);
}

Outcome BuiltinMethodNotEqual(Interp& in, Args& args, Tail tail) {
  return Inverse(in, BuiltinMethodEqual(in, args, tail));
}

// An int that tells the thread; no two threads of a process share it. Only what keeps a repr() from going round asks for it and no more:
// others may want the number, which is known only when the original runs.
Outcome BuiltinGetIdent(Interp& in, Args& args, Tail) {
  if (!args.positional.empty() || in.top().code->image->qualname.find("recursive_repr.<locals>") == std::string::npos)
    return in.Break(Reason::kOpaqueCall, "_thread:get_ident");
  auto* value = in.s.New<ResidualValue>();
  value->type = in.s.TypeOfSymbol("builtins:int");
  value->function = "get_ident";
  return in.Done(value);
}

Outcome BuiltinWeakRefCall(Interp& in, Args& args, Tail) {
  auto* self = args.positional.size() != 1 ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  if (self == nullptr)
    return WrongArguments(in, "a weak reference's call");
  V target = self->is_real() ? in.s.StepFrom(self, model::Step::kWeakrefTarget) : self->arguments[0];
  if (target == nullptr)
    return in.Done(in.s.None());
  target = in.s.Resolve(target);
  if (target->is_real())
    return in.LivesStill(target) ? in.Done(target) : in.Break(Reason::kLifetime, "a weak reference to an object that nobody may keep");
  switch (in.IsHeldNow(target)) {
    case Interp::Held::kYes:
      return in.Done(target);
    case Interp::Held::kNo:
      return in.Done(in.s.None());
    case Interp::Held::kUnknown:
      break;
  }
  return in.Break(Reason::kLifetime, "a weak reference to an object that nobody may keep");
}

namespace {

V MadeBy(Interp& in, const char* type, const char* constructor, Values arguments) {
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol(type);
  object->mutable_made = true;
  object->constructor = constructor;
  object->arguments = std::move(arguments);
  return object;
}

}  // namespace

// list[int] and the like, which is called as list is.
Outcome BuiltinGenericAlias(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "__class_getitem__");
  V alias = MadeBy(in, "types:GenericAlias", "GenericAlias", args.positional);
  As<ObjectValue>(alias)->stand_in = args.positional[0];
  return in.Done(alias);
}

// Of types.GenericAlias and of classes that typing and collections.abc derive from it: good for annotations.
Outcome BuiltinGenericAliasNew(Interp& in, Args& args, Tail) {
  auto* type = args.positional.size() == 3 ? As<TypeValue>(in.s.Resolve(args.positional[0])) : nullptr;
  if (type == nullptr)
    return WrongArguments(in, "GenericAlias.__new__");
  const bool is_plain = type->is("types:GenericAlias");
  V alias = MadeBy(in, "types:GenericAlias", is_plain ? "GenericAlias" : "", {args.positional[1], args.positional[2]});
  alias->type = type;
  As<ObjectValue>(alias)->stand_in = args.positional[1];
  return in.Done(alias);
}

// X | Y of classes, and of None.
Outcome BuiltinTypeOr(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "type.__or__");
  for (V& side : args.positional) {
    side = in.s.Resolve(side);
    TypeValue* type = in.s.TypeOf(side);
    const bool joins =
        type != nullptr && (in.s.IsSubclass(type, "types:GenericAlias") || type->is("types:UnionType") || type->is("typing:TypeAliasType"));
    if (As<TypeValue>(side) == nullptr && side != in.s.None() && !joins)
      return in.Done(in.s.Const(Constant::Of(ConstantKind::kNotImplemented)));
  }
  return in.Done(MadeBy(in, "types:UnionType", "or", args.positional));
}

namespace {

// Objects of one type are equal where these parts are.
Outcome EqualByParts(Interp& in, Args& args, std::string_view symbol, std::initializer_list<const char*> parts) {
  Session& s = in.s;
  if (args.positional.size() != 2)
    return WrongArguments(in, StrCat(symbol.substr(symbol.find(':') + 1), ".__eq__").c_str());
  for (V side : args.positional)
    if (TypeValue* type = s.TypeOf(side); type == nullptr || !type->is(symbol))
      return in.Done(s.Const(Constant::Of(ConstantKind::kNotImplemented)));
  for (const char* part : parts) {
    FRAMEGATE_TAKE(V left, in.GetAttr(args.positional[0], part));
    FRAMEGATE_TAKE(V right, in.GetAttr(args.positional[1], part));
    FRAMEGATE_TAKE(V equal, in.Equal(left, right));
    if (equal != s.Bool(true))
      return in.Done(equal);
  }
  return in.Done(s.Bool(true));
}

}  // namespace

Outcome BuiltinAliasEqual(Interp& in, Args& args, Tail) {
  return EqualByParts(in, args, "types:GenericAlias", {"__origin__", "__args__"});
}

Outcome BuiltinPatternEqual(Interp& in, Args& args, Tail) {
  return EqualByParts(in, args, "re:Pattern", {"flags", "pattern"});
}

Outcome BuiltinPatternNotEqual(Interp& in, Args& args, Tail tail) {
  return Inverse(in, BuiltinPatternEqual(in, args, tail));
}

Outcome BuiltinAliasNotEqual(Interp& in, Args& args, Tail tail) {
  return Inverse(in, BuiltinAliasEqual(in, args, tail));
}

namespace {

Outcome SizeOf(Interp& in, Values items) {
  SequenceValue* size = in.s.Tuple(std::move(items));
  size->type = in.s.TypeOfSymbol("torch:Size");
  return in.Done(size);
}

// The two operands' items, where both are tuples.
Outcome Sides(Interp& in, Args& args, Values* left, Values* right) {
  if (args.positional.size() != 2)
    return in.Break(Reason::kUnsupportedCall, "torch.Size with these arguments");
  for (V side : args.positional)
    if (TypeValue* type = in.s.TypeOf(side); type == nullptr || !type->Has(model::TypeFlag::kTupleSubclass))
      return in.Break(Reason::kUnsupportedCall, "torch.Size and something other than a tuple");
  FRAMEGATE_TAKE([[maybe_unused]] V first, in.ToValues(args.positional[0], left));
  return in.ToValues(args.positional[1], right);
}

}  // namespace

Outcome BuiltinSizeAdd(Interp& in, Args& args, Tail) {
  Values items, more;
  FRAMEGATE_TAKE([[maybe_unused]] V both, Sides(in, args, &items, &more));
  items.insert(items.end(), more.begin(), more.end());
  return SizeOf(in, std::move(items));
}

Outcome BuiltinSizeAddTo(Interp& in, Args& args, Tail tail) {
  if (args.positional.size() == 2)
    std::swap(args.positional[0], args.positional[1]);
  return BuiltinSizeAdd(in, args, tail);
}

}  // namespace framegate::translator
