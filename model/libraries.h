// Library code: what it does for the program is one thing, its frames are not the program's. Pure.
#pragma once

#include <string_view>

namespace framegate::model {

// The standard library, and what libraries.def names.
bool IsLibraryFile(std::string_view filename);

// The name by which code calls numpy.
bool IsNumpyName(std::string_view name);

}  // namespace framegate::model
