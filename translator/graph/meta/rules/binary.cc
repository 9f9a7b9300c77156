// Elementwise operators of several tensors and numbers.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

struct Pair {
  std::vector<Value> operands;
  DType dtype;  // promoted
};

absl::StatusOr<Pair> Read(const Call& call, std::string_view left, std::string_view right) {
  ASSIGN_OR_RETURN(Value a, call.TensorOrNumber(left));
  ASSIGN_OR_RETURN(Value b, call.TensorOrNumber(right));
  if (a.is_number && b.is_number)
    return Unknown();
  Pair pair{.operands = {a, b}};
  ASSIGN_OR_RETURN(pair.dtype, PromotedType(call, pair.operands));
  return pair;
}

// Integers divided by zero raise.
bool MayDivideByZero(const Pair& pair) {
  const Value& divisor = pair.operands[1];
  return !IsDifferentiable(pair.dtype) &&
         (!divisor.is_number || (divisor.dtype == DType::kInt64 ? divisor.count == 0 : divisor.number == 0));
}

absl::StatusOr<Value> Combined(const Call& call, const Pair& pair) {
  if (call.Has("alpha")) {
    ASSIGN_OR_RETURN(double alpha, call.Float("alpha"));
    if (alpha != 1 && !IsDifferentiable(pair.dtype))
      return Unknown();
  }
  return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
}

}  // namespace

Outcome Arithmetic(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  return Combined(call, pair);
}

Outcome Subtraction(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (pair.operands[0].dtype == DType::kBool || pair.operands[1].dtype == DType::kBool)
    return Unknown();
  if (call.name() == "rsub")
    std::swap(pair.operands[0], pair.operands[1]);
  return Combined(call, pair);
}

Outcome Remainder(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (pair.dtype == DType::kBool)
    return Unknown();
  ASSIGN_OR_RETURN(Product product, Elementwise(call, pair.operands, pair.dtype, pair.dtype));
  product.may_raise_on_data = MayDivideByZero(pair);
  return product;
}

Outcome Bitwise(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (!IsIntegralOrBool(pair.dtype) || (pair.dtype == DType::kBool && call.name().ends_with("shift")))
    return Unknown();
  return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
}

Outcome ArithmeticOfTensors(const Call& call) {
  if (!call.IsTensor("input") || !call.IsTensor("other"))
    return Unknown();
  return Arithmetic(call);
}

Outcome Division(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (call.Has("rounding_mode")) {
    ASSIGN_OR_RETURN(std::string mode, call.Text("rounding_mode"));
    if ((mode != "floor" && mode != "trunc") || IsComplex(pair.dtype))
      return Unknown();
    return Remainder(call);
  }
  DType dtype = FloatOf(call, pair.dtype);
  // number / tensor is tensor.reciprocal() * number
  if (pair.operands[0].is_number) {
    Value divisor = pair.operands[1];
    DType inverse_type = FloatOf(call, divisor.dtype);
    ASSIGN_OR_RETURN(Value inverse, Elementwise(call, {divisor}, inverse_type, inverse_type));
    ASSIGN_OR_RETURN(dtype, PromotedType(call, {inverse, pair.operands[0]}));
    return Elementwise(call, {inverse, pair.operands[0]}, dtype, dtype);
  }
  return Elementwise(call, pair.operands, dtype, dtype);
}

Outcome Power(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "exponent"));
  if (pair.dtype == DType::kBool)
    return Unknown();
  if (pair.operands[0].is_number)
    return call.Fresh(pair.dtype, pair.operands[1].sizes());
  const Value& exponent = pair.operands[1];
  if (!exponent.is_number)
    return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
  if ((exponent.dtype == DType::kInt64 ? exponent.count < 0 : exponent.number < 0) && !IsDifferentiable(pair.dtype))
    return Unknown();
  return Elementwise(call, {CastTo(call, pair.operands[0], pair.dtype)}, pair.dtype, pair.dtype);
}

