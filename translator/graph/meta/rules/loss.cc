// Loss functions.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Whether one number comes out, not one per element. The old parameters are not known.
absl::StatusOr<bool> IsReduced(const Call& call) {
  ASSIGN_OR_RETURN(std::string reduction, call.Text("reduction"));
  if (call.Has("size_average") || call.Has("reduce"))
    return Unknown();
  if (reduction == "mean" || reduction == "sum" || reduction == "batchmean")
    return true;
  return reduction == "none" ? absl::StatusOr<bool>(false) : Unknown();
}

}  // namespace

// mse_loss, l1_loss, smooth_l1_loss, huber_loss, kl_div, binary_cross_entropy and the like: of two
// tensors, elementwise.
Outcome ElementwiseLoss(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value target, call.Tensor("target"));
  ASSIGN_OR_RETURN(bool reduced, IsReduced(call));
  if (!IsFloating(input.dtype) || input.dtype != target.dtype || call.Has("weight") || call.Has("pos_weight"))
    return Unknown();
  if (input.sizes() != target.sizes()) {
    if (call.name().starts_with("binary"))
      return Raises();
    return Unknown();
  }
  if (reduced)
    return call.Fresh(input.dtype, Dims{});
  if (call.name() == "huber_loss")
    return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
  if (call.name() == "mse_loss" || call.name() == "l1_loss" || call.name() == "smooth_l1_loss")
    return Elementwise(call, {input, target}, input.dtype, input.dtype);
  for (const Value* value : {&input, &target})
    if (value->layout.strides != ContiguousStrides(value->sizes()))
      return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

Outcome CrossEntropy(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value target, call.Tensor("target"));
  ASSIGN_OR_RETURN(std::vector<Value> weight, call.TensorIfGiven("weight"));
  ASSIGN_OR_RETURN(bool reduced, IsReduced(call));
  if (input.rank() == 0 || !IsFloating(input.dtype) || input.elements() == 0)
    return Unknown();
  int64_t classes = input.rank() == 1 ? 0 : 1;  // the dimension of them
  for (const Value& scale : weight)
    if (scale.dtype != input.dtype || scale.sizes() != Dims{input.size(classes)})
      return Unknown();
  Dims sizes = input.sizes();
  sizes.erase(sizes.begin() + classes);
  bool probabilities = target.dtype == input.dtype && target.sizes() == input.sizes() && call.name() == "cross_entropy";
  if (!probabilities) {
    if (target.dtype != DType::kInt64)
      return Unknown();
    if (target.sizes() != sizes)
      return Raises();
  }
  if (reduced)
    return call.Fresh(input.dtype, Dims{});
  if (probabilities || call.Has("label_smoothing")) {
    ASSIGN_OR_RETURN(double smoothing, call.Float("label_smoothing"));
    if (probabilities || smoothing != 0)
      return Unknown();
  }
  return call.Fresh(input.dtype, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
