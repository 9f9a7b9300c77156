// Where the control of a code object goes on from an instruction. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "translator/pyver/decode.h"

namespace framegate::translator {

enum class Way : uint8_t {
  kOn,    // to what follows, by falling through or jumping
  kEnds,  // this way is of no more interest
  kFound  // the walk is over
};

// How far a walk goes.
struct WalkLimits {
  bool into_handlers = false;  // of exceptions
  size_t steps = SIZE_MAX;     // those to what was visited before included
};

// Visits each instruction that may come next, from `start` on, once: `visit(instruction)` says how it goes on. True where the walk was
// ended by kFound or by its limit.
template <typename Visit>
bool Walk(const DecodedCode& code, uint32_t start, const WalkLimits& limits, Visit visit) {
  std::vector<uint32_t> open{start};
  std::vector<bool> seen(code.instructions.size());
  for (size_t steps = 0; !open.empty(); ++steps) {
    const uint32_t at = open.back();
    open.pop_back();
    if (at >= code.instructions.size() || steps > limits.steps)
      return true;
    if (seen[at])
      continue;
    seen[at] = true;
    const Instruction& i = code.instructions[at];
    const Way way = visit(i);
    if (way == Way::kFound)
      return true;
    if (way == Way::kEnds)
      continue;
    if (limits.into_handlers && i.handler != kNoIndex)
      open.push_back(code.handlers[i.handler].target);
    if (i.target != kNoIndex)
      open.push_back(i.target);
    if (i.op != Op::kJump && i.op != Op::kReturnValue && i.op != Op::kRaiseVarargs && i.op != Op::kReraise)
      open.push_back(at + 1);
  }
  return false;
}

}  // namespace framegate::translator
