// What a finished program's notes say of its instructions, and taking guards out of it: what a filter or an option does in the client.
// Thread-safe: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/entry.h"

namespace framegate::guards {

// Line of the user's code that made an instruction; 0: none did.
int32_t LineOf(const std::vector<model::GuardNote>& notes, uint32_t instruction);

// `program` without the checks of the notes that `dropped` marks (as long as `notes`): they become nops, and so do steps that nothing
// needs any more. Instructions keep their places, so the ranges of the other notes hold. Keeps stay.
// InvalidArgument where the program or a range is malformed.
absl::StatusOr<std::string> WithoutNotes(std::string_view program, const std::vector<model::GuardNote>& notes,
                                         const std::vector<bool>& dropped);

}  // namespace framegate::guards
