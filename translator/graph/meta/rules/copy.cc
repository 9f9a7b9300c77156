// Operators that give a tensor's elements in another memory format, element type or tensor, or the
// tensor itself.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

using model::ConstantKind;
using model::Operand;

// What a memory_format argument asks for; `preserved` where it asks for the input's own.
struct Format {
  bool preserved = false;
  MemoryFormat format = MemoryFormat::kContiguous;
};

absl::StatusOr<Format> FormatOf(const Call& call, bool preserved_by_default) {
  const Operand* operand = call.Given("memory_format");
  if (operand == nullptr)
    return Format{.preserved = preserved_by_default};
  if (!operand->constant || operand->constant->kind != ConstantKind::kMemoryFormat)
    return Unknown();
  const std::string& text = operand->constant->text;
  if (text == "torch.preserve_format")
    return Format{.preserved = true};
  if (text == "torch.contiguous_format")
    return Format{.format = MemoryFormat::kContiguous};
  if (text == "torch.channels_last")
    return Format{.format = MemoryFormat::kChannelsLast};
  if (text == "torch.channels_last_3d")
    return Format{.format = MemoryFormat::kChannelsLast3d};
  return Unknown();
}

bool Fits(const Format& format, const Value& value) {
  if (format.preserved || format.format == MemoryFormat::kContiguous)
    return true;
  return value.rank() == (format.format == MemoryFormat::kChannelsLast ? 4 : 5);
}

absl::StatusOr<Value> CopyIn(const Call& call, const Format& format, DType dtype, const Value& input) {
  if (!Fits(format, input))
    return Raises();
  Value copy = format.preserved ? call.Fresh(dtype, Layout{input.sizes(), PreservedStrides(input.layout)})
                                : call.FreshIn(format.format, dtype, input.sizes());
  copy.differentiable = input.requires_grad;
  return copy;
}

// tensor.to(): the tensor itself where it is what was asked for.
Outcome Converted(const Call& call, const Value& input, DType dtype) {
  ASSIGN_OR_RETURN(Format format, FormatOf(call, true));
  bool copy = false;
  if (call.Has("copy")) {
    ASSIGN_OR_RETURN(copy, call.Bool("copy"));
  }
  if (!copy && dtype == input.dtype && (format.preserved || SuggestedFormat(input.layout) == format.format))
    return Product::Argument("input");
  if (IsComplex(input.dtype) && !IsComplex(dtype))  // warns
    return Unknown();
  return CopyIn(call, format, dtype, input);
}

bool IsCpu(const Operand& operand) {
  return operand.constant && (operand.constant->kind == ConstantKind::kDevice || operand.constant->is_str()) &&
         operand.constant->text == "cpu";
}

bool IsDtype(const Operand& operand) {
  return operand.constant && operand.constant->kind == ConstantKind::kDtype;
}

}  // namespace

Outcome Contiguous(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Format format, FormatOf(call, false));
  if (format.preserved)
    return Unknown();
  if (IsContiguousIn(format.format, input.layout))
    return Product::Argument("input");
  return CopyIn(call, format, input.dtype, input);
}

Outcome Clone(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Format format, FormatOf(call, true));
  return CopyIn(call, format, input.dtype, input);
}

// to(dtype), to(device), to(device, dtype), to(other): the first two parameters stand for whichever
// was given.
Outcome To(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  DType dtype = input.dtype;
  for (const char* parameter : {"first", "second", "dtype", "device", "other"}) {
    const Operand* operand = call.Given(parameter);
    if (operand == nullptr)
      continue;
    if (IsDtype(*operand)) {
      ASSIGN_OR_RETURN(dtype, call.Type(parameter, dtype));
    } else if (operand->tensor) {
      ASSIGN_OR_RETURN(Value other, call.Tensor(parameter));
      dtype = other.dtype;
    } else if (!IsCpu(*operand)) {
      return Unknown();
    }
  }
  return Converted(call, input, dtype);
}

Outcome ToNamedType(const Call& call) {
  struct Row {
    std::string_view name;
    DType dtype;
  };

  constexpr Row kNames[] = {{"float", DType::kFloat32},     {"double", DType::kFloat64},   {"half", DType::kFloat16},
                            {"bfloat16", DType::kBFloat16}, {"int", DType::kInt32},        {"long", DType::kInt64},
                            {"short", DType::kInt16},       {"char", DType::kInt8},        {"byte", DType::kUInt8},
                            {"bool", DType::kBool},         {"cfloat", DType::kComplex64}, {"cdouble", DType::kComplex128}};
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  for (const Row& row : kNames)
    if (row.name == call.name())
      return Converted(call, input, row.dtype);
  return Converted(call, input, input.dtype);  // cpu
}

Outcome TypeOf(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!call.Has("dtype"))
    return Unknown();
  ASSIGN_OR_RETURN(DType dtype, call.Type("dtype", input.dtype));
  return Converted(call, input, dtype);
}

Outcome TypeAs(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value other, call.Tensor("other"));
  return Converted(call, input, other.dtype);
}

Outcome Detach(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  Value view = ViewOf(input, input.layout);
  view.differentiable = false;
  return view;
}

// In place only: takes another tensor's elements, cast and broadcast.
Outcome CopyFrom(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value source, call.Tensor("src"));
  std::optional<Dims> sizes = BroadcastSizes(input.sizes(), source.sizes());
  if (!sizes || *sizes != input.sizes())
    return Raises();
  if (IsComplex(source.dtype) && !IsComplex(input.dtype))
    return Unknown();
  return input;
}

// In place only: every element becomes one number.
Outcome Fill(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (call.Has("value")) {
    ASSIGN_OR_RETURN(Value value, call.TensorOrNumber("value"));
    if (value.rank() != 0 || (value.requires_grad && !IsDifferentiable(input.dtype)) || (IsComplex(value.dtype) && !IsComplex(input.dtype)))
      return Unknown();
  }
  return input;
}

}  // namespace framegate::translator::meta::rules
