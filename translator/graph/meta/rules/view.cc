// Operators that give another layout of the same memory.
#include <algorithm>

#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

absl::StatusOr<Value> ReshapedTo(const Call& call, const Value& input, const Dims& sizes) {
  std::optional<Dims> resolved = ResolveSizes(sizes, input.elements());
  if (!resolved)
    return Raises();
  if (std::optional<Dims> strides = ViewStrides(input.layout, *resolved))
    return ViewOf(input, {*resolved, *strides});
  return call.Fresh(input.dtype, *resolved);
}

Value Part(const Value& input, int64_t dim, int64_t start, int64_t length) {
  Value part = ViewOf(input, input.layout, input.offset + start * input.stride(dim));
  part.layout.sizes[dim] = length;
  return part;
}

}  // namespace

Outcome View(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  std::optional<Dims> resolved = ResolveSizes(sizes, input.elements());
  std::optional<Dims> strides = resolved ? ViewStrides(input.layout, *resolved) : std::nullopt;
  if (!strides)
    return Raises();
  return ViewOf(input, {*resolved, *strides});
}

Outcome Reshape(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("shape"));
  return ReshapedTo(call, input, sizes);
}

Outcome Flatten(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t start, call.Dim("start_dim", input));
  ASSIGN_OR_RETURN(int64_t end, call.Dim("end_dim", input));
  if (start > end)
    return Raises();
  if (input.rank() == 0)
    return ReshapedTo(call, input, {1});
  if (start == end)
    return Product::Argument("input");
  Dims sizes(input.sizes().begin(), input.sizes().begin() + start + 1);
  for (int64_t dim = start + 1; dim <= end; ++dim)
    sizes.back() *= input.size(dim);
  sizes.insert(sizes.end(), input.sizes().begin() + end + 1, input.sizes().end());
  return ReshapedTo(call, input, sizes);
}

Outcome Transpose(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t a, call.Dim("dim0", input));
  ASSIGN_OR_RETURN(int64_t b, call.Dim("dim1", input));
  Layout layout = input.layout;
  if (a != b) {
    std::swap(layout.sizes[a], layout.sizes[b]);
    std::swap(layout.strides[a], layout.strides[b]);
  }
  return ViewOf(input, std::move(layout));
}

Outcome Permute(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims dims, call.Ints("dims"));
  if (static_cast<int64_t>(dims.size()) != input.rank())
    return Raises();
  Layout layout;
  std::vector<bool> seen(dims.size());
  for (int64_t dim : dims) {
    std::optional<int64_t> resolved = ResolveDim(dim, input.rank());
    if (!resolved || seen[*resolved])
      return Raises();
    seen[*resolved] = true;
    layout.sizes.push_back(input.size(*resolved));
    layout.strides.push_back(input.stride(*resolved));
  }
  return ViewOf(input, std::move(layout));
}

Outcome Unsqueeze(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Int("dim"));
  std::optional<int64_t> resolved = ResolveDim(dim, input.rank() + 1);
  if (!resolved)
    return Raises();
  Layout layout = input.layout;
  int64_t stride = *resolved == input.rank() ? 1 : input.size(*resolved) * input.stride(*resolved);
  layout.sizes.insert(layout.sizes.begin() + *resolved, 1);
  layout.strides.insert(layout.strides.begin() + *resolved, stride);
  return ViewOf(input, std::move(layout));
}

Outcome Squeeze(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  std::vector<bool> chosen(input.sizes().size(), !call.Has("dim"));
  if (call.Has("dim")) {
    ASSIGN_OR_RETURN(Dims dims, call.Ints("dim"));
    for (int64_t dim : dims) {
      std::optional<int64_t> resolved = ResolveDim(dim, input.rank());
      if (!resolved)
        return Raises();
      if (input.rank() > 0)
        chosen[*resolved] = true;
    }
  }
  Layout layout;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] && input.layout.sizes[i] == 1)
      continue;
    layout.sizes.push_back(input.layout.sizes[i]);
    layout.strides.push_back(input.layout.strides[i]);
  }
  return ViewOf(input, std::move(layout));
}

Outcome Expand(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  int64_t shift = static_cast<int64_t>(sizes.size()) - input.rank();
  if (shift < 0)
    return Raises();
  Layout layout{sizes, Dims(sizes.size())};
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 1; dim >= 0; --dim) {
    bool added = dim < shift;
    int64_t size = added ? 1 : input.size(dim - shift);
    if (sizes[dim] == -1 && !added)
      layout.sizes[dim] = size;
    if (layout.sizes[dim] < 0)
      return Raises();
    if (layout.sizes[dim] == size && !added) {
      layout.strides[dim] = input.stride(dim - shift);
    } else if (size != 1) {
      return Raises();
    } else if (layout.sizes[dim] == 1 && input.rank() > 0) {
      layout.strides[dim] = layout.sizes[dim + 1] * layout.strides[dim + 1];
    }
  }
  return ViewOf(input, std::move(layout));
}

Outcome Split(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("tensor"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Dims lengths, call.Ints("split_size_or_sections"));
  if (input.rank() == 0)
    return Raises();
  int64_t size = input.size(dim);
  if (!call.IsSequence("split_size_or_sections")) {
    int64_t step = lengths[0];
    if (step < 0 || (step == 0 && size != 0))
      return Raises();
    lengths.assign(step == 0 ? 1 : std::max<int64_t>((size + step - 1) / step, 1), step);
    lengths.back() = size - step * (static_cast<int64_t>(lengths.size()) - 1);
  }
  std::vector<Value> parts;
  int64_t start = 0;
  for (int64_t length : lengths) {
    if (length < 0 || start + length > size)
      return Raises();
    parts.push_back(Part(input, dim, start, length));
    start += length;
  }
  if (start != size)
    return Raises();
  return Product::Tuple(std::move(parts));
}

Outcome Chunk(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(int64_t chunks, call.Int("chunks"));
  if (chunks <= 0 || input.rank() == 0)
    return Raises();
  int64_t size = input.size(dim), step = (size + chunks - 1) / chunks;
  if (step == 0)
    return Product::Tuple(std::vector<Value>(static_cast<size_t>(chunks), Part(input, dim, 0, 0)));
  std::vector<Value> parts;
  for (int64_t start = 0; start < size; start += step)
    parts.push_back(Part(input, dim, start, std::min(step, size - start)));
  return Product::Tuple(std::move(parts));
}

}  // namespace framegate::translator::meta::rules
