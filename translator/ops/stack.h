// Stack access shared by the op families. An access below the stack's bottom marks the frame; the interpreter then ends the translation.
#pragma once

#include <algorithm>

#include "translator/ops/interp.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

// What the frame's globals or builtins hold under a name; NameError where neither does.
Outcome GlobalOrBuiltin(Interp& in, Frame& f, const std::string& name);

// "module.qualname() " of what is called, as errors about its arguments begin; "" where it has no such name.
std::string NameOfCallee(Interp& in, V callable);
// An entry of a traceback, of an exception that the frame made or, of one from elsewhere, as a value known at run time.
ObjectValue* NewTraceback(Session& s, V of);
// Iterating over it is a TypeError.
bool IsNotIterable(Interp& in, V value);
// Whether an except clause that names `types` takes the exception.
Outcome MatchesClause(Interp& in, V exception, V types);

// Cell `n` from the top, 1 is the top.
inline V& Cell(Frame& f, size_t n) {
  if (n - 1 < f.stack.size())
    return f.stack[f.stack.size() - n];
  f.underflow = true;
  return f.spare;
}

inline void Pop(Frame& f, size_t n) {
  f.underflow = f.underflow || n > f.stack.size();
  f.stack.resize(f.stack.size() - std::min(n, f.stack.size()));
}

// The top `count` cells, lowest first.
inline Values TopValues(Frame& f, size_t count) {
  if (count > f.stack.size()) {
    f.underflow = true;
    return {};
  }
  return Values(f.stack.end() - static_cast<ptrdiff_t>(count), f.stack.end());
}

// Puts an outcome in place of the top `pops` cells: the value now, or later what the pushed frame gives.
inline Outcome Replace(Frame& f, size_t pops, Outcome outcome) {
  if (outcome.flow == Flow::kNext) {
    Pop(f, pops);
    f.stack.push_back(outcome.value);
  } else if (outcome.flow == Flow::kFrame) {
    Pop(f, pops);
    if (outcome.value != nullptr)  // an instance that waits for its __init__
      f.stack.push_back(outcome.value);
  }
  return outcome;
}

// The same for operations without a result.
inline Outcome Consume(Frame& f, size_t pops, Outcome outcome) {
  if (outcome.flow == Flow::kNext || outcome.flow == Flow::kFrame)
    Pop(f, pops);
  return outcome;
}

inline Outcome Next() {
  return {Flow::kNext, nullptr};
}

// An operation that takes what `source` gives, whole: where it breaks, nothing of it is done.
struct Attempt {
  Outcome outcome;
  bool can_wait;  // it broke, and may in Python code that gives the items: a polyfill's frame can wait for that code's
};

template <typename Whole>
Attempt TryWhole(Interp& in, V source, Whole whole) {
  const Session::Mark mark = in.s.Snapshot();
  const Outcome outcome = whole();
  if (outcome.flow != Flow::kBreak) {
    in.s.Release(mark);
    return {outcome, false};
  }
  in.s.Rollback(mark);
  return {outcome, RunsFrames(in.s, source)};
}

// The items of the operand on top, at most so many (kAllItems: all). Where Python code that gives them breaks, a polyfill makes a tuple of
// them in a frame that waits for that code's, and the instruction runs again on it: the outcome is that frame.
inline constexpr int64_t kAllItems = -1;
Outcome TakeItems(Interp& in, Frame& f, int64_t most, Values* items);

}  // namespace framegate::translator
