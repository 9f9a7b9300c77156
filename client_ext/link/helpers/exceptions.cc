// Exceptions: raised as they are, their fields set.
#include "client_ext/capture/code.h"
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

// The frames in it are new and empty: those that ran were never made. A code that is gone is left out.
bool AddPlace(PyObject* exception, PyObject* code_id, PyObject* unit_offset) {
  const char* hex = PyUnicode_AsUTF8(code_id);
  const long offset = PyLong_AsLong(unit_offset);
  model::CodeId id;
  if (hex == nullptr || PyErr_Occurred() || !Hash128::FromHex(hex, &id))
    return PyErr_Occurred() != nullptr ? false : (PyErr_SetString(PyExc_SystemError, "framegate: not the id of a code"), false);
  PyCodeObject* code = FindCode(id);
  return code == nullptr || pycompat::AddTracebackEntry(exception, code, PyEval_GetGlobals(), static_cast<int>(offset));
}

}  // namespace

PyObject* HelperkRaise(PyObject* const* args, Py_ssize_t) {
  if (CheckException(args[0]))
    pycompat::SetRaised(Py_NewRef(args[0]));
  return nullptr;
}

PyObject* HelperkTraceAdd(PyObject* const* args, Py_ssize_t) {
  return CheckException(args[0]) && AddPlace(args[0], args[1], args[2]) ? Py_NewRef(Py_None) : nullptr;
}

// As _PyErr_SetObject: the chain from the context on must not lead back to the exception; one that has become a ring ends, too.
PyObject* HelperkContextSet(PyObject* const* args, Py_ssize_t) {
  if (!CheckException(args[0]))
    return nullptr;
  using pycompat::Ref;
  Ref context = Ref::Steal(args[1] == Py_True ? PyErr_GetHandledException() : OrNull(args[1]));
  if (!context || context.get() == Py_None || context.get() == args[0])
    return Py_NewRef(Py_None);
  if (!CheckException(context.get()))
    return nullptr;
  Ref at = context, slow = context;
  for (bool moves = false; Ref next = Ref::Steal(PyException_GetContext(at.get())); moves = !moves) {
    if (next.get() == args[0]) {
      PyException_SetContext(at.get(), nullptr);
      break;
    }
    at = std::move(next);
    if (at.get() == slow.get())
      break;
    if (moves)
      slow = Ref::Steal(PyException_GetContext(slow.get()));
  }
  PyException_SetContext(args[0], context.release());
  return Py_NewRef(Py_None);
}

PyObject* HelperkExceptionSet(PyObject* const* args, Py_ssize_t) {
  if (!CheckException(args[0]))
    return nullptr;
  const int suppress = PyObject_IsTrue(args[3]);
  if (suppress < 0)
    return nullptr;
  PyException_SetCause(args[0], OrNull(args[1]));
  PyObject* context = args[2] == Py_True ? PyErr_GetHandledException() : OrNull(args[2]);
  if (context == args[0])  // it is raised again where it is handled
    Py_CLEAR(context);
  PyException_SetContext(args[0], context);
  reinterpret_cast<PyBaseExceptionObject*>(args[0])->suppress_context = static_cast<char>(suppress);
  return Py_NewRef(args[0]);
}

}  // namespace framegate::client
