// What happens at a break, and how a frame takes the value or exception of the frame above it. Each leaves the pending frames where they go
// on, or with `exception` set and its traceback naming the frame it was raised in. GIL held; runs the program's own code.
#pragma once

#include "client_ext/drive/pending.h"

namespace framegate::client {

// Runs the instruction that the plan is about.
void ActOnBreak(PyThreadState* thread, Pending* pending);

// The innermost frame takes the value that the frame above it returned; `name` is that frame's function. Steals.
void DeliverValue(PyThreadState* thread, Pending* pending, PyObject* value, PyObject* name);

// pending->exception, raised in C for the innermost frame, passes through a frame of it, so that its traceback has the frame's line.
void RaiseInTop(PyThreadState* thread, Pending* pending);

// The frame above the innermost one ended with pending->exception, or the innermost raised it itself (`raised_here`): finds the next
// handler. Frames without one go. False: none has one, and no frame is left.
bool Unwind(PyThreadState* thread, Pending* pending, bool raised_here);

}  // namespace framegate::client
