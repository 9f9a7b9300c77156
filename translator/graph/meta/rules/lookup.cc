// Operators that pick or place elements by indices.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

bool IsIndex(const Value& value) {
  return value.dtype == DType::kInt64;
}

// `index` fits into `input` in all dimensions but `dim`.
bool FitsExcept(const Value& index, const Value& input, int64_t dim) {
  if (index.rank() != input.rank())
    return false;
  for (int64_t i = 0; i < index.rank(); ++i)
    if (i != dim && index.size(i) > input.size(i))
      return false;
  return true;
}

}  // namespace

Outcome Embedding(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  if (weight.rank() != 2 || call.Has("max_norm") || (input.dtype != DType::kInt64 && input.dtype != DType::kInt32))
    return Unknown();
  Dims sizes = input.sizes();
  sizes.push_back(weight.size(1));
  return call.Fresh(weight.dtype, std::move(sizes));
}

Outcome EmbeddingBag(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  ASSIGN_OR_RETURN(std::vector<Value> offsets, call.TensorIfGiven("offsets"));
  ASSIGN_OR_RETURN(bool last, call.Bool("include_last_offset"));
  if (!IsIndex(input) || weight.rank() != 2 || call.Has("max_norm") || call.Has("per_sample_weights") || !IsFloating(weight.dtype))
    return Unknown();
  if (input.rank() == 2 && offsets.empty())
    return call.Fresh(weight.dtype, Dims{input.size(0), weight.size(1)});
  if (input.rank() != 1 || offsets.size() != 1 || offsets[0].rank() != 1 || !IsIndex(offsets[0]) || offsets[0].size(0) < 1)
    return Unknown();
  return call.Fresh(weight.dtype, Dims{offsets[0].size(0) - (last ? 1 : 0), weight.size(1)});
}

Outcome Gather(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Value index, call.Tensor("index"));
  if (!IsIndex(index) || input.rank() == 0 || index.elements() == 0 || !FitsExcept(index, input, dim))
    return Unknown();
  return call.Fresh(input.dtype, index.sizes());
}

Outcome IndexSelect(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Value index, call.Tensor("index"));
  if ((!IsIndex(index) && index.dtype != DType::kInt32) || index.rank() != 1 || input.rank() == 0)
    return Unknown();
  Dims sizes = input.sizes();
  sizes[dim] = index.size(0);
  return call.Fresh(input.dtype, std::move(sizes));
}

// scatter, scatter_add, scatter_reduce: the result is a copy of the input that something is written
// to.
Outcome Scatter(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Value index, call.Tensor("index"));
  ASSIGN_OR_RETURN(Value source, call.TensorOrNumber("src"));
  if (!IsIndex(index) || input.rank() == 0 || !FitsExcept(index, input, dim) || (call.Has("reduce") && call.name() == "scatter"))
    return Unknown();
  if (source.is_number)
    return CanCast(source.dtype, input.dtype) ? Outcome(call.Fresh(input.dtype, input.sizes())) : Outcome(Unknown());
  if (source.dtype != input.dtype || source.rank() != index.rank() || !FitsExcept(index, source, -1))
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

Outcome IndexAdd(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  ASSIGN_OR_RETURN(Value index, call.Tensor("index"));
  ASSIGN_OR_RETURN(Value source, call.Tensor("source"));
  if ((!IsIndex(index) && index.dtype != DType::kInt32) || index.rank() != 1 || input.rank() == 0 || source.dtype != input.dtype ||
      source.rank() != input.rank())
    return Unknown();
  Dims sizes = input.sizes();
  sizes[dim] = index.size(0);
  if (source.sizes() != sizes)
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

// index_fill and index_copy: a copy that keeps the input's layout.
Outcome IndexFill(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  RETURN_IF_ERROR(call.Dim("dim", input).status());
  ASSIGN_OR_RETURN(Value index, call.Tensor("index"));
  ASSIGN_OR_RETURN(Value value, call.TensorOrNumber("value"));
  if (!IsIndex(index) || index.rank() != 1 || input.rank() == 0 || value.rank() != 0 || IsComplex(value.dtype))
    return Unknown();
  return call.Fresh(input.dtype, Layout{input.sizes(), PreservedStrides(input.layout)});
}

// searchsorted and bucketize: a place per value.
Outcome Placed(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value boundaries, call.Tensor("boundaries"));
  ASSIGN_OR_RETURN(bool narrow, call.Bool("out_int32"));
  if (boundaries.rank() != 1 || boundaries.dtype != input.dtype || IsComplex(input.dtype) || input.dtype == DType::kBool)
    return Unknown();
  return call.Fresh(narrow ? DType::kInt32 : DType::kInt64, input.sizes());
}

Outcome OneHot(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("tensor"));
  ASSIGN_OR_RETURN(int64_t classes, call.Int("num_classes"));
  if (!IsIndex(input) || classes < 1 || input.elements() == 0)
    return Unknown();
  Dims sizes = input.sizes();
  sizes.push_back(classes);
  return call.Fresh(DType::kInt64, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
