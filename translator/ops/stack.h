// Stack access shared by the op families. REQUIRES of all: the stack is as deep as the instruction needs, which decoded code guarantees only
// for real code; Interp::Run checks depth before (see kMinimumDepth in opcodes.def users).
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

// Cell `n` from the top, 1 is the top.
inline V& Cell(Frame& f, size_t n) { return f.stack[f.stack.size() - n]; }

inline void Pop(Frame& f, size_t n) { f.stack.resize(f.stack.size() - n); }

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

inline Outcome Next() { return {Flow::kNext, nullptr}; }

}  // namespace framegate::translator
