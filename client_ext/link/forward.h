// A graph's forward as a Python function. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "model/entry.h"

namespace framegate::client {

// A function of the graph's flat inputs that gives its output tuple; its globals hold the targets. A new reference, or null with an
// exception set: LookupError where a target is not loaded. REQUIRES: entry.graph, and entry.forward has been verified.
PyObject* NewForward(const model::Entry& entry);

}  // namespace framegate::client
