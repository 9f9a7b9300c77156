// Making code objects, reading their extra slots. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>
#include <string_view>

namespace framegate::pycompat {

// Code whose slots are all plain locals, arguments first. Every object is borrowed.
struct PlainCode {
  int argcount = 0;  // positional-only ones included
  int posonlyargcount = 0;
  int kwonlyargcount = 0;
  int flags = 0;
  int stacksize = 0;
  PyObject* code = nullptr;    // bytes
  PyObject* consts = nullptr;  // tuple
  PyObject* names = nullptr;   // tuple of str
  PyObject* locals = nullptr;  // tuple of str
  PyObject* filename = nullptr;
  PyObject* name = nullptr;
  PyObject* qualname = nullptr;
  int firstlineno = 0;
  PyObject* linetable = nullptr;       // bytes
  PyObject* exceptiontable = nullptr;  // bytes
};

// A new reference, or null with an exception set.
PyCodeObject* NewPlainCode(const PlainCode& parts);

// A copy of `code` that runs `instructions` in the place of its own from unit `offset` on, handles no exception and has `stack` cells more
// room; lines are the original's. A new reference, or null with an exception set.
PyCodeObject* NewPatchedCode(PyCodeObject* code, uint32_t offset, std::string_view instructions, int stack);

// The slot that one user of code objects may keep a pointer in. -1 with an exception set where there is none left.
int RequestExtraIndex(void (*free)(void*));
// False where memory is short.
bool SetExtra(PyCodeObject* code, int index, void* value);

// What SetExtra stored, null where nothing. Read directly: it is on the path of every call under the hook.
inline void* ExtraOf(const PyCodeObject* code, int index) {
  struct Extra {  // of Objects/codeobject.c, the same in 3.11, 3.12 and 3.13
    Py_ssize_t size;
    void* values[1];
  };

  const auto* extra = static_cast<const Extra*>(code->co_extra);
  return extra != nullptr && extra->size > index ? extra->values[index] : nullptr;
}

// De-specialised instructions. A new reference to bytes, or null with an exception set.
inline PyObject* InstructionsOf(PyCodeObject* code) {
  return PyCode_GetCode(code);
}

}  // namespace framegate::pycompat
