// torch.func: its Python layers are inlined; what they call in C to enter and leave levels, and to bring tensors in and out, are nodes.
// Tensors of a level look as the program sees them there. A level is left in the segment that entered it: what breaks inside ends the
// segment before the transform.
#include "translator/builtins/table.h"
#include "translator/graph/meta/layout.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::AmbientPart;
using model::Operand;
using model::Reason;
using model::TensorFacts;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

constexpr char kVmap[] = "torch._functorch.vmap:";
constexpr char kTransforms[] = "torch._functorch.eager_transforms:";
constexpr char kEntries[] = "torch._functorch.predispatch:";

Outcome NotKnown(Interp& in, std::string_view what) {
  return in.Break(Reason::kUnsupportedCall, StrCat(what, " in a form that is not modelled"));
}

int64_t DepthOf(Interp& in, AmbientPart part) {
  in.s.AddGuard({.kind = guards::GuardKind::kAmbientIs, .part = static_cast<uint32_t>(part), .constant = in.s.initial_ambient(part)});
  return in.s.initial_ambient(part).integer;
}

// Runs one of torch's transforms whole, or not at all.
Outcome Transform(Interp& in, const std::string& symbol, Args& args) {
  Session& s = in.s;
  auto* function = As<FunctionValue>(s.Resolve(s.Symbol(symbol)));
  if (function == nullptr)
    return NotKnown(in, symbol);
  if (DepthOf(in, AmbientPart::kSavedTensorHooks) != 0)
    return in.Break(Reason::kUnsupportedCall, StrCat(symbol, " under hooks for saved tensors"));
  const int64_t functions = s.function_levels, duals = s.dual_levels;
  const bool outer = s.in_transform;
  s.in_transform = true;
  Outcome outcome = in.PushFrame(function, std::move(args), kSync);
  s.in_transform = outer;
  s.function_levels = functions;
  s.dual_levels = duals;
  return outcome;
}

Outcome Enter(Interp& in, const std::string& symbol, Args& args) {
  if (!in.s.in_transform)
    return NotKnown(in, symbol);
  in.GraphState(symbol, args);
  return in.Done(in.s.Int(DepthOf(in, AmbientPart::kFunctorch) + ++in.s.function_levels));
}

Outcome Leave(Interp& in, const std::string& symbol, Args& args) {
  if (!in.s.in_transform || in.s.function_levels == 0)
    return NotKnown(in, symbol);
  in.GraphState(symbol, args);
  return in.Done(in.s.Int(DepthOf(in, AmbientPart::kFunctorch) + in.s.function_levels--));
}

TensorValue* TensorAt(Interp& in, const Args& args, size_t place) {
  auto* tensor = place < args.positional.size() ? As<TensorValue>(in.s.Resolve(args.positional[place])) : nullptr;
  return tensor != nullptr && in.s.FactsOf(tensor) != nullptr && tensor->facts->layout == "torch.strided" ? tensor : nullptr;
}

const Constant* IntAt(Interp& in, const Args& args, size_t place) {
  return place < args.positional.size() ? IntOf(in.s, args.positional[place]) : nullptr;
}

bool CarriesGradients(const TensorFacts& facts) {
  return facts.dtype.find("float") != std::string::npos || facts.dtype.find("complex") != std::string::npos;
}

// Whether gradients of an outer level reach a result is for that level to say.
void MarkDoubtful(V value) {
  if (auto* sequence = As<SequenceValue>(value))
    for (V item : sequence->items)
      MarkDoubtful(item);
  if (auto* tensor = As<TensorValue>(value))
    tensor->doubtful = CarriesGradients(*tensor->facts);
}

Operand Plain(TensorFacts facts) {
  facts.requires_grad = false;
  facts.is_leaf = true;
  Operand operand;
  operand.tensor = std::move(facts);
  return operand;
}

void SetLayout(TensorFacts* facts, const Dims& sizes, const Dims& strides) {
  Split(sizes, &facts->sizes, &facts->size_terms);
  Split(strides, &facts->strides, &facts->stride_terms);
}

}  // namespace

Outcome BuiltinFlatVmap(Interp& in, Args& args, Tail) {
  return Transform(in, StrCat(kVmap, "_flat_vmap"), args);
}

