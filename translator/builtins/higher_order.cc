// Functions that a graph's node is given: they are captured as graphs of their own. What they return is rebuilt outside around the tensors
// that the node gives.
#include "absl/container/flat_hash_map.h"
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Operand;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

using Inside = absl::flat_hash_map<TensorValue*, V>;

// A function that was run symbolically as a body of the node that is to be made.
class Captured {
 public:
  explicit Captured(Interp& in) : in_(in), s_(in.s) {}

  // Runs it. Nothing may be left of it but nodes.
  Outcome Run(V function, Args args) {
    const size_t begin = s_.graph().nodes().size(), effects = s_.effects().size(), mutated = s_.mutated.size();
    FRAMEGATE_TAKE(value_, in_.Call(function, std::move(args)));
    const size_t end = s_.graph().nodes().size();
    if (s_.effects().size() != effects || s_.mutated.size() != mutated)
      return in_.Break(Reason::kUnsupportedCall, "a function given to a node does more than compute");
    body_ = {.begin = static_cast<uint32_t>(begin), .end = static_cast<uint32_t>(end)};
    for (size_t at = begin; at < end; ++at) {
      for (V argument : s_.graph().nodes()[at].args)
        s_.Fix(argument);
      for (const auto& [name, argument] : s_.graph().nodes()[at].kwargs)
        s_.Fix(argument);
    }
    if (!Collect(value_, 0) || tensors_.empty())
      return in_.Break(Reason::kUnsupportedCall, "a function given to a node returns what is not made of new tensors");
    s_.graph().bodies().push_back(body_);
    number_ = static_cast<uint32_t>(s_.graph().bodies().size() - 1);
    return in_.Done(value_);
  }

  uint32_t number() const { return number_; }

  const std::vector<TensorValue*>& tensors() const { return tensors_; }

  // What it returned, with `outside` in place of its tensors.
  V Rebuilt(const Values& outside) {
    Inside known;
    for (size_t i = 0; i < tensors_.size(); ++i)
      known[tensors_[i]] = outside[i];
    return Rebuild(value_, known);
  }

  bool LooksLike(const Captured& other) const { return SameForm(value_, other.value_); }

 private:
  bool Collect(V value, int depth) {
    value = s_.Resolve(value);
    if (depth > 8)
      return false;
    if (auto* tensor = As<TensorValue>(value)) {
      if (tensor->node < body_.begin || tensor->node >= body_.end || s_.FactsOf(tensor) == nullptr)
        return false;
      if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end()) {
        tensors_.push_back(tensor);
        body_.results.push_back(tensor->node);
      }
      return true;
    }
    bool all = true;
    if (auto* sequence = As<SequenceValue>(value); sequence != nullptr && !sequence->is_real() && sequence->attributes == nullptr) {
      for (V item : sequence->items)
        all = all && Collect(item, depth + 1);
      return all;
    }
    if (auto* mapping = As<MappingValue>(value); mapping != nullptr && !mapping->is_real() && mapping->attributes == nullptr) {
      for (const auto& [key, item] : mapping->items)
        all = all && !HoldsGraphResult(key) && Collect(item, depth + 1);
      return all;
    }
    return !HoldsGraphResult(value);
  }

  V Rebuild(V value, const Inside& known) {
    value = s_.Resolve(value);
    if (auto* tensor = As<TensorValue>(value))
      return known.at(tensor);
    if (auto* sequence = As<SequenceValue>(value); sequence != nullptr && HoldsGraphResult(sequence)) {
      auto* copy = s_.New<SequenceValue>();
      copy->type = sequence->type;
      copy->mutable_made = sequence->mutable_made;
      for (V item : sequence->items)
        copy->items.push_back(Rebuild(item, known));
      return copy;
    }
    if (auto* mapping = As<MappingValue>(value); mapping != nullptr && HoldsGraphResult(mapping)) {
      auto* copy = s_.New<MappingValue>();
      copy->type = mapping->type;
      copy->mutable_made = mapping->mutable_made;
      copy->default_factory = mapping->default_factory;
      copy->index = mapping->index;
      for (const auto& [key, item] : mapping->items)
        copy->items.emplace_back(key, Rebuild(item, known));
      return copy;
    }
    return value;
  }

  // Tensors of the same form at the same places, all else equal.
  bool SameForm(V a, V b) const {
    a = s_.Resolve(a);
    b = s_.Resolve(b);
    auto *left = As<TensorValue>(a), *right = As<TensorValue>(b);
    if (left != nullptr && right != nullptr)
      return SizesOf(*left->facts) == SizesOf(*right->facts) && StridesOf(*left->facts) == StridesOf(*right->facts) &&
             left->facts->dtype == right->facts->dtype && left->facts->device == right->facts->device &&
             left->strides_guessed == right->strides_guessed;
    auto *list = As<SequenceValue>(a), *other = As<SequenceValue>(b);
    if (list == nullptr || other == nullptr)
      return a == b;
    bool same = s_.TypeOf(list) == s_.TypeOf(other) && list->items.size() == other->items.size();
    for (size_t i = 0; same && i < list->items.size(); ++i)
      same = SameForm(list->items[i], other->items[i]);
    return same;
  }

  Interp& in_;
  Session& s_;
  Body body_;
  V value_ = nullptr;
  std::vector<TensorValue*> tensors_;
  uint32_t number_ = 0;
};

