// Similarity and distance of vectors.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

struct Vectors {
  DType dtype = DType::kFloat32;
  Dims sizes;  // broadcast
};

absl::StatusOr<Vectors> Read(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("x1"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("x2"));
  std::optional<Dims> sizes = BroadcastSizes(a.sizes(), b.sizes());
  if (!sizes)
    return Raises();
  if (a.dtype != b.dtype || !IsFloating(a.dtype) || sizes->empty() || ElementCount(*sizes) == 0)
    return Unknown();
  return Vectors{a.dtype, *sizes};
}

}  // namespace

Outcome CosineSimilarity(const Call& call) {
  ASSIGN_OR_RETURN(Vectors vectors, Read(call));
  ASSIGN_OR_RETURN(int64_t dim, call.Int("dim"));
  std::optional<int64_t> resolved = ResolveDim(dim, static_cast<int64_t>(vectors.sizes.size()));
  if (!resolved)
    return Raises();
  vectors.sizes.erase(vectors.sizes.begin() + *resolved);
  return call.Fresh(vectors.dtype, std::move(vectors.sizes));
}

Outcome PairwiseDistance(const Call& call) {
  ASSIGN_OR_RETURN(Vectors vectors, Read(call));
  ASSIGN_OR_RETURN(bool keep, call.Bool("keepdim"));
  vectors.sizes.pop_back();
  if (keep)
    vectors.sizes.push_back(1);
  return call.Fresh(vectors.dtype, std::move(vectors.sizes));
}

Outcome Distance(const Call& call) {
  ASSIGN_OR_RETURN(Vectors vectors, Read(call));
  return call.Fresh(vectors.dtype, Dims{});
}

Outcome AllDistances(const Call& call) {
  ASSIGN_OR_RETURN(Value a, call.Tensor("x1"));
  ASSIGN_OR_RETURN(Value b, call.Tensor("x2"));
  bool known = a.rank() == b.rank() && a.rank() >= 2 && a.dtype == b.dtype && IsFloating(a.dtype) && BytesOf(a.dtype) >= 4;
  if (!known || a.sizes().back() != b.sizes().back() || a.elements() == 0 || b.elements() == 0)
    return Unknown();
  Dims sizes = a.sizes();
  for (int64_t i = 0; i + 2 < a.rank(); ++i)
    if (a.size(i) != b.size(i))
      return Unknown();
  sizes.back() = b.size(b.rank() - 2);
  return call.Fresh(a.dtype, std::move(sizes));
}

}  // namespace framegate::translator::meta::rules
