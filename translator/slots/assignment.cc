// Assignment and deletion of attributes as CPython's generic, type and module algorithms do them.
#include "translator/slots/members.h"
#include "translator/slots/missing.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::Step;
using model::TypeFlag;

// type.__setattr__ and __delattr__ (value null).
Outcome SetTypeAttribute(Interp& in, TypeValue* type, const std::string& name, V value) {
  Session& s = in.s;
  if (!type->Has(TypeFlag::kHeapType))
    return in.Raise("builtins:TypeError", StrCat("cannot set '", name, "' attribute of immutable type '", TypeName(type), "'"));
  TypeValue* metatype = s.TypeOf(type);
  V meta = metatype == nullptr ? nullptr : s.TypeAttr(metatype, name);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  bool is_data = kind != nullptr && kind->Has(TypeFlag::kDataDescriptor);
  // What decides how instances behave is read from the type's slots, which a change in the frame does not reach; so are abstract methods.
  bool special = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  bool harmless = name == "__doc__" || name == "__module__" || name == "__annotations__" || name == "__match_args__" ||
                  name == "__orig_bases__" || name == "__parameters__" || name == "__wrapped__" || name == "__post_init__";
  if ((is_data && !harmless) || (special && !harmless && !(value != nullptr && !type->is_real() && RefreshesFlags(name))))
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name, value == nullptr ? " deleted" : " set"));
  if (type->is_real() && type->subject == model::kNoSubject)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  if (value == nullptr) {
    bool has = type->is_real() && s.StepFrom(type, Step::kTypeDictItem, name) != nullptr;
    for (const auto& [own, set] : type->own)
      if (own == name)
        has = set != nullptr;
    const std::string text = StrCat("type object '", NameOf(in, type), "' has no attribute '", name, "'");
    if (!has)
      return s.Is313() ? RaiseMissing(in, type, name, text) : in.Raise("builtins:AttributeError", text);
  }
  s.SetTypeAttr(type, name, value);
  if (special && !type->is_real())
    SetSlotFlags(s, type);
  return in.Done(s.None());
}

namespace {

Outcome SetOnType(Interp& in, TypeValue* type, const std::string& name, V value) {
  if (!type->Has(TypeFlag::kHeapType))
    return in.Raise("builtins:TypeError", StrCat("cannot set '", name, "' attribute of immutable type '", TypeName(type), "'"));
  TypeValue* metatype = in.s.TypeOf(type);
  V meta = metatype == nullptr ? nullptr : in.s.TypeAttr(metatype, value == nullptr ? "__delattr__" : "__setattr__");
  if (auto* function = As<FunctionValue>(in.s.Resolve(meta))) {
    Args args{.positional = {type, in.s.Str(name)}};
    if (value != nullptr)
      args.positional.push_back(value);
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.Call(function, std::move(args)));
    return in.Done(in.s.None());
  }
  return SetTypeAttribute(in, type, name, value);
}

Outcome SetThrough(Interp& in, V descriptor, TypeValue* kind, V object, const std::string& name, V value, Tail tail) {
  Session& s = in.s;
  if (IsProperty(s, kind)) {
    V setter = PartOf(s, descriptor, value == nullptr ? Step::kPropertyDel : Step::kPropertySet);
    const std::string& owner = s.TypeOf(object)->symbol;
    if (setter == nullptr)
      return in.Raise("builtins:AttributeError", StrCat("property '", name, "' of '", owner.substr(owner.find(':') + 1), "' object has no ",
                                                        value == nullptr ? "deleter" : "setter"));
    Args args{.positional = {object}};
    if (value != nullptr)
      args.positional.push_back(value);
    return in.Call(setter, std::move(args), tail);
  }
  if (auto* exception = As<ObjectValue>(object); kind->is("builtins:member_descriptor") && exception != nullptr && !exception->is_real() &&
                                                 name == "__suppress_context__" && value != nullptr) {
    FRAMEGATE_TAKE(V truth, in.Truth(value));
    s.Touch(exception);
    exception->suppress_context = truth == s.Bool(true);
    return in.Done(s.None());
  }
  if (auto* function = As<FunctionValue>(object);
      kind->is("builtins:member_descriptor") && function != nullptr && value != nullptr && (name == "__doc__" || name == "__module__")) {
    s.SetInstanceAttr(function, name, value);
    return in.Done(s.None());
  }
  if (auto* mapping = As<MappingValue>(object); mapping != nullptr && name == "default_factory" && value != nullptr) {
    V factory = s.Resolve(value);
    s.Touch(mapping);
    if (mapping->is_real())
      s.SetInstanceAttr(mapping, name, factory);
    else
      mapping->default_factory = factory == s.None() ? nullptr : factory;
    return in.Done(s.None());
  }
  if (IsTupleGetter(kind))
    return in.Raise("builtins:AttributeError", value == nullptr ? "can't delete attribute" : "can't set attribute");
  if (kind->is("builtins:member_descriptor") && As<ObjectValue>(object) != nullptr) {
    if (value == nullptr) {
      const Outcome old = in.GetAttr(object, name);
      if (old.flow == Flow::kRaise)
        return in.Raise("builtins:AttributeError", name);
      if (!old.ok())
        return old;
    }
    s.SetInstanceAttr(object, name, value);
    return in.Done(s.None());
  }
  if (kind->Has(TypeFlag::kPythonDescriptor)) {
    V set = s.TypeAttr(kind, value == nullptr ? "__delete__" : "__set__");
    if (set == nullptr)
      return in.Raise("builtins:AttributeError", value == nullptr ? "__delete__" : "__set__");
    Args args{.positional = {descriptor, object}};
    if (value != nullptr)
      args.positional.push_back(value);
    return in.Call(set, std::move(args), tail);
  }
  if (kind->is("builtins:getset_descriptor"))
    return SetGetset(in, object, name, value);
  return in.Break(Reason::kUnsupportedMutation, StrCat(TypeName(s.TypeOf(object)), ".", name));
}

}  // namespace

