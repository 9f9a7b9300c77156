// What each kind of guard has to say for itself, one .cc per row of ir/guard_kinds.def; a row without a body does not link.
// Thread-safe: pure functions.
#pragma once

#include <vector>

#include "base/status.h"
#include "guards/ir/guard_set.h"
#include "guards/passes/emitter.h"

namespace framegate::guards {

template <GuardKind K>
struct Kind {
  // InvalidArgument where the fields that this kind takes are missing or of the wrong shape. Subjects are known to exist.
  static absl::Status Verify(const Guard& guard);
  // Subjects whose objects the check looks at, in the order it does.
  static std::vector<model::SubjectId> Needs(const Guard& guard);
  // Adds the check: instructions in one piece. Needs are in registers.
  static absl::Status Lower(const Guard& guard, Emitter& emitter);
};

// The same by value.
absl::Status VerifyGuard(const Guard& guard);
std::vector<model::SubjectId> NeedsOf(const Guard& guard);
absl::Status LowerGuard(const Guard& guard, Emitter& emitter);

}  // namespace framegate::guards
