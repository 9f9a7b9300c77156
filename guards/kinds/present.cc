#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kPresent>::Verify(const Guard&) {
  return absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kPresent>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kPresent>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().Add(CheckOp::kCheckPresent, emitter.Object(guard.subject), 0, 0, guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
