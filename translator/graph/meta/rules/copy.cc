// Operators that give a tensor's elements in another memory format, element type or tensor, or the tensor itself.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// None where no format is given; Unknown() for preserve_format.
absl::StatusOr<MemoryFormat> FormatOf(const Call& call) {
  const model::Operand* operand = call.Given("memory_format");
  if (operand == nullptr)
    return MemoryFormat::kContiguous;
  if (!operand->constant || operand->constant->kind != model::ConstantKind::kMemoryFormat)
    return Unknown();
  if (operand->constant->text == "torch.contiguous_format")
    return MemoryFormat::kContiguous;
  if (operand->constant->text == "torch.channels_last")
    return MemoryFormat::kChannelsLast;
  if (operand->constant->text == "torch.channels_last_3d")
    return MemoryFormat::kChannelsLast3d;
  return Unknown();
}

bool Fits(MemoryFormat format, const Value& value) {
  return format == MemoryFormat::kContiguous || value.rank() == (format == MemoryFormat::kChannelsLast ? 4 : 5);
}

}  // namespace

Outcome Contiguous(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(MemoryFormat format, FormatOf(call));
  if (IsContiguousIn(format, input.layout))
    return Product::Argument("input");
  if (!Fits(format, input))
    return Raises();
  return call.FreshIn(format, input.dtype, input.sizes());
}

}  // namespace framegate::translator::meta::rules
