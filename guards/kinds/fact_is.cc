#include "guards/kinds/kind.h"

namespace framegate::guards {

template <>
absl::Status Kind<GuardKind::kFactIs>::Verify(const Guard& guard) {
  if (!guard.fact)
    return absl::InvalidArgumentError("fact_is: no fact");
  if (guard.fact->known && model::ShapeOf(guard.fact->fact) == model::FactShape::kTensor)
    return absl::InvalidArgumentError("fact_is: a tensor takes tensor_is");
  return absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kFactIs>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kFactIs>::Lower(const Guard& guard, Emitter& emitter) {
  RETURN_IF_ERROR(emitter.builder().AddFact(*guard.fact, emitter.Object(guard.subject), guard.subject).status());
  return absl::OkStatus();
}

}  // namespace framegate::guards
