// Constants as Python objects and back. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>
#include <optional>

#include "client_ext/pycompat/ref.h"
#include "model/constant.h"

namespace framegate::client {

// A new reference, or null with an exception set: the constant as a Python object (torch's kinds need torch loaded; ImportError).
PyObject* ToPython(const model::Constant& constant);

// False where the object is no constant: of another type, or holding something that is none. Runs no Python code, raises nothing.
bool FromPython(PyObject* object, model::Constant* constant);

// Objects that are the same constant: of one type and value, floats by bits. False for what is no constant, unless it is one object.
// Allocates nothing.
bool SameConstant(PyObject* a, PyObject* b) noexcept;

// A constant linked into a program: as an object, its hash beside it. The object is immutable and shared freely.
struct LinkedConstant {
  pycompat::Ref object;
  Py_hash_t hash = -1;  // -1: not hashable
  model::Constant value;
  std::optional<uint64_t> registrations;  // of Fact::kAbcAnswers: how many there were when they held
};

}  // namespace framegate::client
