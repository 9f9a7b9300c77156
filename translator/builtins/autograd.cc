// autograd.Function: one node that calls apply. What its forward gives is found out by running it symbolically, and undone.
#include "translator/builtins/table.h"
#include "translator/graph/sharing.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Operand;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

bool CarriesGradients(const model::TensorFacts& facts) {
  return facts.dtype.find("float") != std::string::npos || facts.dtype.find("complex") != std::string::npos;
}

class Forward {
 public:
  Forward(Interp& in, TypeValue* cls, Values args) : in_(in), s_(in.s), cls_(cls), args_(std::move(args)) {}

  // The results of forward as metadata, as they leave apply. Leaves no trace but guards.
  Outcome Describe(Operand* result) {
    bool grad = s_.AmbientPart(model::AmbientPart::kGradMode).is_true(), any = false;
    Values needs;
    for (V value : args_) {
      auto* tensor = As<TensorValue>(s_.Look(value));
      const model::TensorFacts* facts = tensor == nullptr ? nullptr : s_.FactsOf(tensor);
      bool requires_grad = facts != nullptr && facts->requires_grad;
      needs.push_back(s_.Bool(requires_grad));
      any = any || requires_grad;
    }
    Session::Mark mark = s_.Snapshot();
    size_t effects = s_.effects().size(), mutated = s_.mutated.size();
    Outcome outcome = Run(std::move(needs), result, grad && any);
    bool clean = s_.effects().size() == effects && s_.mutated.size() == mutated;
    s_.Rollback(mark);
    if (outcome.flow == Flow::kNext && clean)
      return outcome;
    return in_.Break(Reason::kUnsupportedCall, StrCat(cls_->symbol, ".forward does more than compute"));
  }

 private:
  Outcome Run(Values needs, Operand* result, bool recorded) {
    s_.SetAmbient(model::AmbientPart::kGradMode, Constant::Bool(false));
    auto* context = s_.New<ObjectValue>();
    context->type = s_.TypeOfSymbol("torch.autograd.function:FunctionCtx");
    context->mutable_made = true;
    context->attributes.emplace_back("needs_input_grad", s_.Tuple(std::move(needs)));
    FRAMEGATE_TAKE(V forward, in_.GetAttr(cls_, "forward"));
    FRAMEGATE_TAKE(V setup, in_.GetAttr(cls_, "setup_context"));
    auto* own = As<FunctionValue>(s_.Resolve(setup));
    bool apart = own == nullptr || own->symbol != "torch.autograd.function:_SingleLevelFunction.setup_context";
    Values given = args_;
    if (!apart)
      given.insert(given.begin(), context);
    FRAMEGATE_TAKE(V value, in_.Call(forward, {.positional = std::move(given)}));
    if (apart) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in_.Call(setup, {.positional = {context, s_.Tuple(args_), value}}));
    }
    for (const auto& [name, attribute] : context->attributes)
      if (name == "dirty_tensors")
        return in_.Break(Reason::kUnsupportedCall, "mark_dirty");
      else if (name == "non_differentiable")
        ForEachTensor(s_, attribute, [this](TensorValue* tensor) { constant_.push_back(tensor); });
    return Take(value, recorded, result) ? in_.Done(nullptr) : in_.Break(Reason::kUnsupportedCall, "a result that is no new tensor");
  }

  bool Take(V value, bool recorded, Operand* result) {
    value = s_.Resolve(value);
    if (auto* sequence = As<SequenceValue>(value); sequence != nullptr && s_.TypeOf(sequence)->is("builtins:tuple")) {
      result->sequence = "tuple";
      for (V item : sequence->items)
        if (!Take(item, recorded, &result->items.emplace_back()))
          return false;
      return true;
    }
    if (value == s_.None()) {
      result->constant = Constant::None();
      return true;
    }
    auto* tensor = As<TensorValue>(value);
    if (tensor == nullptr || tensor->node == UINT32_MAX || tensor->base != nullptr || tensor->foreign)
      return false;
    for (V argument : args_)
      if (s_.Look(argument) == tensor)
        return false;
    result->tensor = *s_.FactsOf(tensor);
    bool constant = std::find(constant_.begin(), constant_.end(), tensor) != constant_.end();
    result->tensor->requires_grad = recorded && !constant && CarriesGradients(*result->tensor);
    result->tensor->is_leaf = !result->tensor->requires_grad;
    return true;
  }

  Interp& in_;
  Session& s_;
  TypeValue* cls_;
  Values args_;
  std::vector<TensorValue*> constant_;
};

}  // namespace

Outcome BuiltinFunctionApply(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* cls = args.positional.empty() ? nullptr : As<TypeValue>(s.Resolve(args.positional[0]));
  if (cls == nullptr || !cls->is_real() || !args.keyword.empty() || !s.PeekFact(cls, Fact::kSymbolName).known)
    return in.Break(Reason::kUnsupportedCall, "apply of an autograd.Function that has no name of its own");
  s.ReadFact(cls, Fact::kSymbolName);
  Operand result;
  FRAMEGATE_TAKE([[maybe_unused]] V none, Forward(in, cls, Values(args.positional.begin() + 1, args.positional.end())).Describe(&result));
  return in.GraphResult("framegate._graph_calls:apply_function", std::move(args), result);
}

}  // namespace framegate::translator