// object.__setattr__ and __delattr__, without looking for an override.
Outcome SetAttrGeneric(Interp& in, V object, const std::string& name, V value, Tail tail) {
  Session& s = in.s;
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr || As<OpaqueValue>(object) != nullptr || As<ResidualValue>(object) != nullptr)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type == nullptr ? "?" : type->symbol, ".", name));
  bool has_dict = type->Has(TypeFlag::kInstancesHaveDict);
  V meta = has_dict && s.LacksDataDescriptor(type, name) ? nullptr : s.TypeAttr(type, name);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  if (kind != nullptr && kind->Has(TypeFlag::kDataDescriptor))
    return SetThrough(in, s.Resolve(meta), kind, object, name, value, tail);
  if (!has_dict) {
    if (meta != nullptr)
      return in.Raise("builtins:AttributeError", StrCat("'", TypeName(type), "' object attribute '", name, "' is read-only"));
    return NoAttributeToChange(in, object, type, name, /*has_dict=*/false);
  }
  if (value == nullptr && s.InstanceAttr(object, name) == nullptr)
    return NoAttributeToChange(in, object, type, name, /*has_dict=*/true);
  if (As<ObjectValue>(object) == nullptr && As<SequenceValue>(object) == nullptr && As<MappingValue>(object) == nullptr &&
      As<FunctionValue>(object) == nullptr && As<PartialValue>(object) == nullptr)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  s.SetInstanceAttr(object, name, value);
  return in.Done(s.None());
}

Outcome Interp::SetAttr(V object, const std::string& name, V value, Tail tail) {
  object = s.Resolve(object);
  if (object == nullptr)
    return Break(Reason::kUnsupportedMutation, name);
  if (auto* type = As<TypeValue>(object))
    return SetOnType(*this, type, name, value);
  if (auto* tensor = As<TensorValue>(object))
    return SetTensorAttr(tensor, name, value);
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr)
    return Break(Reason::kUnsupportedMutation, name);
  if (type->is("builtins:module")) {
    auto* dict = As<MappingValue>(s.Resolve(s.StepFrom(object, Step::kModuleDict)));
    if (dict == nullptr)
      return Break(Reason::kUnsupportedMutation, name);
    if (value != nullptr)
      s.MappingSet(dict, s.Str(name), value);
    else if (!s.MappingDelete(dict, s.Str(name)))
      return NoAttributeToChange(*this, object, type, name, /*has_dict=*/true);
    return Done(s.None());
  }
  if (type->Has(TypeFlag::kPythonSetattr)) {
    V method = s.TypeAttr(type, value == nullptr ? "__delattr__" : "__setattr__");
    if (As<FunctionValue>(s.Resolve(method)) != nullptr) {
      Args args{.positional = {object, s.Str(name)}};
      if (value != nullptr)
        args.positional.push_back(value);
      return Call(method, std::move(args), tail);
    }
    if (As<BuiltinValue>(s.Resolve(method)) == nullptr)
      return Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".__setattr__, which is no function"));
  } else if (IsThreadLocal(s, object, type)) {
    auto* dict = As<MappingValue>(LocalDict(s, object));
    if (dict == nullptr || name == "__dict__" || !s.LacksDataDescriptor(type, name))
      return Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
    if (value != nullptr)
      s.MappingSet(dict, s.Str(name), value);
    else if (!s.MappingDelete(dict, s.Str(name)))
      return NoAttributeToChange(*this, object, type, name, /*has_dict=*/true);
    return Done(s.None());
  } else if (!type->Has(TypeFlag::kGenericSetattr) && object->is_real()) {
    return Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  }
  return SetAttrGeneric(*this, object, name, value, tail);
}

Outcome DescriptorSet(Interp& in, V descriptor, V object, const std::string& name, V value) {
  descriptor = in.s.Resolve(descriptor);
  TypeValue* kind = in.s.TypeOf(descriptor);
  return kind == nullptr ? in.Break(Reason::kUnsupportedMutation, name) : SetThrough(in, descriptor, kind, object, name, value, kSync);
}

}  // namespace framegate::translator
