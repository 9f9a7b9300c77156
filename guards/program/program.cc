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
  std::string_view seen;
};

constexpr OpRow kRows[] = {
#define FRAMEGATE_CHECK_OP(number, name, text, shape, cost, seen, doc) {CheckOp::name, text, OperandShape::k##shape, cost, seen},
#include "guards/program/check_ops.def"
#undef FRAMEGATE_CHECK_OP
};

// A step or fact costs about one dict lookup; the exact figure only serves the budget.
constexpr uint32_t kLookupCost = 6;
constexpr uint32_t kTensorCost = 40;

// By opcode, from the rows of all three tables.
struct OpTable {
  bool known[256] = {};
  uint32_t cost[256] = {};
  OperandShape shape[kFactOps] = {};
  std::string_view text[kFactOps];
  std::string_view seen[kFactOps];
};

constexpr OpTable kOps = [] {
  OpTable table;
  for (const OpRow& row : kRows) {
    const uint8_t op = static_cast<uint8_t>(row.op);
    table.known[op] = true;
    table.cost[op] = row.cost;
    table.shape[op] = row.shape;
    table.text[op] = row.text;
    table.seen[op] = row.seen;
  }
#define FRAMEGATE_FACT(number, name, text, shape, doc) \
  table.known[kFactOps + number] = true;               \
  table.cost[kFactOps + number] = model::FactShape::k##shape == model::FactShape::kTensor ? kTensorCost : kLookupCost;
#include "model/facts.def"
#undef FRAMEGATE_FACT
#define FRAMEGATE_STEP(number, name, text, shape, doc) \
  table.known[kStepOps + number] = true;               \
  table.cost[kStepOps + number] = kLookupCost;
#include "model/steps.def"
#undef FRAMEGATE_STEP
  return table;
}();

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
  const uint8_t number = static_cast<uint8_t>(op);
  return number < kFactOps ? kOps.text[number] : std::string_view();
}

std::string_view SeenText(CheckOp op) {
  return kOps.seen[static_cast<uint8_t>(op)];
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
  const uint8_t number = static_cast<uint8_t>(op);
  return number < kFactOps ? kOps.shape[number] : OperandShape::kNone;
}

uint32_t CostOf(uint8_t op) {
  return kOps.cost[op];
}

bool IsKnownOp(uint8_t op) {
  return kOps.known[op];
}

bool Matches(const TensorCheck& check, const model::TensorFacts& actual) {
  const model::TensorFacts& facts = check.facts;
  return facts.dtype == actual.dtype && facts.device == actual.device && facts.layout == actual.layout &&
         facts.requires_grad == actual.requires_grad && facts.is_inference == actual.is_inference && facts.keys == actual.keys &&
         (!(check.parts & kLeafPart) || facts.is_leaf == actual.is_leaf) &&
         (!(check.parts & kGradPart) || facts.has_grad == actual.has_grad) &&
         (!(check.parts & kOffsetPart) || facts.storage_offset == actual.storage_offset) && facts.dynamic_dims == actual.dynamic_dims &&
         facts.static_dims == actual.static_dims && NumbersMatch(facts.sizes, actual.sizes, check.free_sizes) &&
         NumbersMatch(facts.strides, actual.strides, check.free_strides);
}

}  // namespace framegate::guards
