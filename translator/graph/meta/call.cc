#include "translator/graph/meta/call.h"

namespace framegate::translator::meta {
namespace {

using model::Constant;
using model::ConstantKind;
using model::Operand;

bool IsNone(const Operand& operand) {
  return operand.constant && operand.constant->is_none();
}

// Numbers beyond this are left to torch, so that products of two never overflow.
constexpr int64_t kLargest = int64_t{1} << 31;
constexpr int64_t kMostElements = int64_t{1} << 40;

bool IsReasonable(const model::TensorFacts& facts) {
  int64_t elements = 1;
  for (size_t i = 0; i < facts.sizes.size(); ++i) {
    if (facts.sizes[i] < 0 || facts.sizes[i] > kLargest || facts.strides[i] < 0 || facts.strides[i] > kLargest)
      return false;
    elements = facts.sizes[i] == 0 ? 0 : Multiply(elements, facts.sizes[i]).now();
  }
  return facts.storage_offset >= 0 && facts.storage_offset <= kMostElements && elements <= kMostElements;
}

Dims WithTerms(const std::vector<int64_t>& numbers, const std::vector<uint32_t>& terms) {
  Dims dims(numbers.begin(), numbers.end());
  for (size_t i = 0; i < terms.size() && i < dims.size(); ++i)
    if (terms[i] != 0)
      dims[i] = Size::Symbol(numbers[i], terms[i]);
  return dims;
}

bool IsTuple(const Constant& constant) {
  return constant.kind == ConstantKind::kTuple || constant.kind == ConstantKind::kSize;
}

}  // namespace

std::optional<std::vector<Operand>> ItemsOf(const Operand& operand) {
  if (operand.sequence == "tuple" || operand.sequence == "list")
    return operand.items;
  if (!operand.constant || !IsTuple(*operand.constant))
    return std::nullopt;
  std::vector<Operand> items;
  for (const Constant& item : operand.constant->items)
    items.emplace_back().constant = item;
  return items;
}

std::optional<Value> NumberOf(const Operand& operand) {
  if (!operand.constant)
    return std::nullopt;
  const Constant& constant = *operand.constant;
  Value value;
  value.is_number = true;
  if (constant.is_bool()) {
    value.dtype = DType::kBool;
    value.number = constant.is_true() ? 1 : 0;
  } else if (constant.is_int()) {
    value.dtype = DType::kInt64;
    value.number = static_cast<double>(constant.integer);
    value.count = Size::Symbol(constant.integer, operand.term);
  } else if (constant.kind == ConstantKind::kFloat || constant.kind == ConstantKind::kComplex) {
    value.dtype = constant.kind == ConstantKind::kFloat ? DType::kFloat64 : DType::kComplex128;
    value.number = constant.real;
    value.varies = operand.term == Operand::kUnnamed;
  } else {
    return std::nullopt;
  }
  return value;
}

std::optional<Size> CountOf(const Operand& operand) {
  if (!operand.constant || !operand.constant->is_int() || operand.constant->integer > kLargest || operand.constant->integer < -kLargest)
    return std::nullopt;
  return Size::Symbol(operand.constant->integer, operand.term);
}

std::optional<int64_t> IntOf(const Operand& operand) {
  std::optional<Size> count = CountOf(operand);
  return count ? std::optional<int64_t>(*count) : std::nullopt;
}

Value ViewOf(const Value& base, Layout layout, const Size& offset) {
  Value view = base;
  view.layout = std::move(layout);
  view.offset = offset;
  view.view = true;
  return view;
}

const Operand* Call::Given(std::string_view parameter) const {
  int place = signature_.Find(parameter);
  const Operand* operand = place < 0 ? nullptr : binding_.at(place);
  return operand == nullptr || IsNone(*operand) ? nullptr : operand;
}

std::optional<uint32_t> Call::PositionOf(std::string_view parameter) const {
  int place = signature_.Find(parameter);
  return place < 0 ? std::nullopt : binding_.PositionOf(place);
}

absl::StatusOr<Value> Call::ValueOf(const Operand& operand) const {
  if (!operand.tensor)
    return Unknown();
  const model::TensorFacts& facts = *operand.tensor;
  std::optional<DType> dtype = DTypeFromText(facts.dtype);
  if (!dtype || facts.sizes.size() != facts.strides.size() || !IsReasonable(facts))
    return Unknown();
  Value value{.dtype = *dtype,
              .layout = {.sizes = WithTerms(facts.sizes, facts.size_terms), .strides = WithTerms(facts.strides, facts.stride_terms)},
              .offset = Size::Symbol(facts.storage_offset, facts.offset_term),
              .inference = facts.is_inference,
              .requires_grad = facts.requires_grad};
  if (cast_ && IsFloating(*dtype) && *dtype != DType::kFloat64 && *dtype != *cast_) {
    Value cast = Fresh(*cast_, Layout{value.layout.sizes, PreservedStrides(value.layout)});
    cast.requires_grad = value.requires_grad && ambient_.grad;
    return cast;
  }
  return value;
}

absl::StatusOr<Value> Call::Tensor(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr)
    return Unknown();
  return ValueOf(*operand);
}

