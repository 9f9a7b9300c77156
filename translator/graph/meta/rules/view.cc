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

absl::StatusOr<Value> ViewedAs(const Value& input, const Dims& sizes) {
  std::optional<Dims> resolved = ResolveSizes(sizes, input.elements());
  std::optional<Dims> strides = resolved ? ViewStrides(input.layout, *resolved) : std::nullopt;
  if (!strides)
    return Raises();
  return ViewOf(input, {*resolved, *strides});
}

// Sizes of -1 keep the input's.
absl::StatusOr<Value> ExpandedTo(const Value& input, const Dims& sizes) {
  int64_t shift = static_cast<int64_t>(sizes.size()) - input.rank();
  if (shift < 0)
    return Raises();
  Layout layout{sizes, Dims(sizes.size())};
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 1; dim >= 0; --dim) {
    bool added = dim < shift;
    Size size = added ? Size(1) : input.size(dim - shift);
    if (sizes[dim] == -1 && !added)
      layout.sizes[dim] = size;
    if (layout.sizes[dim] < 0)
      return Raises();
    if (layout.sizes[dim] == size && !added)
      layout.strides[dim] = input.stride(dim - shift);
    else if (size != 1)
      return Raises();
    else if (layout.sizes[dim] == 1 && input.rank() > 0)
      layout.strides[dim] = layout.sizes[dim + 1] * layout.strides[dim + 1];
  }
  return ViewOf(input, std::move(layout));
}

}  // namespace

Outcome View(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("size"));
  return ViewedAs(input, sizes);
}

Outcome Reshape(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims sizes, call.Ints("shape"));
  return ReshapedTo(call, input, sizes);
}

Outcome Ravel(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  Dims sizes = {input.elements()};
  if (!IsContiguous(input.layout))
    return call.Fresh(input.dtype, std::move(sizes));
  return ReshapedTo(call, input, sizes);
}

Outcome ReshapeAs(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value other, call.Tensor("other"));
  ASSIGN_OR_RETURN(Value reshaped, ReshapedTo(call, input, other.sizes()));
  reshaped.differentiable = input.requires_grad;
  return reshaped;
}

Outcome ViewAs(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value other, call.Tensor("other"));
  return ViewedAs(input, other.sizes());
}

Outcome Unflatten(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Dims parts, call.Ints("sizes"));
  if (input.rank() == 0 || parts.empty() || !call.IsSequence("sizes"))
    return Unknown();
  std::optional<Dims> resolved = ResolveSizes(parts, input.size(dim));
  if (!resolved)
    return Raises();
  Dims sizes = input.sizes();
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, resolved->begin(), resolved->end());
  return ViewedAs(input, sizes);
}

// One tensor with dimensions of size 1 in front; itself where it has enough.
Outcome AtLeast(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  int64_t rank = call.name() == "atleast_1d" ? 1 : 2;
  if (tensors.size() != 1 || call.PositionOf("tensors") != 0 || tensors[0].rank() >= rank)
    return Unknown();
  if (tensors[0].rank() == 1)
    return ViewOf(tensors[0], {{1, tensors[0].size(0)}, {tensors[0].size(0) * tensors[0].stride(0), tensors[0].stride(0)}});
  return ViewedAs(tensors[0], Dims(static_cast<size_t>(rank), 1));
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

Outcome Unsqueeze(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Int("dim"));
  std::optional<int64_t> resolved = ResolveDim(dim, input.rank() + 1);
  if (!resolved)
    return Raises();
  Layout layout = input.layout;
  Size stride = *resolved == input.rank() ? Size(1) : input.size(*resolved) * input.stride(*resolved);
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
  return ExpandedTo(input, sizes);
}

Outcome ExpandAs(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value other, call.Tensor("other"));
  return ExpandedTo(input, other.sizes());
}

Outcome BroadcastTo(const Call& call) {
  return Expand(call);
}

Outcome BroadcastTensors(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  Dims sizes;
  for (const Value& tensor : tensors) {
    std::optional<Dims> joined = BroadcastSizes(sizes, tensor.sizes());
    if (!joined)
      return Raises();
    sizes = std::move(*joined);
  }
  for (Value& tensor : tensors) {
    if (tensor.sizes() == sizes)  // returned itself
      return Unknown();
    ASSIGN_OR_RETURN(tensor, ExpandedTo(tensor, sizes));
  }
  return Product::Tuple(std::move(tensors));
}

Outcome MeshGrid(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  ASSIGN_OR_RETURN(std::string indexing, call.Text("indexing"));
  bool swap = indexing == "xy" && tensors.size() > 1;
  if (tensors.empty() || (indexing != "ij" && indexing != "xy"))
    return Unknown();
  if (swap)
    std::swap(tensors[0], tensors[1]);
  Dims sizes;
  for (const Value& tensor : tensors) {
    if (tensor.rank() > 1 || tensor.dtype != tensors[0].dtype)
      return Unknown();
    sizes.push_back(tensor.elements());
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    Dims own(tensors.size(), 1);
    own[i] = sizes[i];
    ASSIGN_OR_RETURN(tensors[i], ViewedAs(tensors[i], own));
    ASSIGN_OR_RETURN(tensors[i], ExpandedTo(tensors[i], sizes));
  }
  if (swap)
    std::swap(tensors[0], tensors[1]);
  return Product::Tuple(std::move(tensors));
}

}  // namespace framegate::translator::meta::rules
