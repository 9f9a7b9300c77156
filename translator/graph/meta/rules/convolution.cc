// Convolutions. A result takes the memory format of input or weight where one of them looks like
// channels last.
#include "base/strings.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Numbers per spatial dimension; one number stands for all.
absl::StatusOr<Dims> PerDimension(const Call& call, std::string_view parameter, int64_t count) {
  ASSIGN_OR_RETURN(Dims numbers, call.Ints(parameter));
  if (numbers.size() == 1)
    numbers.resize(static_cast<size_t>(count), numbers[0]);
  if (static_cast<int64_t>(numbers.size()) != count)
    return Unknown();
  return numbers;
}

struct Geometry {
  int64_t spatial;  // dimensions: 1 to 3
  bool batched;
  int64_t groups;
  Dims stride, padding, dilation, output_padding;
  bool same = false;  // padding='same'
};

absl::StatusOr<Geometry> ReadGeometry(const Call& call, const Value& input, const Value& weight) {
  Geometry geometry{.spatial = weight.rank() - 2};
  geometry.batched = input.rank() == weight.rank();
  if (geometry.spatial < 1 || geometry.spatial > 3 || call.name().find(StrCat(geometry.spatial, "d")) == std::string::npos ||
      (!geometry.batched && input.rank() != weight.rank() - 1))
    return Unknown();
  ASSIGN_OR_RETURN(geometry.groups, call.Int("groups"));
  ASSIGN_OR_RETURN(geometry.stride, PerDimension(call, "stride", geometry.spatial));
  ASSIGN_OR_RETURN(geometry.dilation, PerDimension(call, "dilation", geometry.spatial));
  if (absl::StatusOr<std::string> text = call.Text("padding"); text.ok()) {
    geometry.same = *text == "same";
    if (!geometry.same && *text != "valid")
      return Unknown();
    geometry.padding.assign(static_cast<size_t>(geometry.spatial), 0);
  } else {
    ASSIGN_OR_RETURN(geometry.padding, PerDimension(call, "padding", geometry.spatial));
  }
  for (const Dims* numbers : {&geometry.stride, &geometry.dilation})
    for (int64_t number : *numbers)
      if (number < 1 || (geometry.same && numbers == &geometry.stride && number != 1))
        return Unknown();
  return geometry;
}

// One of the types that kernels exist for; operands agree.
bool TypesAgree(const Value& input, const Value& weight, const std::vector<Value>& bias, int64_t channels) {
  if (!IsFloating(input.dtype) || weight.dtype != input.dtype)
    return false;
  for (const Value& added : bias)
    if (added.dtype != input.dtype || added.sizes() != Dims{channels})
      return false;
  return true;
}

Layout WithBatch(const Layout& layout) {
  Layout batched = layout;
  batched.sizes.insert(batched.sizes.begin(), 1);
  batched.strides.insert(batched.strides.begin(), layout.sizes[0] * layout.strides[0]);
  return batched;
}

// One-dimensional convolutions are two-dimensional ones of height 1.
Layout WithHeight(const Layout& layout) {
  Layout flat = layout;
  flat.strides.insert(flat.strides.begin() + 2, flat.sizes[2] * flat.strides[2]);
  flat.sizes.insert(flat.sizes.begin() + 2, 1);
  return flat;
}

absl::StatusOr<Value> Result(const Call& call, const Geometry& geometry, const Value& input, const Value& weight, Dims sizes) {
  for (const Size& size : sizes)
    if (size <= 0)
      return Unknown();
  Layout source = geometry.batched ? input.layout : WithBatch(input.layout), kernel = weight.layout;
  if (geometry.spatial == 1) {
    source = WithHeight(IsContiguous(source) ? source : Layout{source.sizes, ContiguousStrides(source.sizes)});
    kernel = WithHeight(kernel);
    sizes.insert(sizes.begin() + 2, 1);
  }
  MemoryFormat format = SuggestedFormat(source);
  if (format == MemoryFormat::kContiguous)
    format = SuggestedFormat(kernel);
  if (format == MemoryFormat::kChannelsLast3d)  // not all kernels keep it
    return Unknown();
  Value result = call.FreshIn(format, input.dtype, std::move(sizes));
  Layout& layout = result.layout;
  if (geometry.spatial == 1) {
    layout.sizes.erase(layout.sizes.begin() + 2);
    layout.strides.erase(layout.strides.begin() + 2);
  }
  if (!geometry.batched) {
    layout.sizes.erase(layout.sizes.begin());
    layout.strides.erase(layout.strides.begin());
  }
  return result;
}

}  // namespace

Outcome Convolution(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  ASSIGN_OR_RETURN(std::vector<Value> bias, call.TensorIfGiven("bias"));
  ASSIGN_OR_RETURN(Geometry geometry, ReadGeometry(call, input, weight));
  int64_t first = geometry.batched ? 2 : 1;  // spatial dimension of the input
  if (!TypesAgree(input, weight, bias, weight.size(0)) || geometry.groups < 1 || weight.size(0) % geometry.groups != 0)
    return Unknown();
  if (input.size(first - 1) != weight.size(1) * geometry.groups)
    return Raises();
  Dims sizes = {geometry.batched ? input.size(0) : Size(1), weight.size(0)};
  for (int64_t i = 0; i < geometry.spatial; ++i) {
    Size size = input.size(first + i), reach = geometry.dilation[i] * (weight.size(2 + i) - 1) + 1;
    Size free = size + 2 * geometry.padding[i] - reach;
    if (free < 0 && !geometry.same)
      return Raises();
    sizes.push_back(geometry.same ? size : free / geometry.stride[i] + 1);
  }
  return Result(call, geometry, input, weight, std::move(sizes));
}

Outcome TransposedConvolution(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  ASSIGN_OR_RETURN(std::vector<Value> bias, call.TensorIfGiven("bias"));
  ASSIGN_OR_RETURN(Geometry geometry, ReadGeometry(call, input, weight));
  ASSIGN_OR_RETURN(geometry.output_padding, PerDimension(call, "output_padding", geometry.spatial));
  int64_t first = geometry.batched ? 2 : 1;
  Size channels = weight.size(1) * geometry.groups;
  if (geometry.same || !TypesAgree(input, weight, bias, channels) || geometry.groups < 1)
    return Unknown();
  if (input.size(first - 1) != weight.size(0) || weight.size(0) % geometry.groups != 0)
    return Unknown();
  Dims sizes = {geometry.batched ? input.size(0) : Size(1), channels};
  for (int64_t i = 0; i < geometry.spatial; ++i) {
    int64_t extra = geometry.output_padding[i];
    if (extra < 0 || (extra >= geometry.stride[i] && extra >= geometry.dilation[i]))
      return Unknown();
    sizes.push_back((input.size(first + i) - 1) * geometry.stride[i] - 2 * geometry.padding[i] +
                    geometry.dilation[i] * (weight.size(2 + i) - 1) + extra + 1);
  }
  return Result(call, geometry, input, weight, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
