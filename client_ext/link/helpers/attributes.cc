// Attributes of objects and types, by the generic algorithm of CPython alone.
#include "client_ext/link/helpers.h"

namespace framegate::client {

namespace {

PyObject* NoneUnless(int failed) {
  return failed ? nullptr : Py_NewRef(Py_None);
}

}  // namespace

PyObject* HelperkSetAttrGeneric(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyObject_GenericSetAttr(args[0], args[1], args[2]));
}

PyObject* HelperkDelAttrGeneric(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyObject_GenericSetAttr(args[0], args[1], nullptr));
}

PyObject* HelperkTypeSetAttr(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyType_Type.tp_setattro(args[0], args[1], args[2]));
}

PyObject* HelperkTypeDelAttr(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyType_Type.tp_setattro(args[0], args[1], nullptr));
}

PyObject* HelperkGetAttrGeneric(PyObject* const* args, Py_ssize_t) {
  return PyObject_GenericGetAttr(args[0], args[1]);
}

}  // namespace framegate::client
