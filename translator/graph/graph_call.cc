// One call becomes one node of the graph: what its result looks like, what it changes, and whether the segment may hold it.
#include "translator/graph/frozen.h"
#include "translator/graph/meta/infer.h"
#include "translator/graph/manners.h"
#include "translator/graph/sharing.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::NodeOp;
using model::Operand;
using model::Reason;

namespace {

// A value as an operand of a metadata question. False: it has no such form.
bool ToMeta(Session& s, V value, Operand* operand, int depth = 0) {
  value = s.Look(value);
  if (value == nullptr || depth > 8)
    return false;
  if (auto* symbol = As<SymbolValue>(value); symbol != nullptr && symbol->comparison < 0) {
    operand->constant = symbol->now;
    operand->term = symbol->known != nullptr ? 0 : symbol->term != 0 ? symbol->term : Operand::kUnnamed;
    return true;
  }
  if (auto* tensor = As<TensorValue>(value)) {
    const model::TensorFacts* facts = s.FactsOf(tensor);
    if (facts == nullptr)
      return false;
    operand->tensor = *facts;
    return true;
  }
  value = s.Look(value)->kind == ValueKind::kSymbol ? s.Resolve(value) : value;
  Constant constant;
  if (!s.HoldsSymbol(value) && ToConstant(s, value, &constant)) {
    operand->constant = std::move(constant);
    return true;
  }
  if (auto* slice = As<SliceValue>(value)) {
    operand->sequence = "slice";
    for (V part : {slice->start, slice->stop, slice->step})
      if (!ToMeta(s, part, &operand->items.emplace_back(), depth + 1))
        return false;
    return true;
  }
  if (auto* sequence = As<SequenceValue>(value)) {
    operand->sequence = s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass) ? "list" : "tuple";
    for (V item : sequence->items)
      if (!ToMeta(s, item, &operand->items.emplace_back(), depth + 1))
        return false;
    return true;
  }
  return false;
}

// What the tensors of a result share memory with.
struct Origin {
  TensorValue* base = nullptr;
  bool foreign = false;
  bool doubtful = false;
  bool strides_guessed = false;
  TypeValue* type = nullptr;  // of a subclass
};

TensorValue* NewTensor(Session& s, uint32_t node, const model::TensorFacts& facts, const Origin& origin) {
  auto* tensor = s.New<TensorValue>();
  tensor->node = node;
  tensor->facts = std::make_shared<model::TensorFacts>(facts);
  tensor->base = origin.base;
  tensor->foreign = origin.foreign;
  tensor->doubtful = origin.doubtful && !facts.requires_grad;
  tensor->strides_guessed = origin.strides_guessed;
  tensor->type = origin.type;
  s.tensors.push_back(tensor);
  return tensor;
}

// The value of a node whose result looks like `result`; parts of a sequence become getitem nodes.
V ResultOf(Interp& in, uint32_t node, const Operand& result, const Origin& origin) {
  Session& s = in.s;
  if (result.tensor.has_value())
    return s.graph().nodes()[node].result = NewTensor(s, node, *result.tensor, origin);
  if (result.sequence.empty())
    return s.graph().nodes()[node].result = s.Const(result.constant.value_or(Constant::None()));
  auto* whole = s.New<TensorValue>();  // stands for the sequence as an argument of getitem
  whole->node = node;
  Values items;
  for (size_t i = 0; i < result.items.size(); ++i) {
    uint32_t part = s.graph().Add({.op = NodeOp::kCallFunction,
                                   .target = "_operator:getitem",
                                   .args = {whole, s.Int(static_cast<int64_t>(i))},
                                   .position = s.graph().nodes()[node].position,
                                   .module_stack = s.graph().nodes()[node].module_stack});
    items.push_back(ResultOf(in, part, result.items[i], origin));
  }
  SequenceValue* sequence = result.sequence == "list" ? s.List(std::move(items)) : s.Tuple(std::move(items));
  if (result.sequence.find(':') != std::string::npos)
    sequence->type = s.TypeOfSymbol(result.sequence);  // named results, torch.return_types
  s.graph().nodes()[node].result = sequence;
  return sequence;
}

bool IsInPlace(std::string_view target) {
  std::string_view name = target.substr(target.find_last_of(":.") + 1);
  return (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) || target == "_operator:setitem" ||
         (target.starts_with("_operator:i") && !target.starts_with("_operator:inv"));
}

// torch._VF's functions are torch's own where Python code hides them there.
std::string RuleName(const std::string& target) {
  constexpr std::string_view kHidden = "torch._C:_VariableFunctionsClass.";
  return target.starts_with(kHidden) ? StrCat("torch:", target.substr(kHidden.size())) : target;
}

