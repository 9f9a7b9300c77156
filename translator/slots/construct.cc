// Calls of classes: what makes the object, and what __init__ does to it.
#include <algorithm>
#include <cerrno>

#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::Resume;
using model::Step;
using model::TypeFlag;

bool AreConstant(Session& s, const Args& args) {
  Constant unused;
  for (V value : args.positional)
    if (value == nullptr || !ToConstant(s, value, &unused))
      return false;
  for (const auto& [name, value] : args.keyword)
    if (!ToConstant(s, value, &unused))
      return false;
  return true;
}

namespace {

// What object.__new__ says of a class with abstract methods.
Outcome AbstractInstance(Interp& in, TypeValue* type) {
  FRAMEGATE_TAKE(V abstract, in.GetAttr(type, "__abstractmethods__"));
  FRAMEGATE_TAKE(V sorted, in.CallBuiltin("builtins:sorted", {.positional = {abstract}}, kSync));
  auto* names = As<SequenceValue>(in.s.Resolve(sorted));
  if (names == nullptr)
    return in.Break(Reason::kUnsupportedCall, StrCat("abstract class ", type->symbol));
  std::string text;
  for (V item : names->items) {
    const Constant* name = ConstantOf(in.s, item, ConstantKind::kStr);
    if (name == nullptr)
      return in.Break(Reason::kUnsupportedCall, StrCat("abstract class ", type->symbol));
    std::string_view quote = in.s.Is311() ? "" : "'";
    text += StrCat(text.empty() ? "" : ", ", quote, name->text, quote);
  }
  bool several = names->items.size() > 1;
  return in.Raise("builtins:TypeError",
                  in.s.Is311()
                      ? StrCat("Can't instantiate abstract class ", TypeName(type), " with abstract method", several ? "s " : " ", text)
                      : StrCat("Can't instantiate abstract class ", TypeName(type), " without an implementation for abstract method",
                               several ? "s " : " ", text));
}

bool IsBuiltinNamed(Session& s, V value, std::string_view symbol) {
  auto* builtin = As<BuiltinValue>(s.Resolve(value));
  return builtin != nullptr && builtin->symbol == symbol;
}

struct ErrorNumber {
  int number;
  std::string_view type;
};

// OSError(errno, ...) is of the class that stands for the number.
TypeValue* ErrorType(Session& s, TypeValue* type, const Args& args) {
  static constexpr ErrorNumber kNumbers[] = {{EAGAIN, "builtins:BlockingIOError"},
                                             {EALREADY, "builtins:BlockingIOError"},
                                             {EINPROGRESS, "builtins:BlockingIOError"},
                                             {EPIPE, "builtins:BrokenPipeError"},
                                             {ESHUTDOWN, "builtins:BrokenPipeError"},
                                             {ECHILD, "builtins:ChildProcessError"},
                                             {ENOENT, "builtins:FileNotFoundError"},
                                             {ECONNREFUSED, "builtins:ConnectionRefusedError"},
                                             {ECONNRESET, "builtins:ConnectionResetError"},
                                             {EEXIST, "builtins:FileExistsError"},
                                             {ECONNABORTED, "builtins:ConnectionAbortedError"},
                                             {EISDIR, "builtins:IsADirectoryError"},
                                             {EINTR, "builtins:InterruptedError"},
                                             {ENOTDIR, "builtins:NotADirectoryError"},
                                             {EACCES, "builtins:PermissionError"},
                                             {EPERM, "builtins:PermissionError"},
                                             {ESRCH, "builtins:ProcessLookupError"},
                                             {ETIMEDOUT, "builtins:TimeoutError"}};
  const size_t count = args.positional.size();
  const Constant* given = !type->is("builtins:OSError") || count < 2 || count > 5 ? nullptr : IntOf(s, args.positional[0]);
  const auto* row = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                 [&](const ErrorNumber& one) { return given != nullptr && IntValue(*given) == one.number; });
  return row == std::end(kNumbers) ? type : s.TypeOfSymbol(std::string(row->type));
}

// Its C code looks at the arguments, and keeps them elsewhere.
bool TakesArgumentsApart(Session& s, TypeValue* type, const Args& args) {
  return s.IsSubclass(type, "builtins:UnicodeError") || (s.IsSubclass(type, "builtins:SyntaxError") && args.positional.size() > 1);
}

// The bare object that the C base's __new__ would make, or null where the base is not modelled.
V NewObject(Interp& in, TypeValue* type, const Args& args) {
  Session& s = in.s;
  if (type->Has(TypeFlag::kListSubclass) || type->Has(TypeFlag::kTupleSubclass) || type->Has(TypeFlag::kDictSubclass) ||
      type->Has(TypeFlag::kLongSubclass) || type->Has(TypeFlag::kStrSubclass) || type->Has(TypeFlag::kBytesSubclass) ||
      type->Has(TypeFlag::kTypeSubclass) || type->Has(TypeFlag::kTensorSubclass) || type->Has(TypeFlag::kSetSubclass)) {
    if (type->Has(TypeFlag::kListSubclass) && type->Has(TypeFlag::kHeapType)) {
      auto* list = s.List({});
      list->type = type;
      return list;
    }
    if (type->Has(TypeFlag::kDictSubclass) && type->Has(TypeFlag::kHeapType)) {
      auto* dict = s.Dict();
      dict->type = type;
      return dict;
    }
    return nullptr;
  }
  const bool is_exception = type->Has(TypeFlag::kExceptionSubclass);
  if (is_exception && TakesArgumentsApart(s, type, args))
    return nullptr;
  auto* object = s.New<ObjectValue>();
  object->type = is_exception ? ErrorType(s, type, args) : type;
  object->mutable_made = true;
  if (is_exception)
    object->arguments = args.positional;
  return object;
}

}  // namespace

