// Recurrent layers and cells.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

bool IsBatch(const Value& value, DType dtype, int64_t width) {
  return value.rank() == 2 && value.dtype == dtype && value.size(1) == width && value.layout.strides == ContiguousStrides(value.sizes());
}

// The output of a layer over a sequence: made with time first, seen as the input is.
Value Sequence(const Call& call, const Value& input, int64_t width, bool batch_first) {
  Dims sizes = {input.size(batch_first ? 1 : 0), input.size(batch_first ? 0 : 1), width};
  Value output = call.Fresh(input.dtype, std::move(sizes));
  if (batch_first) {
    std::swap(output.layout.sizes[0], output.layout.sizes[1]);
    std::swap(output.layout.strides[0], output.layout.strides[1]);
  }
  return output;
}

}  // namespace

// gru_cell, rnn_tanh_cell, rnn_relu_cell: the new state; lstm_cell: both states.
Outcome RecurrentCell(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Value kernel, call.Tensor("w_hh"));
  bool two = call.name() == "lstm_cell";
  std::vector<Value> states;
  if (two) {
    ASSIGN_OR_RETURN(states, call.Tensors("hx"));
  } else {
    ASSIGN_OR_RETURN(Value state, call.Tensor("hx"));
    states.push_back(std::move(state));
  }
  if (input.rank() != 2 || !IsFloating(input.dtype) || kernel.rank() != 2 || states.size() != (two ? 2 : 1) || call.ambient().autocast)
    return Unknown();
  int64_t gates = two ? 4 : call.name() == "gru_cell" ? 3 : 1;
  if (kernel.size(0) != gates * kernel.size(1))
    return Unknown();
  for (const Value& state : states)
    if (!IsBatch(state, input.dtype, kernel.size(1)) || state.size(0) != input.size(0) || state.elements() == 0)
      return Unknown();
  Value result = call.Fresh(input.dtype, states[0].sizes());
  return two ? Product::Tuple({result, result}) : Product(result);
}

// lstm, gru, rnn_tanh, rnn_relu over padded sequences.
Outcome RecurrentLayer(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(bool batch_first, call.Bool("batch_first"));
  ASSIGN_OR_RETURN(bool both_ways, call.Bool("bidirectional"));
  bool two = call.name() == "lstm";
  std::vector<Value> states;
  if (two) {
    ASSIGN_OR_RETURN(states, call.Tensors("hx"));
  } else {
    ASSIGN_OR_RETURN(Value state, call.Tensor("hx"));
    states.push_back(std::move(state));
  }
  if (input.rank() != 3 || input.dtype != DType::kFloat32 || input.elements() == 0 || states.size() != (two ? 2 : 1) ||
      call.ambient().autocast)
    return Unknown();
  for (const Value& state : states)
    if (state.rank() != 3 || state.sizes() != states[0].sizes() || state.dtype != input.dtype)
      return Unknown();
  std::vector<Value> results = {Sequence(call, input, states[0].size(2) * (both_ways ? 2 : 1), batch_first)};
  for (const Value& state : states)
    results.push_back(call.Fresh(input.dtype, state.sizes()));
  Product product = Product::Tuple(std::move(results));
  ASSIGN_OR_RETURN(double dropout, call.Float("dropout"));
  ASSIGN_OR_RETURN(bool training, call.Bool("train"));
  product.draws = training && dropout > 0;
  return product;
}

}  // namespace framegate::translator::meta::rules
