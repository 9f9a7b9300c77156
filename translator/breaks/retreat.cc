#include "translator/breaks/retreat.h"

#include <algorithm>

namespace framegate::translator {

namespace {

constexpr std::string_view kLibraries[] = {
#define FRAMEGATE_LIBRARY(part) part,
#include "translator/breaks/libraries.def"
#undef FRAMEGATE_LIBRARY
};

bool IsStandardLibrary(std::string_view filename) {
  constexpr std::string_view kFolder = "/lib/python3.";
  const size_t at = filename.rfind(kFolder);
  return at != std::string_view::npos && filename.find("-packages/", at) == std::string_view::npos;
}

// A polyfill stands for C code of the frame below it.
bool IsProgramsOwn(const Frame& f) {
  return !f.hidden && !f.library;
}

}  // namespace

bool IsLibraryFile(std::string_view filename) {
  return IsStandardLibrary(filename) || std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                                    [&](std::string_view part) { return filename.find(part) != std::string_view::npos; });
}

bool IsCallLike(const Instruction& i) {
  constexpr Op kSuch[] = {Op::kCall, Op::kCallKw, Op::kCallFunctionEx, Op::kBeforeWith, Op::kLoadAttr, Op::kLoadMethod};
  return std::find(std::begin(kSuch), std::end(kSuch), i.op) != std::end(kSuch);
}

void Interp::NoteRetreat(const Frame& callee) {
  const Frame& caller = top();
  // What the instruction did before it got here would be done twice.
  if (callee.library && IsProgramsOwn(caller) && !runs_sync() && IsCallLike(caller.instruction()) && begun_ == s.changes())
    retreats_.push_back({.frame = frames_.size() - 1, .stack = caller.begun, .handled = handled, .mark = s.Snapshot()});
}

void Interp::DropRetreats() {
  while (!retreats_.empty() && retreats_.back().frame + 1 >= frames_.size()) {
    s.Release(retreats_.back().mark);
    retreats_.pop_back();
  }
}

void Interp::Retreat() {
  size_t at = frames_.size();
  while (at > 0 && !IsProgramsOwn(*frames_[at - 1]))
    --at;
  if (retreats_.empty() || retreats_.back().frame + 1 != at || s.refusal.reason == model::Reason::kInstructionBudget)
    return;
  Retreating back = std::move(retreats_.back());
  retreats_.pop_back();
  s.Rollback(back.mark);
  frames_.resize(at);
  handled = back.handled;
  top().stack = std::move(back.stack);
  top().waiting = model::Resume::kInnermost;
  break_kind_ = model::BreakKind::kInstruction;
}

}  // namespace framegate::translator
