// Exceptions: raised as they are, their fields set.
#include "client_ext/link/helpers.h"
#include "client_ext/pycompat/exceptions.h"

namespace framegate::client {

namespace {

bool CheckException(PyObject* object) {
  if (PyExceptionInstance_Check(object))
    return true;
  PyErr_SetString(PyExc_SystemError, "framegate: a helper expected an exception");
  return false;
}

PyObject* OrNull(PyObject* object) {
  return object == Py_None ? nullptr : Py_NewRef(object);
}

}  // namespace

PyObject* HelperkRaise(PyObject* const* args, Py_ssize_t) {
  if (CheckException(args[0]))
    pycompat::SetRaised(Py_NewRef(args[0]));
  return nullptr;
}

PyObject* HelperkMakeTraceback(PyObject* const*, Py_ssize_t) {
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame == nullptr)
    return Py_NewRef(Py_None);
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_SetNone(PyExc_Exception);
  PyTraceBack_Here(frame);
  PyErr_Fetch(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(value);
  return traceback == nullptr ? Py_NewRef(Py_None) : traceback;
}

PyObject* HelperkExceptionSet(PyObject* const* args, Py_ssize_t) {
  if (!CheckException(args[0]))
    return nullptr;
  const int suppress = PyObject_IsTrue(args[3]);
  if (suppress < 0 || PyException_SetTraceback(args[0], args[4]) != 0)
    return nullptr;
  PyException_SetCause(args[0], OrNull(args[1]));
  PyException_SetContext(args[0], OrNull(args[2]));
  reinterpret_cast<PyBaseExceptionObject*>(args[0])->suppress_context = static_cast<char>(suppress);
  return Py_NewRef(args[0]);
}

}  // namespace framegate::client
