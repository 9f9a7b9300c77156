// Operators that put tensors, or copies of one, side by side, or move elements about.
#include <algorithm>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Empty one-dimensional tensors may be joined with anything, for history's sake.
bool IsSkipped(const Value& value) {
  return value.rank() == 1 && value.size(0) == 0;
}

absl::StatusOr<Value> Joined(const Call& call, const std::vector<Value>& tensors, int64_t dim) {
  auto first = std::find_if_not(tensors.begin(), tensors.end(), IsSkipped);
  if (first == tensors.end())
    return Unknown();
  std::optional<int64_t> resolved = ResolveDim(dim, first->rank());
  if (!resolved || first->rank() == 0)
    return Raises();
  Dims sizes = first->sizes();
  sizes[*resolved] = 0;
  MemoryFormat format = SuggestedFormat(first->layout);
  for (const Value& tensor : tensors) {
    if (SuggestedFormat(tensor.layout) != format)
      format = MemoryFormat::kContiguous;
    if (IsSkipped(tensor))
      continue;
    if (tensor.rank() != first->rank())
      return Raises();
    for (int64_t i = 0; i < tensor.rank(); ++i)
      if (i != *resolved && tensor.size(i) != sizes[i])
        return Raises();
    sizes[*resolved] += tensor.size(*resolved);
  }
  ASSIGN_OR_RETURN(DType dtype, PromotedType(call, tensors));
  return call.FreshIn(format, dtype, std::move(sizes));
}

// The dimension of torch.hstack: 1, or 0 for vectors; scalars are vectors.
Value WithRank(Value tensor, int64_t rank) {
  while (tensor.rank() < rank) {
    tensor.layout.sizes.insert(tensor.layout.sizes.begin(), 1);
    tensor.layout.strides.insert(tensor.layout.strides.begin(), tensor.elements());
  }
  return tensor;
}

// The two parts before and after where the tensor is cut, joined the other way round.
absl::StatusOr<Value> Rolled(const Call& call, const Value& input, int64_t shift, int64_t dim) {
  int64_t size = input.size(dim), cut = ((size - shift) % size + size) % size;
  Value front = input, back = input;
  front.layout.sizes[dim] = size - cut;
  back.layout.sizes[dim] = cut;
  return Joined(call, {front, back}, dim);
}

}  // namespace

Outcome Concatenate(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  ASSIGN_OR_RETURN(int64_t dim, call.Int("dim"));
  return Joined(call, tensors, dim);
}

Outcome Stack(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  ASSIGN_OR_RETURN(int64_t dim, call.Int("dim"));
  if (tensors.empty())
    return Raises();
  std::optional<int64_t> resolved = ResolveDim(dim, tensors[0].rank() + 1);
  if (!resolved)
    return Raises();
  for (const Value& tensor : tensors)
    if (tensor.sizes() != tensors[0].sizes())
      return Raises();
  if (tensors[0].elements() == 0)
    return Unknown();
  if (*resolved == tensors[0].rank()) {
    for (Value& tensor : tensors) {
      tensor.layout.sizes.push_back(1);
      tensor.layout.strides.push_back(1);
    }
    return Joined(call, tensors, *resolved);
  }
  // Joined along the dimension, which is then split.
  ASSIGN_OR_RETURN(Value joined, Joined(call, tensors, *resolved));
  Dims sizes = tensors[0].sizes();
  sizes.insert(sizes.begin() + *resolved, static_cast<int64_t>(tensors.size()));
  std::optional<Dims> strides = ViewStrides(joined.layout, sizes);
  if (!strides)
    return Unknown();
  return call.Fresh(joined.dtype, Layout{sizes, *strides});
}

Outcome HorizontalStack(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  if (tensors.empty())
    return Raises();
  for (Value& tensor : tensors)
    tensor = WithRank(std::move(tensor), 1);
  return Joined(call, tensors, tensors[0].rank() == 1 ? 0 : 1);
}

Outcome VerticalStack(const Call& call) {
  ASSIGN_OR_RETURN(std::vector<Value> tensors, call.Tensors("tensors"));
  if (tensors.empty())
    return Raises();
  for (Value& tensor : tensors)
    tensor = WithRank(std::move(tensor), 2);
  return Joined(call, tensors, 0);
}

Outcome Repeat(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims repeats, call.Ints("repeats"));
  bool tile = call.name() == "tile";
  if (tile && repeats.size() < input.sizes().size())
    repeats.insert(repeats.begin(), input.sizes().size() - repeats.size(), 1);
  if (repeats.size() < input.sizes().size())
    return Raises();
  size_t shift = repeats.size() - input.sizes().size();
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0)
      return Raises();
    repeats[i] *= i < shift ? Size(1) : input.layout.sizes[i - shift];
  }
  return call.Fresh(input.dtype, std::move(repeats));
}

Outcome RepeatInterleave(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Size repeats, call.Count("repeats"));
  if (repeats < 0)
    return Raises();
  if (!call.Has("dim"))
    return call.Fresh(input.dtype, Dims{input.elements() * repeats});
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  if (input.rank() == 0)
    return Unknown();
  Dims sizes = input.sizes();
  sizes[dim] *= repeats;
  return call.Fresh(input.dtype, std::move(sizes));
}

Outcome Flip(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims dims, call.Ints("dims"));
  std::vector<bool> seen(std::max<size_t>(input.sizes().size(), 1));
  for (int64_t dim : dims) {
    std::optional<int64_t> resolved = ResolveDim(dim, input.rank());
    if (!resolved || seen[*resolved])
      return Raises();
    seen[*resolved] = true;
  }
  return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

Outcome Roll(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims shifts, call.Ints("shifts"));
  if (input.elements() == 0 || input.rank() == 0)
    return Unknown();
  if (!call.Has("dims"))  // of the flattened tensor
    return shifts.size() == 1 ? Outcome(call.Fresh(input.dtype, input.sizes())) : Outcome(Unknown());
  ASSIGN_OR_RETURN(Dims dims, call.Ints("dims"));
  if (dims.size() != shifts.size() || dims.empty())
    return Unknown();
  Value rolled = input;
  for (size_t i = 0; i < dims.size(); ++i) {
    std::optional<int64_t> dim = ResolveDim(dims[i], input.rank());
    if (!dim)
      return Raises();
    ASSIGN_OR_RETURN(rolled, Rolled(call, rolled, shifts[i], *dim));
  }
  return rolled;
}

Outcome Triangle(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() < 2)
    return Raises();
  return call.Fresh(input.dtype, input.sizes());
}

}  // namespace framegate::translator::meta::rules
