// Elementwise operators of one tensor, and activation functions.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {

Outcome Unary(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return Elementwise(call, {input}, input.dtype, input.dtype);
}

Outcome IntegerOnly(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsIntegralOrBool(input.dtype))
    return Unknown();
  return Unary(call);
}

Outcome Absolute(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return Elementwise(call, {input}, input.dtype, RealOf(input.dtype));
}

Outcome Positive(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.dtype == DType::kBool)
    return Raises();
  return Product::Argument("input");
}

Outcome UnaryFloat(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  DType dtype = FloatOf(call, input.dtype);
  return Elementwise(call, {input}, dtype, dtype);
}

Outcome UnaryBool(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype))
    return Unknown();
  return Elementwise(call, {input}, input.dtype, DType::kBool);
}

Outcome LogicalNot(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return Elementwise(call, {input}, input.dtype, DType::kBool);
}

// Integers are never special: the result is made without looking at them.
Outcome IsInfinite(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (IsComplex(input.dtype))
    return Unknown();
  if (IsIntegralOrBool(input.dtype))
    return call.Fresh(DType::kBool, Layout{input.sizes(), PreservedStrides(input.layout)});
  return Elementwise(call, {input}, input.dtype, DType::kBool);
}

Outcome IsNan(const Call& call) { return IsInfinite(call); }

Outcome Square(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  DType dtype = input.dtype == DType::kBool ? DType::kInt64 : input.dtype;
  return Elementwise(call, {input}, dtype, dtype);
}

Outcome FloatLike(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

Outcome FloatOnly(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return Elementwise(call, {input}, input.dtype, input.dtype);
}

}  // namespace framegate::translator::meta::rules
