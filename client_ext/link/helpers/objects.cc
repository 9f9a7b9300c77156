// Objects of user classes, made without running their Python code; super objects.
#include "client_ext/link/helpers.h"
#include "client_ext/torch_bridge/table.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// Whether the type's own __new__ is its C type's: not there at all for a class statement that does not define it.
bool MakesItselfInC(PyTypeObject* type) {
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
    return true;
  PyObject* own = PyDict_GetItemString(type->tp_dict, "__new__");
  return own != nullptr && PyCFunction_Check(own);
}

}  // namespace

PyObject* HelperkObjectNew(PyObject* const* args, Py_ssize_t count) {
  if (count < 1 || !PyType_Check(args[0])) {
    PyErr_SetString(PyExc_SystemError, "framegate: object_new expects a type");
    return nullptr;
  }
  auto* type = reinterpret_cast<PyTypeObject*>(args[0]);
  PyTypeObject* base = type;
  while (!MakesItselfInC(base))
    base = base->tp_base;
  const Ref rest = Ref::Steal(PyTuple_New(count - 1));
  if (!rest)
    return nullptr;
  for (Py_ssize_t i = 1; i < count; ++i)
    PyTuple_SET_ITEM(rest.get(), i - 1, Py_NewRef(args[i]));
  Ref object = Ref::Steal(base->tp_new(type, rest.get(), nullptr));
  if (object && PyExceptionInstance_Check(object.get())) {  // what its C type keeps besides the arguments
    while (PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE))
      base = base->tp_base;
    if (base->tp_init(object.get(), rest.get(), nullptr) != 0)
      return nullptr;
  }
  return object.release();
}

PyObject* HelperkMakeType(PyObject* const* args, Py_ssize_t) {
  if (!PyType_Check(args[0]) || !PyTuple_Check(args[2]) || !PyDict_Check(args[3])) {
    PyErr_SetString(PyExc_SystemError, "framegate: make_type expects a metatype, a name, bases and a namespace");
    return nullptr;
  }
  const Ref rest = Ref::Steal(PyTuple_Pack(3, args[1], args[2], args[3]));
  return rest ? PyType_Type.tp_new(reinterpret_cast<PyTypeObject*>(args[0]), rest.get(), nullptr) : nullptr;
}

PyObject* HelperkMakeSuper(PyObject* const* args, Py_ssize_t) {
  return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PySuper_Type), args[0], args[1], nullptr);
}

PyObject* HelperkTensorSize(PyObject* const* args, Py_ssize_t) {
  int64_t size = 0;
  const long dimension = PyLong_AsLong(args[1]);
  if (dimension < 0 || Torch() == nullptr || !Torch()->tensor_size(args[0], static_cast<uint32_t>(dimension), &size)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_SystemError, "framegate: the size of what has none");
    return nullptr;
  }
  return PyLong_FromLongLong(size);
}

}  // namespace framegate::client
