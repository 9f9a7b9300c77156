// Taking guards out of a finished program: what a filter or an option does in the client.
// Thread-safe: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/entry.h"

namespace framegate::guards {

// `program` without the checks of the notes that `dropped` marks (as long as `notes`): they become nops, and so do steps that nothing
// needs any more. Instructions keep their places, so the ranges of the other notes hold. Keeps stay.
// InvalidArgument where the program or a range is malformed.
absl::StatusOr<std::string> WithoutNotes(std::string_view program, const std::vector<model::GuardNote>& notes,
                                         const std::vector<bool>& dropped);

}  // namespace framegate::guards
