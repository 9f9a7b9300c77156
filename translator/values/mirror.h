// What is known of the client's objects during one translation: facts and steps by handle. Unknown ones are asked for, with a failure kept
// until somebody looks (`status`), because the interpreter reads facts in the middle of expressions. One thread.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "model/summary.h"
#include "translator/translate.h"

namespace framegate::translator {

class Mirror {
 public:
  // `asker` outlives the mirror.
  Mirror(const model::Summary& summary, Asker& asker);

  // The target of a step, kAbsent where there is none.
  model::Handle Step(model::Handle object, model::Step step, uint32_t index = 0, const model::Constant& key = {});
  model::Handle Step(model::Handle object, model::Step step, std::string_view name);
  model::Handle Root(model::Step step, uint32_t index = 0, const model::Constant& key = {});
  // Says the target of a step that what is known tells; it is not asked for.
  void Conclude(model::Handle object, model::Step step, std::string_view name, model::Handle target);
  // Never null; `known` is false where the fact does not apply.
  const model::FactValue& Fact(model::Handle object, model::Fact fact);
  // One pure call in the client. Null where the client could not say.
  const model::AnswerItem* Call(model::Question question);
  const model::AnswerItem* Ask(model::Question question);

  absl::Status status() const { return status_; }

  uint64_t questions() const { return questions_; }

  // Everything learnt, for the engine's self-check.
  const model::Summary& learnt() const { return learnt_; }

 private:
  struct Object {
    absl::flat_hash_map<std::string, model::Handle> edges;
    std::vector<model::FactValue> facts;
  };

  void Learn(const std::vector<model::ObjectRecord>& records);
  Object& At(model::Handle handle);
  static std::string EdgeKey(model::Step step, uint32_t index, const model::Constant& key);

  Asker& asker_;
  std::deque<Object> objects_;  // by handle; a deque so that references stay
  absl::flat_hash_map<std::string, model::Handle> roots_;
  std::deque<model::FactValue> unknown_;
  std::deque<model::AnswerItem> answers_;
  model::Summary learnt_;
  absl::Status status_;
  uint64_t questions_ = 0;
};

}  // namespace framegate::translator
