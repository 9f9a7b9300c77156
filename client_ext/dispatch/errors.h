// Exceptions that a user asked for, made by the Python package from facts (option make_error). GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string>

#include "client_ext/observe/live_unit.h"
#include "model/entry.h"

namespace framegate::client {

struct ErrorFacts {
  const char* kind = "";  // as framegate/_framegate.pyi lists them
  model::Reason reason = model::Reason::kNoReason;
  std::string detail, filename;
  int line = 0;
  uint32_t limit = 0;
  size_t misses = 0;  // how many of the last records belong to it
};

// Sets the exception. `live` says which function it is about.
void RaiseAsked(const ErrorFacts& facts, const LiveUnit& live);

// Whether one graph cannot be given because of it: a break or a budget, but not an exception of the program's own.
bool IsRefusal(model::Reason reason);

}  // namespace framegate::client
