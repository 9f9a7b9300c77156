#include "translator/ops/stack.h"

namespace framegate::translator {

using model::Resume;

Outcome OpBinaryOp(Interp& in, Frame& f, const Instruction& i) {
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
  FRAMEGATE_TAKE(V truth, in.Truth(Cell(f, 1)));
  return Replace(f, 1, in.Done(in.s.Bool(truth != in.s.Bool(true))));
}

Outcome OpToBool(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 1, in.Truth(Cell(f, 1)));
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
  FRAMEGATE_TAKE(V found, in.Contains(Cell(f, 1), Cell(f, 2)));
  return Replace(f, 2, in.Done(in.s.Bool((found == in.s.Bool(true)) != (i.arg == 1))));
}

}  // namespace framegate::translator
