#include "translator/graph/meta/iteration.h"

#include <algorithm>

namespace framegate::translator::meta {
namespace {

bool All(const std::vector<Layout>& operands, bool (*holds)(const Layout&)) {
  return std::all_of(operands.begin(), operands.end(), holds);
}

// Operands of one shape need no ordering of dimensions where their memory formats agree.
bool IterateFast(const std::vector<Layout>& operands, Layout* result) {
  for (const Layout& operand : operands)
    if (operand.sizes != operands[0].sizes)
      return false;
  result->sizes = operands[0].sizes;
  if (All(operands, IsContiguous)) {
    result->strides = ContiguousStrides(result->sizes);
    return true;
  }
  if (All(operands, [](const Layout& layout) { return IsContiguousIn(MemoryFormat::kChannelsLast, layout); })) {
    result->strides = StridesIn(MemoryFormat::kChannelsLast, result->sizes);
    return true;
  }
  for (const Layout& operand : operands)
    if (!IsDense(operand) || operand.strides != operands[0].strides)
      return false;
  result->strides = operands[0].strides;
  return true;
}

// Numbers beside operands of one shape, all as new: no size need be known to be more than one. Not for what is empty, whose strides torch
// orders in a way of its own.
bool IterateAsNew(const std::vector<Layout>& operands, Layout* result) {
  for (const Layout& operand : operands) {
    if (operand.sizes.empty())
      continue;
    if (std::any_of(operand.sizes.begin(), operand.sizes.end(), [](const Size& size) { return Identical(size, Size(0)); }))
      return false;
    if (result->sizes.empty())
      result->sizes = operand.sizes;
    if (!HasNewStrides(operand) ||
        !std::equal(operand.sizes.begin(), operand.sizes.end(), result->sizes.begin(), result->sizes.end(), Identical))
      return false;
  }
  result->strides = ContiguousStrides(result->sizes);
  return true;
}

// Strides of an operand expanded to `sizes`; 0 along broadcast dimensions.
Dims ExpandedStrides(const Layout& operand, const Dims& sizes) {
  Dims strides(sizes.size(), 0);
  size_t shift = sizes.size() - operand.sizes.size();
  for (size_t i = 0; i < operand.sizes.size(); ++i)
    if (Identical(operand.sizes[i], sizes[shift + i]) || operand.sizes[i] != 1 || sizes[shift + i] == 1)
      strides[shift + i] = operand.strides[i];
  return strides;
}

bool IsReversed(const Dims& order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int64_t>(order.size() - 1 - i))
      return false;
  return true;
}

}  // namespace

absl::StatusOr<Layout> Iterate(const std::vector<Layout>& operands) {
  Layout result;
  if (IterateAsNew(operands, &result))
    return result;
  result = {};
  if (IterateFast(operands, &result))
    return result;
  result = {};
  for (const Layout& operand : operands) {
    std::optional<Dims> sizes = BroadcastSizes(result.sizes, operand.sizes);
    if (!sizes)
      return Raises();
    result.sizes = std::move(*sizes);
  }
  std::vector<Dims> strides;
  for (const Layout& operand : operands)
    strides.push_back(ExpandedStrides(operand, result.sizes));
  Dims order = LoopOrder(result.sizes, strides);
  if (IsReversed(order)) {
    result.strides = ContiguousStrides(result.sizes);
    return result;
  }
  result.strides.resize(result.sizes.size());
  Size next = 1;
  for (int64_t dim : order) {
    result.strides[dim] = next;
    next = Multiply(next, result.sizes[dim]);
  }
  return result;
}

absl::StatusOr<DType> PromotedType(const Call& call, const std::vector<Value>& operands) {
  Promotion promotion(call.ambient().default_dtype);
  bool half = false;
  for (const Value& operand : operands) {
    if (operand.is_number)
      promotion.AddNumber(operand.dtype);
    else
      promotion.AddTensor(operand.dtype, operand.rank() > 0);
    half = half || (!operand.is_number && operand.dtype == DType::kFloat16);
  }
  std::optional<DType> result = promotion.result();
  if (!result || (half && IsComplex(*result)))  // complex32 is none of ours
    return Unknown();
  return *result;
}

Value CastTo(const Call& call, const Value& value, DType dtype) {
  if (value.dtype == dtype)
    return value;
  return call.Fresh(dtype, Layout{value.layout.sizes, PreservedStrides(value.layout)});
}

absl::StatusOr<Value> Elementwise(const Call& call, const std::vector<Value>& operands, DType computed, DType result) {
  std::vector<Layout> layouts;
  for (const Value& operand : operands)
    layouts.push_back(operand.is_number ? operand.layout : CastTo(call, operand, computed).layout);
  ASSIGN_OR_RETURN(Layout layout, Iterate(layouts));
  return call.Fresh(result, std::move(layout));
}

}  // namespace framegate::translator::meta
