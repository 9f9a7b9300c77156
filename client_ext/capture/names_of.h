// Names that describing asks objects for. GIL held; runs no Python code.
#pragma once

#include "client_ext/pycompat/python.h"

#include <vector>

#include "model/constant.h"

namespace framegate::client {

// special_names.def, interned; kept.
const std::vector<PyObject*>& SpecialNames();

inline bool IsHeapType(const PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}

inline PyObject* CodeOf(PyObject* function) {
  return reinterpret_cast<PyFunctionObject*>(function)->func_code;
}

// Code of torch itself: calls of it become nodes, its insides are not looked at unless asked for.
bool IsTorchs(PyObject* function);
// A type whose methods any code may name: tensors, strings, containers.
bool IsOfValues(PyTypeObject* type);

model::Constant NameConstant(PyObject* name);
// Borrowed; null where `dict` is none or has no such name.
PyObject* ValueUnder(PyObject* dict, PyObject* name);

}  // namespace framegate::client
