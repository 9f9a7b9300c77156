// Complex numbers as pairs of real ones, and back.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Every other element of the memory, seen as real numbers.
Value Component(const Value& input, int64_t shift) {
  Layout layout = input.layout;
  for (Size& stride : layout.strides)
    stride *= 2;
  Value part = ViewOf(input, std::move(layout), input.offset * 2 + shift);
  part.dtype = RealOf(input.dtype);
  return part;
}

}  // namespace

// Of a tensor of real numbers: itself.
Outcome Real(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return IsComplex(input.dtype) ? Product(Component(input, 0)) : Product::Argument("input");
}

Outcome Imaginary(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsComplex(input.dtype))
    return Raises();
  return Component(input, 1);
}

Outcome ViewAsReal(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsComplex(input.dtype))
    return Raises();
  Value pairs = Component(input, 0);
  pairs.layout.sizes.push_back(2);
  pairs.layout.strides.push_back(1);
  return pairs;
}

Outcome ViewAsComplex(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype) || BytesOf(input.dtype) < 4 || input.rank() == 0)
    return Unknown();
  if (input.sizes().back() != 2 || input.layout.strides.back() != 1 || input.offset % 2 != 0)
    return Raises();
  Layout layout = input.layout;
  layout.sizes.pop_back();
  layout.strides.pop_back();
  for (size_t i = 0; i < layout.strides.size(); ++i) {
    if (layout.strides[i] % 2 != 0)
      return layout.sizes[i] > 1 ? Raises() : Unknown();
    layout.strides[i] = layout.strides[i] / 2;
  }
  Value numbers = ViewOf(input, std::move(layout), input.offset / 2);
  numbers.dtype = ComplexOf(input.dtype);
  return numbers;
}

// torch.complex(real, imag), torch.polar(abs, angle)
Outcome ComplexFrom(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("first"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("second"));
  if (a.dtype != b.dtype || !IsFloating(a.dtype) || BytesOf(a.dtype) < 4)
    return Unknown();
  return Elementwise(call, {a, b}, a.dtype, ComplexOf(a.dtype));
}

}  // namespace framegate::translator::meta::rules
