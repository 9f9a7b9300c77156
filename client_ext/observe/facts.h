// One reader per fact of model/facts.def, and its comparison in a check; a row without bodies does not link. GIL held. Readers run no
// Python code and raise nothing; comparisons allocate nothing besides (a code object met for the first time excepted).
#pragma once

#include "client_ext/pycompat/observe_instance.h"

#include "client_ext/observe/constants.h"
#include "guards/program/link.h"
#include "model/summary.h"

namespace framegate::client {

using guards::Operand;

// False where the fact does not apply. `value` has its fact set; only the member of the fact's shape is written.
template <model::Fact F>
bool ReadFact(PyObject* object, model::FactValue* value);

// The operand is a word, or points to: LinkedConstant for constants, Hash128 for hashes, a check of the torch table for tensors.
template <model::Fact F>
bool FactIs(PyObject* object, Operand operand, uint16_t* hint) noexcept;

// --- comparisons on the path of every call: what nearly always holds is seen without a call -------

// The ways for what is not seen at once.
bool ValueIs(PyObject* object, const LinkedConstant& expected) noexcept;
bool LengthIs(PyObject* object, uint64_t expected) noexcept;

template <>
inline bool FactIs<model::Fact::kValue>(PyObject* object, Operand operand, uint16_t*) noexcept {
  const LinkedConstant& expected = *static_cast<const LinkedConstant*>(operand.pointer);
  return object == expected.object.get() || ValueIs(object, expected);
}

template <>
inline bool FactIs<model::Fact::kLength>(PyObject* object, Operand operand, uint16_t*) noexcept {
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object))
    return static_cast<uint64_t>(Py_SIZE(object)) == operand.word;
  if (PyDict_CheckExact(object))
    return static_cast<uint64_t>(PyDict_GET_SIZE(object)) == operand.word;
  return LengthIs(object, operand.word);
}

template <>
inline bool FactIs<model::Fact::kHasInstanceDict>(PyObject* object, Operand operand, uint16_t*) noexcept {
  return pycompat::CanHaveDict(Py_TYPE(object)) == (operand.word != 0);
}

// --------------------------------------------------------------------------------------------------

// The same with the fact as a value; `known` is set.
model::FactValue ReadFact(model::Fact fact, PyObject* object);

// Stands for the ambient state as a root: the only object that the fact kAmbient applies to. Borrowed.
PyObject* AmbientObject();

}  // namespace framegate::client
