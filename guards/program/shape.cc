#include "guards/program/shape.h"

namespace framegate::guards {

namespace {

Registers OfOwn(const Instruction& in) {
  switch (ShapeOf(static_cast<CheckOp>(in.op))) {
    case OperandShape::kO:
    case OperandShape::kOType:
    case OperandShape::kOHandle:
    case OperandShape::kSlot:
    case OperandShape::kBody:
      return {.reads_objects = {in.a}};
    case OperandShape::kOO:
      return {.reads_objects = {in.a, in.b}};
    case OperandShape::kWord:
      return {.writes_word = in.a};
    case OperandShape::kDim:
    case OperandShape::kWFact:
    case OperandShape::kWO:
      return {.reads_objects = {in.b}, .writes_word = in.a};
    case OperandShape::kWWW:
      return {.reads_words = {in.b, in.c}, .writes_word = in.a};
    case OperandShape::kW:
      return {.reads_words = {in.a}};
    case OperandShape::kNone:
    case OperandShape::kPart:
      return {};
  }
  return {};
}

}  // namespace

Registers RegistersOf(const Instruction& in) {
  if (IsFactOp(in.op))
    return {.reads_objects = {in.a}};
  if (!IsStepOp(in.op))
    return OfOwn(in);
  if (model::IsRoot(StepOf(in.op)))
    return {.writes_object = in.a};
  return {.reads_objects = {in.b}, .writes_object = in.a};
}

}  // namespace framegate::guards
