#include "translator/graph/meta/dtype.h"

#include <algorithm>

namespace framegate::translator::meta {
namespace {

struct DTypeRow {
  std::string_view text;
  DTypeKind kind;
  int64_t bytes;
};

constexpr DTypeRow kRows[] = {
#define FRAMEGATE_DTYPE(name, text, kind, bytes) {text, DTypeKind::kind, bytes},
#include "translator/graph/meta/dtypes.def"
#undef FRAMEGATE_DTYPE
};

const DTypeRow& RowOf(DType dtype) {
  return kRows[static_cast<size_t>(dtype)];
}

std::optional<DType> Joined(std::optional<DType> a, std::optional<DType> b) {
  if (!a)
    return b;
  return b ? Promote(*a, *b) : a;
}

// `lower` changes `higher` only by being of a higher kind.
std::optional<DType> Combined(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower)
    return Joined(higher, lower);
  if (IsComplex(*higher))
    return higher;
  if (IsFloating(*higher))
    return IsComplex(*lower) ? ComplexOf(*higher) : *higher;
  if (*higher == DType::kBool || IsDifferentiable(*lower))
    return Promote(*higher, *lower);
  return higher;
}

}  // namespace

std::optional<DType> DTypeFromText(std::string_view text) {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].text == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::string_view DTypeText(DType dtype) {
  return RowOf(dtype).text;
}

DTypeKind KindOf(DType dtype) {
  return RowOf(dtype).kind;
}

int64_t BytesOf(DType dtype) {
  return RowOf(dtype).bytes;
}

DType RealOf(DType dtype) {
  if (dtype == DType::kComplex64)
    return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

DType ComplexOf(DType dtype) {
  if (IsComplex(dtype))
    return dtype;
  return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

DType Promote(DType a, DType b) {
  if (a == b)
    return a;
  DType low = std::min(a, b), high = std::max(a, b);
  if (IsComplex(high))
    return low == DType::kFloat64 ? DType::kComplex128 : high;
  if (low == DType::kUInt8 && high == DType::kInt8)
    return DType::kInt16;
  if (low == DType::kFloat16 && high == DType::kBFloat16)
    return DType::kFloat32;
  return high;
}

bool CanCast(DType from, DType to) {
  if (IsComplex(from))
    return IsComplex(to);
  if (IsFloating(from))
    return IsDifferentiable(to);
  return from == DType::kBool || to != DType::kBool;
}

void Promotion::AddTensor(DType dtype, bool sized) {
  std::optional<DType>& slot = sized ? sized_ : scalar_;
  slot = Joined(slot, dtype);
}

void Promotion::AddNumber(DType dtype) {
  if (IsComplex(dtype))
    dtype = ComplexOf(default_dtype_);
  else if (IsFloating(dtype))
    dtype = default_dtype_;
  number_ = Joined(number_, dtype);
}

std::optional<DType> Promotion::result() const {
  return Combined(sized_, Combined(scalar_, number_));
}

}  // namespace framegate::translator::meta
