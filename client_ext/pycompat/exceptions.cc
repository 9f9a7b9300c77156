#include "client_ext/pycompat/exceptions.h"

#include <frameobject.h>

#include "client_ext/pycompat/ref.h"

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

bool AddTracebackEntry(PyObject* exception, PyCodeObject* code, PyObject* globals, int offset) {
  const Ref frame = Ref::Steal(reinterpret_cast<PyObject*>(PyFrame_New(PyThreadState_Get(), code, globals, nullptr)));
  if (!frame)
    return false;
  Ref rest = Ref::Steal(PyException_GetTraceback(exception));
  const int lasti = offset * static_cast<int>(sizeof(_Py_CODEUNIT));
  const Ref entry = Ref::Steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyTraceBack_Type), "OOii", rest ? rest.get() : Py_None,
                                                     frame.get(), lasti, PyCode_Addr2Line(code, lasti)));
  return entry && PyException_SetTraceback(exception, entry.get()) == 0;
}

}  // namespace framegate::pycompat
