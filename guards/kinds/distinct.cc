#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kDistinct>::Verify(const Guard& guard) {
  return guard.other == model::kNoSubject ? absl::InvalidArgumentError("distinct: no other subject") : absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kDistinct>::Needs(const Guard& guard) {
  return {guard.subject, guard.other};
}

template <>
absl::Status Kind<GuardKind::kDistinct>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().Add(CheckOp::kCheckDistinct, emitter.Object(guard.subject), emitter.Object(guard.other), 0, guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
