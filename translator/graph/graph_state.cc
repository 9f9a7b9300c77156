// Nodes without a result: changes of the ambient state, and ways of the program that a graph takes for granted.
#include "translator/graph/sharing.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::NodeOp;
using model::Reason;

Outcome Interp::GraphExpect(V value, bool truth) {
  auto* tensor = As<TensorValue>(s.Resolve(value));
  const model::TensorFacts* facts = tensor == nullptr ? nullptr : s.FactsOf(tensor);
  // On other devices a failure comes too late, and for good.
  if (facts == nullptr || facts->device != "cpu" || !CanPutBack(s))
    return Break(Reason::kTensorBranch, "the truth of a tensor");
  V holds = tensor;
  if (!truth) {
    FRAMEGATE_TAKE(holds, GraphCall(NodeOp::kCallFunction, "torch:logical_not", {.positional = {tensor}}));
  }
  if (!s.retries())
    s.first_handled = static_cast<uint32_t>(s.graph().nodes().size());
  // With a message: back-ends know that form of it.
  return GraphState("torch:_assert_async", {.positional = {holds, s.Str("the program takes another way here")}});
}

// A node that changes a mode: no metadata, always kept.
Outcome Interp::GraphState(const std::string& symbol, Args args) {
  Node node{.op = NodeOp::kCallFunction,
            .target = symbol,
            .args = args.positional,
            .kwargs = args.keyword,
            .position = Position(),
            .module_stack = top().module_stack,
            .has_effect = true};
  s.graph().Add(std::move(node));
  return Done(s.None());
}

}  // namespace framegate::translator