absl::StatusOr<std::vector<Value>> Call::TensorIfGiven(std::string_view parameter) const {
  if (!Has(parameter))
    return std::vector<Value>();
  ASSIGN_OR_RETURN(Value value, Tensor(parameter));
  return std::vector<Value>{std::move(value)};
}

absl::StatusOr<std::vector<Value>> Call::Tensors(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  std::optional<std::vector<Operand>> items = operand == nullptr ? std::nullopt : ItemsOf(*operand);
  if (!items)
    return Unknown();
  std::vector<Value> values;
  for (const Operand& item : *items) {
    ASSIGN_OR_RETURN(Value value, ValueOf(item));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<Value> Call::TensorOrNumber(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr)
    return Unknown();
  if (std::optional<Value> number = NumberOf(*operand))
    return *std::move(number);
  return ValueOf(*operand);
}

absl::StatusOr<int64_t> Call::Int(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  std::optional<int64_t> number = operand == nullptr ? std::nullopt : IntOf(*operand);
  if (!number)
    return Unknown();
  return *number;
}

absl::StatusOr<Size> Call::Count(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  std::optional<Size> number = operand == nullptr ? std::nullopt : CountOf(*operand);
  if (!number)
    return Unknown();
  return *number;
}

absl::StatusOr<double> Call::Float(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  std::optional<Value> number = operand == nullptr ? std::nullopt : NumberOf(*operand);
  if (!number || IsComplex(number->dtype) || number->dtype == DType::kBool || number->varies)
    return Unknown();
  if (number->count.term() != 0)
    return static_cast<double>(static_cast<int64_t>(number->count));
  return number->number;
}

absl::StatusOr<bool> Call::Bool(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr || !operand->constant || !operand->constant->is_bool())
    return Unknown();
  return operand->constant->is_true();
}

absl::StatusOr<std::string> Call::Text(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr || !operand->constant || !operand->constant->is_str())
    return Unknown();
  return operand->constant->text;
}

absl::StatusOr<Dims> Call::Ints(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr)
    return Unknown();
  if (std::optional<Size> number = CountOf(*operand))
    return Dims{*number};
  std::optional<std::vector<Operand>> items = ItemsOf(*operand);
  if (!items)
    return Unknown();
  Dims numbers;
  for (const Operand& item : *items) {
    std::optional<Size> number = CountOf(item);
    if (!number)
      return Unknown();
    numbers.push_back(*number);
  }
  return numbers;
}

absl::StatusOr<DType> Call::Type(std::string_view parameter, DType fallback) const {
  const Operand* operand = Given(parameter);
  if (operand == nullptr)
    return fallback;
  if (!operand->constant || operand->constant->kind != ConstantKind::kDtype)
    return Unknown();
  std::optional<DType> dtype = DTypeFromText(operand->constant->text);
  if (!dtype)
    return Unknown();
  return *dtype;
}

bool Call::IsTensor(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  return operand != nullptr && operand->tensor.has_value();
}

bool Call::IsSequence(std::string_view parameter) const {
  const Operand* operand = Given(parameter);
  return operand != nullptr && ItemsOf(*operand).has_value();
}

absl::StatusOr<int64_t> Call::Dim(std::string_view parameter, const Value& value) const {
  ASSIGN_OR_RETURN(int64_t dim, Int(parameter));
  std::optional<int64_t> resolved = ResolveDim(dim, value.rank());
  if (!resolved)
    return Raises();
  return *resolved;
}

Value Call::Fresh(DType dtype, Layout layout) const {
  return {.dtype = dtype, .layout = std::move(layout), .inference = ambient_.inference};
}

Value Call::Fresh(DType dtype, Dims sizes) const {
  Dims strides = ContiguousStrides(sizes);
  return Fresh(dtype, Layout{std::move(sizes), std::move(strides)});
}

Value Call::FreshIn(MemoryFormat format, DType dtype, Dims sizes) const {
  Dims strides = StridesIn(format, sizes);
  return Fresh(dtype, Layout{std::move(sizes), std::move(strides)});
}

}  // namespace framegate::translator::meta
