// The state of torch's random numbers: graphs set and read it between the nodes that draw.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Operand;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

constexpr int64_t kStateSize = 5056;  // bytes of the CPU generator's state

Outcome NotKnown(Interp& in, std::string_view what) {
  return in.Break(Reason::kUnsupportedCall, StrCat(what, " in a form that is not modelled"));
}

}  // namespace

Outcome BuiltinManualSeed(Interp& in, Args& args, Tail) {
  V seed = args.positional.size() == 1 ? args.positional[0] : args.Keyword("seed");
  const Constant* number = seed == nullptr ? nullptr : IntOf(in.s, seed);
  if (number == nullptr || args.positional.size() + args.keyword.size() != 1)
    return NotKnown(in, "torch.manual_seed");
  in.GraphState("framegate._graph_calls:manual_seed", {.positional = {seed}});
  V generator = in.s.Symbol("torch.random:default_generator");
  return generator == nullptr ? NotKnown(in, "torch.manual_seed") : in.Done(generator);
}

Outcome BuiltinGetRngState(Interp& in, Args& args, Tail) {
  if (!args.positional.empty() || !args.keyword.empty())
    return NotKnown(in, "torch.get_rng_state");
  Operand result;
  result.tensor = model::TensorFacts{.dtype = "torch.uint8",
                                     .device = "cpu",
                                     .layout = "torch.strided",
                                     .is_leaf = true,
                                     .is_inference = in.s.AmbientPart(model::AmbientPart::kInferenceMode).is_true(),
                                     .sizes = {kStateSize},
                                     .strides = {1}};
  return in.GraphResult("framegate._graph_calls:get_rng_state", {}, result);
}

Outcome BuiltinSetRngState(Interp& in, Args& args, Tail) {
  auto* state = args.positional.size() == 1 && args.keyword.empty() ? As<TensorValue>(in.s.Resolve(args.positional[0])) : nullptr;
  const model::TensorFacts* facts = state == nullptr ? nullptr : in.s.FactsOf(state);
  if (facts == nullptr || facts->dtype != "torch.uint8" || facts->device != "cpu" || facts->sizes != std::vector<int64_t>{kStateSize})
    return NotKnown(in, "torch.set_rng_state");
  return in.GraphState("framegate._graph_calls:set_rng_state", args);
}

// Which accelerator there is differs between machines that share a store.
Outcome BuiltinAccelerator(Interp& in, Args& args, Tail) {
  return in.s.RelyOnHashes() ? in.Fold("torch._C:_accelerator_getAccelerator", args) : NotKnown(in, "current_accelerator");
}

}  // namespace framegate::translator
