// framegate._framegate._testing: installs hand-made entries, for tests of the client alone. Not for users.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

// Adds the submodule; false with an exception set.
bool InitTesting(PyObject* module);

}  // namespace framegate::client
