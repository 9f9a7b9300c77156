// Operators of images: patches, sampling, shuffled pixels.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

absl::StatusOr<Dims> TwoOf(const Call& call, std::string_view parameter) {
  ASSIGN_OR_RETURN(Dims numbers, call.Ints(parameter));
  if (numbers.size() == 1)
    numbers.push_back(numbers[0]);
  if (numbers.size() != 2)
    return Unknown();
  return numbers;
}

}  // namespace

Outcome PixelShuffle(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t factor, call.Int("factor"));
  if (input.rank() < 3 || factor < 1 || input.layout.strides != ContiguousStrides(input.sizes()) || input.elements() == 0)
    return Unknown();
  Dims sizes = input.sizes();
  Size &channels = sizes[sizes.size() - 3], &height = sizes[sizes.size() - 2], &width = sizes[sizes.size() - 1];
  bool apart = call.name() == "pixel_unshuffle";
  if (apart ? height % factor != 0 || width % factor != 0 : channels % (factor * factor) != 0)
    return Raises();
  channels = apart ? channels * factor * factor : channels / (factor * factor);
  height = apart ? height / factor : height * factor;
  width = apart ? width / factor : width * factor;
  return call.Fresh(input.dtype, std::move(sizes));
}

// All patches as columns.
Outcome ImageToColumns(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims kernel, TwoOf(call, "kernel_size"));
  ASSIGN_OR_RETURN(Dims dilation, TwoOf(call, "dilation"));
  ASSIGN_OR_RETURN(Dims padding, TwoOf(call, "padding"));
  ASSIGN_OR_RETURN(Dims stride, TwoOf(call, "stride"));
  if (input.rank() != 4 || !IsFloating(input.dtype) || input.elements() == 0)
    return Unknown();
  int64_t blocks = 1;
  for (size_t i = 0; i < 2; ++i) {
    if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || padding[i] < 0)
      return Raises();
    int64_t free = input.layout.sizes[2 + i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1;
    if (free < 0)
      return Raises();
    blocks *= free / stride[i] + 1;
  }
  return call.Fresh(input.dtype, Dims{input.size(0), input.size(1) * kernel[0] * kernel[1], blocks});
}

Outcome GridSample(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value grid, call.Tensor("grid"));
  bool known = input.rank() == 4 && grid.rank() == 4 && input.dtype == grid.dtype && IsFloating(input.dtype) && BytesOf(input.dtype) >= 4;
  if (!known || input.size(0) != grid.size(0) || grid.size(3) != 2 || input.elements() == 0 || grid.elements() == 0 ||
      !IsContiguous(input.layout))
    return Unknown();
  return call.Fresh(input.dtype, Dims{input.size(0), input.size(1), grid.size(1), grid.size(2)});
}

}  // namespace framegate::translator::meta::rules
