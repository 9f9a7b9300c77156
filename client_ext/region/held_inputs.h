// A compiled graph that holds some of its inputs itself (install_free_tensors): parameters and buffers that were made attributes of the
// graph module. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

// Adds the type HeldInputs to the module; false with an exception set.
bool InitHeldInputsType(PyObject* module);

}  // namespace framegate::client
