// From a guard set to a check program: dedupe, imply, order, lower. The only door from guards to programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "guards/ir/guard_set.h"
#include "model/entry.h"

namespace framegate::guards {

struct Lowered {
  std::string program;                  // encoded check program; it verifies
  std::vector<model::GuardNote> notes;  // one per guard left, with the instructions it became
  bool durable = true;                  // false: some guard belongs to this process
};

// InvalidArgument for a set that does not verify (unknown subject, fact of the wrong shape).
absl::StatusOr<Lowered> Lower(GuardSet set);

class SummaryIndex;

// Runs programs on one summary, which it borrows: true where one passes. A fact or step that the summary does not hold fails the check.
// Used by the engine (self-check of a new entry, candidates of a lookup). Thread-compatible; cheap to copy.
class SummaryJudge {
 public:
  explicit SummaryJudge(const model::Summary& summary);
  absl::StatusOr<bool> operator()(std::string_view program) const;

  // The first check that fails; nullopt where all pass.
  absl::StatusOr<std::optional<Failure>> Explain(std::string_view program) const;

 private:
  std::shared_ptr<const SummaryIndex> index_;
};

}  // namespace framegate::guards
