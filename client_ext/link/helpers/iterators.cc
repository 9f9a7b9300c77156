// Builtin iterators: made, advanced, asked.
#include "client_ext/link/helpers.h"
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

PyObject* HelperkMakeIter(PyObject* const* args, Py_ssize_t) {
  Ref iterator = Ref::Steal(PyObject_GetIter(args[0]));
  return iterator && Skip(iterator.get(), args[1]) ? iterator.release() : nullptr;
}

}  // namespace framegate::client