Outcome BuiltinGradAndValue(Interp& in, Args& args, Tail) {
  return Transform(in, StrCat(kTransforms, "grad_and_value_impl"), args);
}

Outcome BuiltinVjp(Interp& in, Args& args, Tail) {
  return Transform(in, StrCat(kTransforms, "_vjp_with_argnums"), args);
}

Outcome BuiltinJvp(Interp& in, Args& args, Tail) {
  return Transform(in, StrCat(kTransforms, "_jvp_with_argnums"), args);
}

Outcome BuiltinLoadDecompositions(Interp& in, Args& args, Tail) {
  return in.GraphState(StrCat(kEntries, "lazy_load_decompositions"), args);
}

// Between a transform's layers nothing can install such hooks.
Outcome BuiltinSavedHooksSwitch(Interp& in, Args&, Tail) {
  return in.s.in_transform ? in.Done(in.s.None()) : NotKnown(in, "disable_saved_tensors_hooks");
}

Outcome BuiltinVmapEnter(Interp& in, Args& args, Tail) {
  return Enter(in, StrCat(kEntries, "_vmap_increment_nesting"), args);
}

Outcome BuiltinVmapLeave(Interp& in, Args& args, Tail) {
  return Leave(in, StrCat(kEntries, "_vmap_decrement_nesting"), args);
}

Outcome BuiltinGradEnter(Interp& in, Args& args, Tail) {
  return Enter(in, "torch._C._functorch:_grad_increment_nesting", args);
}

Outcome BuiltinGradLeave(Interp& in, Args& args, Tail) {
  return Leave(in, "torch._C._functorch:_grad_decrement_nesting", args);
}

Outcome BuiltinJvpEnter(Interp& in, Args& args, Tail) {
  return Enter(in, StrCat(kEntries, "_jvp_increment_nesting"), args);
}

Outcome BuiltinJvpLeave(Interp& in, Args& args, Tail) {
  return Leave(in, StrCat(kEntries, "_jvp_decrement_nesting"), args);
}

// There is one level of dual numbers, the outermost.
Outcome BuiltinDualEnter(Interp& in, Args& args, Tail) {
  if (!in.s.in_transform || DepthOf(in, AmbientPart::kForwardAd) >= 0 || in.s.dual_levels != 0)
    return NotKnown(in, "a level of dual numbers");
  in.GraphState(StrCat(kEntries, "_enter_dual_level"), args);
  return in.Done(in.s.Int(in.s.dual_levels++));
}

Outcome BuiltinDualLeave(Interp& in, Args& args, Tail) {
  if (in.s.dual_levels == 0)
    return NotKnown(in, "a level of dual numbers");
  --in.s.dual_levels;
  return in.GraphState(StrCat(kEntries, "_exit_dual_level"), args);
}

// Only who works on torch itself switches it off.
Outcome BuiltinSetForwardGrad(Interp& in, Args& args, Tail) {
  const bool stays = args.positional.size() == 1 && in.s.Resolve(args.positional[0]) == in.s.Bool(true);
  return stays ? in.Done(in.s.None()) : NotKnown(in, "_set_fwd_grad_enabled");
}

Outcome BuiltinAddBatchDim(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  const Constant* dim = IntAt(in, args, 1);
  if (tensor == nullptr || dim == nullptr || args.positional.size() != 3 || !args.keyword.empty())
    return NotKnown(in, "_add_batch_dim");
  TensorFacts facts = *tensor->facts;
  const auto rank = static_cast<int64_t>(facts.sizes.size());
  const int64_t place = IntValue(*dim) < 0 ? IntValue(*dim) + rank : IntValue(*dim);
  if (place < 0 || place >= rank)
    return NotKnown(in, "_add_batch_dim");
  Dims sizes = SizesOf(facts), strides = StridesOf(facts);
  sizes.erase(sizes.begin() + place);
  strides.erase(strides.begin() + place);
  SetLayout(&facts, sizes, strides);
  Operand result;
  result.tensor = std::move(facts);
  FRAMEGATE_TAKE(V batched, in.GraphResult(StrCat(kEntries, "_add_batch_dim"), args, result));
  As<TensorValue>(batched)->strides_guessed = true;
  return in.Done(batched);
}

