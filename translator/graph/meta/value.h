// What rules compute with: tensors by metadata, Python numbers, and the results they give. Value
// types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "translator/graph/meta/dtype.h"
#include "translator/graph/meta/layout.h"

namespace framegate::translator::meta {

// A plain strided tensor: an argument, an intermediate or a result. Or a Python number, which
// elementwise operations take as a tensor without dimensions whose type counts less: bool, int64,
// float64 or complex128.
struct Value {
  DType dtype = DType::kFloat32;
  Layout layout;
  Size offset = 0;
  bool inference = false;
  bool requires_grad = false;       // of an argument; of a result it follows from the call
  bool differentiable = true;       // of a result: gradients reach it where an argument requires them
  bool leaf_requires_grad = false;  // of a new tensor made with requires_grad=True
  bool view = false;                // of a result: the same memory as an argument; it requires gradients with
                                    // that one, whatever the mode

  bool is_none = false;  // of a result's item
  bool is_number = false;
  double number = 0;    // its real part
  Size count;           // itself, where it is an int
  bool varies = false;  // a float that another call may have another value of

  int64_t rank() const { return layout.rank(); }

  const Dims& sizes() const { return layout.sizes; }

  const Size& size(int64_t dim) const { return layout.sizes[static_cast<size_t>(dim)]; }

  const Size& stride(int64_t dim) const { return layout.strides[static_cast<size_t>(dim)]; }

  Size elements() const { return ElementCount(layout.sizes); }
};

// What a rule says: a tensor, a sequence of tensors, None, or an argument itself.
struct Product {
  Product() = default;

  Product(Value value) { values.push_back(std::move(value)); }  // NOLINT: rules return values

  static Product Sequence(std::string type, std::vector<Value> values) {
    Product product;
    product.sequence = std::move(type);
    product.values = std::move(values);
    return product;
  }

  static Product Tuple(std::vector<Value> values) { return Sequence("tuple", std::move(values)); }

  static Product Argument(std::string parameter) {
    Product product;
    product.argument = std::move(parameter);
    return product;
  }

  static Product Nothing() { return {}; }

  std::vector<Value> values;  // one tensor, or with `sequence` any number; none: the result is None
  std::string sequence;       // "tuple", "list", or the named tuple's type
  std::string argument;       // the parameter that is returned itself
  bool may_raise_on_data = false;
  bool draws = false;  // takes random numbers, of a row without the trait
};

using Outcome = absl::StatusOr<Product>;

// No rule says what this call does.
inline absl::Status Unknown() {
  return absl::UnimplementedError("");
}

// Eager raises, whatever the data are.
inline absl::Status Raises() {
  return absl::InvalidArgumentError("");
}

}  // namespace framegate::translator::meta
