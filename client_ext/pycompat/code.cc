#include "client_ext/pycompat/code.h"

#include <algorithm>
#include <cstring>

#include "client_ext/pycompat/ref.h"

namespace framegate::pycompat {

#if PY_VERSION_HEX >= 0x030C0000
#define FRAMEGATE_NEW_CODE PyUnstable_Code_NewWithPosOnlyArgs
#define FRAMEGATE_REQUEST_EXTRA PyUnstable_Eval_RequestCodeExtraIndex
#define FRAMEGATE_SET_EXTRA PyUnstable_Code_SetExtra
#else
#define FRAMEGATE_NEW_CODE PyCode_NewWithPosOnlyArgs
#define FRAMEGATE_REQUEST_EXTRA _PyEval_RequestCodeExtraIndex
#define FRAMEGATE_SET_EXTRA _PyCode_SetExtra
#endif

PyCodeObject* NewPlainCode(const PlainCode& parts) {
  PyObject* none = PyTuple_New(0);
  if (none == nullptr)
    return nullptr;
  PyCodeObject* code =
      FRAMEGATE_NEW_CODE(parts.argcount, parts.posonlyargcount, parts.kwonlyargcount, static_cast<int>(PyTuple_GET_SIZE(parts.locals)),
                         parts.stacksize, parts.flags, parts.code, parts.consts, parts.names, parts.locals, none, none, parts.filename,
                         parts.name, parts.qualname, parts.firstlineno, parts.linetable, parts.exceptiontable);
  Py_DECREF(none);
  return code;
}

PyCodeObject* NewPatchedCode(PyCodeObject* code, uint32_t offset, std::string_view instructions, int stack) {
  const Ref original = Ref::Steal(InstructionsOf(code));
  if (!original)
    return nullptr;
  const size_t begin = size_t{offset} * sizeof(_Py_CODEUNIT);
  const size_t size = static_cast<size_t>(PyBytes_GET_SIZE(original.get()));
  const Ref patched = Ref::Steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(std::max(size, begin + instructions.size()))));
  const Ref none = Ref::Steal(PyTuple_New(0));
  const Ref no_handlers = Ref::Steal(PyBytes_FromString(""));
  const Ref replace = Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "replace"));
  if (!patched || !none || !no_handlers || !replace)
    return nullptr;
  std::memcpy(PyBytes_AS_STRING(patched.get()), PyBytes_AS_STRING(original.get()), size);
  std::memcpy(PyBytes_AS_STRING(patched.get()) + begin, instructions.data(), instructions.size());
  const Ref changes = Ref::Steal(Py_BuildValue("{s:O, s:O, s:i}", "co_code", patched.get(), "co_exceptiontable", no_handlers.get(),
                                               "co_stacksize", code->co_stacksize + stack));
  return changes ? reinterpret_cast<PyCodeObject*>(PyObject_Call(replace.get(), none.get(), changes.get())) : nullptr;
}

int RequestExtraIndex(void (*free)(void*)) {
  const Py_ssize_t index = FRAMEGATE_REQUEST_EXTRA(free);
  if (index < 0)
    PyErr_SetString(PyExc_RuntimeError, "framegate: no extra slot of code objects is left");
  return static_cast<int>(index);
}

bool SetExtra(PyCodeObject* code, int index, void* value) {
  if (FRAMEGATE_SET_EXTRA(reinterpret_cast<PyObject*>(code), index, value) == 0)
    return true;
  PyErr_Clear();
  return false;
}

}  // namespace framegate::pycompat