Operand FormOf(const std::vector<TensorValue*>& tensors) {
  Operand result{.sequence = "tuple"};
  for (TensorValue* tensor : tensors)
    result.items.emplace_back().tensor = *tensor->facts;
  return result;
}

// The node, and the result of the first body rebuilt around what it gives.
Outcome MakeNode(Interp& in, const std::string& target, Args args, std::vector<Captured*> bodies, const Operand& result) {
  std::vector<uint32_t> numbers;
  for (Captured* body : bodies)
    numbers.push_back(body->number());
  FRAMEGATE_TAKE(V tuple, in.GraphResult(target, std::move(args), result, std::move(numbers)));
  const Values& outside = As<SequenceValue>(tuple)->items;
  for (size_t i = 0; i < outside.size(); ++i) {
    auto *made = As<TensorValue>(outside[i]), *inner = bodies[0]->tensors()[i];
    made->doubtful = made->doubtful || inner->doubtful;
    made->strides_guessed = inner->strides_guessed;
    made->type = inner->type;
  }
  return in.Done(bodies[0]->Rebuilt(outside));
}

// All of it or nothing.
template <typename F>
Outcome Whole(Interp& in, F body) {
  const Session::Mark mark = in.s.Snapshot();
  const uint32_t raiser = in.s.first_raiser;
  const size_t early = in.s.early_effects;
  Outcome outcome = body();
  if (outcome.flow != Flow::kBreak) {
    in.s.Release(mark);
    return outcome;
  }
  in.s.Rollback(mark);
  in.s.first_raiser = raiser;
  in.s.early_effects = early;
  return outcome;
}

// Takes a keyword out; null where it was not given.
V Take(Args* args, std::string_view name) {
  for (auto it = args->keyword.begin(); it != args->keyword.end(); ++it)
    if (it->first == name) {
      V value = it->second;
      args->keyword.erase(it);
      return value;
    }
  return nullptr;
}

}  // namespace

// torch.utils.checkpoint.checkpoint without reentrance, and without contexts of its own.
Outcome BuiltinCheckpoint(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V reentrant = Take(&args, "use_reentrant"), preserve = Take(&args, "preserve_rng_state"), check = Take(&args, "determinism_check"),
    debug = Take(&args, "debug"), early = Take(&args, "early_stop"), contexts = Take(&args, "context_fn");
  const bool plain = reentrant != nullptr && s.Resolve(reentrant) == s.Bool(false) &&
                     (debug == nullptr || s.Resolve(debug) == s.Bool(false)) && contexts == nullptr;
  if (args.positional.empty() || !plain)
    return in.Break(Reason::kDisabledFunction, "torch.utils.checkpoint.checkpoint in a form that is not modelled");
  return Whole(in, [&]() -> Outcome {
    V function = args.positional[0];
    args.positional.erase(args.positional.begin());
    Captured body(in);
    FRAMEGATE_TAKE([[maybe_unused]] V value, body.Run(function, args));
    Args settings{.positional = {preserve == nullptr ? s.Bool(true) : preserve, check == nullptr ? s.Str("default") : check,
                                 early == nullptr ? s.Bool(true) : early}};
    return MakeNode(in, "framegate._graph_calls:checkpoint", std::move(settings), {&body}, FormOf(body.tensors()));
  });
}

