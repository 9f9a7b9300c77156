// Views of a part of a tensor.
#include <algorithm>

#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

Value Part(const Value& input, int64_t dim, const Size& start, const Size& length) {
  Value part = ViewOf(input, input.layout, input.offset + start * input.stride(dim));
  part.layout.sizes[dim] = length;
  return part;
}

Value WithoutDim(const Value& input, int64_t dim, const Size& index) {
  Value part = ViewOf(input, input.layout, input.offset + index * input.stride(dim));
  part.layout.sizes.erase(part.layout.sizes.begin() + dim);
  part.layout.strides.erase(part.layout.strides.begin() + dim);
  return part;
}

// One past the last element's place in memory, from the storage's start.
Size EndOf(const Layout& layout, const Size& offset) {
  Size end = offset + 1;
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    end += (layout.sizes[i] - 1) * layout.strides[i];
  return end;
}

}  // namespace

Outcome Select(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(int64_t index, call.Int("index"));
  if (input.rank() == 0 || index < -input.size(dim) || index >= input.size(dim))
    return Raises();
  return WithoutDim(input, dim, index < 0 ? index + input.size(dim) : Size(index));
}

Outcome Narrow(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Size start, call.Count("start"));
  ASSIGN_OR_RETURN(Size length, call.Count("length"));
  if (input.rank() == 0 || length < 0)
    return Raises();
  Size size = input.size(dim);
  if (start < -size || start > size)
    return Raises();
  start += start < 0 ? size : Size(0);
  if (start + length > size)
    return Raises();
  return Part(input, dim, start, length);
}

Outcome Unbind(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  if (input.rank() == 0)
    return Raises();
  std::vector<Value> parts;
  for (int64_t i = 0; i < input.size(dim); ++i)
    parts.push_back(WithoutDim(input, dim, i));
  return Product::Tuple(std::move(parts));
}

Outcome Diagonal(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t shift, call.Int("offset"));
  ASSIGN_OR_RETURN(int64_t rows, call.Dim("dim1", input));
  ASSIGN_OR_RETURN(int64_t columns, call.Dim("dim2", input));
  if (rows == columns || input.rank() < 2)
    return Raises();
  Size length =
      shift >= 0 ? std::min(input.size(rows), input.size(columns) - shift) : std::min(input.size(rows) + shift, input.size(columns));
  length = std::max<Size>(length, 0);
  Size offset = input.offset;
  if (length > 0)
    offset += shift >= 0 ? shift * input.stride(columns) : -shift * input.stride(rows);
  Layout layout = input.layout;
  Size stride = input.stride(rows) + input.stride(columns);
  for (int64_t dim : {std::max(rows, columns), std::min(rows, columns)}) {
    layout.sizes.erase(layout.sizes.begin() + dim);
    layout.strides.erase(layout.strides.begin() + dim);
  }
  layout.sizes.push_back(length);
  layout.strides.push_back(stride);
  return ViewOf(input, std::move(layout), offset);
}

Outcome Unfold(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dimension", input));
  ASSIGN_OR_RETURN(int64_t size, call.Int("size"));
  ASSIGN_OR_RETURN(int64_t step, call.Int("step"));
  if (input.rank() == 0)
    return Unknown();
  if (size < 0 || size > input.size(dim) || step <= 0)
    return Raises();
  Layout layout = input.layout;
  layout.sizes[dim] = (input.size(dim) - size) / step + 1;
  layout.strides[dim] = step * input.stride(dim);
  layout.sizes.push_back(size);
  layout.strides.push_back(input.stride(dim));
  return ViewOf(input, std::move(layout));
}

// Known inside the memory that the input itself covers: how much more there is, its metadata do not
// say.
Outcome AsStrided(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  ASSIGN_OR_RETURN(Dims strides, call.Ints("stride"));
  Size offset = input.offset;
  if (call.Has("storage_offset")) {
    ASSIGN_OR_RETURN(offset, call.Count("storage_offset"));
  }
  if (sizes.size() != strides.size() || input.elements() == 0)
    return Unknown();
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || strides[i] < 0)
      return Unknown();
  Layout layout{std::move(sizes), std::move(strides)};
  if (offset < 0 || EndOf(layout, offset) > EndOf(input.layout, input.offset))
    return Unknown();
  return ViewOf(input, std::move(layout), offset);
}

Outcome Split(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("tensor"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Dims lengths, call.Ints("split_size_or_sections"));
  if (input.rank() == 0)
    return Raises();
  Size size = input.size(dim);
  if (!call.IsSequence("split_size_or_sections")) {
    Size step = lengths[0];
    if (step < 0 || (step == 0 && size != 0))
      return Raises();
    int64_t count = step == 0 ? Size(1) : std::max<Size>((size + step - 1) / step, 1);  // how many there are is fixed
    lengths.assign(static_cast<size_t>(count), step);
    lengths.back() = size - step * (static_cast<int64_t>(lengths.size()) - 1);
  }
  std::vector<Value> parts;
  Size start = 0;
  for (const Size& length : lengths) {
    if (length < 0 || start + length > size)
      return Raises();
    parts.push_back(Part(input, dim, start, length));
    start += length;
  }
  if (start != size)
    return Raises();
  return Product::Tuple(std::move(parts));
}

// A number of nearly equal parts, or the places to cut at.
Outcome TensorSplit(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Dims cuts, call.Ints("indices_or_sections"));
  if (input.rank() == 0)
    return Raises();
  Size size = input.size(dim);
  if (!call.IsSequence("indices_or_sections")) {
    int64_t count = cuts[0];
    if (count < 1)
      return Raises();
    cuts.clear();
    Size end = 0;
    for (int64_t i = 1; i < count; ++i)
      cuts.push_back(end += size / count + (i <= size % count ? 1 : 0));
  }
  cuts.push_back(size);
  std::vector<Value> parts;
  Size start = 0;
  for (const Size& cut : cuts) {
    if (cut < 0 || cut < start || cut > size)
      return Unknown();
    parts.push_back(Part(input, dim, start, cut - start));
    start = cut;
  }
  return Product::Tuple(std::move(parts));
}

Outcome Chunk(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(int64_t chunks, call.Int("chunks"));
  if (chunks <= 0 || input.rank() == 0)
    return Raises();
  Size size = input.size(dim), step = (size + chunks - 1) / chunks;
  if (step == 0)
    return Product::Tuple(std::vector<Value>(static_cast<size_t>(chunks), Part(input, dim, 0, 0)));
  std::vector<Value> parts;
  for (Size start = 0; start < size; start += step)
    parts.push_back(Part(input, dim, start, std::min(step, size - start)));
  return Product::Tuple(std::move(parts));
}

}  // namespace framegate::translator::meta::rules
