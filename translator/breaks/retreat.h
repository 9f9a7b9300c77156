// Breaks inside library code end the segment at the call by which the program's own code entered it. Pure.
#pragma once

#include <string_view>

#include "translator/ops/interp.h"

namespace framegate::translator {

// A break may be at an instruction of that kind, which then runs as written.
bool IsCallLike(const Instruction& i);

}  // namespace framegate::translator
