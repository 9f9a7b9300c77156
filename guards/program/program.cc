#include "guards/program/program.h"

#include <algorithm>

#include "base/strings.h"

namespace framegate::guards {

namespace {

struct OpRow {
  CheckOp op;
  std::string_view text;
  OperandShape shape;
  uint32_t cost;
};

constexpr OpRow kRows[] = {
#define FRAMEGATE_CHECK_OP(number, name, text, shape, cost, doc) {CheckOp::name, text, OperandShape::k##shape, cost},
#include "guards/program/check_ops.def"
#undef FRAMEGATE_CHECK_OP
};

constexpr const OpRow* FindRow(CheckOp op) {
  for (const OpRow& row : kRows)
    if (row.op == op)
      return &row;
  return nullptr;
}

// A step or fact costs about one dict lookup; the exact figure only serves the budget.
constexpr uint32_t kLookupCost = 6;
constexpr uint32_t kTensorCost = 40;

bool IsFree(const std::vector<uint32_t>& dimensions, size_t dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
}

bool NumbersMatch(const std::vector<int64_t>& expected, const std::vector<int64_t>& actual, const std::vector<uint32_t>& free) {
  if (expected.size() != actual.size())
    return false;
  for (size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != actual[i] && !IsFree(free, i))
      return false;
  return true;
}

}  // namespace

std::string_view EnumText(CheckOp op) {
  const OpRow* row = FindRow(op);
  return row ? row->text : std::string_view();
}

bool EnumFromText(std::string_view text, CheckOp* op) {
  for (const OpRow& row : kRows) {
    if (row.text == text) {
      *op = row.op;
      return true;
    }
  }
  return false;
}

OperandShape ShapeOf(CheckOp op) {
  const OpRow* row = FindRow(op);
  return row ? row->shape : OperandShape::kNone;
}

uint32_t CostOf(CheckOp op) {
  const OpRow* row = FindRow(op);
  return row ? row->cost : 0;
}

uint32_t CostOf(uint8_t op) {
  if (IsStepOp(op))
    return IsKnownOp(op) ? kLookupCost : 0;
  if (IsFactOp(op))
    return !IsKnownOp(op) ? 0 : model::ShapeOf(FactOf(op)) == model::FactShape::kTensor ? kTensorCost : kLookupCost;
  return CostOf(static_cast<CheckOp>(op));
}

bool IsKnownOp(uint8_t op) {
  if (IsStepOp(op))
    return !model::EnumText(StepOf(op)).empty();
  if (IsFactOp(op))
    return !model::EnumText(FactOf(op)).empty();
  return FindRow(static_cast<CheckOp>(op)) != nullptr;
}

bool Matches(const TensorCheck& check, const model::TensorFacts& actual) {
  const model::TensorFacts& facts = check.facts;
  return facts.dtype == actual.dtype && facts.device == actual.device && facts.layout == actual.layout &&
         facts.requires_grad == actual.requires_grad && facts.is_inference == actual.is_inference && facts.keys == actual.keys &&
         (!(check.parts & kLeafPart) || facts.is_leaf == actual.is_leaf) &&
         (!(check.parts & kGradPart) || facts.has_grad == actual.has_grad) &&
         (!(check.parts & kOffsetPart) || facts.storage_offset == actual.storage_offset) &&
         facts.dynamic_dims == actual.dynamic_dims && facts.static_dims == actual.static_dims &&
         NumbersMatch(facts.sizes, actual.sizes, check.free_sizes) && NumbersMatch(facts.strides, actual.strides, check.free_strides);
}

}  // namespace framegate::guards
