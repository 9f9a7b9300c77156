// Element types and torch's type promotion. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace framegate::translator::meta {

enum class DType : uint8_t {
#define FRAMEGATE_DTYPE(name, text, kind, bytes) name,
#include "translator/graph/meta/dtypes.def"
#undef FRAMEGATE_DTYPE
};

enum class DTypeKind : uint8_t { kBoolean, kIntegral, kFloating, kComplexKind };

std::optional<DType> DTypeFromText(std::string_view text);  // "torch.float32"
std::string_view DTypeText(DType dtype);
DTypeKind KindOf(DType dtype);
int64_t BytesOf(DType dtype);

inline bool IsFloating(DType dtype) {
  return KindOf(dtype) == DTypeKind::kFloating;
}

inline bool IsComplex(DType dtype) {
  return KindOf(dtype) == DTypeKind::kComplexKind;
}

inline bool IsIntegral(DType dtype) {
  return KindOf(dtype) == DTypeKind::kIntegral;
}

inline bool IsIntegralOrBool(DType dtype) {
  return KindOf(dtype) <= DTypeKind::kIntegral;
}

inline bool IsDifferentiable(DType dtype) {
  return KindOf(dtype) >= DTypeKind::kFloating;
}

DType RealOf(DType dtype);     // complex64 -> float32; others are their own
DType ComplexOf(DType dtype);  // float64 -> complex128; float32 and lesser ones -> complex64
DType Promote(DType a, DType b);
bool CanCast(DType from, DType to);  // whether an in-place operation may store `from` into `to`

// The result type of an operation over tensors and Python numbers: sized tensors beat
// zero-dimensional ones, which beat numbers, unless the lesser one is of a higher kind.
class Promotion {
 public:
  explicit Promotion(DType default_dtype) : default_dtype_(default_dtype) {}

  void AddTensor(DType dtype, bool sized);
  void AddNumber(DType dtype);
  std::optional<DType> result() const;

 private:
  DType default_dtype_;
  std::optional<DType> sized_, scalar_, number_;
};

}  // namespace framegate::translator::meta
