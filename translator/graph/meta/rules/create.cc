// New tensors from sizes and numbers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

using model::ConstantKind;
using model::Operand;

// Plain tensors in this process's memory are asked for; what else is asked for is not known.
absl::Status CheckPlace(const Call& call) {
  if (const Operand* device = call.Given("device")) {
    bool named = device->constant && (device->constant->kind == ConstantKind::kDevice || device->constant->is_str());
    if (!named || device->constant->text != "cpu")
      return Unknown();
  } else if (call.ambient().default_device != "cpu" && call.PositionOf("input") != 0) {
    return Unknown();
  }
  if (const Operand* layout = call.Given("layout"))
    if (!layout->constant || layout->constant->text != "torch.strided")
      return Unknown();
  for (const char* flag : {"pin_memory", "names"})
    if (call.Has(flag) && !(call.Bool(flag).ok() && !*call.Bool(flag)))
      return Unknown();
  return absl::OkStatus();
}

absl::StatusOr<Value> Created(const Call& call, DType dtype, Layout layout) {
  RETURN_IF_ERROR(CheckPlace(call));
  for (const Size& size : layout.sizes)
    if (size < 0)
      return Raises();
  Value value = call.Fresh(dtype, std::move(layout));
  value.differentiable = false;
  if (call.Has("requires_grad")) {
    ASSIGN_OR_RETURN(value.leaf_requires_grad, call.Bool("requires_grad"));
    if (value.leaf_requires_grad && (!IsDifferentiable(dtype) || value.inference))
      return Unknown();
  }
  return value;
}

absl::StatusOr<Value> CreatedContiguous(const Call& call, DType dtype, Dims sizes) {
  Dims strides = ContiguousStrides(sizes);
  return Created(call, dtype, Layout{std::move(sizes), std::move(strides)});
}

bool IsFormat(const Call& call, std::string_view text) {
  const Operand* operand = call.Given("memory_format");
  return operand != nullptr && operand->constant && operand->constant->text == text;
}

// The type of a Python number as an element of a new tensor.
DType NumberType(const Call& call, const Value& number) {
  if (IsComplex(number.dtype))
    return ComplexOf(call.ambient().default_dtype);
  return IsFloating(number.dtype) ? call.ambient().default_dtype : number.dtype;
}

// What torch.tensor makes of nested sequences of numbers: sizes from the first items, the highest
// type of all.
absl::Status AddNested(const Call& call, const Operand& operand, size_t depth, Dims* sizes, std::optional<DType>* dtype) {
  if (std::optional<Value> number = NumberOf(operand)) {
    if (depth != sizes->size())
      return Unknown();
    DType type = NumberType(call, *number);
    *dtype = *dtype ? Promote(**dtype, type) : type;
    return absl::OkStatus();
  }
  std::optional<std::vector<Operand>> items = ItemsOf(operand);
  if (!items)
    return Unknown();
  int64_t size = static_cast<int64_t>(items->size());
  if (depth == sizes->size() && !*dtype)
    sizes->push_back(size);
  else if (depth >= sizes->size() || (*sizes)[depth] != size)
    return Unknown();
  for (const Operand& item : *items)
    RETURN_IF_ERROR(AddNested(call, item, depth + 1, sizes, dtype));
  return absl::OkStatus();
}

}  // namespace

Outcome NewFilled(const Call& call) {
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", call.ambient().default_dtype));
  if (call.name().starts_with("rand") && !IsFloating(dtype))
    return Unknown();
  if (IsFormat(call, "torch.channels_last") && sizes.size() == 4)
    return Created(call, dtype, Layout{sizes, StridesIn(MemoryFormat::kChannelsLast, sizes)});
  if (call.Has("memory_format") && !IsFormat(call, "torch.contiguous_format"))
    return Unknown();
  return CreatedContiguous(call, dtype, std::move(sizes));
}

