// Jumps, loops, return.
#include "base/strings.h"
#include "translator/ops/flow.h"
#include "translator/ops/set_loop.h"
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

// Every way on from the instruction ends in a raise, soon.
bool OnlyRaises(const DecodedCode& code, uint32_t start) {
  constexpr size_t kSoon = 200;
  return !Walk(code, start, {.steps = kSoon}, [](const Instruction& i) {
    return i.op == Op::kReturnValue || i.op == Op::kYieldValue || i.op == Op::kSend ? Way::kFound : Way::kOn;
  });
}

// A branch on a tensor of which one way only raises: the graph goes the other way and fails where it is the wrong one, and then everything
// runs as written. `wanted` is set to the truth that does not raise. False: not such a branch.
bool IsExpectation(const Frame& f, const Instruction& i, bool jump_if, bool* wanted) {
  const bool jump_raises = OnlyRaises(*f.code, i.target), next_raises = OnlyRaises(*f.code, f.ip + 1);
  *wanted = jump_raises ? !jump_if : jump_if;
  return jump_raises != next_raises;
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
  if (bool wanted = false; outcome.flow == Flow::kBreak && in.s.refusal.reason == model::Reason::kTensorBranch &&
                           IsExpectation(f, i, jump_if, &wanted) && !in.MayBeHandled()) {
    const Refusal refusal = in.s.refusal;
    outcome = in.GraphExpect(operand, wanted);
    if (!outcome.ok())
      in.s.refusal = refusal;
    else
      outcome.value = in.s.Bool(wanted);
  }
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

namespace {

// The same iterator as a generator of Python code, whose frame waits where the other's would be inside C code. Null: there is none.
Outcome AsGenerator(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  const auto made = [&](const char* function, Values arguments) {
    return in.Call(s.Symbol(StrCat("framegate._polyfills_consumers:", function)), {.positional = std::move(arguments)});
  };
  switch (iterator->form) {
    case IteratorForm::kEnumerate:
      return made("enumerate_of", {iterator->sources[0], s.Int(iterator->start + static_cast<int64_t>(iterator->at))});
    case IteratorForm::kZip:
      return made("zip_of", {s.Tuple(iterator->sources)});
    case IteratorForm::kMap:
      return made("map_of", {iterator->source, s.Tuple(iterator->sources)});
    case IteratorForm::kFixed:
    case IteratorForm::kSequence:
    case IteratorForm::kReversed:
    case IteratorForm::kRange:
    case IteratorForm::kMapping:
    case IteratorForm::kReal:
    case IteratorForm::kCallable:
      break;
  }
  return in.Done(nullptr);
}

// Only the loop holds it, as far as the frames show.
bool IsHeldOnce(Interp& in, V iterator) {
  size_t count = 0;
  for (const std::shared_ptr<Frame>& frame : in.frames()) {
    size_t here = 0;
    for (const Values* values : {&frame->slots, &frame->stack})
      here += static_cast<size_t>(std::count_if(values->begin(), values->end(), [&](V value) { return in.s.Look(value) == iterator; }));
    count += frame->hidden ? std::min<size_t>(here, 1) : here;  // a polyfill's parameter is what it loops over
  }
  return count == 1;
}

}  // namespace

Outcome OpForIter(Interp& in, Frame& f, const Instruction& i) {
  const SetLoop loop(in.s, f, i);
  Outcome outcome = in.Next(Cell(f, 1), {true, Resume::kNext});
  if (auto* several = As<IteratorValue>(in.s.Look(Cell(f, 1)));
      outcome.flow == Flow::kBreak && several != nullptr && RunsFrames(in.s, several) && IsHeldOnce(in, several)) {
    const Refusal why = in.s.refusal;
    FRAMEGATE_TAKE(V generator, AsGenerator(in, several));
    in.s.refusal = why;
    if (generator != nullptr) {
      Cell(f, 1) = generator;
      outcome = in.Next(generator, {true, Resume::kNext});
    }
  }
  if (outcome.flow == Flow::kBreak)
    in.set_break_kind(BreakKind::kNext);
  if (!outcome.ok())
    return outcome;
  if (outcome.value == nullptr) {
    loop.End();
    Pop(f, 1);
    return JumpTo(f, i.target);
  }
  loop.Begin();
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