// Operators with results in floating point only.
Outcome BinaryFloat(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  DType dtype = FloatOf(call, pair.dtype);
  return Elementwise(call, pair.operands, dtype, dtype);
}

Outcome FloatPair(const Call& call) {
  if (!call.IsTensor("input") || !call.IsTensor("other"))
    return Unknown();
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (!IsFloating(pair.operands[0].dtype) || !IsFloating(pair.operands[1].dtype))
    return Unknown();
  return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
}

// addcmul, addcdiv, lerp: of one floating point type. Only the weight of lerp may be a number.
Outcome Ternary(const Call& call) {
  std::vector<Value> operands;
  for (const char* parameter : {"input", "second", "third"}) {
    ASSIGN_OR_RETURN(Value operand, call.TensorOrNumber(parameter));
    if (operand.is_number && operands.size() == 2 && call.name() == "lerp")
      break;
    if (operand.is_number || !IsFloating(operand.dtype) || (!operands.empty() && operand.dtype != operands[0].dtype))
      return Unknown();
    operands.push_back(std::move(operand));
  }
  return Elementwise(call, operands, operands[0].dtype, operands[0].dtype);
}

Outcome IsClose(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (pair.operands[0].is_number || pair.operands[1].is_number || pair.operands[0].dtype != pair.operands[1].dtype ||
      !IsFloating(pair.dtype))
    return Unknown();
  return Elementwise(call, pair.operands, pair.dtype, DType::kBool);
}

Outcome Comparison(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (IsComplex(pair.dtype))
    return Unknown();
  return Elementwise(call, pair.operands, pair.dtype, DType::kBool);
}

Outcome Logical(const Call& call) {
  if (!call.IsTensor("input") || !call.IsTensor("other"))
    return Unknown();
  return Comparison(call);
}

Outcome Clamp(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  std::vector<Value> bounds;
  bool tensors = false, numbers = false;
  for (std::string_view side : {"min", "max"}) {
    if (!call.Has(side))
      continue;
    ASSIGN_OR_RETURN(Value bound, call.TensorOrNumber(side));
    (bound.is_number ? numbers : tensors) = true;
    bounds.push_back(bound);
  }
  if (bounds.empty() || (tensors && numbers) || IsComplex(input.dtype))
    return Unknown();
  std::vector<Value> all = {input};
  all.insert(all.end(), bounds.begin(), bounds.end());
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, all));
  if (dtype == DType::kBool)
    return Unknown();
  return tensors ? Elementwise(call, all, dtype, dtype) : Elementwise(call, {input}, dtype, dtype);
}

Outcome ClampOneSide(const Call& call) {
  return Clamp(call);
}

Outcome Where(const Call& call) {
  ASSIGN_OR_RETURN(Value condition, call.Tensor("condition"));
  ASSIGN_OR_RETURN(Value input, call.TensorOrNumber("input"));
  ASSIGN_OR_RETURN(Value other, call.TensorOrNumber("other"));
  if (condition.dtype != DType::kBool)
    return Unknown();
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, {input, other}));
  std::vector<Layout> layouts = {condition.layout};
  for (const Value& value : {input, other})
    layouts.push_back(CastTo(call, value, dtype).layout);
  ASSIGN_OR_RETURN(Layout layout, Iterate(layouts));
  return call.Fresh(dtype, std::move(layout));
}

Outcome MaskedFill(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value mask, call.Tensor("mask"));
  ASSIGN_OR_RETURN(Value value, call.TensorOrNumber("value"));
  if (mask.dtype != DType::kBool || !CanCast(value.dtype, input.dtype))
    return Unknown();
  if (value.rank() != 0)
    return Unknown();
  std::optional<Dims> sizes = BroadcastSizes(input.sizes(), mask.sizes());
  if (!sizes)
    return Raises();
  return call.Fresh(input.dtype, std::move(*sizes));
}

}  // namespace framegate::translator::meta::rules
