// The running interpreter's version in our numbers.
#pragma once

#include "client_ext/pycompat/python.h"

#include "model/enums.h"

namespace framegate::pycompat {

inline constexpr model::PyVersion kVersion = static_cast<model::PyVersion>(PY_MINOR_VERSION);

}  // namespace framegate::pycompat
