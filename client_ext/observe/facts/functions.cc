// What functions are, and names that give an object back.

#include "client_ext/capture/code.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts/word.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

using model::Constant;
using model::Fact;

namespace {

const model::CodeId* CodeOf(PyObject* object) noexcept {
  if (!PyFunction_Check(object))
    return nullptr;
  return FindCodeId(reinterpret_cast<PyCodeObject*>(reinterpret_cast<PyFunctionObject*>(object)->func_code));
}

bool ClosureLength(PyObject* object, uint64_t* word) noexcept {
  if (!PyFunction_Check(object))
    return false;
  PyObject* closure = reinterpret_cast<PyFunctionObject*>(object)->func_closure;
  *word = closure == nullptr ? 0 : static_cast<uint64_t>(PyTuple_GET_SIZE(closure));
  return true;
}

}  // namespace

template <>
bool ReadFact<Fact::kCodeId>(PyObject* object, model::FactValue* value) {
  const model::CodeId* id = CodeOf(object);
  if (id != nullptr)
    value->hash = *id;
  return id != nullptr;
}

template <>
bool FactIs<Fact::kCodeId>(PyObject* object, Operand operand, uint16_t*) noexcept {
  const model::CodeId* id = CodeOf(object);
  return id != nullptr && *id == *static_cast<const Hash128*>(operand.pointer);
}

template <>
bool ReadFact<Fact::kQualname>(PyObject* object, model::FactValue* value) {
  if (!PyFunction_Check(object))
    return false;
  const auto* function = reinterpret_cast<PyFunctionObject*>(object);
  std::string module, qualname;
  if (!TextOf(function->func_qualname, &qualname))
    return false;
  const bool has_module = TextOf(function->func_module, &module);
  value->constant = Constant::Tuple(
      {has_module ? Constant::Str(module == "__mp_main__" ? "__main__" : module) : Constant::None(), Constant::Str(std::move(qualname))});
  return true;
}

template <>
bool FactIs<Fact::kQualname>(PyObject* object, Operand operand, uint16_t*) noexcept {
  model::FactValue actual;
  return ReadFact<Fact::kQualname>(object, &actual) && actual.constant == static_cast<const LinkedConstant*>(operand.pointer)->value;
}

template <>
bool ReadFact<Fact::kName>(PyObject* object, model::FactValue* value) {
  value->constant = Constant::Str("");
  if (PyCFunction_Check(object)) {
    value->constant.text = reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name;
    return true;
  }
  if (PyFunction_Check(object))
    return TextOf(reinterpret_cast<PyFunctionObject*>(object)->func_name, &value->constant.text);
  if (pycompat::IsBoundSlot(object))
    return TextOf(reinterpret_cast<pycompat::BoundSlot*>(object)->descriptor->d_name, &value->constant.text);
  if (!PyType_Check(object))
    return false;
  const auto* type = reinterpret_cast<PyTypeObject*>(object);
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0)
    return TextOf(reinterpret_cast<PyHeapTypeObject*>(object)->ht_name, &value->constant.text);
  const std::string_view name = type->tp_name;
  value->constant.text = name.substr(name.rfind('.') + 1);
  return true;
}

template <>
bool FactIs<Fact::kName>(PyObject* object, Operand operand, uint16_t*) noexcept {
  model::FactValue actual;
  return ReadFact<Fact::kName>(object, &actual) && actual.constant == static_cast<const LinkedConstant*>(operand.pointer)->value;
}

FRAMEGATE_WORD_FACT(kClosureLength, ClosureLength)

template <>
bool ReadFact<Fact::kSymbolName>(PyObject* object, model::FactValue* value) {
  value->constant = Constant::Str("");
  return SymbolOf(object, &value->constant.text);
}

// The linked constant's object is what the symbol named when it was looked up last, kept alive: the same object needs no second look.
template <>
bool FactIs<Fact::kSymbolName>(PyObject* object, Operand operand, uint16_t*) noexcept {
  auto* expected = static_cast<LinkedConstant*>(const_cast<void*>(operand.pointer));
  if (expected->object.get() == object)
    return true;
  if (FindSymbol(expected->value.text) != object)
    return false;
  expected->object = pycompat::Ref::Share(object);
  return true;
}

}  // namespace framegate::client
