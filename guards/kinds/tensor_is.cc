#include <algorithm>

#include "guards/kinds/kind.h"

namespace framegate::guards {

namespace {

std::vector<uint32_t> Ascending(std::vector<uint32_t> dimensions) {
  std::sort(dimensions.begin(), dimensions.end());
  dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());
  return dimensions;
}

}  // namespace

template <>
absl::Status Kind<GuardKind::kTensorIs>::Verify(const Guard& guard) {
  return guard.fact && guard.fact->tensor ? absl::OkStatus() : absl::InvalidArgumentError("tensor_is: no tensor facts");
}

template <>
Subjects Kind<GuardKind::kTensorIs>::Needs(const Guard& guard) {
  return {guard.subject};
}

template <>
absl::Status Kind<GuardKind::kTensorIs>::Lower(const Guard& guard, Emitter& emitter) {
  emitter.builder().AddTensor({.facts = *guard.fact->tensor,
                               .free_sizes = Ascending(guard.free_sizes),
                               .free_strides = Ascending(guard.free_strides),
                               .parts = guard.parts},
                              emitter.Object(guard.subject), guard.subject);
  return absl::OkStatus();
}

}  // namespace framegate::guards
