// Deciding about a frame that is about to begin, and running it as decided. GIL held.
#pragma once

#include "client_ext/pycompat/frame.h"

namespace framegate::client {

struct Installed;
}  // namespace framegate::client

namespace framegate::model {
struct Entry;
}

namespace framegate::client {

// The entry's graph has just raised, and what is set is its exception: the unit is to run again, as written.
bool TakeFailure(const model::Entry& entry);

// The hook's part. REQUIRES: a region is live; the frame is the thread's topmost, at its first instruction.
PyObject* RunRoot(PyThreadState* thread, pycompat::Frame* frame);

// Puts what `entry` needs into the slots of its new code: kept objects, links, globals.
void FillSlots(const Installed& entry, PyObject* const* kept, PyObject* globals, PyObject** slots);

}  // namespace framegate::client