Outcome BuiltinRemoveBatchDim(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  const Constant* dim = IntAt(in, args, 3);
  Size size;
  if (tensor == nullptr || dim == nullptr || args.positional.size() != 4 || !args.keyword.empty() ||
      !in.s.AsSize(in.s.Look(args.positional[2]), &size))
    return NotKnown(in, "_remove_batch_dim");
  TensorFacts facts = *tensor->facts;
  const auto rank = static_cast<int64_t>(facts.sizes.size()) + 1;
  const int64_t place = IntValue(*dim) < 0 ? IntValue(*dim) + rank : IntValue(*dim);
  if (place < 0 || place >= rank)
    return NotKnown(in, "_remove_batch_dim");
  Dims sizes = SizesOf(facts);
  sizes.insert(sizes.begin() + place, size);
  SetLayout(&facts, sizes, meta::ContiguousStrides(sizes));
  Operand result;
  result.tensor = std::move(facts);
  FRAMEGATE_TAKE(V whole, in.GraphResult(StrCat(kEntries, "_remove_batch_dim"), args, result));
  As<TensorValue>(whole)->strides_guessed = true;
  return in.Done(whole);
}

Outcome BuiltinWrapForGrad(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  if (tensor == nullptr || args.positional.size() != 2)
    return NotKnown(in, "_wrap_for_grad");
  return in.GraphResult("torch._C._functorch:_wrap_for_grad", args, Plain(*tensor->facts));
}

Outcome BuiltinUnwrapForGrad(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  if (tensor == nullptr || args.positional.size() != 2)
    return NotKnown(in, "_unwrap_for_grad");
  FRAMEGATE_TAKE(V inner, in.GraphResult(StrCat(kEntries, "_unwrap_for_grad"), args, Plain(*tensor->facts)));
  MarkDoubtful(inner);
  return in.Done(inner);
}

// A leaf of this level from now on.
Outcome BuiltinRequireGrad(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  if (tensor == nullptr || tensor->node == UINT32_MAX || !CarriesGradients(*tensor->facts) || tensor->facts->requires_grad)
    return NotKnown(in, "requires_grad_()");
  in.GraphState("framegate._graph_calls:require_grad", args);
  TensorFacts facts = *tensor->facts;
  facts.requires_grad = facts.is_leaf = true;
  in.s.Journal(tensor);
  tensor->facts = std::make_shared<TensorFacts>(std::move(facts));
  return in.Done(tensor);
}

// Gradients look like what they are taken of; where none flows they are zeros.
Outcome BuiltinAutogradGrad(Interp& in, Args& args, Tail) {
  Values inputs;
  if (args.positional.size() < 2)
    return NotKnown(in, "_autograd_grad");
  FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(args.positional[1], &inputs));
  Operand result{.sequence = "tuple"};
  for (V input : inputs) {
    auto* tensor = As<TensorValue>(in.s.Resolve(input));
    if (tensor == nullptr || in.s.FactsOf(tensor) == nullptr)
      return NotKnown(in, "_autograd_grad");
    result.items.push_back(Plain(*tensor->facts));
  }
  FRAMEGATE_TAKE(V gradients, in.GraphResult(StrCat(kTransforms, "_autograd_grad"), args, result));
  MarkDoubtful(gradients);
  return in.Done(gradients);
}

Outcome BuiltinMakeDual(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  if (tensor == nullptr || in.s.dual_levels == 0 || args.positional.size() != 2 || !args.keyword.empty() ||
      !CarriesGradients(*tensor->facts))
    return NotKnown(in, "make_dual");
  return in.GraphResult("framegate._graph_calls:make_dual", args, Plain(*tensor->facts));
}

// (value, tangent), the tangent zeros where there is none.
Outcome BuiltinUnpackDual(Interp& in, Args& args, Tail) {
  TensorValue* tensor = TensorAt(in, args, 0);
  if (tensor == nullptr || in.s.dual_levels == 0 || args.positional.size() != 2)
    return NotKnown(in, "unpack_dual");
  Operand result{.sequence = "tuple"};
  result.items = {Plain(*tensor->facts), Plain(*tensor->facts)};
  FRAMEGATE_TAKE(V pair, in.GraphResult("framegate._graph_calls:unpack_dual", args, result));
  MarkDoubtful(pair);
  return in.Done(pair);
}

}  // namespace framegate::translator