Outcome NewFull(const Call& call) {
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  ASSIGN_OR_RETURN(Value number, call.TensorOrNumber("fill_value"));
  if (!number.is_number)
    return Unknown();
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", NumberType(call, number)));
  if (IsComplex(number.dtype) && !IsComplex(dtype))
    return Unknown();
  return CreatedContiguous(call, dtype, std::move(sizes));
}

// randint(high, size) and randint(low, high, size)
Outcome RandomIntegers(const Call& call) {
  bool bounded = call.Has("third") && call.Has("second");
  ASSIGN_OR_RETURN(Dims sizes, call.Ints(call.Has("third") ? "third" : "second"));
  ASSIGN_OR_RETURN(int64_t first, call.Int("first"));
  int64_t low = bounded ? first : 0, high = first;
  if (bounded) {
    ASSIGN_OR_RETURN(high, call.Int("second"));
  }
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", DType::kInt64));
  if (high <= low || (dtype != DType::kInt64 && dtype != DType::kInt32 && dtype != DType::kFloat32))
    return Unknown();
  return CreatedContiguous(call, dtype, std::move(sizes));
}

Outcome Arange(const Call& call) {
  Value bounds[3];
  bounds[2].number = 1;
  bool whole = true;
  size_t given = 0;
  for (const char* parameter : {"start", "end", "step"}) {
    if (!call.Has(parameter))
      continue;
    ASSIGN_OR_RETURN(Value bound, call.TensorOrNumber(parameter));
    if (!bound.is_number || IsComplex(bound.dtype) || bound.dtype == DType::kBool || bound.varies)
      return Unknown();
    whole = whole && bound.dtype == DType::kInt64;
    size_t place = std::string_view(parameter) == "start" ? 0 : std::string_view(parameter) == "end" ? 1 : 2;
    bounds[place] = bound;
    given |= size_t{1} << place;
  }
  if ((given & 3) == 1)  // arange(end)
    bounds[1] = std::exchange(bounds[0], Value{});
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", whole ? DType::kInt64 : call.ambient().default_dtype));
  if (dtype == DType::kBool || IsComplex(dtype))
    return Unknown();
  if (whole && dtype == DType::kInt64 && (given & 4) == 0) {
    Size count = bounds[1].count - bounds[0].count;
    return count < 0 ? Outcome(Raises()) : CreatedContiguous(call, dtype, {count});
  }
  for (Value& bound : bounds)
    if (bound.dtype == DType::kInt64 && bound.count.term() != 0)
      bound.number = static_cast<double>(static_cast<int64_t>(bound.count));
  double start = bounds[0].number, end = bounds[1].number, step = bounds[2].number;
  if (dtype == DType::kInt64) {  // computed in integers
    start = std::trunc(start);
    end = std::trunc(end);
    step = std::trunc(step);
  }
  double length = std::ceil((end - start) / step);
  if (step == 0 || length < 0)
    return Raises();
  if (!(length < 1e12))
    return Unknown();
  return CreatedContiguous(call, dtype, {static_cast<int64_t>(length)});
}

Outcome Linspace(const Call& call) {
  ASSIGN_OR_RETURN(Value start, call.TensorOrNumber("start"));
  ASSIGN_OR_RETURN(Value end, call.TensorOrNumber("end"));
  ASSIGN_OR_RETURN(int64_t steps, call.Int("steps"));
  if (!start.is_number || !end.is_number || IsComplex(start.dtype) || IsComplex(end.dtype))
    return Unknown();
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", call.ambient().default_dtype));
  if (dtype == DType::kBool)
    return Unknown();
  return CreatedContiguous(call, dtype, {steps});
}

Outcome Eye(const Call& call) {
  ASSIGN_OR_RETURN(Size rows, call.Count("n"));
  Size columns = rows;
  if (call.Has("m")) {
    ASSIGN_OR_RETURN(columns, call.Count("m"));
  }
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", call.ambient().default_dtype));
  return CreatedContiguous(call, dtype, {rows, columns});
}

