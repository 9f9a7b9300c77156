// What C descriptors take.
#include "translator/slots/members.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

// Instances of the class have a dict and nothing else: whatever its bases, it is made of Python classes without slots.
bool HasPlainLayout(Session& s, TypeValue* type) {
  for (TypeValue* base : s.MroOf(type)) {
    if (base->is("builtins:object"))
      continue;
    if (!base->Has(TypeFlag::kHeapType) || !base->Has(TypeFlag::kInstancesHaveDict) || OwnAttr(s, base, "__slots__") != nullptr)
      return false;
  }
  return true;
}

}  // namespace

Outcome SetClass(Interp& in, V object, V value) {
  Session& s = in.s;
  TypeValue *from = s.TypeOf(object), *to = As<TypeValue>(value);
  if (to == nullptr && s.TypeOf(value) != nullptr)
    return in.Raise("builtins:TypeError", StrCat("__class__ must be set to a class, not '", TypeName(s.TypeOf(value)), "' object"));
  if (As<ObjectValue>(object) == nullptr || to == nullptr || s.Payload(object) != nullptr || to->Has(TypeFlag::kHasDel) ||
      !HasPlainLayout(s, from) || !HasPlainLayout(s, to))
    return in.Break(Reason::kUnsupportedMutation, StrCat(TypeName(from), ".__class__"));
  s.Touch(object);
  object->type = to;
  if (object->is_real())
    s.AddEffect({.helper = model::Helper::kSetAttrGeneric, .args = {object, s.Str("__class__"), to}});
  return in.Done(s.None());
}

// C getset descriptors that the translator can set on what was made in the frame.
Outcome SetGetset(Interp& in, V object, const std::string& name, V value) {
  Session& s = in.s;
  if (name == "__class__" && value != nullptr)
    return SetClass(in, object, s.Resolve(value));
  TypeValue* type = s.TypeOf(object);
  auto* exception = As<ObjectValue>(object);
  V resolved = value == nullptr ? nullptr : s.Resolve(value);
  if (exception != nullptr && !exception->is_real() && resolved != nullptr && type->Has(TypeFlag::kExceptionSubclass)) {
    bool none = resolved == s.None();
    bool is_exception = none || s.IsSubclass(s.TypeOf(resolved), "builtins:BaseException");
    s.Touch(exception);
    if (name == "args") {
      Values items;
      FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(resolved, &items));
      exception->arguments = std::move(items);
      return in.Done(s.None());
    }
    if (name == "__traceback__") {
      TypeValue* given = s.TypeOf(resolved);
      if (given == nullptr)
        return in.Break(Reason::kUnsupportedMutation, "a traceback of unknown type");
      if (!none && TypeName(given) != "traceback" && TypeName(given) != "TracebackType")
        return in.Raise("builtins:TypeError", "__traceback__ must be a traceback or None");
      exception->traceback = none ? nullptr : resolved;
      return in.Done(s.None());
    }
    if ((name == "__cause__" || name == "__context__") && is_exception) {
      (name == "__cause__" ? exception->cause : exception->context) = none ? nullptr : resolved;
      if (name == "__cause__")
        exception->suppress_context = true;
      return in.Done(s.None());
    }
  }
  if (auto* cell = As<CellValue>(object); cell != nullptr && name == "cell_contents") {
    s.Touch(cell);
    cell->contents = resolved;
    cell->loaded = true;
    if (cell->is_real() && resolved == nullptr)
      s.AddEffect({.helper = model::Helper::kCellClear, .args = {cell}});
    else if (cell->is_real())
      s.AddEffect({.helper = model::Helper::kCellSet, .args = {cell, resolved}});
    return in.Done(s.None());
  }
  if (AsConstant(object) != nullptr)
    return in.Raise("builtins:AttributeError", StrCat("attribute '", name, "' of '", TypeName(type), "' objects is not writable"));
  if (exception != nullptr && exception->is_real() && resolved != nullptr && name == "__traceback__" &&
      type->Has(TypeFlag::kExceptionSubclass))
    if (auto* traceback = As<ObjectValue>(resolved); traceback != nullptr && traceback->hint == "traceback") {
      s.Journal(exception);
      exception->traceback = traceback;
      s.AddEffect({.helper = model::Helper::kSetAttrGeneric, .args = {exception, s.Str(name), traceback}});
      return in.Done(s.None());
    }
  auto* function = As<FunctionValue>(object);
  const Constant* text = resolved == nullptr ? nullptr : ConstantOf(s, resolved, ConstantKind::kStr);
  if (function != nullptr && (name == "__name__" || name == "__qualname__")) {
    if (text == nullptr)
      return in.Raise("builtins:TypeError", StrCat(name, " must be set to a string object"));
    s.Touch(function);
    if (function->is_real() || name == "__name__")
      s.SetInstanceAttr(function, name, resolved);
    (name == "__name__" ? function->name : function->qualname) = text->text;
    return in.Done(s.None());
  }
  if (function != nullptr && !function->is_real() && resolved != nullptr) {
    s.Touch(function);
    if (name == "__defaults__") {
      function->defaults = resolved == s.None() ? nullptr : resolved;
      return in.Done(s.None());
    }
    if (name == "__kwdefaults__") {
      function->kwdefaults = resolved == s.None() ? nullptr : resolved;
      return in.Done(s.None());
    }
    if (name == "__annotations__" || name == "__type_params__") {
      if (name == "__annotations__")
        function->annotations = nullptr;
      s.SetInstanceAttr(function, name, resolved);
      return in.Done(s.None());
    }
  }
  return in.Break(Reason::kUnsupportedMutation, StrCat(TypeName(type), ".", name));
}

}  // namespace framegate::translator
