// Callables around a user's callable. Optimized: calling it makes its region live. Disabled: calling it makes none live. Otherwise each is
// as the callable it wraps: attributes, binding as a method, name in pickles. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

// Adds both types to the module; false with an exception set.
bool InitWrapperTypes(PyObject* module);

bool IsOptimized(PyObject* object);
bool IsDisabled(PyObject* object);

}  // namespace framegate::client
