#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kAmbientIs>::Verify(const Guard& guard) {
  return guard.part >= model::kAmbientParts ? absl::InvalidArgumentError("ambient_is: no such part") : absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kAmbientIs>::Needs(const Guard&) {
  return {};
}

template <>
absl::Status Kind<GuardKind::kAmbientIs>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().AddImm(CheckOp::kCheckAmbient, static_cast<uint8_t>(guard.part), 0, emitter.builder().Constant(guard.constant),
                           guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
