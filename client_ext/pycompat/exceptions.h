// The exception being raised and the one being handled, as single objects on all versions. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::pycompat {

// Takes the raised exception away from the thread: a new reference, its traceback in it; null where none is raised.
inline PyObject* TakeRaised() {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr)
    return nullptr;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(traceback);
  Py_DECREF(type);
  return value;
#endif
}

// Raises the exception as it is, traceback kept, nothing chained. Steals.
inline void SetRaised(PyObject* exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception);
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(exception))), exception, PyException_GetTraceback(exception));
#endif
}

// The exception that the innermost handler on this thread (or in the running generator) handles: a new reference, null where none.
inline PyObject* Handled(PyThreadState* thread) {
  PyObject* exception = thread->exc_info->exc_value;
  return exception == Py_None ? nullptr : Py_XNewRef(exception);
}

// The one that sys.exc_info() shows: the innermost handler's on the whole stack. Borrowed; null where none.
inline PyObject* HandledAnywhere(PyThreadState* thread) {
  for (const _PyErr_StackItem* item = thread->exc_info; item != nullptr; item = item->previous_item)
    if (item->exc_value != nullptr && item->exc_value != Py_None)
      return item->exc_value;
  return nullptr;
}

// Steals; null and None: none is handled.
inline void SetHandled(PyThreadState* thread, PyObject* exception) {
  PyObject* old = thread->exc_info->exc_value;
  if (exception == Py_None)
    Py_CLEAR(exception);
  thread->exc_info->exc_value = exception;
  Py_XDECREF(old);
}

// Adds a newest traceback entry: `code` at `offset` code units, in a new frame without locals. False with an exception set.
bool AddTracebackEntry(PyObject* exception, PyCodeObject* code, PyObject* globals, int offset);

// Takes away the newest traceback entry where its frame runs `code`: what a frame of ours that nobody should see has added.
void DropTracebackEntry(PyObject* exception, PyCodeObject* code);

}  // namespace framegate::pycompat
