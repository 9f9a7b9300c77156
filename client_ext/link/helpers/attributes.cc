// Attributes of objects and types, by the generic algorithm of CPython alone.
#include "client_ext/link/helpers.h"
#include "client_ext/pycompat/ref.h"

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

PyObject* HelperkInstanceDictSet(PyObject* const* args, Py_ssize_t) {
  const pycompat::Ref dict = pycompat::Ref::Steal(PyObject_GenericGetDict(args[0], nullptr));
  return dict ? NoneUnless(PyDict_SetItem(dict.get(), args[1], args[2])) : nullptr;
}

PyObject* HelperkInstanceDictDel(PyObject* const* args, Py_ssize_t) {
  const pycompat::Ref dict = pycompat::Ref::Steal(PyObject_GenericGetDict(args[0], nullptr));
  return dict ? NoneUnless(PyDict_DelItem(dict.get(), args[1])) : nullptr;
}

PyObject* HelperkTypeGetAttr(PyObject* const* args, Py_ssize_t) {
  return PyType_Type.tp_getattro(args[0], args[1]);
}

PyObject* HelperkBind(PyObject* const* args, Py_ssize_t) {
  PyObject *descriptor = args[0], *self = args[1];
  const descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  if (get == nullptr)
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is no descriptor", Py_TYPE(descriptor)->tp_name);
  const bool of_class = Py_IS_TYPE(descriptor, &PyClassMethodDescr_Type);
  return of_class ? get(descriptor, nullptr, self) : get(descriptor, self, reinterpret_cast<PyObject*>(Py_TYPE(self)));
}

PyObject* HelperkGetAttrGeneric(PyObject* const* args, Py_ssize_t) {
  return PyObject_GenericGetAttr(args[0], args[1]);
}

}  // namespace framegate::client
