// Source positions of new code, taken from the live original: tracebacks and warnings show the user's own lines, whatever file the code was
// translated from first. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string>
#include <vector>

namespace framegate::client {

// A source position; -1 where unknown.
struct Place {
  int line = -1;
  int end_line = -1;
  int column = -1;
  int end_column = -1;

  bool operator==(const Place&) const = default;
};

// One per code unit.
std::vector<Place> PlacesOf(PyCodeObject* code);

// A location table for code whose unit i stands for unit origins[i] of the original; UINT32_MAX and units it does not have: nowhere.
std::string LocationTable(const std::vector<uint32_t>& origins, const std::vector<Place>& places, int first_line);

}  // namespace framegate::client