Outcome Interp::CallType(TypeValue* type, Args args, Tail tail) {
  if (type->is_real() && !FindPolyfill(type->symbol).empty() && !(IsPureCall(type->symbol) && AreConstant(s, args)))
    return CallBuiltin(type->symbol, std::move(args), tail);
  if (type->is_real() && FindBuiltin(type->symbol) != nullptr)
    return CallBuiltin(type->symbol, std::move(args), tail);
  TypeValue* metatype = s.TypeOf(type);
  if (metatype != nullptr && !metatype->is("builtins:type")) {
    V call = s.TypeAttr(metatype, "__call__");
    auto* function = As<FunctionValue>(s.Resolve(call));
    if (function != nullptr) {
      args.positional.insert(args.positional.begin(), type);
      return Call(function, std::move(args), tail);
    }
    if (auto* other = As<TypeValue>(s.Resolve(call)))  // no descriptor: called as it is, as TypedDict has it
      return Call(other, std::move(args), tail);
  }
  return Construct(type, std::move(args), tail);
}

Outcome Interp::Construct(TypeValue* type, Args args, Tail tail) {
  if (type->is("builtins:type") && args.positional.size() == 3)
    return CallBuiltin("builtins:type", std::move(args), tail);
  if (type->Has(TypeFlag::kHasDel))
    return Break(Reason::kUnsupportedCall, StrCat(type->symbol, " has __del__"));
  V make = s.TypeAttr(type, "__new__"), init = s.TypeAttr(type, "__init__");
  V object = nullptr;
  V maker = s.Resolve(make);
  if (maker != nullptr && s.TypeOf(maker) != nullptr && s.TypeOf(maker)->is("builtins:staticmethod"))
    maker = s.Resolve(PartOf(s, maker, Step::kMethodFunc));
  bool objects_new = IsBuiltinNamed(s, make, "builtins:object.__new__");
  if (type->Has(TypeFlag::kAbstract) && objects_new)
    return AbstractInstance(*this, type);
  auto* builtin_maker = As<BuiltinValue>(maker);
  if (As<FunctionValue>(maker) != nullptr ||
      (builtin_maker != nullptr && !objects_new && (type->Has(TypeFlag::kHeapType) || type->Has(TypeFlag::kExceptionSubclass)) &&
       FindBuiltin(builtin_maker->symbol) != nullptr)) {
    Args with_type = args;
    with_type.positional.insert(with_type.positional.begin(), type);
    FRAMEGATE_TAKE(object, Call(maker, std::move(with_type)));
    object = s.Resolve(object);
    TypeValue* made = s.TypeOf(object);
    if (made == nullptr || !s.IsSubclassOf(made, type))
      return Done(object);
  } else {
    bool plain = objects_new || IsBuiltinNamed(s, make, "builtins:property.__new__") || type->Has(TypeFlag::kExceptionSubclass) ||
                 type->Has(TypeFlag::kListSubclass) || type->Has(TypeFlag::kDictSubclass);
    object = plain && (type->Has(TypeFlag::kHeapType) || type->Has(TypeFlag::kExceptionSubclass)) ? NewObject(*this, type, args) : nullptr;
    if (object == nullptr)
      return Fold(type->symbol, args);
    bool takes_none = objects_new && IsBuiltinNamed(s, init, "builtins:object.__init__");
    if (takes_none && (!args.positional.empty() || !args.keyword.empty()))
      return Raise("builtins:TypeError", StrCat(TypeName(type), "() takes no arguments"));
  }
  auto* initialize = As<FunctionValue>(s.Resolve(init));
  if (initialize == nullptr) {
    const bool named = type->Has(TypeFlag::kExceptionSubclass) && !args.keyword.empty();
    if (As<SequenceValue>(object) != nullptr || As<MappingValue>(object) != nullptr || named ||
        IsBuiltinNamed(s, init, "builtins:property.__init__")) {
      args.positional.insert(args.positional.begin(), object);
      FRAMEGATE_TAKE([[maybe_unused]] V none, Call(init, std::move(args)));
    }
    return Done(object);
  }
  args.positional.insert(args.positional.begin(), object);
  Outcome outcome = Call(initialize, std::move(args), {tail.allowed && tail.resume == Resume::kPush, Resume::kInit});
  if (outcome.flow == Flow::kFrame)
    return {Flow::kFrame, object};
  if (outcome.ok() && s.Resolve(outcome.value) != s.None())
    return Raise("builtins:TypeError", StrCat("__init__() should return None, not '", TypeName(s.TypeOf(outcome.value)), "'"));
  return outcome.ok() ? Done(object) : outcome;
}

}  // namespace framegate::translator
