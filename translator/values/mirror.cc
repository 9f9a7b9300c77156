#include "translator/values/mirror.h"

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

}  // namespace

Mirror::Mirror(const model::Summary& summary, Asker& asker) : asker_(asker) {
  for (const model::Root& root : summary.roots)
    roots_[EdgeKey(root.step, root.index, root.key)] = root.target;
  learnt_.roots = summary.roots;
  Learn(summary.records);
}

std::string Mirror::EdgeKey(model::Step step, uint32_t index, const Constant& key) {
  std::string text;
  text.push_back(static_cast<char>(step));
  if (model::OperandOf(step) == model::StepOperand::kKey) {
    if (key.is_str()) {
      text.push_back('s');
      text.append(key.text);
    } else {
      text.push_back('c');
      text.append(Encode(key));
    }
  } else if (index != 0) {
    text.append(reinterpret_cast<const char*>(&index), sizeof index);
  }
  return text;
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
      object.edges[EdgeKey(edge.step, edge.index, edge.key)] = edge.target;
    for (const FactValue& fact : record.facts)
      object.facts.push_back(fact);
    learnt_.records.push_back(record);
  }
}

const model::AnswerItem* Mirror::Ask(Question question) {
  if (!status_.ok())
    return nullptr;
  model::Questions questions;
  questions.items.push_back(std::move(question));
  ++questions_;
  absl::StatusOr<Answers> answers = asker_.Ask(questions);
  if (!answers.ok()) {
    status_ = answers.status();
    return nullptr;
  }
  if (answers->items.size() != 1) {
    status_ = absl::InvalidArgumentError("an answer does not match its question");
    return nullptr;
  }
  Learn(answers->records);
  return &answers_.emplace_back(std::move(answers->items[0]));
}

Handle Mirror::Step(Handle object, model::Step step, std::string_view name) {
  return Step(object, step, 0, Constant::Str(std::string(name)));
}

Handle Mirror::Step(Handle object, model::Step step, uint32_t index, const Constant& key) {
  std::string edge = EdgeKey(step, index, key);
  Object& record = At(object);
  if (auto it = record.edges.find(edge); it != record.edges.end())
    return it->second;
  const model::AnswerItem* answer = Ask({.kind = QuestionKind::kStep, .object = object, .step = step, .index = index, .key = key});
  Handle target = answer == nullptr ? model::kAbsent : answer->target;
  At(object).edges[edge] = target;
  learnt_.records.push_back({.handle = object, .edges = {{.step = step, .index = index, .key = key, .target = target}}});
  return target;
}

void Mirror::Conclude(Handle object, model::Step step, std::string_view name, Handle target) {
  At(object).edges.try_emplace(EdgeKey(step, 0, Constant::Str(std::string(name))), target);
}

Handle Mirror::Root(model::Step step, uint32_t index, const Constant& key) {
  std::string edge = EdgeKey(step, index, key);
  if (auto it = roots_.find(edge); it != roots_.end())
    return it->second;
  const model::AnswerItem* answer = Ask({.kind = QuestionKind::kRoot, .step = step, .index = index, .key = key});
  Handle target = answer == nullptr ? model::kAbsent : answer->target;
  roots_[edge] = target;
  learnt_.roots.push_back({.step = step, .index = index, .key = key, .target = target});
  return target;
}

const FactValue& Mirror::Fact(Handle object, model::Fact fact) {
  for (const FactValue& value : At(object).facts)
    if (value.fact == fact)
      return value;
  FactValue value{.fact = fact, .known = false};
  // Who describes an object (so that its type is known) says these where they apply.
  const bool told =
      (fact == model::Fact::kValue || fact == model::Fact::kSymbolName) && At(object).edges.contains(EdgeKey(model::Step::kType, 0, {}));
  const model::AnswerItem* answer = told ? nullptr : Ask({.kind = QuestionKind::kFact, .object = object, .fact = fact});
  if (answer != nullptr && answer->fact.has_value() && answer->fact->fact == fact)
    value = *answer->fact;
  Object& record = At(object);
  record.facts.push_back(value);
  learnt_.records.push_back({.handle = object, .facts = {value}});
  // Facts sit in a vector that grows; hand out a copy that stays.
  return unknown_.emplace_back(std::move(value));
}

const model::AnswerItem* Mirror::Call(Question question) {
  question.kind = QuestionKind::kCall;
  return Ask(std::move(question));
}

}  // namespace framegate::translator
