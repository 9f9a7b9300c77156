// The C slots of a type: what of them runs Python code, as bits of model/type_flags.def. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>

namespace framegate::client {

// The fact kTypeFlags; remembered while the type is unchanged. The first call makes two classes to compare with; no later one runs Python
// code.
uint32_t FlagsOf(PyTypeObject* type) noexcept;

}  // namespace framegate::client
