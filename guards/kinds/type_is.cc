#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kTypeIs>::Verify(const Guard& guard) {
  return guard.type.find(':') == std::string::npos ? absl::InvalidArgumentError("type_is: a type is module:qualname") : absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kTypeIs>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kTypeIs>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().AddImm(CheckOp::kCheckType, 0, emitter.Object(guard.subject), emitter.builder().Type(guard.type), guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
