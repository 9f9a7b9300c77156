// One call of an operator as its rule sees it: arguments by parameter name, ambient state, and how
// new tensors are made. A getter gives Unknown() where an argument is not of the kind asked for.
// Thread-compatible; lives as long as its request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "translator/graph/meta/ambient.h"
#include "translator/graph/meta/signature.h"
#include "translator/graph/meta/symbol.h"
#include "translator/graph/meta/value.h"

namespace framegate::translator::meta {

// What autocast does with the arguments of an operator.
enum class AutocastPolicy : uint8_t { kNone, kLower, kFloat32, kWidest };

// One spelling's call. `name` is the operator's name as called, without a trailing underscore.
class Call {
 public:
  Call(std::string name, const Signature& signature, const Binding& binding, const Ambient& ambient)
      : name_(std::move(name)), signature_(signature), binding_(binding), ambient_(ambient) {}

  const std::string& name() const { return name_; }

  const Ambient& ambient() const { return ambient_; }

  // Every tensor argument taken from now on is of this type, where autocast would cast it.
  void CastArguments(DType dtype) { cast_ = dtype; }

  std::optional<DType> cast() const { return cast_; }

  // Null where the parameter is absent, not given or None.
  const model::Operand* Given(std::string_view parameter) const;

  bool Has(std::string_view parameter) const { return Given(parameter) != nullptr; }

  std::optional<uint32_t> PositionOf(std::string_view parameter) const;

  absl::StatusOr<Value> Tensor(std::string_view parameter) const;
  absl::StatusOr<std::vector<Value>> TensorIfGiven(std::string_view parameter) const;  // none or one
  absl::StatusOr<std::vector<Value>> Tensors(std::string_view parameter) const;
  absl::StatusOr<Value> TensorOrNumber(std::string_view parameter) const;
  absl::StatusOr<int64_t> Int(std::string_view parameter) const;
  absl::StatusOr<Size> Count(std::string_view parameter) const;  // an int, perhaps symbolic
  absl::StatusOr<double> Float(std::string_view parameter) const;
  absl::StatusOr<bool> Bool(std::string_view parameter) const;
  absl::StatusOr<std::string> Text(std::string_view parameter) const;
  absl::StatusOr<Dims> Ints(std::string_view parameter) const;  // a sequence, or one int
  absl::StatusOr<DType> Type(std::string_view parameter, DType fallback) const;
  bool IsTensor(std::string_view parameter) const;
  bool IsSequence(std::string_view parameter) const;

  // A dimension of `value`; Raises() where it is out of range.
  absl::StatusOr<int64_t> Dim(std::string_view parameter, const Value& value) const;

  Value Fresh(DType dtype, Dims sizes) const;  // contiguous
  Value Fresh(DType dtype, Layout layout) const;
  Value FreshIn(MemoryFormat format, DType dtype, Dims sizes) const;

  absl::StatusOr<Value> ValueOf(const model::Operand& operand) const;

 private:
  std::string name_;
  const Signature& signature_;
  const Binding& binding_;
  const Ambient& ambient_;
  std::optional<DType> cast_;
};

// The items of a sequence, whichever form it came in; none where it is no sequence.
std::optional<std::vector<model::Operand>> ItemsOf(const model::Operand& operand);
std::optional<Value> NumberOf(const model::Operand& operand);
std::optional<Size> CountOf(const model::Operand& operand);   // an int, perhaps symbolic; bools are no ints
std::optional<int64_t> IntOf(const model::Operand& operand);  // and fixed

// Views of `base` under another layout.
Value ViewOf(const Value& base, Layout layout, const Size& offset);

inline Value ViewOf(const Value& base, Layout layout) {
  return ViewOf(base, std::move(layout), base.offset);
}

}  // namespace framegate::translator::meta
