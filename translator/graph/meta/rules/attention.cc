// Scaled dot product attention.
#include <algorithm>

#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

struct Inputs {
  Value query, key, value;
  std::vector<Value> mask;
  double dropout = 0;
  bool grouped = false;
};

absl::StatusOr<Inputs> Read(const Call& call) {
  Inputs inputs;
  ASSIGN_OR_RETURN(inputs.query, call.Tensor("query"));
  ASSIGN_OR_RETURN(inputs.key, call.Tensor("key"));
  ASSIGN_OR_RETURN(inputs.value, call.Tensor("value"));
  ASSIGN_OR_RETURN(inputs.mask, call.TensorIfGiven("attn_mask"));
  ASSIGN_OR_RETURN(inputs.dropout, call.Float("dropout_p"));
  ASSIGN_OR_RETURN(inputs.grouped, call.Bool("enable_gqa"));
  ASSIGN_OR_RETURN(bool causal, call.Bool("is_causal"));
  if (causal && !inputs.mask.empty())
    return Unknown();
  DType dtype = inputs.query.dtype;
  for (const Value* value : {&inputs.query, &inputs.key, &inputs.value})
    if (value->dtype != dtype || value->rank() < 2 || value->elements() == 0)
      return Unknown();
  for (const Value& mask : inputs.mask)
    if ((mask.dtype != DType::kBool && mask.dtype != dtype) || mask.rank() < 2)
      return Unknown();
  return inputs;
}

bool FitsMask(const Inputs& inputs, const Value& mask) {
  const Dims full = {inputs.query.size(0), inputs.query.size(1), inputs.query.size(2), inputs.key.size(2)};
  if (mask.requires_grad || (mask.rank() != 2 && mask.rank() != 4))
    return false;
  for (int64_t i = 0; i < mask.rank(); ++i)
    if (mask.size(i) != 1 && mask.size(i) != full[4 - mask.rank() + i])
      return false;
  return true;
}

// Whether the fused kernel takes these: its result is laid out as the query is. The switches of
// torch.nn.attention.sdpa_kernel are taken to be at their defaults.
bool IsFused(const Inputs& inputs) {
  const Value &q = inputs.query, &k = inputs.key, &v = inputs.value;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || inputs.dropout > 0)
    return false;
  if (q.size(0) != k.size(0) || q.size(0) != v.size(0) || q.size(3) != k.size(3) || q.size(3) != v.size(3))
    return false;
  bool same_heads = k.size(1) == v.size(1) && (inputs.grouped ? q.size(1) % k.size(1) == 0 : q.size(1) == k.size(1));
  if (!same_heads || q.stride(3) != 1 || k.stride(3) != 1 || v.stride(3) != 1)
    return false;
  return std::all_of(inputs.mask.begin(), inputs.mask.end(), [&](const Value& mask) { return FitsMask(inputs, mask); });
}

}  // namespace

Outcome Attention(const Call& call) {
  ASSIGN_OR_RETURN(Inputs inputs, Read(call));
  const Value &q = inputs.query, &k = inputs.key, &v = inputs.value;
  if (!IsFloating(q.dtype) || k.size(k.rank() - 2) != v.size(v.rank() - 2) || q.sizes().back() != k.sizes().back())
    return Unknown();
  if (IsFused(inputs))
    return call.Fresh(q.dtype, Layout{q.sizes(), PreservedStrides(q.layout)});
  if (inputs.grouped)
    return Unknown();
  Dims batch_k(k.sizes().begin(), k.sizes().end() - 2), batch_v(v.sizes().begin(), v.sizes().end() - 2);
  std::optional<Dims> sizes = BroadcastSizes(Dims(q.sizes().begin(), q.sizes().end() - 2), batch_k);
  if (!sizes)
    return Unknown();
  Dims scores = *sizes;
  scores.push_back(q.size(q.rank() - 2));
  scores.push_back(k.size(k.rank() - 2));
  for (const Value& mask : inputs.mask)
    if (BroadcastSizes(scores, mask.sizes()) != scores)
      return Unknown();
  sizes = BroadcastSizes(*sizes, batch_v);
  if (!sizes)
    return Unknown();
  sizes->push_back(q.size(q.rank() - 2));
  sizes->push_back(v.sizes().back());
  Product product = call.Fresh(q.dtype, std::move(*sizes));
  product.draws = inputs.dropout > 0;
  return product;
}

}  // namespace framegate::translator::meta::rules
