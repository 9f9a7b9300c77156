// What is known of the client's objects during one translation: facts and steps by handle. Unknown ones are asked for, with a failure kept
// until somebody looks (`status`), because the interpreter reads facts in the middle of expressions. One thread.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/edge_index.h"
#include "model/summary.h"
#include "translator/translate.h"

namespace framegate::translator {

class Mirror {
 public:
  // What is likely to be asked next.
  using Foresight = std::function<void(std::vector<model::Question>*)>;

  // `summary`, `codes` and `asker` outlive the mirror.
  Mirror(const model::Summary& summary, CodeStore& codes, Asker& asker);

  // A question costs a round trip, however many go together: what `foresight` names goes along with each. kStep, kRoot and kCode.
  void set_foresight(Foresight foresight) { foresight_ = std::move(foresight); }

  // Steps of which several are likely to be taken one after the other: if one of them is asked for, all that are unknown are.
  void Expect(model::Handle object, model::Step step, std::string_view name);

  // The same as Step, of what is known; nullopt: it would be asked.
  std::optional<model::Handle> Known(model::Handle object, model::Step step, const model::Constant& key = {}, uint32_t index = 0) const;
  std::optional<model::Handle> KnownRoot(model::Step step, const model::Constant& key) const;
  // Null where it would be asked.
  const model::FactValue* Known(model::Handle object, model::Fact fact) const;

  // The target of a step, kAbsent where there is none.
  model::Handle Step(model::Handle object, model::Step step, uint32_t index = 0, const model::Constant& key = {});
  model::Handle Step(model::Handle object, model::Step step, std::string_view name);
  model::Handle Root(model::Step step, uint32_t index = 0, const model::Constant& key = {});
  // Says the target of a step that what is known tells; it is not asked for.
  void Conclude(model::Handle object, model::Step step, std::string_view name, model::Handle target);
  // Never null; `known` is false where the fact does not apply.
  const model::FactValue& Fact(model::Handle object, model::Fact fact);
  // One pure call in the client; of constants, it is asked for once. Null where the client could not say.
  const model::AnswerItem* Call(model::Question question);
  const model::AnswerItem* Ask(model::Question question);

  absl::Status status() const { return status_; }

  uint64_t questions() const { return questions_; }

 private:
  struct Object {
    model::EdgeIndex edges;
    std::vector<const model::FactValue*> facts;
  };

  // `records` live as long as this.
  void Learn(const std::vector<model::ObjectRecord>& records);
  void LearnStep(model::Handle object, model::Step step, uint32_t index, const model::Constant& key, model::Handle target);
  Object& At(model::Handle handle);

  CodeStore& codes_;
  Asker& asker_;
  Foresight foresight_;
  std::deque<Object> objects_;  // by handle; a deque so that references stay
  model::EdgeIndex roots_;
  std::deque<model::FactValue> asked_;  // facts
  std::deque<model::Constant> keys_;    // of steps that were asked for
  std::deque<model::Answers> answers_;
  absl::flat_hash_map<std::string, const model::AnswerItem*> calls_;  // of constants, by question
  std::vector<model::Question> expected_;
  absl::Status status_;
  uint64_t questions_ = 0;
};

}  // namespace framegate::translator