bool SameShape(const model::TensorFacts& a, const model::TensorFacts& b) {
  return SizesOf(a) == SizesOf(b) && StridesOf(a) == StridesOf(b) && a.dtype == b.dtype && a.storage_offset == b.storage_offset;
}

// Type promotion lets the first be stored in the second.
bool CanStore(const std::string& from, const std::string& to) {
  auto rank = [](std::string_view dtype) {
    return dtype.starts_with("torch.complex") ? 3 : dtype.find("float") != std::string_view::npos ? 2 : dtype == "torch.bool" ? 0 : 1;
  };
  return rank(from) <= rank(to);
}

// Random numbers' state, which decides nothing of what a result looks like.
bool IsGenerator(Session& s, V value) {
  auto* object = As<ObjectValue>(s.Resolve(value));
  return object != nullptr && IsGeneratorType(s.TypeOf(object));
}

// A node whose result is told that cannot fail.
bool NeverRaises(std::string_view target) {
  return target == "framegate._graph_calls:get_rng_state";
}

bool IsMadeOfTensors(const Operand& result) {
  return result.tensor.has_value() || std::any_of(result.items.begin(), result.items.end(), IsMadeOfTensors);
}

class NodeMaker {
 public:
  NodeMaker(Interp& in, NodeOp op, const std::string& symbol, Args args)
      : in_(in), s_(in.s), op_(op), symbol_(symbol), args_(Frozen(in.s, std::move(args))) {
    for (V& value : args_.positional)
      if (V number = NumberOfNumpy(s_, value))
        value = number;
    for (auto& [name, value] : args_.keyword)
      if (V number = NumberOfNumpy(s_, value))
        value = number;
    target_ = op == NodeOp::kCallMethod ? symbol.substr(symbol.find_last_of(":.") + 1) : symbol;
  }

  // The result is given: no rule is asked, nothing is known to be written.
  Outcome RunAs(const Operand& result, std::vector<uint32_t> bodies) {
    bodies_ = std::move(bodies);
    meta_.result = result;
    meta_.may_raise_on_data = !NeverRaises(target_);
    return Add(nullptr);
  }

  Outcome Run() {
    V out = TakeOut();
    FRAMEGATE_TAKE([[maybe_unused]] V known, Describe());
    return Add(out);
  }

 private:
  Node Call() {
    return {.op = op_,
            .target = target_,
            .args = args_.positional,
            .kwargs = args_.keyword,
            .position = in_.Position(),
            .module_stack = in_.top().module_stack};
  }

  Outcome Add(V out) {
    if (out != nullptr) {
      FRAMEGATE_TAKE([[maybe_unused]] V fits, FitsInto(out, meta_.result));
    }
    if (meta_.same_as.has_value() && !meta_.mutates_first && *meta_.same_as < args_.positional.size())
      if (auto* argument = As<TensorValue>(s_.Look(args_.positional[*meta_.same_as])); argument != nullptr && argument->strides_guessed) {
        meta_.result = Operand{.tensor = *argument->facts};  // itself or a copy: its strides decide
        meta_.is_view = true;
        meta_.same_as.reset();
      }
    if (meta_.same_as.has_value() && !meta_.mutates_first && *meta_.same_as < args_.positional.size()) {
      GuardAmbient();
      Node node = Call();
      node.is_argument = true;
      s_.graph().Add(std::move(node));
      return in_.Done(args_.positional[*meta_.same_as]);
    }
    auto* first = args_.positional.empty() ? nullptr : As<TensorValue>(s_.Look(args_.positional[0]));
    bool reshapes =
        meta_.mutates_first && first != nullptr && meta_.first_after.has_value() && !SameShape(*meta_.first_after, *first->facts);
    if (reshapes && first->node == UINT32_MAX)
      return in_.Break(Reason::kUnsupportedTensor, StrCat(symbol_, " changes the shape of a tensor from outside"));
    const Values changed = WrittenTo(out);
    std::vector<TensorValue*> written = WrittenInputs(s_, changed, After());
    if (!written.empty() && s_.retries() && !CanPutBack(s_, written))
      return in_.Break(Reason::kMayRaiseOnData, StrCat(symbol_, " changes a tensor from outside"));
    if (!written.empty() && s_.late_raiser != UINT32_MAX && !s_.retries()) {
      FRAMEGATE_TAKE([[maybe_unused]] V allowed, RunAgain(written, Reason::kRaisesBetweenEffects));
    }
    if (meta_.may_raise_on_data) {
      FRAMEGATE_TAKE([[maybe_unused]] V allowed, MayRaise(written));
    }
    GuardAmbient();
    if (out != nullptr)
      args_.keyword.emplace_back("out", out);
    Node node = Call();
    node.bodies = bodies_;
    node.written = std::move(written);
    node.has_effect = !has_rule_ || meta_.mutates_first || meta_.may_raise_on_data || meta_.draws || !changed.empty();
    node.draws = !has_rule_ || meta_.draws;
    const uint32_t index = s_.graph().Add(std::move(node));
    if (meta_.may_raise_on_data && s_.first_raiser == UINT32_MAX) {
      s_.first_raiser = index;
      s_.early_effects = s_.effects().size();
      s_.raiser_offset = in_.frames()[0]->instruction().offset;
      s_.KeepEffects();
    }
    if (out != nullptr)
      return in_.Done(Written(out));
    Refresh();
    if (meta_.mutates_first && first == nullptr)
      ForEachTensor(s_, args_.positional[0], [&](TensorValue* tensor) {
        if (tensor->is_real() && tensor->node == UINT32_MAX)
          s_.Touch(tensor);
      });
    if (meta_.mutates_first && first != nullptr) {
      s_.graph().nodes()[index].result = first;
      if (first->is_real() && first->node == UINT32_MAX)
        s_.Touch(first);
      return in_.Done(target_ == "_operator:setitem" || !meta_.result.tensor.has_value() ? s_.None() : first);
    }
    return in_.Done(ResultOf(in_, index, meta_.result, OriginOf()));
  }

