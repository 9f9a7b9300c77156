// What operators do besides computing their result. Pure.
#pragma once

#include <string_view>

#include "translator/ops/interp.h"

namespace framegate::translator {

// A keyword that is given and true.
bool HasFlag(Session& s, const Args& args, std::string_view name);

// What it says follows from where memory is, which metadata does not tell.
bool LooksAtStorage(std::string_view target);

// Arguments other than the first that it writes to; null among them: some that are not known.
Values WrittenFurther(Session& s, std::string_view target, const Args& args);

}  // namespace framegate::translator
