#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kSubclassOf>::Verify(const Guard& guard) {
  return guard.type.find(':') == std::string::npos ? absl::InvalidArgumentError("subclass_of: a type is module:qualname")
                                                   : absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kSubclassOf>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kSubclassOf>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().AddImm(CheckOp::kCheckSubclass, 0, emitter.Object(guard.subject), emitter.builder().Type(guard.type), guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
