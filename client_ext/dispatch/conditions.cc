#include "client_ext/dispatch/conditions.h"

#include <map>

#include "guards/program/builder.h"

namespace framegate::client {

namespace {

using guards::CheckOp;
using model::SubjectId;

class ConditionWriter {
 public:
  ConditionWriter(guards::Program program, const model::Entry& entry) : entry_(entry), builder_(std::move(program)) {}

  absl::Status Add(const Condition& condition) {
    std::vector<uint16_t> words;
    SubjectId about = model::kNoSubject;
    for (const ConditionWord& word : condition) {
      words.push_back(builder_.NewWord());
      if (word.op == CheckOp::kWordConst) {
        builder_.AddImm(word.op, 0, words.back(), builder_.Number(static_cast<uint64_t>(word.value)), about);
      } else if (word.op == CheckOp::kWordSize) {
        about = entry_.graph->inputs[word.left];
        const uint32_t dimension = entry_.graph->sizes[word.left];
        if (dimension == model::kNumber)
          return absl::InvalidArgumentError("a condition on a float");
        ASSIGN_OR_RETURN(const uint16_t object, Object(about));
        if (dimension == model::kWhole)
          builder_.Add(CheckOp::kWordInt, words.back(), object, 0, about);
        else
          builder_.Add(CheckOp::kWordSize, words.back(), object, static_cast<uint16_t>(dimension), about);
      } else {
        builder_.Add(word.op, words.back(), words[word.left], words[word.right], about);
      }
    }
    builder_.Add(CheckOp::kCheckTrue, words.back(), 0, 0, about);
    return absl::OkStatus();
  }

  guards::Program Finish() { return builder_.Finish(); }

 private:
  // The register of a subject, reached from its root once more: the program's own registers are its own.
  absl::StatusOr<uint16_t> Object(SubjectId subject) {
    if (const auto found = objects_.find(subject); found != objects_.end())
      return found->second;
    const model::SubjectNode& node = entry_.subjects[subject];
    uint16_t from = 0;
    if (!model::IsRoot(node.step)) {
      ASSIGN_OR_RETURN(from, Object(node.parent));
    }
    const uint16_t made = builder_.NewObject();
    RETURN_IF_ERROR(builder_.AddStep(node, false, from, made, subject).status());
    objects_[subject] = made;
    return made;
  }

  const model::Entry& entry_;
  guards::ProgramBuilder builder_;
  std::map<SubjectId, uint16_t> objects_;
};

}  // namespace

absl::StatusOr<guards::Program> WithConditions(guards::Program program, const model::Entry& entry,
                                               const std::vector<Condition>& conditions) {
  ConditionWriter writer(std::move(program), entry);
  for (const Condition& condition : conditions)
    RETURN_IF_ERROR(writer.Add(condition));
  guards::Program made = writer.Finish();
  if (made.objects > guards::kMaxRegisters || made.words > guards::kMaxRegisters)
    return absl::ResourceExhaustedError("too many registers");
  return made;
}

}  // namespace framegate::client
