// Builtin iterators: made, advanced, asked.
#include "client_ext/link/helpers.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// False with an exception set where it ends before.
bool Skip(PyObject* iterator, PyObject* count) {
  Py_ssize_t left = PyNumber_AsSsize_t(count, PyExc_OverflowError);
  if (left == -1 && PyErr_Occurred())
    return false;
  for (; left > 0; --left) {
    const Ref item = Ref::Steal(PyIter_Next(iterator));
    if (!item)
      return !PyErr_Occurred();
  }
  return true;
}

}  // namespace

PyObject* HelperkIterNext(PyObject* const* args, Py_ssize_t) {
  PyObject* item = PyIter_Next(args[0]);
  if (item == nullptr && !PyErr_Occurred())
    PyErr_SetNone(PyExc_StopIteration);
  return item;
}

PyObject* HelperkIterSkip(PyObject* const* args, Py_ssize_t) {
  return Skip(args[0], args[1]) ? Py_NewRef(Py_None) : nullptr;
}

PyObject* HelperkEnumerateCount(PyObject* const* args, Py_ssize_t) {
  if (!Py_IS_TYPE(args[0], &PyEnum_Type) || reinterpret_cast<pycompat::Enumerate*>(args[0])->large_index != nullptr) {
    PyErr_SetString(PyExc_SystemError, "framegate: enumerate_count expects an enumerate of numbers that fit a word");
    return nullptr;
  }
  return PyLong_FromSsize_t(reinterpret_cast<pycompat::Enumerate*>(args[0])->index++);
}

PyObject* HelperkMakeIter(PyObject* const* args, Py_ssize_t) {
  Ref iterator = Ref::Steal(PyObject_GetIter(args[0]));
  return iterator && Skip(iterator.get(), args[1]) ? iterator.release() : nullptr;
}

}  // namespace framegate::client
