#include "translator/slots/type_parameters.h"

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

namespace {

ObjectValue* Made(Session& s, const char* type, std::string_view hint, size_t parts) {
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol(type);
  object->mutable_made = true;
  object->hint = hint;
  object->arguments.resize(parts);
  return object;
}

// What the function at a place gives, which is kept right after it.
Outcome Computed(Interp& in, ObjectValue* object, size_t place) {
  if (V known = object->arguments[place + 1])
    return in.Done(known);
  FRAMEGATE_TAKE(V value, in.Call(object->arguments[place], {}));
  in.s.Touch(object);
  object->arguments[place + 1] = value;
  return in.Done(value);
}

Outcome ParameterMember(Interp& in, ObjectValue* parameter, const std::string& name) {
  Session& s = in.s;
  const Values& parts = parameter->arguments;
  const bool is_tuple = parameter->type->is("typing:TypeVarTuple");
  auto part = [&](size_t place, V otherwise) { return parts[place] == nullptr ? in.Done(otherwise) : Computed(in, parameter, place); };
  if (name == "__name__")
    return in.Done(parts[TypeParameterPart::kName]);
  if (name == "__default__" && s.Is313())
    return part(TypeParameterPart::kDefault, s.Symbol("typing:NoDefault"));
  if (name == "__bound__" && !is_tuple)
    return part(TypeParameterPart::kBound, s.None());
  if (name == "__constraints__" && parameter->type->is("typing:TypeVar"))
    return part(TypeParameterPart::kConstraints, s.Tuple({}));
  if (!is_tuple && (name == "__covariant__" || name == "__contravariant__" || name == "__infer_variance__"))
    return in.Done(s.Bool(name == "__infer_variance__"));
  if (parameter->type->is("typing:ParamSpec") && (name == "args" || name == "kwargs"))
    return in.Break(Reason::kUnsupportedAttribute, StrCat("ParamSpec.", name));
  return in.Done(nullptr);
}

Outcome AliasMember(Interp& in, ObjectValue* alias, const std::string& name) {
  Session& s = in.s;
  const Values& parts = alias->arguments;
  V parameters = parts[TypeAliasPart::kParameters];
  if (name == "__name__")
    return in.Done(parts[TypeAliasPart::kName]);
  if (name == "__value__")
    return Computed(in, alias, TypeAliasPart::kCompute);
  if (name == "__module__")
    return in.GetAttr(parts[TypeAliasPart::kCompute], name);
  if (name == "__type_params__")
    return in.Done(parameters == nullptr ? s.Tuple({}) : parameters);
  if (name != "__parameters__")
    return in.Done(nullptr);
  if (parameters == nullptr)
    return in.Done(s.Tuple({}));
  return in.Call(s.Symbol("framegate._polyfills_typing:unpacked"), {.positional = {parameters}});
}

}  // namespace

Outcome MakeTypeParameter(Interp& in, const char* type, V name, size_t part, V compute) {
  if (ConstantOf(in.s, name, ConstantKind::kStr) == nullptr)
    return in.Break(Reason::kUnsupportedOpcode, "a type parameter whose name is no constant");
  ObjectValue* parameter = Made(in.s, type, kTypeParameter, TypeParameterPart::kCount);
  parameter->arguments[TypeParameterPart::kName] = in.s.Resolve(name);
  if (compute != nullptr)
    parameter->arguments[part] = compute;
  return in.Done(parameter);
}

Outcome SetTypeParameterDefault(Interp& in, V parameter, V compute) {
  auto* object = As<ObjectValue>(in.s.Resolve(parameter));
  if (object == nullptr || object->hint != kTypeParameter)
    return in.Break(Reason::kUnsupportedOpcode, "the default of a type parameter from elsewhere");
  in.s.Touch(object);
  object->arguments[TypeParameterPart::kDefault] = compute;
  return in.Done(object);
}

Outcome MakeTypeAlias(Interp& in, V parts) {
  auto* tuple = As<SequenceValue>(in.s.Resolve(parts));
  if (tuple == nullptr || tuple->items.size() != 3 || ConstantOf(in.s, tuple->items[0], ConstantKind::kStr) == nullptr)
    return in.Break(Reason::kUnsupportedOpcode, "a type alias of something else than its parts");
  ObjectValue* alias = Made(in.s, "typing:TypeAliasType", kTypeAlias, TypeAliasPart::kCount);
  V parameters = in.s.Resolve(tuple->items[1]);
  alias->arguments[TypeAliasPart::kName] = in.s.Resolve(tuple->items[0]);
  alias->arguments[TypeAliasPart::kParameters] = parameters == in.s.None() ? nullptr : parameters;
  alias->arguments[TypeAliasPart::kCompute] = tuple->items[2];
  return in.Done(alias);
}

Outcome TypeParameterMember(Interp& in, V object, const std::string& name) {
  auto* made = As<ObjectValue>(object);
  if (made == nullptr || made->is_real())
    return in.Done(nullptr);
  if (made->hint == kTypeParameter)
    return ParameterMember(in, made, name);
  return made->hint == kTypeAlias ? AliasMember(in, made, name) : in.Done(nullptr);
}

}  // namespace framegate::translator
