// Products of matrices.
#include <algorithm>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

bool IsProductType(const Value& a, const Value& b) {
  return a.dtype == b.dtype && a.dtype != DType::kBool;
}

Dims Batch(const Value& value) {
  return Dims(value.sizes().begin(), value.sizes().end() - std::min<int64_t>(value.rank(), 2));
}

// A matrix that requires gradients, times many: computed as the transpose of one product of
// matrices.
Value FoldedProduct(const Call& call, const Value& a, const Value& b) {
  Dims sizes = Batch(b);
  sizes.push_back(b.sizes().back());
  sizes.push_back(a.size(0));
  Value product = call.Fresh(a.dtype, std::move(sizes));
  Layout& layout = product.layout;
  size_t last = layout.sizes.size() - 1;
  std::swap(layout.sizes[last], layout.sizes[last - 1]);
  std::swap(layout.strides[last], layout.strides[last - 1]);
  return IsContiguous(layout) ? product : call.Fresh(a.dtype, layout.sizes);
}

}  // namespace

Outcome Linear(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  ASSIGN_OR_RETURN(std::vector<Value> bias, call.TensorIfGiven("bias"));
  if (input.rank() == 0 || weight.rank() != 2 || !IsProductType(input, weight))
    return Unknown();
  Dims sizes = input.sizes();
  if (sizes.back() != weight.size(1))
    return Raises();
  sizes.back() = weight.size(0);
  for (const Value& added : bias)
    if (added.dtype != input.dtype || added.sizes() != Dims{weight.size(0)})
      return Unknown();
  return call.Fresh(input.dtype, std::move(sizes));
}

Outcome MatMul(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("other"));
  if (!IsProductType(a, b))
    return Unknown();
  if (a.rank() == 0 || b.rank() == 0)
    return Raises();
  Size inner = b.rank() == 1 ? b.size(0) : b.size(b.rank() - 2);
  if (a.sizes().back() != inner)
    return Raises();
  std::optional<Dims> sizes = BroadcastSizes(Batch(a), Batch(b));
  if (!sizes)
    return Raises();
  if (a.rank() == 2 && b.rank() > 2 && a.requires_grad)
    return FoldedProduct(call, a, b);
  if (a.rank() > 1)
    sizes->push_back(a.size(a.rank() - 2));
  if (b.rank() > 1)
    sizes->push_back(b.sizes().back());
  return call.Fresh(a.dtype, std::move(*sizes));
}

// mm, bmm, mv, dot: matmul of just these ranks.
Outcome ProductOfRank(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("other"));
  int64_t rank = call.name() == "bmm" ? 3 : call.name() == "dot" ? 1 : 2;
  if (a.rank() != rank || b.rank() != (call.name() == "mv" ? 1 : rank))
    return Raises();
  if (rank == 3 && a.size(0) != b.size(0))
    return Raises();
  return MatMul(call);
}

// addmm, baddbmm, addmv: input + a @ b
Outcome AddProduct(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value a, call.Tensor("a"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("b"));
  int64_t rank = call.name() == "baddbmm" ? 3 : 2;
  int64_t right = call.name() == "addmv" ? 1 : rank;
  if (!IsProductType(a, b) || input.dtype != a.dtype)
    return Unknown();
  if (a.rank() != rank || b.rank() != right || a.sizes().back() != b.size(rank == 3 ? 1 : 0) || (rank == 3 && a.size(0) != b.size(0)))
    return Raises();
  Dims sizes = a.sizes();
  sizes.pop_back();
  if (right > 1)
    sizes.push_back(b.sizes().back());
  std::optional<Dims> joined = BroadcastSizes(sizes, input.sizes());
  if (!joined || *joined != sizes)
    return Raises();
  return call.Fresh(a.dtype, std::move(sizes));
}

// The matrices of a batch times as many rows each as the offsets say.
Outcome GroupedProduct(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("mat2"));
  bool known = a.rank() == 2 && b.rank() == 3 && call.IsTensor("offs") && !call.Has("bias") && !call.Has("out_dtype");
  if (!known || !IsProductType(a, b) || !IsFloating(a.dtype) || a.size(1) != b.size(1) || b.size(2) * BytesOf(a.dtype) % 16 != 0)
    return Unknown();
  return call.Fresh(a.dtype, Dims{a.size(0), b.size(2)});
}

Outcome Trace(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() != 2)
    return Raises();
  return call.Fresh(IsIntegralOrBool(input.dtype) ? DType::kInt64 : input.dtype, Dims{});
}

// Sums over the last dimensions of the left and the first of the right, or over those named.
Outcome TensorDot(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("other"));
  ASSIGN_OR_RETURN(int64_t count, call.Int("dims"));
  if (call.ambient().autocast || !IsProductType(a, b) || count < 0 || count > a.rank() || count > b.rank() || a.elements() == 0 ||
      b.elements() == 0)
    return Unknown();
  Dims sizes(a.sizes().begin(), a.sizes().end() - count);
  if (!std::equal(a.sizes().end() - count, a.sizes().end(), b.sizes().begin()))
    return Unknown();
  sizes.insert(sizes.end(), b.sizes().begin() + count, b.sizes().end());
  return call.Fresh(a.dtype, std::move(sizes));
}

Outcome Outer(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("vec2"));
  if (a.rank() != 1 || b.rank() != 1)
    return Raises();
  // a[:, None] * b
  Dims column = {a.size(0), 1};
  a.layout = {column, *ViewStrides(a.layout, column)};
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, {a, b}));
  return Elementwise(call, {a, b}, dtype, dtype);
}

}  // namespace framegate::translator::meta::rules
