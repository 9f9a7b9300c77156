#include "guards/passes/emitter.h"

#include <algorithm>

namespace framegate::guards {

Emitter::Emitter(const std::vector<model::SubjectNode>& subjects, std::vector<bool> optional)
    : subjects_(subjects), optional_(std::move(optional)), emitted_(subjects.size(), false) {}

absl::Status Emitter::Need(model::SubjectId subject) {
  std::vector<model::SubjectId> missing;
  for (model::SubjectId at = subject; at != model::kNoSubject && !emitted_[at]; at = subjects_[at].parent)
    missing.push_back(at);
  for (size_t i = missing.size(); i-- > 0;) {
    const model::SubjectId at = missing[i];
    const model::SubjectNode& node = subjects_[at];
    const uint16_t from = node.parent == model::kNoSubject ? 0 : Object(node.parent);
    RETURN_IF_ERROR(builder_.AddStep(node, optional_[at], from, Object(at), at).status());
    emitted_[at] = true;
  }
  return absl::OkStatus();
}

Program Emitter::Finish() {
  Program program = builder_.Finish();
  program.objects = static_cast<uint32_t>(subjects_.size());
  program.words = static_cast<uint32_t>(words_);
  return program;
}

}  // namespace framegate::guards
