#include "translator/slots/missing.h"

#include "translator/slots/members.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::TypeFlag;

namespace {

// C types that are not made at run time are named with their module.
std::string ShownName(Interp& in, TypeValue* type) {
  if (type == nullptr || type->Has(TypeFlag::kHeapType) || type->symbol.starts_with("builtins:"))
    return NameOf(in, type);
  return StrCat(type->symbol.substr(0, type->symbol.find(':')), ".", NameOf(in, type));
}

}  // namespace

std::string NameOf(Interp& in, TypeValue* type) {
  if (type == nullptr || !type->is_real() || !type->Has(TypeFlag::kHeapType))
    return TypeName(type);
  return in.s.ReadFact(type, Fact::kName).constant.text;
}

std::string FullName(Interp& in, TypeValue* type) {
  const std::string module = type->symbol.substr(0, type->symbol.find(':'));
  return module == "builtins" || module == "__main__" ? NameOf(in, type) : StrCat(module, ".", type->symbol.substr(module.size() + 1));
}

Outcome RaiseMissing(Interp& in, V object, const std::string& name, const std::string& text) {
  Outcome raised = in.Raise("builtins:AttributeError", text);
  if (auto* error = As<ObjectValue>(in.s.raised)) {
    error->attributes.emplace_back("name", in.s.Str(name));
    error->attributes.emplace_back("obj", object);
  }
  return raised;
}

Outcome NoAttribute(Interp& in, V object, TypeValue* type, const std::string& name) {
  if (auto* self = As<TypeValue>(object))
    return RaiseMissing(in, object, name, StrCat("type object '", NameOf(in, self), "' has no attribute '", name, "'"));
  if (type != nullptr && type->is("builtins:module")) {
    V module = in.s.InstanceAttr(object, "__name__");
    const Constant* text = module == nullptr ? nullptr : AsConstant(in.s.Resolve(module));
    return RaiseMissing(in, object, name, StrCat("module '", text == nullptr ? "?" : text->text, "' has no attribute '", name, "'"));
  }
  return RaiseMissing(in, object, name, StrCat("'", ShownName(in, type), "' object has no attribute '", name, "'"));
}

Outcome NoAttributeToChange(Interp& in, V object, TypeValue* type, const std::string& name, bool has_dict) {
  std::string text = StrCat("'", ShownName(in, type), "' object has no attribute '", name, "'");
  if (in.s.Is313() && !has_dict)
    text += " and no __dict__ for setting new attributes";
  if (in.s.Is313() && !(has_dict && As<ObjectValue>(object) != nullptr && !type->is("builtins:module")))
    return RaiseMissing(in, object, name, text);
  return in.Raise("builtins:AttributeError", text);
}

}  // namespace framegate::translator
