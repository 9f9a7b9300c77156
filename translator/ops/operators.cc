#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Resume;

namespace {

// What comes next keeps the value in an object, a global or a cell, and does no more with it.
bool IsKept(const Frame& f) {
  constexpr size_t kFar = 4;
  for (size_t at = f.ip + 1; at < f.code->instructions.size() && at <= f.ip + kFar; ++at) {
    const Op op = f.code->instructions[at].op;
    if (op == Op::kStoreAttr || op == Op::kStoreGlobal || op == Op::kStoreDeref || op == Op::kStoreSubscr)
      return true;
    if (op != Op::kSwap && op != Op::kLoadFast && op != Op::kLoadDeref && op != Op::kLoadGlobal)
      return false;
  }
  return false;
}

}  // namespace

Outcome OpBinaryOp(Interp& in, Frame& f, const Instruction& i) {
  constexpr int32_t kAdd = 0, kSubtract = 10, kOperators = 13;
  const int32_t number = i.arg % kOperators;  // in place or not
  if (V count = (number == kAdd || number == kSubtract) && IsKept(f) ? in.s.Count(Cell(f, 2), number == kAdd, Cell(f, 1)) : nullptr)
    return Replace(f, 2, in.Done(count));
  return Replace(f, 2, in.BinaryOp(i.arg, Cell(f, 2), Cell(f, 1), kPushTail));
}

Outcome OpUnaryNegative(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 1, in.UnaryOp('-', Cell(f, 1), kPushTail));
}

Outcome OpUnaryInvert(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 1, in.UnaryOp('~', Cell(f, 1), kPushTail));
}

Outcome OpUnaryPositive(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 1, in.UnaryOp('+', Cell(f, 1), kPushTail));
}

Outcome OpUnaryNot(Interp& in, Frame& f, const Instruction&) {
  V operand = Cell(f, 1);
  Outcome outcome = SyncOrFrames(
      in, operand, nullptr, {true, Resume::kNot},
      [&]() -> Outcome {
        FRAMEGATE_TAKE(V truth, in.Truth(operand));
        return in.Done(in.s.Bool(truth != in.s.Bool(true)));
      },
      [&] {
        return TruthInFrames(in, operand, {true, Resume::kNot});
      });
  return Replace(f, 1, outcome);
}

Outcome OpToBool(Interp& in, Frame& f, const Instruction&) {
  V operand = Cell(f, 1);
  return Replace(f, 1,
                 SyncOrFrames(
                     in, operand, nullptr, {true, Resume::kBool}, [&] { return in.Truth(operand); },
                     [&] {
                       return TruthInFrames(in, operand, {true, Resume::kBool});
                     }));
}

Outcome OpCompareOp(Interp& in, Frame& f, const Instruction& i) {
  if (i.arg2 == 0)
    return Replace(f, 2, in.Compare(i.arg, Cell(f, 2), Cell(f, 1), kPushTail));
  FRAMEGATE_TAKE(V result, in.Compare(i.arg, Cell(f, 2), Cell(f, 1)));
  return Replace(f, 2, in.Truth(result));
}

Outcome OpIsOp(Interp& in, Frame& f, const Instruction& i) {
  FRAMEGATE_TAKE(V same, in.Is(Cell(f, 2), Cell(f, 1)));
  return Replace(f, 2, in.Done(in.s.Bool((same == in.s.Bool(true)) != (i.arg == 1))));
}

Outcome OpContainsOp(Interp& in, Frame& f, const Instruction& i) {
  V container = Cell(f, 1), item = Cell(f, 2);
  const auto whole = [&] {
    return SyncOrFrames(
        in, container, nullptr, {true, Resume::kContains},
        [&]() -> Outcome {
          FRAMEGATE_TAKE(V found, in.Contains(container, item));
          return in.Done(in.s.Bool((found == in.s.Bool(true)) != (i.arg == 1)));
        },
        [&]() -> Outcome {
          FRAMEGATE_TAKE(V method, in.LookupSpecial(container, "__contains__"));
          return in.Call(method, {.positional = {item}}, {true, Resume::kContains});
        });
  };
  const auto [outcome, can_wait] = TryWhole(in, container, whole);
  if (!can_wait)
    return Replace(f, 2, outcome);
  const Refusal why = in.s.refusal;
  const Outcome started =
      in.Call(in.s.Symbol("framegate._polyfills_consumers:contains_of"), {.positional = {container, item}}, {true, Resume::kContains});
  if (started.flow == Flow::kFrame)
    return Consume(f, 2, started);
  in.s.refusal = why;
  return outcome;
}

}  // namespace framegate::translator
