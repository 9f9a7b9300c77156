// Small pieces of the slot engine that its files share.
#pragma once

#include <string>

#include "base/strings.h"
#include "translator/ops/interp.h"

namespace framegate::translator {

// The type's __name__ as messages show it: what follows the last dot of its qualname.
inline std::string TypeName(const TypeValue* type) {
  if (type == nullptr)
    return "?";
  std::string_view symbol = type->symbol;
  size_t cut = symbol.find_last_of(".:");
  return std::string(cut == std::string_view::npos ? symbol : symbol.substr(cut + 1));
}

// The value of a constant of this kind, or null.
inline const Constant* ConstantOf(Session& s, V value, ConstantKind kind) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr && c->kind == kind ? c : nullptr;
}

inline const Constant* IntOf(Session& s, V value) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr && (c->is_int() || c->is_bool()) ? c : nullptr;
}

inline int64_t IntValue(const Constant& c) {
  return c.is_int() ? c.integer : c.is_true() ? 1 : 0;
}

// One method of one operand: `method(self, other)`; value null where the type has none or it gives NotImplemented.
Outcome TryMethod(Interp& in, V self, const char* name, V other);

// A function of the _operator module that is an operator of the language. False: it is none.
bool CallOperator(Interp& in, std::string_view name, const Args& args, Outcome* outcome);

// object.__setattr__ and __delattr__ (value null), without looking for an override.
Outcome SetAttrGeneric(Interp& in, V object, const std::string& name, V value, Tail tail);

// object.__getattribute__: without __getattr__ and without looking for an override.
Outcome GetAttrGeneric(Interp& in, V object, const std::string& name, Tail tail);

// issubclass() of an abstract class, asked of the client.
Outcome FoldSubclass(Interp& in, TypeValue* type, TypeValue* base);

// An attribute of a dtype or device; null: not known.
V TorchConstantAttr(Session& s, const Constant& constant, const std::string& name);

// What Tensor.type() gives; "": not known.
std::string TensorTypeOf(const model::TensorFacts& facts);

// Bytes of one element; 0: not known.
int64_t ItemSizeOf(std::string_view dtype);

// A value is a constant through and through: constants and tuples of them. Gives it, or false.
bool ToConstant(Session& s, V value, Constant* constant);

}  // namespace framegate::translator
