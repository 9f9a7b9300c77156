// What each kind of guard has to say for itself, one .cc per row of ir/guard_kinds.def; a row without a body does not link.
// Thread-safe: pure functions.
#pragma once

#include "absl/container/inlined_vector.h"
#include "base/status.h"
#include "guards/ir/guard_set.h"
#include "guards/passes/emitter.h"

namespace framegate::guards {

using Subjects = absl::InlinedVector<model::SubjectId, 4>;

template <GuardKind K>
struct Kind {
  // InvalidArgument where the fields that this kind takes are missing or of the wrong shape. Subjects are known to exist.
  static absl::Status Verify(const Guard& guard);
  // Subjects whose objects the check looks at, in the order it does.
  static Subjects Needs(const Guard& guard);
  // Adds the check: instructions in one piece. Needs are in registers.
  static absl::Status Lower(const Guard& guard, Emitter& emitter);
};

// The same by value.
absl::Status VerifyGuard(const Guard& guard);
Subjects NeedsOf(const Guard& guard);
absl::Status LowerGuard(const Guard& guard, Emitter& emitter);

}  // namespace framegate::guards
