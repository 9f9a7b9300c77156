// Reductions: results are contiguous, whatever the input's layout.
#include <algorithm>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Which dimensions go: all of them where `dim` is None or empty.
absl::StatusOr<std::vector<bool>> Reduced(const Call& call, const Value& input) {
  std::vector<bool> reduced(input.sizes().size(), !call.Has("dim"));
  if (!call.Has("dim"))
    return reduced;
  ASSIGN_OR_RETURN(Dims dims, call.Ints("dim"));
  if (dims.empty())
    reduced.assign(reduced.size(), true);
  for (int64_t dim : dims) {
    std::optional<int64_t> resolved = ResolveDim(dim, input.rank());
    if (!resolved)
      return Raises();
    if (input.rank() == 0)
      continue;
    if (reduced[*resolved])
      return Raises();
    reduced[*resolved] = true;
  }
  return reduced;
}

Dims WithoutReduced(const Value& input, const std::vector<bool>& reduced, bool keep) {
  Dims sizes;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      sizes.push_back(input.layout.sizes[i]);
    else if (keep)
      sizes.push_back(1);
  }
  return sizes;
}

absl::StatusOr<Value> Reduce(const Call& call, const Value& input, DType result) {
  ASSIGN_OR_RETURN(std::vector<bool> reduced, Reduced(call, input));
  ASSIGN_OR_RETURN(bool keep, call.Bool("keepdim"));
  return call.Fresh(result, WithoutReduced(input, reduced, keep));
}

// A reduction that has no result over no elements.
bool ReducesNothing(const Value& input) {
  return input.elements() == 0;
}

// Over one dimension, or all where none is given.
bool HasOneDim(const Call& call) {
  return !call.Has("dim") || !call.IsSequence("dim");
}

Product Pair(const Call& call, std::string_view type, Value values, Dims sizes) {
  Value indices = call.Fresh(DType::kInt64, std::move(sizes));
  return Product::Sequence("torch.return_types:" + std::string(type), {std::move(values), std::move(indices)});
}

}  // namespace

Outcome Sum(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", IsIntegralOrBool(input.dtype) ? DType::kInt64 : input.dtype));
  if (input.requires_grad && call.ambient().grad && !IsDifferentiable(dtype))
    return Unknown();
  return Reduce(call, input, dtype);
}

Outcome ProductOf(const Call& call) {
  if (!HasOneDim(call))
    return Unknown();
  return Sum(call);
}

Outcome Mean(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  if (!IsDifferentiable(dtype))
    return Raises();
  return Reduce(call, input, dtype);
}

Outcome LogSumExp(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype) || !call.Has("dim") || ReducesNothing(input))
    return Unknown();
  return Reduce(call, input, FloatOf(call, input.dtype));
}

Outcome Variance(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  bool pair = call.name().ends_with("_mean");
  Value result;
  if (call.Has("dim") && call.Bool("dim").ok()) {  // var(unbiased)
    result = call.Fresh(input.dtype, Dims{});
  } else {
    ASSIGN_OR_RETURN(result, Reduce(call, input, input.dtype));
  }
  return pair ? Product::Tuple({result, result}) : Product(result);
}

Outcome Extremum(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype))
    return Unknown();
  if (call.IsTensor("dim")) {  // max(input, other)
    ASSIGN_OR_RETURN(Value other, call.Tensor("dim"));
    ASSIGN_OR_RETURN(DType dtype, PromotedType(call, {input, other}));
    return Elementwise(call, {input, other}, dtype, dtype);
  }
  if (ReducesNothing(input) || !HasOneDim(call))
    return Unknown();
  ASSIGN_OR_RETURN(Value values, Reduce(call, input, input.dtype));
  if (!call.Has("dim"))
    return values;
  return Pair(call, call.name(), values, values.sizes());
}

Outcome ExtremumValue(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype) || ReducesNothing(input))
    return Unknown();
  return Reduce(call, input, input.dtype);
}

Outcome BothExtrema(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (ReducesNothing(input) || !HasOneDim(call))
    return Unknown();
  ASSIGN_OR_RETURN(Value value, Reduce(call, input, input.dtype));
  return Product::Sequence("torch.return_types:aminmax", {value, value});
}

// kthvalue and mode: the value and its place along one dimension.
Outcome Ranked(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  if (ReducesNothing(input) || input.rank() == 0)
    return Unknown();
  if (call.Has("k")) {
    ASSIGN_OR_RETURN(int64_t k, call.Int("k"));
    if (k < 1 || k > input.size(dim))
      return Raises();
  }
  ASSIGN_OR_RETURN(Value values, Reduce(call, input, input.dtype));
  return Pair(call, call.name(), values, values.sizes());
}

Outcome Median(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.dtype == DType::kBool || ReducesNothing(input))
    return Unknown();
  ASSIGN_OR_RETURN(Value values, Reduce(call, input, input.dtype));
  if (!call.Has("dim"))
    return values;
  return Pair(call, call.name(), values, values.sizes());
}

Outcome ArgExtremum(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype) || input.dtype == DType::kBool || ReducesNothing(input) || !HasOneDim(call))
    return Unknown();
  return Reduce(call, input, DType::kInt64);
}

Outcome AnyAll(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return Reduce(call, input, input.dtype == DType::kUInt8 ? DType::kUInt8 : DType::kBool);
}

Outcome CountNonzero(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(std::vector<bool> reduced, Reduced(call, input));
  return call.Fresh(DType::kInt64, WithoutReduced(input, reduced, false));
}

Outcome VectorNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  const model::Operand* order = call.Given("ord");
  bool usual = order == nullptr || (order->constant && order->constant->is_str() && order->constant->text == "fro");
  if (usual && order != nullptr && call.Has("dim") && call.Ints("dim").ok() && call.Ints("dim")->size() > 2)
    return Unknown();
  if (!usual) {
    ASSIGN_OR_RETURN(double p, call.Float("ord"));
    if (p < 0)
      return Unknown();
  }
  if (!IsFloating(dtype) || !IsFloating(input.dtype) || ReducesNothing(input))
    return Unknown();
  return Reduce(call, input, dtype);
}

// Over a matrix some orders are norms of matrices: known where the order or the dimensions leave no
// doubt.
Outcome LinalgNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  bool one_dim = call.Has("dim") && !call.IsSequence("dim");
  bool many = call.Has("dim") && call.Ints("dim").ok() && call.Ints("dim")->size() > 2;
  if ((call.Has("ord") && !one_dim && input.rank() != 1) || many)
    return Unknown();
  return VectorNorm(call);
}

}  // namespace framegate::translator::meta::rules
