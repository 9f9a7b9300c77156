#include "translator/values/mirror.h"

#include <algorithm>

#include "base/fields.h"
#include "base/strings.h"

namespace framegate::translator {

using model::Answers;
using model::Constant;
using model::FactValue;
using model::Handle;
using model::Question;
using model::QuestionKind;

namespace {

// A client names objects densely; anything beyond is a malformed answer.
constexpr Handle kMaxHandle = 1u << 24;
constexpr size_t kMostExpected = 512;

}  // namespace

Mirror::Mirror(const model::Summary& summary, CodeStore& codes, Asker& asker) : codes_(codes), asker_(asker) {
  for (const model::Root& root : summary.roots)
    roots_.Add(root.step, root.index, root.key, root.target);
  Learn(summary.records);
}

Mirror::Object& Mirror::At(Handle handle) {
  if (handle >= kMaxHandle) {
    status_ = absl::InvalidArgumentError(StrCat("a handle of ", handle, " is over the limit"));
    handle = 0;
  }
  if (handle >= objects_.size())
    objects_.resize(handle + 1);
  return objects_[handle];
}

void Mirror::Learn(const std::vector<model::ObjectRecord>& records) {
  for (const model::ObjectRecord& record : records) {
    Object& object = At(record.handle);
    for (const model::Edge& edge : record.edges)
      object.edges.Add(edge.step, edge.index, edge.key, edge.target);
    for (const FactValue& fact : record.facts)
      object.facts.push_back(&fact);
  }
}

void Mirror::LearnStep(Handle object, model::Step step, uint32_t index, const Constant& key, Handle target) {
  At(object).edges.Add(step, index, keys_.emplace_back(key), target);
}

const model::AnswerItem* Mirror::Ask(Question question) {
  if (!status_.ok())
    return nullptr;
  model::Questions questions;
  questions.items.push_back(question);
  for (Question& step : expected_)
    if (step.object != question.object || step.step != question.step || !(step.key == question.key))
      questions.items.push_back(std::move(step));
  expected_.clear();
  if (foresight_)
    foresight_(&questions.items);
  ++questions_;
  absl::StatusOr<Answers> asked = asker_.Ask(questions);
  if (!asked.ok()) {
    status_ = asked.status();
    return nullptr;
  }
  const Answers& answers = answers_.emplace_back(*std::move(asked));
  if (answers.items.size() != questions.items.size()) {
    status_ = absl::InvalidArgumentError("an answer does not match its question");
    return nullptr;
  }
  Learn(answers.records);
  for (const std::shared_ptr<const model::CodeImage>& image : answers.code)
    codes_.Add(image);
  for (size_t i = 1; i < questions.items.size(); ++i) {
    const Question& foreseen = questions.items[i];
    if (foreseen.kind == QuestionKind::kStep)
      LearnStep(foreseen.object, foreseen.step, foreseen.index, foreseen.key, answers.items[i].target);
    else if (foreseen.kind == QuestionKind::kRoot)
      roots_.Add(foreseen.step, foreseen.index, keys_.emplace_back(foreseen.key), answers.items[i].target);
    else if (foreseen.kind == QuestionKind::kCode && answers.items[i].code.size() == 1)
      codes_.Add(answers.items[i].code[0]);
  }
  return &answers.items[0];
}

void Mirror::Expect(Handle object, model::Step step, std::string_view name) {
  Question question{.kind = QuestionKind::kStep, .object = object, .step = step, .key = Constant::Str(std::string(name))};
  if (expected_.size() < kMostExpected && object != model::kAbsent && !Known(object, step, question.key).has_value())
    expected_.push_back(std::move(question));
}

Handle Mirror::Step(Handle object, model::Step step, std::string_view name) {
  return Step(object, step, 0, Constant::Str(std::string(name)));
}

Handle Mirror::Step(Handle object, model::Step step, uint32_t index, const Constant& key) {
  At(object);
  if (const std::optional<Handle> known = Known(object, step, key, index))
    return *known;
  const model::AnswerItem* answer = Ask({.kind = QuestionKind::kStep, .object = object, .step = step, .index = index, .key = key});
  const Handle target = answer == nullptr ? model::kAbsent : answer->target;
  LearnStep(object, step, index, key, target);
  return target;
}

void Mirror::Conclude(Handle object, model::Step step, std::string_view name, Handle target) {
  const Constant key = Constant::Str(std::string(name));
  if (!At(object).edges.Find(step, 0, key).has_value())
    LearnStep(object, step, 0, key, target);
}

std::optional<Handle> Mirror::Known(Handle object, model::Step step, const Constant& key, uint32_t index) const {
  if (object >= objects_.size())
    return std::nullopt;
  const Object& record = objects_[object];
  if (const std::optional<Handle> known = record.edges.Find(step, index, key))
    return known;
  return model::SayAbsent(record.facts, step, key) ? std::optional(model::kAbsent) : std::nullopt;
}

std::optional<Handle> Mirror::KnownRoot(model::Step step, const Constant& key) const {
  return roots_.Find(step, 0, key);
}

const FactValue* Mirror::Known(Handle object, model::Fact fact) const {
  if (object < objects_.size())
    for (const FactValue* value : objects_[object].facts)
      if (value->fact == fact)
        return value;
  return nullptr;
}

Handle Mirror::Root(model::Step step, uint32_t index, const Constant& key) {
  if (const std::optional<Handle> known = roots_.Find(step, index, key))
    return *known;
  const model::AnswerItem* answer = Ask({.kind = QuestionKind::kRoot, .step = step, .index = index, .key = key});
  const Handle target = answer == nullptr ? model::kAbsent : answer->target;
  roots_.Add(step, index, keys_.emplace_back(key), target);
  return target;
}

const FactValue& Mirror::Fact(Handle object, model::Fact fact) {
  At(object);
  if (const FactValue* known = Known(object, fact))
    return *known;
  FactValue value{.fact = fact, .known = false};
  // Who describes an object (so that its type is known) says these where they apply.
  const bool told = (fact == model::Fact::kValue || fact == model::Fact::kSymbolName) && Known(object, model::Step::kType).has_value();
  const model::AnswerItem* answer = told ? nullptr : Ask({.kind = QuestionKind::kFact, .object = object, .fact = fact});
  if (answer != nullptr && answer->fact.has_value() && answer->fact->fact == fact)
    value = *answer->fact;
  At(object).facts.push_back(&asked_.emplace_back(std::move(value)));
  return asked_.back();
}

const model::AnswerItem* Mirror::Call(Question question) {
  question.kind = QuestionKind::kCall;
  const auto is_constant = [](const model::Operand& operand) { return operand.constant.has_value(); };
  if (!std::all_of(question.args.begin(), question.args.end(), is_constant) ||
      !std::all_of(question.kwargs.begin(), question.kwargs.end(), [&](const auto& argument) { return is_constant(argument.second); }))
    return Ask(std::move(question));
  std::string key = Encode(question);
  if (auto it = calls_.find(key); it != calls_.end())
    return it->second;
  const model::AnswerItem* answer = Ask(std::move(question));
  // What is no constant may be something new each time.
  if (answer != nullptr && (answer->constant.has_value() || !answer->raised_type.empty()))
    calls_.emplace(std::move(key), answer);
  return answer;
}

}  // namespace framegate::translator
