#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kIsObject>::Verify(const Guard& guard) {
  return guard.object == model::kAbsent ? absl::InvalidArgumentError("is_object: no handle") : absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kIsObject>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kIsObject>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().AddImm(CheckOp::kCheckObject, 0, emitter.Object(guard.subject), emitter.builder().Number(guard.object), guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
