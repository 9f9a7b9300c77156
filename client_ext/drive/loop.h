// The loop that runs pending frames to the end of the root: break by break, through compiled continuations where there are some, otherwise
// in the original code of each frame. Neither the C stack nor memory grows with the number of breaks. GIL held.
#pragma once

#include "client_ext/drive/pending.h"
#include "client_ext/region/region.h"

namespace framegate::client {

// The root's value, or null with an exception set. REQUIRES: the region is alive until it returns; no region is live in the thread.
PyObject* RunPending(PyThreadState* thread, Region* region, Pending pending);

// What a continuation's drive hands to the loop. A new reference, or null with an exception set.
PyObject* NewPendingObject(Pending pending);
// False where `object` is something else: a value of the root. Otherwise moves its state out.
bool TakePendingObject(PyObject* object, Pending* pending);
bool InitPendingType();

}  // namespace framegate::client
