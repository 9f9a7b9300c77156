// Views with dimensions in another order.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

Value Transposed(const Value& input, int64_t a, int64_t b) {
  Layout layout = input.layout;
  if (a != b) {
    std::swap(layout.sizes[a], layout.sizes[b]);
    std::swap(layout.strides[a], layout.strides[b]);
  }
  return ViewOf(input, std::move(layout));
}

Value Permuted(const Value& input, const Dims& order) {
  Layout layout;
  for (int64_t dim : order) {
    layout.sizes.push_back(input.size(dim));
    layout.strides.push_back(input.stride(dim));
  }
  return ViewOf(input, std::move(layout));
}

}  // namespace

Outcome Transpose(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t a, call.Dim("dim0", input));
  ASSIGN_OR_RETURN(int64_t b, call.Dim("dim1", input));
  if (input.rank() == 0)
    return ViewOf(input, input.layout);
  return Transposed(input, a, b);
}

Outcome TransposeMatrix(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() > 2)
    return Raises();
  return input.rank() < 2 ? ViewOf(input, input.layout) : Transposed(input, 0, 1);
}

Outcome TransposeLast(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() < 2)
    return Unknown();
  return Transposed(input, input.rank() - 2, input.rank() - 1);
}

// Of tensors that are no matrices this is deprecated, and warns.
Outcome TransposeAll(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() != 2)
    return Unknown();
  return Transposed(input, 0, 1);
}

Outcome Permute(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims dims, call.Ints("dims"));
  if (static_cast<int64_t>(dims.size()) != input.rank())
    return Raises();
  std::vector<bool> seen(dims.size());
  for (Size& dim : dims) {
    std::optional<int64_t> resolved = ResolveDim(dim, input.rank());
    if (!resolved || seen[*resolved])
      return Raises();
    seen[*resolved] = true;
    dim = *resolved;
  }
  return Permuted(input, dims);
}

Outcome MoveDim(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims from, call.Ints("source"));
  ASSIGN_OR_RETURN(Dims to, call.Ints("destination"));
  if (from.size() != to.size())
    return Raises();
  if (input.rank() == 0)
    return Unknown();
  Dims order(input.sizes().size(), -1);
  std::vector<bool> moved(order.size());
  for (size_t i = 0; i < from.size(); ++i) {
    std::optional<int64_t> source = ResolveDim(from[i], input.rank()), target = ResolveDim(to[i], input.rank());
    if (!source || !target || moved[*source] || order[*target] != -1)
      return Raises();
    moved[*source] = true;
    order[*target] = *source;
  }
  int64_t next = 0;
  for (Size& dim : order) {
    if (dim != -1)
      continue;
    while (moved[next])
      ++next;
    dim = next++;
  }
  return Permuted(input, order);
}

}  // namespace framegate::translator::meta::rules
