// Pooling: results keep the memory format that the input looks like.
#include "base/strings.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// With a batch dimension or without; kernels mistake some volumes without one for batches of
// images.
bool RankFits(const Value& input, int64_t spatial) {
  if (input.rank() == spatial + 1)
    return spatial != 3 || SuggestedFormat(input.layout) == MemoryFormat::kContiguous;
  return input.rank() == spatial + 2;
}

// The number of pooled dimensions, from the operator's name.
absl::StatusOr<int64_t> SpatialOf(const Call& call, const Value& input) {
  for (int64_t spatial = 1; spatial <= 3; ++spatial)
    if (call.name().find(StrCat(spatial, "d")) != std::string::npos)
      return RankFits(input, spatial) ? absl::StatusOr<int64_t>(spatial) : Unknown();
  return Unknown();
}

absl::StatusOr<Dims> PerDimension(const Call& call, std::string_view parameter, int64_t count) {
  ASSIGN_OR_RETURN(Dims numbers, call.Ints(parameter));
  if (numbers.size() == 1)
    numbers.resize(static_cast<size_t>(count), numbers[0]);
  if (static_cast<int64_t>(numbers.size()) != count)
    return Unknown();
  return numbers;
}

struct Window {
  Dims kernel, stride, padding, dilation;
  bool round_up = false;
};

absl::StatusOr<Window> ReadWindow(const Call& call, int64_t spatial, bool dilated) {
  Window window;
  ASSIGN_OR_RETURN(window.kernel, PerDimension(call, "kernel_size", spatial));
  window.stride = window.kernel;
  if (call.Has("stride") && !(call.IsSequence("stride") && call.Ints("stride").ok() && call.Ints("stride")->empty())) {
    ASSIGN_OR_RETURN(window.stride, PerDimension(call, "stride", spatial));
  }
  ASSIGN_OR_RETURN(window.padding, PerDimension(call, "padding", spatial));
  window.dilation.assign(static_cast<size_t>(spatial), 1);
  if (dilated) {
    ASSIGN_OR_RETURN(window.dilation, PerDimension(call, "dilation", spatial));
  }
  ASSIGN_OR_RETURN(window.round_up, call.Bool("ceil_mode"));
  for (int64_t i = 0; i < spatial; ++i)
    if (window.kernel[i] < 1 || window.stride[i] < 1 || window.dilation[i] < 1 || window.padding[i] < 0 ||
        window.padding[i] > window.kernel[i] / 2)
      return Unknown();
  return window;
}

absl::StatusOr<Size> PooledSize(const Window& window, int64_t i, const Size& size) {
  Size free = size + 2 * window.padding[i] - window.dilation[i] * (window.kernel[i] - 1) - 1;
  if (free < 0 && !window.round_up)
    return Raises();
  if (free < 0)
    return Unknown();
  Size pooled = (free + (window.round_up ? window.stride[i] - 1 : Size(0))) / window.stride[i] + 1;
  // The last window must start inside the input or its left padding.
  if (window.round_up && (pooled - 1) * window.stride[i] >= size + window.padding[i])
    --pooled;
  return pooled;
}

absl::StatusOr<Dims> PooledSizes(const Value& input, const Window& window) {
  Dims sizes = input.sizes();
  int64_t spatial = static_cast<int64_t>(window.kernel.size());
  for (const Size& size : sizes)
    if (size == 0)
      return Unknown();
  for (int64_t i = 0; i < spatial; ++i) {
    Size& size = sizes[sizes.size() - static_cast<size_t>(spatial - i)];
    ASSIGN_OR_RETURN(size, PooledSize(window, i, size));
  }
  return sizes;
}

