#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kAllDistinct>::Verify(const Guard&) {
  return absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kAllDistinct>::Needs(const Guard& guard) {
  Subjects needs = {guard.subject};
  needs.insert(needs.end(), guard.others.begin(), guard.others.end());
  return needs;
}

template <>
absl::Status Kind<GuardKind::kAllDistinct>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().Add(CheckOp::kGroupBegin, 0, 0, 0, guard.subject);
  for (model::SubjectId subject : Needs(guard))
    emitter.builder().Add(CheckOp::kGroupAdd, emitter.Object(subject), 0, 0, subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
