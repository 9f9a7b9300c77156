#include "server/engine/learn.h"

#include "base/strings.h"

namespace framegate::server {

absl::Status Learn(const model::Questions& questions, const model::Answers& answers, model::Summary* summary) {
  if (answers.items.size() != questions.items.size())
    return absl::InvalidArgumentError(StrCat(answers.items.size(), " answers to ", questions.items.size(), " questions"));
  for (size_t i = 0; i < questions.items.size(); ++i) {
    const model::Question& question = questions.items[i];
    const model::AnswerItem& answer = answers.items[i];
    switch (question.kind) {
      case model::QuestionKind::kStep:
        summary->records.push_back({.handle = question.object, .edges = {{question.step, question.index, question.key, answer.target}}});
        break;
      case model::QuestionKind::kFact:
        if (answer.fact)
          summary->records.push_back({.handle = question.object, .facts = {*answer.fact}});
        break;
      case model::QuestionKind::kRoot:
        summary->roots.push_back({question.step, question.index, question.key, answer.target});
        break;
      case model::QuestionKind::kExpand:  // all in the records
      case model::QuestionKind::kCode:
      case model::QuestionKind::kCall:
      case model::QuestionKind::kMeta:
        break;
    }
  }
  summary->records.insert(summary->records.end(), answers.records.begin(), answers.records.end());
  return absl::OkStatus();
}

}  // namespace framegate::server
