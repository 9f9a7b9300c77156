// Products of matrices.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

bool IsProductType(const Value& a, const Value& b) { return a.dtype == b.dtype && a.dtype != DType::kBool; }

}  // namespace

Outcome Linear(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  ASSIGN_OR_RETURN(std::vector<Value> bias, call.TensorIfGiven("bias"));
  if (input.rank() == 0 || weight.rank() != 2 || !IsProductType(input, weight))
    return Unknown();
  Dims sizes = input.sizes();
  if (sizes.back() != weight.size(1))
    return Raises();
  sizes.back() = weight.size(0);
  for (const Value& added : bias)
    if (added.dtype != input.dtype || added.sizes() != Dims{weight.size(0)})
      return Unknown();
  return call.Fresh(input.dtype, std::move(sizes));
}

Outcome MatMul(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("other"));
  if (!IsProductType(a, b))
    return Unknown();
  if (a.rank() == 0 || b.rank() == 0)
    return Raises();
  int64_t inner_b = b.rank() == 1 ? b.size(0) : b.size(b.rank() - 2);
  if (a.sizes().back() != inner_b)
    return Raises();
  Dims batch_a(a.sizes().begin(), a.sizes().end() - std::min<int64_t>(a.rank(), 2));
  Dims batch_b(b.sizes().begin(), b.sizes().end() - std::min<int64_t>(b.rank(), 2));
  std::optional<Dims> sizes = BroadcastSizes(batch_a, batch_b);
  if (!sizes)
    return Raises();
  if (a.rank() > 1)
    sizes->push_back(a.size(a.rank() - 2));
  if (b.rank() > 1)
    sizes->push_back(b.sizes().back());
  return call.Fresh(a.dtype, std::move(*sizes));
}

Outcome Attention(const Call&) { return Unknown(); }

}  // namespace framegate::translator::meta::rules
