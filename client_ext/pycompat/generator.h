// Generators whose frames are set by hand. GIL held.
#pragma once

#include "client_ext/pycompat/frame.h"

namespace framegate::pycompat {

// The frame of a generator, coroutine or async generator. REQUIRES: it is one, and has not ended.
Frame* FrameOf(PyObject* generator);

// Makes a generator that was just created one that has run to the YIELD (or SEND) at unit `offset`; `cells`, slots and then `depth` stack
// cells, are taken over, null where empty.
void Suspend(PyObject* generator, uint32_t offset, PyObject** cells, uint32_t depth);

// The same, but it was not started: only its slots are set.
void SetSlots(PyObject* generator, PyObject** cells);

}  // namespace framegate::pycompat
