// Indexing and table lookup.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {

Outcome Embedding(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value weight, call.Tensor("weight"));
  if (weight.rank() != 2 || call.Has("max_norm") || (input.dtype != DType::kInt64 && input.dtype != DType::kInt32))
    return Unknown();
  Dims sizes = input.sizes();
  sizes.push_back(weight.size(1));
  return call.Fresh(weight.dtype, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