  // The value of `out=`; what it would be without is what must fit into it.
  V TakeOut() {
    for (auto it = args_.keyword.begin(); it != args_.keyword.end(); ++it) {
      if (it->first != "out" || s_.Resolve(it->second) == s_.None())
        continue;
      V out = it->second;
      args_.keyword.erase(it);
      return out;
    }
    return nullptr;
  }

  Outcome NoForm() { return in_.Break(Reason::kUnsupportedTensor, StrCat(symbol_, " on an argument that no graph can take")); }

  // Fills meta_, from the table of rules or from torch itself.
  Outcome Describe() {
    MetaRequest request{.symbol = RuleName(target_), .ambient = s_.ambient()};
    for (V value : args_.positional)
      if (!ToMeta(s_, value, &request.args.emplace_back()))
        return NoForm();
    for (const auto& [name, value] : args_.keyword)
      if ((name != "generator" || !IsGenerator(s_, value)) && !ToMeta(s_, value, &request.kwargs.emplace_back(name, Operand{}).second))
        return NoForm();
    meta_ = InferMeta(request);
    if (meta_.outcome == MetaOutcome::kRaises)  // eager says it best
      return in_.Break(Reason::kUserException, symbol_);
    has_rule_ = meta_.outcome == MetaOutcome::kKnown;
    if (!has_rule_)
      return Ask(request);
    return meta_.may_refuse ? JudgeView() : in_.Done(nullptr);
  }

  // Autograd refuses to change a leaf through its views, and some views of what is from outside.
  Outcome JudgeView() {
    auto* tensor = As<TensorValue>(s_.Look(args_.positional[0]));
    TensorValue* root = tensor == nullptr ? nullptr : RootOf(tensor);
    if (root != nullptr && root == tensor && !root->is_real() && !root->foreign)
      return in_.Done(nullptr);
    if (const model::TensorFacts* facts = root == nullptr || root == tensor ? nullptr : s_.FactsOf(root);
        facts != nullptr && facts->requires_grad && facts->is_leaf) {
      s_.RelyOnParts(root, guards::kLeafPart);
      return in_.Break(Reason::kUserException, symbol_);
    }
    meta_.may_raise_on_data = true;
    return in_.Done(nullptr);
  }