// Tensor.register_hook on what the graph makes: its function is captured on a gradient that stands for the one to come.
Outcome BuiltinTensorRegisterHook(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* tensor = args.positional.size() == 2 && args.keyword.empty() ? As<TensorValue>(s.Resolve(args.positional[0])) : nullptr;
  const model::TensorFacts* facts = tensor == nullptr || tensor->node == UINT32_MAX ? nullptr : s.FactsOf(tensor);
  if (facts == nullptr || tensor->doubtful || !facts->requires_grad || facts->is_leaf)
    return in.Break(Reason::kUnsupportedTensor,
                    "torch._tensor:Tensor.register_hook on what is no result of the graph that requires gradients");
  Operand like{.tensor = *facts};
  like.tensor->requires_grad = false;
  like.tensor->is_leaf = true;
  const Constant grad_mode = s.AmbientPart(model::AmbientPart::kGradMode);
  return Whole(in, [&]() -> Outcome {
    FRAMEGATE_TAKE(V gradient, in.GraphResult("framegate._graph_calls:gradient_like", {.positional = {tensor}}, like));
    As<TensorValue>(gradient)->strides_guessed = true;
    Captured body(in);
    s.SetAmbient(model::AmbientPart::kGradMode, Constant::Bool(false));
    FRAMEGATE_TAKE(V value, body.Run(args.positional[1], {.positional = {gradient}}));
    s.SetAmbient(model::AmbientPart::kGradMode, grad_mode);
    if (As<TensorValue>(s.Resolve(value)) == nullptr)
      return in.Break(Reason::kUnsupportedCall, "a hook that gives no gradient");
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.GraphResult("framegate._graph_calls:register_hook", {.positional = {tensor, gradient}},
                                                           Operand{.constant = Constant::None()}, {body.number()}));
    return in.Done(s.New<OpaqueValue>());
  });
}

// torch.cond: both branches are kept where the condition is a tensor.
Outcome BuiltinCond(Interp& in, Args& args, Tail tail) {
  Session& s = in.s;
  for (const char* name : {"pred", "true_fn", "false_fn", "operands"})
    if (V value = Take(&args, name))
      args.positional.push_back(value);
  if (args.positional.size() < 3 || args.positional.size() > 4 || !args.keyword.empty())
    return in.Break(Reason::kUnsupportedCall, "torch.cond");
  Values operands;
  if (args.positional.size() == 4) {
    FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(args.positional[3], &operands));
  }
  V condition = s.Resolve(args.positional[0]);
  if (AsConstant(condition) != nullptr) {
    FRAMEGATE_TAKE(V truth, in.Truth(condition));
    return in.Call(args.positional[truth == s.Bool(true) ? 1 : 2], {.positional = operands}, tail);
  }
  if (As<TensorValue>(condition) == nullptr)
    return in.Break(Reason::kUnsupportedCall, "torch.cond");
  return Whole(in, [&]() -> Outcome {
    Captured yes(in), no(in);
    FRAMEGATE_TAKE([[maybe_unused]] V a, yes.Run(args.positional[1], {.positional = operands}));
    FRAMEGATE_TAKE([[maybe_unused]] V b, no.Run(args.positional[2], {.positional = operands}));
    if (!yes.LooksLike(no) || yes.tensors().size() != no.tensors().size())
      return in.Break(Reason::kUnsupportedCall, "the branches of a torch.cond give results of different form");
    Operand result = FormOf(yes.tensors());
    for (size_t i = 0; i < result.items.size(); ++i) {
      const model::TensorFacts& other = *no.tensors()[i]->facts;
      result.items[i].tensor->requires_grad = result.items[i].tensor->requires_grad || other.requires_grad;
      result.items[i].tensor->is_leaf = !result.items[i].tensor->requires_grad;
    }
    return MakeNode(in, "framegate._graph_calls:cond", {.positional = {condition}}, {&yes, &no}, result);
  });
}

}  // namespace framegate::translator