// A new tensor in the format that the input looks like. One-dimensional pooling is two-dimensional
// pooling at height 1.
absl::StatusOr<Value> Pooled(const Call& call, const Value& input, int64_t spatial, Dims sizes) {
  if (input.rank() != spatial + 2)
    return call.Fresh(input.dtype, std::move(sizes));
  Layout source = input.layout;
  if (spatial == 1) {
    source.strides.insert(source.strides.begin() + 2, source.sizes[2] * source.strides[2]);
    source.sizes.insert(source.sizes.begin() + 2, 1);
    sizes.insert(sizes.begin() + 2, 1);
  }
  MemoryFormat format = SuggestedFormat(source);
  if (format == MemoryFormat::kChannelsLast3d)
    return Unknown();
  Value pooled = call.FreshIn(format, input.dtype, std::move(sizes));
  if (spatial == 1) {
    pooled.layout.sizes.erase(pooled.layout.sizes.begin() + 2);
    pooled.layout.strides.erase(pooled.layout.strides.begin() + 2);
  }
  return pooled;
}

Product WithIndices(const Call& call, Value pooled) {
  Value indices = pooled;
  indices.dtype = DType::kInt64;
  indices.inference = call.ambient().inference;
  return Product::Tuple({std::move(pooled), std::move(indices)});
}

}  // namespace

Outcome MaxPool(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t spatial, SpatialOf(call, input));
  ASSIGN_OR_RETURN(Window window, ReadWindow(call, spatial, true));
  ASSIGN_OR_RETURN(Dims sizes, PooledSizes(input, window));
  // With gradients another kernel runs in one dimension.
  if (!IsFloating(input.dtype) || (spatial == 1 && input.layout.strides != ContiguousStrides(input.sizes())))
    return Unknown();
  ASSIGN_OR_RETURN(Value pooled, Pooled(call, input, spatial, std::move(sizes)));
  if (call.Has("return_indices")) {
    ASSIGN_OR_RETURN(bool indices, call.Bool("return_indices"));
    if (indices && spatial == 3 && call.ambient().autocast)  // which forgets this one
      return Unknown();
    if (indices)
      return WithIndices(call, std::move(pooled));
  }
  return pooled;
}

Outcome AveragePool(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t spatial, SpatialOf(call, input));
  ASSIGN_OR_RETURN(Window window, ReadWindow(call, spatial, false));
  ASSIGN_OR_RETURN(Dims sizes, PooledSizes(input, window));
  if (!IsFloating(input.dtype) || (spatial == 3 && BytesOf(input.dtype) < 4))
    return Unknown();
  for (int64_t i = 0; i < spatial; ++i)  // in three dimensions padding does not count
    if (spatial == 3 && input.size(input.rank() - 3 + i) < window.kernel[i])
      return Unknown();
  return Pooled(call, input, spatial, std::move(sizes));
}

Outcome AdaptivePool(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t spatial, SpatialOf(call, input));
  const model::Operand* wanted = call.Given("output_size");
  if (wanted == nullptr || !IsFloating(input.dtype))
    return Unknown();
  std::vector<model::Operand> items(static_cast<size_t>(spatial), *wanted);
  if (std::optional<std::vector<model::Operand>> given = ItemsOf(*wanted))
    items = *given;
  if (static_cast<int64_t>(items.size()) != spatial)
    return Unknown();
  Dims sizes = input.sizes();
  for (int64_t i = 0; i < spatial; ++i) {
    Size& size = sizes[sizes.size() - static_cast<size_t>(spatial - i)];
    std::optional<int64_t> number = IntOf(items[i]);
    bool kept = items[i].constant && items[i].constant->is_none();
    if (size == 0 || (!kept && (!number || *number < 1)))
      return Unknown();
    size = kept ? size : Size(*number);
  }
  if (ElementCount(sizes) == 0)
    return Unknown();
  ASSIGN_OR_RETURN(Value pooled, Pooled(call, input, spatial, std::move(sizes)));
  if (call.Has("return_indices")) {
    ASSIGN_OR_RETURN(bool indices, call.Bool("return_indices"));
    if (indices)
      return WithIndices(call, std::move(pooled));
  }
  return pooled;
}

}  // namespace framegate::translator::meta::rules
