// One reader per fact of model/facts.def, and its comparison in a check; a row without bodies does not link. GIL held. Readers run no Python
// code and raise nothing; comparisons allocate nothing besides (a code object met for the first time excepted).
#pragma once

#include "client_ext/pycompat/python.h"

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

// The same with the fact as a value; `known` is set.
model::FactValue ReadFact(model::Fact fact, PyObject* object);

// Stands for the ambient state as a root: the only object that the fact kAmbient applies to. Borrowed.
PyObject* AmbientObject();

}  // namespace framegate::client
