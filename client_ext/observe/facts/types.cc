// What types are.

#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts/word.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/observe/type_slots.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

using model::Constant;
using model::Fact;

namespace {

bool Flags(PyObject* object, uint64_t* word) noexcept {
  if (!PyType_Check(object))
    return false;
  *word = FlagsOf(reinterpret_cast<PyTypeObject*>(object));
  return true;
}

bool MroLength(PyObject* object, uint64_t* word) noexcept {
  PyObject* mro = PyType_Check(object) ? reinterpret_cast<PyTypeObject*>(object)->tp_mro : nullptr;
  if (mro == nullptr)
    return false;
  *word = static_cast<uint64_t>(PyTuple_GET_SIZE(mro));
  return true;
}

bool AbcToken(PyObject* object, uint64_t* word) noexcept {
  const uint64_t* counter = object == AmbientObject() ? pycompat::AbcCounter() : nullptr;
  if (counter != nullptr)
    *word = *counter;
  return counter != nullptr;
}

bool HashSecret(PyObject* object, uint64_t* word) noexcept {
  static const Py_hash_t hash = [] {
    const pycompat::Ref text = pycompat::Ref::Steal(PyUnicode_FromString("framegate"));
    return text ? PyObject_Hash(text.get()) : -1;
  }();
  *word = static_cast<uint64_t>(hash);
  return object == AmbientObject() && hash != -1;
}

}  // namespace

template <>
bool ReadFact<Fact::kAbcAnswers>(PyObject*, model::FactValue*) {
  return false;
}

template <>
bool FactIs<Fact::kAbcAnswers>(PyObject*, Operand operand, uint16_t*) noexcept {
  const auto& linked = *static_cast<const LinkedConstant*>(operand.pointer);
  return linked.registrations.has_value() && pycompat::AbcCounter() != nullptr && *linked.registrations == *pycompat::AbcCounter();
}

FRAMEGATE_WORD_FACT(kTypeFlags, Flags)
FRAMEGATE_WORD_FACT(kAbcToken, AbcToken)
FRAMEGATE_WORD_FACT(kHashSecret, HashSecret)
FRAMEGATE_WORD_FACT(kMroLength, MroLength)

template <>
bool ReadFact<Fact::kTypeName>(PyObject* object, model::FactValue* value) {
  std::string module, qualname;
  if (!PyType_Check(object) || !NameOfType(reinterpret_cast<PyTypeObject*>(object), &module, &qualname))
    return false;
  value->constant = Constant::Tuple({Constant::Str(std::move(module)), Constant::Str(std::move(qualname))});
  return true;
}

template <>
bool FactIs<Fact::kTypeName>(PyObject* object, Operand operand, uint16_t*) noexcept {
  model::FactValue actual;
  return ReadFact<Fact::kTypeName>(object, &actual) && actual.constant == static_cast<const LinkedConstant*>(operand.pointer)->value;
}

}  // namespace framegate::client
