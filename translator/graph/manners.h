// What operators do besides computing their result. Pure.
#pragma once

#include <string_view>

#include "translator/ops/interp.h"

namespace framegate::translator {

// Takes random numbers, as far as the arguments tell.
bool Draws(Session& s, std::string_view target, const Args& args);

// Writes to an argument other than the first.
bool WritesFurther(Session& s, std::string_view target, const Args& args);

}  // namespace framegate::translator