Outcome TensorOf(const Call& call) {
  const Operand* data = call.Given("data");
  if (data == nullptr)
    return Unknown();
  Dims sizes;
  std::optional<DType> inferred;
  RETURN_IF_ERROR(AddNested(call, *data, 0, &sizes, &inferred));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", inferred.value_or(call.ambient().default_dtype)));
  if (!inferred && sizes != Dims{0})
    return Unknown();
  if (inferred && IsComplex(*inferred) && !IsComplex(dtype))
    return Unknown();
  return CreatedContiguous(call, dtype, std::move(sizes));
}

Outcome ScalarTensor(const Call& call) {
  ASSIGN_OR_RETURN(Value number, call.TensorOrNumber("data"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", call.ambient().default_dtype));
  if (!number.is_number || (IsComplex(number.dtype) && !IsComplex(dtype)))
    return Unknown();
  return CreatedContiguous(call, dtype, {});
}

// The argument itself where it is such a tensor already.
Outcome AsTensor(const Call& call) {
  if (!call.IsTensor("data"))
    return TensorOf(call);
  ASSIGN_OR_RETURN(Value data, call.Tensor("data"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", data.dtype));
  if (dtype != data.dtype || !CheckPlace(call).ok())
    return Unknown();
  return Product::Argument("data");
}

Outcome NewTensor(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  const Operand* data = call.Given("data");
  Dims sizes;
  std::optional<DType> inferred;
  if (data == nullptr)
    return Unknown();
  RETURN_IF_ERROR(AddNested(call, *data, 0, &sizes, &inferred));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  if (!inferred || (IsComplex(*inferred) && !IsComplex(dtype)))
    return Unknown();
  return CreatedContiguous(call, dtype, std::move(sizes));
}

Outcome RandomPermutation(const Call& call) {
  ASSIGN_OR_RETURN(Size count, call.Count("n"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", DType::kInt64));
  if (dtype != DType::kInt64)
    return Unknown();
  return CreatedContiguous(call, dtype, {count});
}

// Row and column numbers of a triangle of a matrix.
Outcome TriangleIndices(const Call& call) {
  ASSIGN_OR_RETURN(int64_t rows, call.Int("row"));
  ASSIGN_OR_RETURN(int64_t columns, call.Int("col"));
  ASSIGN_OR_RETURN(int64_t offset, call.Int("offset"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", DType::kInt64));
  if (dtype != DType::kInt64 || rows < 0 || columns < 0 || rows > 1'000'000)
    return Unknown();
  int64_t lower = 0, strictly_lower = 0;
  for (int64_t row = 0; row < rows; ++row) {
    lower += std::clamp<int64_t>(row + offset + 1, 0, columns);
    strictly_lower += std::clamp<int64_t>(row + offset, 0, columns);
  }
  return CreatedContiguous(call, dtype, {2, call.name() == "tril_indices" ? lower : rows * columns - strictly_lower});
}

Outcome Like(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  if (call.name().starts_with("rand") && !IsFloating(dtype))
    return Unknown();
  if (call.Has("fill_value")) {
    ASSIGN_OR_RETURN(Value number, call.TensorOrNumber("fill_value"));
    if (!number.is_number || (IsComplex(number.dtype) && !IsComplex(dtype)))
      return Unknown();
  }
  if (IsFormat(call, "torch.contiguous_format"))
    return CreatedContiguous(call, dtype, input.sizes());
  if (call.Has("memory_format") && !IsFormat(call, "torch.preserve_format"))
    return Unknown();
  return Created(call, dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

Outcome NewLike(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  if (call.Has("fill_value")) {
    ASSIGN_OR_RETURN(Value number, call.TensorOrNumber("fill_value"));
    if (!number.is_number || (IsComplex(number.dtype) && !IsComplex(dtype)))
      return Unknown();
  }
  return CreatedContiguous(call, dtype, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
