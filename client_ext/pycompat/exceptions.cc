#include "client_ext/pycompat/exceptions.h"

namespace framegate::pycompat {

void DropTracebackEntry(PyObject* exception, PyCodeObject* code) {
  PyObject* traceback = PyException_GetTraceback(exception);
  if (traceback == nullptr)
    return;
  auto* entry = reinterpret_cast<PyTracebackObject*>(traceback);
  PyCodeObject* ran = PyFrame_GetCode(entry->tb_frame);
  if (ran == code) {
    PyObject* rest = entry->tb_next == nullptr ? Py_None : reinterpret_cast<PyObject*>(entry->tb_next);
    PyException_SetTraceback(exception, rest);
  }
  Py_DECREF(reinterpret_cast<PyObject*>(ran));
  Py_DECREF(traceback);
}

}  // namespace framegate::pycompat
