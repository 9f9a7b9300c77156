// Functions and bound methods.
#include "client_ext/link/helpers.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

bool Given(PyObject* part) {
  return part != Py_None && part != NullSentinel();
}

bool SetAttributes(PyObject* function, PyObject* attributes) {
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(attributes, &at, &name, &value);)
    if (PyObject_SetAttr(function, name, value) != 0)
      return false;
  return true;
}

}  // namespace

PyObject* HelperkMakeFunction(PyObject* const* args, Py_ssize_t) {
  if (!PyCode_Check(args[0]) || !PyDict_Check(args[1])) {
    PyErr_SetString(PyExc_SystemError, "framegate: make_function expects code and globals");
    return nullptr;
  }
  Ref function = Ref::Steal(PyFunction_NewWithQualName(args[0], args[1], args[2]));
  if (!function || (Given(args[3]) && PyFunction_SetDefaults(function.get(), args[3]) != 0) ||
      (Given(args[4]) && PyFunction_SetKwDefaults(function.get(), args[4]) != 0) ||
      (Given(args[5]) && PyFunction_SetClosure(function.get(), args[5]) != 0) ||
      (Given(args[6]) && !SetAttributes(function.get(), args[6])))
    return nullptr;
  return function.release();
}

PyObject* HelperkMakeMethod(PyObject* const* args, Py_ssize_t) {
  return PyMethod_New(args[0], args[1]);
}

}  // namespace framegate::client
