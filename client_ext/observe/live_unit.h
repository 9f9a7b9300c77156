// The live objects of a unit: what summaries are taken of and check programs are evaluated on. Borrowed pointers; valid while the frame or
// the pending frames they belong to are. GIL held.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

namespace framegate::client {

struct LiveFrame {
  PyObject* function = nullptr;  // PyFunctionObject*
  PyCodeObject* code = nullptr;  // the original code
  PyObject* globals = nullptr;
  PyObject* builtins = nullptr;
  PyObject* const* slots = nullptr;  // localsplus; null where empty. A root frame that has not started holds raw arguments, no cells
  uint32_t slot_count = 0;
  PyObject* const* stack = nullptr;
  uint32_t depth = 0;
  bool starts = false;  // a root frame that has just been made
};

struct LiveUnit {
  std::vector<LiveFrame> frames;  // outermost first
};

}  // namespace framegate::client
