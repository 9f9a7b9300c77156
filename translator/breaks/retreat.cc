#include "translator/breaks/retreat.h"

#include <algorithm>

#include "model/libraries.h"

namespace framegate::translator {

namespace {

// A polyfill stands for C code of the frame below it.
bool IsProgramsOwn(const Frame& f) {
  return !f.hidden && !f.library;
}

// Code that computes with numpy, by what it calls it: a global or a variable from outside.
bool UsesNumpy(const Frame& f) {
  const model::CodeImage& image = *f.code->image;
  return std::any_of(image.names.begin(), image.names.end(), model::IsNumpyName) ||
         std::any_of(image.localsplusnames.begin(), image.localsplusnames.end(), model::IsNumpyName);
}

}  // namespace

bool IsCallLike(const Instruction& i) {
  constexpr Op kSuch[] = {Op::kCall, Op::kCallKw, Op::kCallFunctionEx, Op::kBeforeWith, Op::kLoadAttr, Op::kLoadMethod};
  return std::find(std::begin(kSuch), std::end(kSuch), i.op) != std::end(kSuch);
}

void Interp::NoteRetreat(const Frame& callee) {
  const Frame& caller = top();
  // What the instruction did before it got here would be done twice.
  const bool of_numpy = !callee.library && UsesNumpy(callee);
  if ((callee.library || of_numpy) && IsProgramsOwn(caller) && !runs_sync() && IsCallLike(caller.instruction()) && begun_ == s.changes())
    retreats_.push_back(
        {.frame = frames_.size() - 1, .stack = caller.begun, .handled = handled, .mark = s.Snapshot(), .of_numpy = of_numpy});
}

// A function that is given no tensor and has made none computes with numpy alone: all of it is one thing to the program.
size_t Interp::NumpyRetreat() {
  for (size_t at = 0; at < retreats_.size(); ++at) {
    const Retreating& back = retreats_[at];
    if (!back.of_numpy || back.mark.nodes != s.graph().nodes().size() || back.frame + 1 >= frames_.size())
      continue;
    const Frame& callee = *frames_[back.frame + 1];
    const model::CodeImage& image = *callee.code->image;
    const size_t given = std::min<size_t>(callee.slots.size(), image.argcount + image.kwonlyargcount + 2);
    if (std::none_of(callee.slots.begin(), callee.slots.begin() + static_cast<ptrdiff_t>(given),
                     [this](V value) { return HasTensor(value); }))
      return at;
  }
  return retreats_.size();
}

void Interp::DropRetreats() {
  while (!retreats_.empty() && retreats_.back().frame + 1 >= frames_.size()) {
    s.Release(retreats_.back().mark);
    retreats_.pop_back();
  }
}

void Interp::Retreat() {
  size_t to = s.refusal.reason == model::Reason::kInstructionBudget ? retreats_.size() : NumpyRetreat();
  if (to == retreats_.size()) {
    size_t at = frames_.size();
    while (at > 0 && !IsProgramsOwn(*frames_[at - 1]))
      --at;
    if (retreats_.empty() || retreats_.back().frame + 1 != at || s.refusal.reason == model::Reason::kInstructionBudget)
      return;
    to = retreats_.size() - 1;
  }
  for (; retreats_.size() > to + 1; retreats_.pop_back())
    s.Release(retreats_.back().mark);
  Retreating back = std::move(retreats_.back());
  retreats_.pop_back();
  s.Rollback(back.mark);
  frames_.resize(back.frame + 1);
  handled = back.handled;
  top().stack = std::move(back.stack);
  top().waiting = model::Resume::kInnermost;
  break_kind_ = model::BreakKind::kInstruction;
}

}  // namespace framegate::translator
