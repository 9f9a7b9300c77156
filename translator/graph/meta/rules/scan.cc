// Operators along one dimension that keep it: softmax, running sums, order.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

Product Pair(std::string_view type, Value values, Value indices) {
  return Product::Sequence("torch.return_types:" + std::string(type), {std::move(values), std::move(indices)});
}

}  // namespace

Outcome Softmax(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  if (!IsFloating(dtype) || IsComplex(input.dtype))
    return Unknown();
  return call.Fresh(dtype, input.sizes());
}

Outcome RunningSum(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", IsIntegralOrBool(input.dtype) ? DType::kInt64 : input.dtype));
  if (input.requires_grad && call.ambient().grad && !IsDifferentiable(dtype))
    return Unknown();
  return call.Fresh(dtype, input.sizes());
}

Outcome RunningFloat(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return RunningSum(call);
}

Outcome RunningExtremum(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  Value values = call.Fresh(input.dtype, input.sizes()), indices = call.Fresh(DType::kInt64, input.sizes());
  return Pair(call.name(), std::move(values), std::move(indices));
}

Outcome TopK(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(int64_t k, call.Int("k"));
  if (k < 0 || k > (input.rank() == 0 ? Size(1) : input.size(dim)))
    return Raises();
  if (input.dtype == DType::kBool)
    return Unknown();
  Dims sizes = input.sizes();
  if (input.rank() > 0)
    sizes[dim] = k;
  Value values = call.Fresh(input.dtype, sizes), indices = call.Fresh(DType::kInt64, sizes);
  return Pair("topk", std::move(values), std::move(indices));
}

Outcome Sort(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  Layout layout{input.sizes(), PreservedStrides(input.layout)};
  return Pair("sort", call.Fresh(input.dtype, layout), call.Fresh(DType::kInt64, layout));
}

Outcome ArgSort(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  return call.Fresh(DType::kInt64, Layout{input.sizes(), PreservedStrides(input.layout)});
}

}  // namespace framegate::translator::meta::rules