  // Torch is asked about plain sizes only.
  Outcome Ask(const MetaRequest& request) {
    if (LooksAtStorage(target_))
      return in_.Break(Reason::kUnsupportedTensor, StrCat(symbol_, ", of memory"));
    for (V value : args_.positional)
      s_.Fix(value);
    for (const auto& [name, value] : args_.keyword)
      s_.Fix(value);
    const model::AnswerItem* answer = s_.mirror().Ask(
        {.kind = model::QuestionKind::kMeta, .symbol = target_, .args = request.args, .kwargs = request.kwargs, .ambient = s_.ambient()});
    if (answer == nullptr || (!answer->result.has_value() && answer->raised_type.empty()))
      return in_.Break(Reason::kUnsupportedTensor, symbol_);
    if (!answer->raised_type.empty()) {
      if (answer->raised_type.find("DataDependent") != std::string::npos || answer->raised_type.find("DynamicOutput") != std::string::npos)
        return in_.Break(Reason::kDataDependentShape, symbol_);
      return in_.Break(Reason::kUserException, StrCat(symbol_, ": ", answer->raised_text));  // eager says it best
    }
    meta_.result = *answer->result;
    if (!IsMadeOfTensors(meta_.result))
      RelyOnOperands();
    meta_.same_as = answer->same_as;
    meta_.may_raise_on_data = true;
    after_ = answer->after;
    const bool changes_it = meta_.same_as == 0U && !after_.empty() && after_[0].tensor.has_value();
    meta_.mutates_first = changes_it || IsInPlace(target_) || HasFlag(s_, args_, "inplace");
    if (meta_.mutates_first && !after_.empty() && after_[0].tensor.has_value())
      meta_.first_after = after_[0].tensor;
    else if (meta_.mutates_first && meta_.same_as == 0U && !after_.empty())
      meta_.mutates_first = false;  // what it was to be, it was
    else if (meta_.mutates_first && !ChangesAList())
      return in_.Break(Reason::kUnsupportedTensor, symbol_);
    return in_.Done(nullptr);
  }

  // A result that Python reads was told from the operands' metadata, by whatever of it; what an operator made has its own from any tensor
  // before it. Torch is not told whether there are gradients.
  void RelyOnOperands() {
    constexpr uint32_t kTold = guards::kLeafPart | guards::kOffsetPart;
    auto rely = [&](TensorValue* tensor) {
      if (tensor->is_real() && tensor->node == UINT32_MAX)
        s_.RelyOnParts(tensor, kTold);
      else
        s_.RelyOnParts(kTold);
    };
    for (V value : args_.positional)
      ForEachTensor(s_, value, rely);
    for (const auto& [name, value] : args_.keyword)
      ForEachTensor(s_, value, rely);
  }

  // _foreach_*_ on tensors that are no part of a backward pass: they look afterwards as before.
  bool ChangesAList() {
    bool plain = target_.find("_foreach_") != std::string::npos && !args_.positional.empty();
    for (V value : args_.positional)
      ForEachTensor(s_, value, [&](TensorValue* tensor) {
        plain = plain && s_.FactsOf(tensor) != nullptr && !tensor->facts->requires_grad && !tensor->doubtful;
      });
    return plain;
  }

  // `out=` takes the result as it is: neither resized nor part of a backward pass.
  Outcome FitsInto(V out, const Operand& result) {
    out = s_.Resolve(out);
    if (auto* sequence = As<SequenceValue>(out); sequence != nullptr && sequence->items.size() == result.items.size()) {
      for (size_t i = 0; i < result.items.size(); ++i) {
        FRAMEGATE_TAKE([[maybe_unused]] V fits, FitsInto(sequence->items[i], result.items[i]));
      }
      return in_.Done(nullptr);
    }
    auto* tensor = As<TensorValue>(out);
    const model::TensorFacts* facts = tensor == nullptr ? nullptr : s_.FactsOf(tensor);
    if (facts == nullptr || !result.tensor.has_value() || SizesOf(*facts) != SizesOf(*result.tensor) ||
        facts->device != result.tensor->device || facts->requires_grad || result.tensor->requires_grad || tensor->doubtful ||
        !CanStore(result.tensor->dtype, facts->dtype))
      return in_.Break(Reason::kUnsupportedTensor, StrCat(symbol_, " into an out= that its result does not fit"));
    if (tensor->is_real() && tensor->node == UINT32_MAX)
      s_.Touch(tensor);
    return in_.Done(nullptr);
  }

  // What the call gives for its out=: itself, several as a named result of their own.
  V Written(V out) {
    auto* several = As<SequenceValue>(s_.Resolve(out));
    if (several == nullptr || meta_.result.sequence.find(':') == std::string::npos)
      return out;
    SequenceValue* result = s_.Tuple(several->items);
    result->type = s_.TypeOfSymbol(StrCat(meta_.result.sequence, "_out"));
    return result;
  }

  // Null: something that is not known.
  Values WrittenTo(V out) {
    Values written = WrittenFurther(s_, target_, args_);
    if (out != nullptr)
      written.push_back(out);
    for (size_t i = 0; i < args_.positional.size(); ++i)
      if ((i == 0 && meta_.mutates_first) || (i < after_.size() && after_[i].tensor.has_value()))
        written.push_back(args_.positional[i]);
    return written;
  }

