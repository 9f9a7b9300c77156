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
  if (IsComplex(input.dtype))
    return call.Fresh(RealOf(input.dtype), Layout{input.sizes(), PreservedStrides(input.layout)});
  return Elementwise(call, {input}, input.dtype, input.dtype);
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
  ASSIGN_OR_RETURN(Value compared, Elementwise(call, {input}, input.dtype, DType::kBool));
  if (call.name() == "isfinite")
    return compared;
  Value infinity;
  infinity.is_number = true;
  return Elementwise(call, {compared, infinity}, DType::kBool, DType::kBool);  // input.abs() == inf
}

Outcome IsNan(const Call& call) {
  return LogicalNot(call);
}  // input != input

Outcome Square(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  DType dtype = input.dtype == DType::kBool ? DType::kInt64 : input.dtype;
  return Elementwise(call, {input}, dtype, dtype);
}

// Operators that make their result like the input before they compute.
Outcome UnaryLike(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

Outcome FloatLike(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return UnaryLike(call);
}

Outcome FloatOnly(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return Elementwise(call, {input}, input.dtype, input.dtype);
}

Outcome LogSigmoid(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

// The slope is one number, or one per channel.
Outcome ParametricRelu(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  bool fits = weight.rank() <= 1 && (weight.elements() == 1 || (input.rank() > 1 && weight.elements() == input.size(1)));
  if (!IsFloating(input.dtype) || weight.dtype != input.dtype || !fits || input.rank() == 0)
    return Unknown();
  return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

// input / (input.abs() + 1), input - input.tanh()
Outcome Squashed(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  ASSIGN_OR_RETURN(Value squashed, Elementwise(call, {input}, input.dtype, input.dtype));
  if (call.name() == "softsign") {
    Value one;
    one.is_number = true;
    ASSIGN_OR_RETURN(squashed, Elementwise(call, {squashed, one}, input.dtype, input.dtype));
  }
  return Elementwise(call, {input, squashed}, input.dtype, input.dtype);
}

}  // namespace framegate::translator::meta::rules
