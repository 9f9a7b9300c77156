// Jumps, loops, return.
#include "base/strings.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::BreakKind;
using model::Resume;

namespace {

Outcome JumpTo(Frame& f, uint32_t target) {
  f.ip = target;
  return {Flow::kJump, nullptr};
}

// A conditional jump on the truth of the top. `pop_on_jump` false: the operand stays where the jump is taken.
Outcome Branch(Interp& in, Frame& f, const Instruction& i, bool jump_if, bool pop_on_jump) {
  V operand = Cell(f, 1);
  Outcome outcome = SyncOrFrames(
      in, operand, nullptr, {pop_on_jump, Resume::kTruth}, [&] { return in.Truth(operand); },
      [&] {
        Outcome started = TruthInFrames(in, operand, {true, Resume::kTruth});
        if (started.flow == Flow::kFrame)
          Pop(f, 1);
        return started;
      });
  if (!outcome.ok()) {
    if (outcome.flow == Flow::kBreak && in.s.refusal.reason == model::Reason::kTensorBranch)
      in.set_break_kind(BreakKind::kTruth);
    return outcome;
  }
  bool jump = (outcome.value == in.s.Bool(true)) == jump_if;
  if (!jump || pop_on_jump)
    Pop(f, 1);
  return jump ? JumpTo(f, i.target) : Next();
}

Outcome BranchOnNone(Interp& in, Frame& f, const Instruction& i, bool jump_if_none) {
  FRAMEGATE_TAKE(V is_none, in.Is(Cell(f, 1), in.s.None()));
  Pop(f, 1);
  return (is_none == in.s.Bool(true)) == jump_if_none ? JumpTo(f, i.target) : Next();
}

}  // namespace

Outcome OpJump(Interp&, Frame& f, const Instruction& i) {
  return JumpTo(f, i.target);
}

Outcome OpPopJumpIfFalse(Interp& in, Frame& f, const Instruction& i) {
  return Branch(in, f, i, false, true);
}

Outcome OpPopJumpIfTrue(Interp& in, Frame& f, const Instruction& i) {
  return Branch(in, f, i, true, true);
}

Outcome OpJumpIfFalseOrPop(Interp& in, Frame& f, const Instruction& i) {
  return Branch(in, f, i, false, false);
}

Outcome OpJumpIfTrueOrPop(Interp& in, Frame& f, const Instruction& i) {
  return Branch(in, f, i, true, false);
}

Outcome OpPopJumpIfNone(Interp& in, Frame& f, const Instruction& i) {
  return BranchOnNone(in, f, i, true);
}

Outcome OpPopJumpIfNotNone(Interp& in, Frame& f, const Instruction& i) {
  return BranchOnNone(in, f, i, false);
}

Outcome OpGetIter(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 1, in.Iter(Cell(f, 1), {true, Resume::kGetIter}));
}

Outcome OpForIter(Interp& in, Frame& f, const Instruction& i) {
  Outcome outcome = in.Next(Cell(f, 1), {true, Resume::kNext});
  const bool by_loop =
      in.s.refusal.reason == model::Reason::kUnsupportedIteration || As<GeneratorValue>(in.s.Resolve(Cell(f, 1))) != nullptr;
  if (outcome.flow == Flow::kBreak && by_loop)
    in.set_break_kind(BreakKind::kNext);
  if (!outcome.ok())
    return outcome;
  if (outcome.value == nullptr) {
    Pop(f, 1);
    return JumpTo(f, i.target);
  }
  f.stack.push_back(outcome.value);
  return Next();
}

Outcome OpEndFor(Interp& in, Frame&, const Instruction&) {
  return in.Break(model::Reason::kUnsupportedOpcode, "END_FOR outside of a loop's end");
}

Outcome OpGetLen(Interp& in, Frame& f, const Instruction&) {
  FRAMEGATE_TAKE(V length, in.Length(Cell(f, 1)));
  f.stack.push_back(length);
  return Next();
}

Outcome OpReturnValue(Interp&, Frame& f, const Instruction&) {
  return {Flow::kReturn, Cell(f, 1)};
}

}  // namespace framegate::translator
