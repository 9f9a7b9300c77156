// Entering code at any of its instructions. A stub function without arguments is called; the hook takes its frame and turns it into the
// frame wanted: function, code, slots, value stack and place. GIL held.
#pragma once

#include "client_ext/pycompat/frame.h"

#include <cstdint>
#include <vector>

namespace framegate::client {

struct Entering {
  PyObject* function = nullptr;   // borrowed PyFunctionObject: gives globals, builtins and what zero-argument super() asks for
  PyCodeObject* code = nullptr;   // borrowed: the function's own, a patched copy of it, or new code
  PyObject** cells = nullptr;     // slots, then stack cells; references that the frame takes over, null where empty
  uint32_t depth = 0;             // stack cells
  uint32_t offset = 0;            // unit to go on at, or where `exception` is raised
  PyObject* exception = nullptr;  // borrowed; null: none is raised
};

// What the code returns, or null with an exception set. `cells` are given up in any case. REQUIRES: offset is an instruction of the code
// and depth is what it expects; the slots and stack cells are what verified code left or the interpreter itself would have there.
PyObject* EnterFrame(PyThreadState* thread, const Entering& entering);

// Gives up the cells of what was not entered.
void DropCells(const Entering& entering);

// The hook's part. REQUIRES: this_thread.entering.
PyObject* TakeStubFrame(PyThreadState* thread, pycompat::Frame* frame);

// Evaluates the frame to nothing: on versions where the evaluator disposes of a frame, this is how one that is not to run goes. Keeps the
// exception that is set. False where disposing itself raised.
bool DisposeOfFrame(PyThreadState* thread, pycompat::Frame* frame);

// False with an exception set.
bool InitStubs();

}  // namespace framegate::client
