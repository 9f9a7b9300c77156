// Emits steps and checks in order: a subject's steps come right before the first check that needs it, once. Registers are one per subject
// here; the registers pass makes them few. Owned by one lowering. Not thread-safe.
#pragma once

#include <vector>

#include "base/status.h"
#include "guards/ir/guard_set.h"
#include "guards/program/builder.h"

namespace framegate::guards {

class Emitter {
 public:
  // `optional[s]`: finding nothing at subject s is not a failure of its step.
  // REQUIRES: the subjects verify, and there are fewer than 2^16.
  Emitter(const std::vector<model::SubjectNode>& subjects, std::vector<bool> optional);

  ProgramBuilder& builder() { return builder_; }

  // Emits the steps to `subject` that are not there yet. ResourceExhausted for an operand over 16 bits.
  absl::Status Need(model::SubjectId subject);

  bool is_emitted(model::SubjectId subject) const { return emitted_[subject]; }

  // REQUIRES: is_emitted(subject).
  uint16_t Object(model::SubjectId subject) const { return static_cast<uint16_t>(subject); }

  // Word registers [0, count) are in use for a while.
  void UseWords(size_t count) { words_ = std::max(words_, count); }

  // The program, `pass` added.
  Program Finish();

 private:
  const std::vector<model::SubjectNode>& subjects_;
  std::vector<bool> optional_;
  std::vector<bool> emitted_;
  size_t words_ = 0;
  ProgramBuilder builder_;
};

}  // namespace framegate::guards
