// Generators whose frames are set by hand. GIL held.
#pragma once

#include "client_ext/pycompat/frame.h"

namespace framegate::pycompat {

// The frame of a generator, coroutine or async generator. REQUIRES: it is one, and has not ended.
Frame* FrameOf(PyObject* generator);

// Makes a generator that was just created one that has run to the YIELD (or SEND) at unit `offset`; `cells`, slots and then `depth` stack
// cells, are taken over, null where empty.
void Suspend(PyObject* generator, uint32_t offset, PyObject** cells, uint32_t depth);

// The frame of a generator or coroutine that waits at a YIELD or was not started yet, and handles no exception; null of any other object.
Frame* SuspendedFrame(PyObject* object);

// Unit offset of the YIELD at which a suspended generator waits; 0: not started.
uint32_t SuspendedAt(PyObject* generator);

// Cells on its stack.
uint32_t SuspendedDepth(PyObject* generator);

// Drops what is on the stack of a suspended generator.
void DropStack(PyObject* generator);

// Drops all that a suspended generator holds and makes it one that was not started.
void Unstart(PyObject* generator);

// The same, but it was not started: only its slots are set.
void SetSlots(PyObject* generator, PyObject** cells);

}  // namespace framegate::pycompat
