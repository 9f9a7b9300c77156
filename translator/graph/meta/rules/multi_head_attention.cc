// Multi-head attention and the encoder layer around it, each as one operator.
#include <algorithm>

#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Whether a parameter that may be None is absent or a tensor of this type and these sizes.
bool FitsIfGiven(const Call& call, std::string_view parameter, DType dtype, const Dims& sizes) {
  if (!call.Has(parameter))
    return true;
  absl::StatusOr<Value> value = call.Tensor(parameter);
  return value.ok() && value->dtype == dtype && value->sizes() == sizes;
}

bool Fits(const Call& call, std::string_view parameter, DType dtype, const Dims& sizes) {
  return call.Has(parameter) && FitsIfGiven(call, parameter, dtype, sizes);
}

// Masks are bool, or numbers that are added.
bool FitsMask(const Call& call, std::string_view parameter, DType dtype, const Dims& sizes) {
  return FitsIfGiven(call, parameter, DType::kBool, sizes) || FitsIfGiven(call, parameter, dtype, sizes);
}

struct Inputs {
  Value query, key, value;
  bool batched = true;
  Size batch = 1, heads, width;
};

absl::StatusOr<Inputs> Read(const Call& call) {
  Inputs in;
  ASSIGN_OR_RETURN(in.query, call.Tensor("query"));
  ASSIGN_OR_RETURN(in.key, call.Tensor("key"));
  ASSIGN_OR_RETURN(in.value, call.Tensor("value"));
  ASSIGN_OR_RETURN(in.heads, call.Count("num_heads"));
  int64_t rank = in.query.rank();
  if ((rank != 2 && rank != 3) || !IsFloating(in.query.dtype) || call.ambient().autocast || in.heads <= 0)
    return Unknown();
  for (const Value* value : {&in.query, &in.key, &in.value})
    if (value->rank() != rank || value->dtype != in.query.dtype || value->elements() == 0)
      return Unknown();
  in.batched = rank == 3;
  in.width = in.query.sizes().back();
  if (in.batched)
    in.batch = in.query.size(1);
  if (in.width % in.heads != 0)
    return Unknown();
  return in;
}

bool FitProjections(const Call& call, const Inputs& in, bool apart) {
  DType dtype = in.query.dtype;
  const Size &from_key = in.key.sizes().back(), &from_value = in.value.sizes().back();
  if (!FitsIfGiven(call, "in_proj_bias", dtype, {in.width * 3}))
    return false;
  if (!apart)
    return from_key == in.width && from_value == in.width && Fits(call, "in_proj_weight", dtype, {in.width * 3, in.width});
  return Fits(call, "q_proj_weight", dtype, {in.width, in.width}) && Fits(call, "k_proj_weight", dtype, {in.width, from_key}) &&
         Fits(call, "v_proj_weight", dtype, {in.width, from_value});
}

bool FitMasks(const Call& call, const Inputs& in, const Size& target, const Size& source) {
  DType dtype = in.query.dtype;
  return (FitsMask(call, "attn_mask", dtype, {target, source}) ||
          FitsMask(call, "attn_mask", dtype, {in.batch * in.heads, target, source})) &&
         FitsMask(call, "key_padding_mask", dtype, in.batched ? Dims{in.batch, source} : Dims{source});
}

bool AnyRequiresGradient(const Call& call, std::initializer_list<std::string_view> parameters) {
  return std::any_of(parameters.begin(), parameters.end(), [&](std::string_view parameter) {
    absl::StatusOr<Value> value = call.Tensor(parameter);
    return value.ok() && value->requires_grad;
  });
}

Value Absent() {
  Value none;
  none.is_none = true;
  return none;
}

}  // namespace

