// Operators that draw random numbers.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Zeroes elements, or whole maps of `noise_sizes`, by multiplying with noise. Without training it
// does nothing at all.
Outcome Dropped(const Call& call, const Value& input, const Dims& noise_sizes) {
  ASSIGN_OR_RETURN(double p, call.Float("p"));
  ASSIGN_OR_RETURN(bool training, call.Bool("training"));
  if (p < 0 || p > 1)
    return Raises();
  if (p == 0 || !training || input.elements() == 0)
    return Product::Argument("input");
  if (!IsFloating(input.dtype))
    return Unknown();
  Value noise = call.Fresh(input.dtype, noise_sizes);
  if (p == 1)
    noise = call.Fresh(input.dtype, Dims{});
  else if (noise_sizes == input.sizes())
    noise.layout.strides = PreservedStrides(input.layout);
  return Elementwise(call, {input, noise}, input.dtype, input.dtype);
}

}  // namespace

Outcome Dropout(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  return Dropped(call, input, input.sizes());
}

Outcome FeatureDropout(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (input.rank() != (call.name() == "dropout2d" ? 4 : call.name() == "dropout3d" ? 5 : 3))
    return Unknown();
  Dims sizes = input.sizes();
  std::fill(sizes.begin() + 2, sizes.end(), 1);
  return Dropped(call, input, sizes);
}

// Where dropping also shifts the rest: known where nothing is dropped.
Outcome AlphaDropout(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(bool training, call.Bool("training"));
  ASSIGN_OR_RETURN(double p, call.Float("p"));
  if (p < 0 || p > 1)
    return Raises();
  return training && p > 0 ? Outcome(Unknown()) : Outcome(Product::Argument("input"));
}

// A softmax of the sum with noise; `hard` makes it one-hot.
Outcome GumbelSoftmax(const Call& call) {
  ASSIGN_OR_RETURN(Value logits, call.Tensor("logits"));
  RETURN_IF_ERROR(call.Dim("dim", logits).status());
  if (!IsFloating(logits.dtype) || logits.rank() == 0 || logits.elements() == 0)
    return Unknown();
  return call.Fresh(logits.dtype, logits.sizes());
}

Outcome Bernoulli(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype) || call.Has("p"))
    return Unknown();
  return call.Fresh(input.dtype, input.sizes());
}

Outcome Multinomial(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t samples, call.Int("num_samples"));
  if (!IsFloating(input.dtype) || input.rank() < 1 || input.rank() > 2 || samples < 1)
    return Unknown();
  Dims sizes = input.sizes();
  sizes.back() = samples;
  return call.Fresh(DType::kInt64, std::move(sizes));
}

// In place only: fills the tensor, whatever it held.
Outcome FillRandom(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  if (!IsFloating(input.dtype))
    return Unknown();
  return input;
}

}  // namespace framegate::translator::meta::rules