  // What arguments look like after the call, where they change.
  std::vector<model::TensorFacts> After() const {
    std::vector<model::TensorFacts> after;
    if (meta_.mutates_first && meta_.first_after.has_value())
      after.push_back(*meta_.first_after);
    for (const Operand& operand : after_)
      if (operand.tensor.has_value())
        after.push_back(*operand.tensor);
    return after;
  }

  // The call may raise once its data are known: who would handle that must find everything as the program left it. Where all that was done
  // until then is to compute, the unit runs again, as written.
  Outcome MayRaise(const std::vector<TensorValue*>& written) {
    if (s_.retries())
      return in_.Done(nullptr);
    if (in_.MayBeHandled())
      return RunAgain(written, Reason::kMayRaiseOnData);
    if (s_.first_raiser != UINT32_MAX) {
      if (s_.late_raiser == UINT32_MAX && s_.effects().size() > s_.early_effects)
        s_.late_raiser = static_cast<uint32_t>(s_.graph().nodes().size());
      const bool outside = !written.empty() || s_.graph().ChangesOutside();
      return s_.late_raiser != UINT32_MAX && outside ? RunAgain(written, Reason::kRaisesBetweenEffects) : in_.Done(nullptr);
    }
    for (const Effect& effect : s_.effects())
      for (V value : effect.args)
        if (HoldsGraphResult(value))
          return in_.Break(Reason::kMayRaiseOnData, symbol_);
    return in_.Done(nullptr);
  }

  // What a failure leaves is right only where the unit can run again.
  Outcome RunAgain(const std::vector<TensorValue*>& written, Reason otherwise) {
    if (!CanPutBack(s_, written))
      return in_.Break(otherwise, StrCat(symbol_, written.empty() ? "" : " changes a tensor from outside"));
    s_.first_handled = static_cast<uint32_t>(s_.graph().nodes().size());
    return in_.Done(nullptr);
  }

  void GuardAmbient() {
    for (size_t part = 0; s_.graph().nodes().empty() && part < model::kAmbientParts; ++part)
      if (model::GraphsDependOn(static_cast<model::AmbientPart>(part)))
        s_.AddGuard({.kind = guards::GuardKind::kAmbientIs,
                     .part = static_cast<uint32_t>(part),
                     .constant = s_.initial_ambient(static_cast<model::AmbientPart>(part))});
  }

  // What arguments look like after the call.
  void Refresh() {
    if (meta_.mutates_first && meta_.first_after.has_value())
      after_.resize(std::max<size_t>(after_.size(), 1)), after_[0].tensor = meta_.first_after;
    for (size_t i = 0; i < after_.size() && i < args_.positional.size(); ++i)
      if (auto* tensor = As<TensorValue>(s_.Look(args_.positional[i])); tensor != nullptr && after_[i].tensor.has_value())
        SetFacts(s_, tensor, *after_[i].tensor);
  }

  Origin OriginOf() {
    Origin origin{.foreign = !has_rule_};
    size_t count = 0;
    TensorValue* only = nullptr;
    auto look = [&](V value) {
      ForEachTensor(s_, value, [&](TensorValue* tensor) {
        ++count;
        only = tensor;
        origin.doubtful = origin.doubtful || tensor->doubtful;
        origin.strides_guessed = origin.strides_guessed || tensor->strides_guessed;
        if (TypeValue* type = s_.TypeOf(tensor); s_.IsPlainSubclass(type) && (origin.type == nullptr || s_.IsSubclassOf(type, origin.type)))
          origin.type = type;
      });
    };
    for (V value : args_.positional)
      look(value);
    for (const auto& [name, value] : args_.keyword)
      look(value);
    if (meta_.is_view && count == 1)
      origin.base = only;
    else if (meta_.is_view)
      origin.foreign = true;
    return origin;
  }

  Interp& in_;
  Session& s_;
  NodeOp op_;
  std::string symbol_, target_;
  Args args_;
  MetaResult meta_;
  bool has_rule_ = false;
  std::vector<uint32_t> bodies_;
  std::vector<Operand> after_;  // positional arguments after the call, where they change
};

}  // namespace

Outcome Interp::GraphCall(NodeOp op, const std::string& symbol, Args args) {
  if (HasTorchFunction(s, args))
    return CallTorchFunction(*this, symbol, std::move(args));
  TakeSizes(s, symbol, &args);
  return NodeMaker(*this, op, symbol, std::move(args)).Run();
}

Outcome Interp::GraphResult(const std::string& target, Args args, const Operand& result, std::vector<uint32_t> bodies) {
  return NodeMaker(*this, NodeOp::kCallFunction, target, std::move(args)).RunAs(result, std::move(bodies));
}

}  // namespace framegate::translator
