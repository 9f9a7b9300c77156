// What a back-end relies on, as checks of this process's entry. GIL held.
#pragma once

#include <vector>

#include "base/status.h"
#include "client_ext/region/graph.h"
#include "guards/program/program.h"

namespace framegate::client {

// The program with checks of the conditions at its end. ResourceExhausted: they do not fit.
absl::StatusOr<guards::Program> WithConditions(guards::Program program, const model::Entry& entry,
                                               const std::vector<Condition>& conditions);

}  // namespace framegate::client
