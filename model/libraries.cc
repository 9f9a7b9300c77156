#include "model/libraries.h"

#include <algorithm>
#include <iterator>

namespace framegate::model {

namespace {

constexpr std::string_view kLibraries[] = {
#define FRAMEGATE_LIBRARY(part) part,
#include "model/libraries.def"
#undef FRAMEGATE_LIBRARY
};

bool IsStandardLibrary(std::string_view filename) {
  constexpr std::string_view kFolder = "/lib/python3.";
  const size_t at = filename.rfind(kFolder);
  return at != std::string_view::npos && filename.find("-packages/", at) == std::string_view::npos;
}

}  // namespace

bool IsLibraryFile(std::string_view filename) {
  return IsStandardLibrary(filename) || std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                                    [&](std::string_view part) { return filename.find(part) != std::string_view::npos; });
}

bool IsNumpyName(std::string_view name) {
  return name == "np" || name == "numpy";
}

}  // namespace framegate::model
