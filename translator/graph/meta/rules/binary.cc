// Elementwise operators of several tensors and numbers.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

struct Pair {
  std::vector<Element> operands;
  DType dtype;  // promoted
};

bool IsTensor(const Element& element) { return std::holds_alternative<Value>(element); }

DType TypeOf(const Element& element) {
  if (const Value* value = std::get_if<Value>(&element))
    return value->dtype;
  return std::get<Number>(element).dtype;
}

absl::StatusOr<Pair> Read(const Call& call, std::string_view left, std::string_view right) {
  ASSIGN_OR_RETURN(Element a, call.ElementAt(left));
  ASSIGN_OR_RETURN(Element b, call.ElementAt(right));
  if (!IsTensor(a) && !IsTensor(b))
    return Unknown();
  Pair pair{.operands = {a, b}};
  ASSIGN_OR_RETURN(pair.dtype, PromotedType(call, pair.operands));
  return pair;
}

// Integers divided by zero raise.
bool MayDivideByZero(const Pair& pair) {
  const Number* divisor = std::get_if<Number>(&pair.operands[1]);
  return !IsDifferentiable(pair.dtype) && (divisor == nullptr || divisor->real == 0);
}

}  // namespace

Outcome Arithmetic(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (call.Has("alpha")) {
    ASSIGN_OR_RETURN(double alpha, call.Float("alpha"));
    if (alpha != 1 && !IsDifferentiable(pair.dtype))
      return Unknown();
  }
  return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
}

Outcome Subtraction(const Call& call) {
  ASSIGN_OR_RETURN(Pair pair, Read(call, "input", "other"));
  if (TypeOf(pair.operands[0]) == DType::kBool || TypeOf(pair.operands[1]) == DType::kBool)
    return Unknown();
  return Arithmetic(call);
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
  if (!IsTensor(pair.operands[0])) {
    Value divisor = std::get<Value>(pair.operands[1]);
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
  if (!IsTensor(pair.operands[0]))
    return call.Fresh(pair.dtype, std::get<Value>(pair.operands[1]).sizes());
  const Number* exponent = std::get_if<Number>(&pair.operands[1]);
  if (exponent == nullptr)
    return Elementwise(call, pair.operands, pair.dtype, pair.dtype);
  if (exponent->real < 0 && !IsDifferentiable(pair.dtype))
    return Unknown();
  return Elementwise(call, {CastTo(call, std::get<Value>(pair.operands[0]), pair.dtype)}, pair.dtype, pair.dtype);
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
  std::vector<Element> bounds;
  bool tensors = false, numbers = false;
  for (std::string_view side : {"min", "max"}) {
    if (!call.Has(side))
      continue;
    ASSIGN_OR_RETURN(Element bound, call.ElementAt(side));
    (IsTensor(bound) ? tensors : numbers) = true;
    bounds.push_back(bound);
  }
  if (bounds.empty() || (tensors && numbers) || IsComplex(input.dtype))
    return Unknown();
  std::vector<Element> all = {input};
  all.insert(all.end(), bounds.begin(), bounds.end());
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, all));
  if (dtype == DType::kBool)
    return Unknown();
  return tensors ? Elementwise(call, all, dtype, dtype) : Elementwise(call, {input}, dtype, dtype);
}

Outcome ClampOneSide(const Call& call) { return Clamp(call); }

Outcome Where(const Call& call) {
  ASSIGN_OR_RETURN(Value condition, call.Tensor("condition"));
  ASSIGN_OR_RETURN(Element input, call.ElementAt("input"));
  ASSIGN_OR_RETURN(Element other, call.ElementAt("other"));
  if (condition.dtype != DType::kBool)
    return Unknown();
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, {input, other}));
  std::vector<Element> operands = {condition};
  for (const Element& element : {input, other})
    operands.push_back(IsTensor(element) ? Element(CastTo(call, std::get<Value>(element), dtype)) : element);
  std::vector<Layout> layouts;
  for (const Element& element : operands)
    layouts.push_back(IsTensor(element) ? std::get<Value>(element).layout : Layout{});
  ASSIGN_OR_RETURN(Layout layout, Iterate(layouts));
  return call.Fresh(dtype, std::move(layout));
}

Outcome MaskedFill(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value mask, call.Tensor("mask"));
  ASSIGN_OR_RETURN(Element value, call.ElementAt("value"));
  if (mask.dtype != DType::kBool || !CanCast(TypeOf(value), input.dtype))
    return Unknown();
  if (const Value* tensor = std::get_if<Value>(&value); tensor != nullptr && tensor->rank() != 0)
    return Unknown();
  std::optional<Dims> sizes = BroadcastSizes(input.sizes(), mask.sizes());
  if (!sizes)
    return Raises();
  return call.Fresh(input.dtype, std::move(*sizes));
}

}  // namespace framegate::translator::meta::rules