// F.multi_head_attention_forward: (output, weights or None), time first.
Outcome MultiHeadAttention(const Call& call) {
  ASSIGN_OR_RETURN(Inputs in, Read(call));
  ASSIGN_OR_RETURN(Size width, call.Count("embed_dim_to_check"));
  ASSIGN_OR_RETURN(Value projection, call.Tensor("out_proj_weight"));
  ASSIGN_OR_RETURN(bool weights, call.Bool("need_weights"));
  ASSIGN_OR_RETURN(bool average, call.Bool("average_attn_weights"));
  ASSIGN_OR_RETURN(bool apart, call.Bool("use_separate_proj_weight"));
  ASSIGN_OR_RETURN(bool causal, call.Bool("is_causal"));
  ASSIGN_OR_RETURN(bool zero, call.Bool("add_zero_attn"));
  ASSIGN_OR_RETURN(double dropout, call.Float("dropout_p"));
  ASSIGN_OR_RETURN(bool training, call.Bool("training"));
  DType dtype = in.query.dtype;
  const Size &target = in.query.size(0), &source = in.key.size(0);
  bool longer = call.Has("bias_k") || call.Has("bias_v");
  if (width != in.width || projection.rank() != 2 || projection.dtype != dtype || projection.size(1) != in.width || call.Has("static_k") ||
      call.Has("static_v") || (causal && !call.Has("attn_mask")) || dropout < 0 || dropout > 1)
    return Unknown();
  if (in.value.size(0) != source || (in.batched && (in.key.size(1) != in.batch || in.value.size(1) != in.batch)))
    return Unknown();
  if (!FitProjections(call, in, apart) || !FitMasks(call, in, target, source) ||
      !FitsIfGiven(call, "out_proj_bias", dtype, {projection.size(0)}))
    return Unknown();
  if (longer && (!Fits(call, "bias_k", dtype, {1, 1, in.width}) || !Fits(call, "bias_v", dtype, {1, 1, in.width})))
    return Unknown();
  Dims sizes = in.query.sizes();
  sizes.back() = projection.size(0);
  std::vector<Value> results = {call.Fresh(dtype, std::move(sizes)), Absent()};
  if (weights) {
    Dims shape;
    if (in.batched)
      shape.push_back(in.batch);
    if (!average)
      shape.push_back(in.heads);
    shape.push_back(target);
    shape.push_back(source + (longer ? 1 : 0) + (zero ? 1 : 0));
    results[1] = call.Fresh(dtype, std::move(shape));
    results[1].differentiable = AnyRequiresGradient(call, {"query", "key", "in_proj_weight", "in_proj_bias", "q_proj_weight",
                                                           "k_proj_weight", "bias_k", "attn_mask", "key_padding_mask"});
  }
  Product product = Product::Tuple(std::move(results));
  product.draws = training && dropout > 0;
  return product;
}

// What nn.MultiheadAttention calls where nothing needs a gradient: batch first, a query that is key and value too.
Outcome NativeMultiHeadAttention(const Call& call) {
  ASSIGN_OR_RETURN(Inputs in, Read(call));
  ASSIGN_OR_RETURN(Size width, call.Count("embed_dim"));
  ASSIGN_OR_RETURN(bool weights, call.Bool("need_weights"));
  ASSIGN_OR_RETURN(bool average, call.Bool("average_attn_weights"));
  DType dtype = in.query.dtype;
  if (!in.batched || width != in.width || in.key.sizes() != in.query.sizes() || in.value.sizes() != in.query.sizes() || call.Has("mask"))
    return Unknown();
  if (call.ambient().grad && AnyRequiresGradient(call, {"query", "key", "value", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias"}))
    return Unknown();
  if (!Fits(call, "qkv_weight", dtype, {width * 3, width}) || !Fits(call, "qkv_bias", dtype, {width * 3}) ||
      !Fits(call, "proj_weight", dtype, {width, width}) || !Fits(call, "proj_bias", dtype, {width}))
    return Unknown();
  const Size &batch = in.query.size(0), &length = in.query.size(1);
  std::vector<Value> results = {call.Fresh(dtype, in.query.sizes()), Absent()};
  if (weights)
    results[1] = call.Fresh(dtype, average ? Dims{batch, length, length} : Dims{batch, in.heads, length, length});
  return Product::Tuple(std::move(results));
}

// What nn.TransformerEncoderLayer calls in the same case.
Outcome TransformerEncoderLayer(const Call& call) {
  ASSIGN_OR_RETURN(Value source, call.Tensor("src"));
  ASSIGN_OR_RETURN(Size width, call.Count("embed_dim"));
  ASSIGN_OR_RETURN(Size heads, call.Count("num_heads"));
  ASSIGN_OR_RETURN(Value hidden, call.Tensor("ffn_weight_1"));
  DType dtype = source.dtype;
  if (source.rank() != 3 || !IsFloating(dtype) || call.ambient().autocast || source.elements() == 0 || source.size(2) != width ||
      call.Has("mask") || hidden.rank() != 2 || heads <= 0 || width % heads != 0)
    return Unknown();
  if (call.ambient().grad &&
      AnyRequiresGradient(call, {"src", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias", "norm_weight_1", "norm_bias_1",
                                 "norm_weight_2", "norm_bias_2", "ffn_weight_1", "ffn_bias_1", "ffn_weight_2", "ffn_bias_2"}))
    return Unknown();
  const Size& inner = hidden.size(0);
  const std::pair<std::string_view, Dims> expected[] = {
      {"qkv_weight", {width * 3, width}}, {"qkv_bias", {width * 3}}, {"proj_weight", {width, width}},  {"proj_bias", {width}},
      {"norm_weight_1", {width}},         {"norm_bias_1", {width}},  {"norm_weight_2", {width}},       {"norm_bias_2", {width}},
      {"ffn_weight_1", {inner, width}},   {"ffn_bias_1", {inner}},   {"ffn_weight_2", {width, inner}}, {"ffn_bias_2", {width}}};
  for (const auto& [parameter, sizes] : expected)
    if (!Fits(call, parameter, dtype, sizes))
      return Unknown();
  return call.Fresh(dtype, source.sizes());
}

}  // namespace framegate::translator::meta::rules
