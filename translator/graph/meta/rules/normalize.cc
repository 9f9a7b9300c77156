// Normalization.
#include <algorithm>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Weights are of the input's type, or of float32 where that has less precision.
bool IsScaleType(DType scale, DType input) {
  return scale == input || (scale == DType::kFloat32 && (input == DType::kBFloat16 || input == DType::kFloat16));
}

// Whether those of the parameters that are given have these sizes and one type that fits the input.
absl::StatusOr<bool> ScalesFit(const Call& call, const Value& input, std::initializer_list<const char*> parameters, const Dims& sizes) {
  std::optional<DType> first;
  for (const char* parameter : parameters) {
    ASSIGN_OR_RETURN(std::vector<Value> given, call.TensorIfGiven(parameter));
    for (const Value& scale : given) {
      if (scale.sizes() != sizes || !IsScaleType(scale.dtype, input.dtype) || scale.dtype != first.value_or(scale.dtype))
        return false;
      first = scale.dtype;
    }
  }
  return true;
}

// The first format in which the tensor has no gaps; else the one it looks like.
MemoryFormat DenseFormat(const Layout& layout) {
  for (MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kChannelsLast, MemoryFormat::kChannelsLast3d})
    if (IsContiguousIn(format, layout))
      return format;
  return SuggestedFormat(layout);
}

absl::StatusOr<Dims> NormalizedShape(const Call& call, const Value& input) {
  ASSIGN_OR_RETURN(Dims shape, call.Ints("normalized_shape"));
  if (shape.empty() || shape.size() > input.sizes().size() || !std::equal(shape.rbegin(), shape.rend(), input.sizes().rbegin()))
    return Raises();
  return shape;
}

}  // namespace

Outcome LayerNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims shape, NormalizedShape(call, input));
  ASSIGN_OR_RETURN(bool fit, ScalesFit(call, input, {"weight", "bias"}, shape));
  if (!fit || !IsFloating(input.dtype))
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

// input.to(float) * rsqrt(mean(input ** 2, keepdim=True)) * weight, cast back, and made contiguous
// but for channels last.
Outcome RmsNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims shape, NormalizedShape(call, input));
  ASSIGN_OR_RETURN(std::vector<Value> weight, call.TensorIfGiven("weight"));
  if (!IsFloating(input.dtype))
    return Unknown();
  for (const Value& scale : weight)
    if (scale.sizes() != shape || (scale.dtype != input.dtype && !(IsContiguous(input.layout) && IsScaleType(scale.dtype, input.dtype))))
      return Unknown();
  DType computed = input.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Value upcast = CastTo(call, input, computed);
  Dims means = input.sizes();
  std::fill(means.end() - static_cast<ptrdiff_t>(shape.size()), means.end(), 1);
  ASSIGN_OR_RETURN(Value scaled, Elementwise(call, {upcast, call.Fresh(computed, means)}, computed, computed));
  for (const Value& scale : weight) {
    ASSIGN_OR_RETURN(scaled, Elementwise(call, {scaled, scale}, computed, computed));
  }
  Value result = CastTo(call, scaled, input.dtype);
  if (SuggestedFormat(input.layout) == MemoryFormat::kContiguous && !IsContiguous(result.layout))
    return call.Fresh(input.dtype, input.sizes());
  return result;
}

Outcome BatchNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(bool training, call.Bool("training"));
  if (input.rank() < 2 || !IsFloating(input.dtype))
    return Unknown();
  ASSIGN_OR_RETURN(bool fit, ScalesFit(call, input, {"weight", "bias", "running_mean", "running_var"}, {input.size(1)}));
  if (!fit || input.elements() == 0)
    return Unknown();
  if (training && input.elements() == input.size(1))  // one value per channel
    return Raises();
  if (!training && (!call.Has("running_mean") || !call.Has("running_var")))
    return Raises();
  return call.FreshIn(DenseFormat(input.layout), input.dtype, input.sizes());
}

Outcome GroupNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t groups, call.Int("num_groups"));
  if (input.rank() < 2 || !IsFloating(input.dtype) || groups < 1 || input.size(1) % groups != 0 || input.elements() == 0)
    return Unknown();
  if (input.elements() == input.size(0) * groups ||
      input.size(0) * input.size(1) / groups * (input.elements() / (input.size(0) * input.size(1))) == 1)
    return Unknown();
  ASSIGN_OR_RETURN(bool fit, ScalesFit(call, input, {"weight", "bias"}, {input.size(1)}));
  if (!fit)
    return Unknown();
  return call.FreshIn(SuggestedFormat(input.layout), input.dtype, input.sizes());
}

Outcome InstanceNorm(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(bool own_statistics, call.Bool("use_input_stats"));
  if (input.rank() < 3 || !IsFloating(input.dtype) || input.elements() == 0 || !own_statistics ||
      input.elements() == input.size(0) * input.size(1))
    return Unknown();
  ASSIGN_OR_RETURN(bool fit, ScalesFit(call, input, {"weight", "bias", "running_mean", "running_var"}, {input.size(1)}));
  if (!fit)
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

// input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
Outcome Normalize(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  if (!IsFloating(input.dtype))
    return Unknown();
  Dims sizes = input.sizes();
  if (input.rank() > 0)
    sizes[dim] = 1;
  Value norm = call.Fresh(input.dtype, sizes);
  norm.layout.sizes = input.sizes();
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != input.layout.sizes[i])
      norm.layout.strides[i] = 0;
  return Elementwise(call, {input, norm}, input.dtype, input.dtype);
}

}  // namespace framegate::translator::meta::rules
