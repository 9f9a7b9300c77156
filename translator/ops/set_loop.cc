#include "translator/ops/set_loop.h"

#include <algorithm>

#include "translator/ops/flow.h"

namespace framegate::translator {

namespace {

// Functions that show a frame's variables without naming them.
bool ShowsVariables(const model::CodeImage& code) {
  constexpr std::string_view kNames[] = {"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"};
  return std::any_of(code.names.begin(), code.names.end(),
                     [&](const std::string& name) { return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames); });
}

// Whether some way on from the instruction reads the variable before it is set.
bool IsReadLater(const DecodedCode& code, uint32_t start, uint32_t variable) {
  return Walk(code, start, {.into_handlers = true}, [variable](const Instruction& i) {
    if (i.arg != static_cast<int32_t>(variable))
      return Way::kOn;
    if (i.op == Op::kLoadFast || i.op == Op::kLoadFastAndClear)
      return Way::kFound;
    return i.op == Op::kStoreFast || i.op == Op::kDeleteFast ? Way::kEnds : Way::kOn;
  });
}

}  // namespace

SetLoop::SetLoop(Session& s, const Frame& f, const Instruction& i) : s_(s), f_(f), i_(i) {
  if (s.orders() == nullptr || !s.orders()->any() || f.stack.empty() || f.stack.back() == nullptr)
    return;
  iterator_ = As<IteratorValue>(s.Look(f.stack.back()));
  loop_ = s.orders()->LoopOf(iterator_);
  if (loop_ != nullptr && loop_->rounds > 0 && ChangedSince(*loop_))
    loop_->changing.push_back(loop_->rounds - 1);
}

uint32_t SetLoop::Variable() const {
  const Instruction* next = &i_ + 1;
  return next->op == Op::kStoreFast ? static_cast<uint32_t>(next->arg) : kNoIndex;
}

bool SetLoop::ChangedSince(const SetOrders::Loop& loop) const {
  const uint32_t variable = Variable();
  if (variable == kNoIndex || s_.writes() != loop.writes || f_.slots.size() != loop.slots.size())
    return true;
  for (uint32_t slot = 0; slot < f_.slots.size(); ++slot)
    if (slot != variable && f_.slots[slot] != loop.slots[slot])
      return true;
  return false;
}

void SetLoop::Begin() const {
  if (loop_ == nullptr)
    return;
  loop_->writes = s_.writes();
  loop_->slots = f_.slots;
  ++loop_->rounds;
}

void SetLoop::End() const {
  const DecodedCode& code = *f_.code;
  if (loop_ != nullptr && Variable() != kNoIndex && !ShowsVariables(*code.image) && !IsReadLater(code, i_.target, Variable()))
    s_.orders()->NoteEnd(iterator_);
}

}  // namespace framegate::translator
