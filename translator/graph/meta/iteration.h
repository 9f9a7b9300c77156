// Elementwise operations: result type, broadcasting and the memory order of the result, as ATen's
// TensorIterator decides them.
#pragma once

#include <vector>

#include "translator/graph/meta/call.h"

namespace framegate::translator::meta {

// Sizes and strides of the result over operands in order. Raises() where they do not broadcast.
absl::StatusOr<Layout> Iterate(const std::vector<Layout>& operands);

// The promoted type of operands. Unknown() for none.
absl::StatusOr<DType> PromotedType(const Call& call, const std::vector<Value>& operands);

// An operation that computes in `computed` and gives `result`: operands of another type are cast
// first.
absl::StatusOr<Value> Elementwise(const Call& call, const std::vector<Value>& operands, DType computed, DType result);

// The floating point type an integer becomes where only floating point makes sense.
inline DType FloatOf(const Call& call, DType dtype) {
  return IsIntegralOrBool(dtype) ? call.ambient().default_dtype : dtype;
}

// Casting copies: tensor.to(dtype), a copy only where the type differs.
Value CastTo(const Call& call, const Value& value, DType dtype);

}  // namespace framegate::translator::meta
