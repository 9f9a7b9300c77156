// Iterators that came from elsewhere: they advance for whoever holds them.
#include "translator/slots/real_iterators.h"

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;
using model::Step;

namespace {

// More than `given` items were left when the unit began: relied on as that and no more, so that one entry serves every turn of a loop.
void GuardHasNext(Session& s, IteratorValue* iterator, uint64_t given) {
  guards::Guard guard{.kind = guards::GuardKind::kExpression, .subject = iterator->subject};
  guard.terms.push_back({.op = guards::CheckOp::kWordConst, .value = static_cast<int64_t>(given)});
  guard.terms.push_back({.op = guards::CheckOp::kWordFact, .subject = iterator->subject, .fact = Fact::kIterRemaining});
  guard.terms.push_back({.op = guards::CheckOp::kWordLt, .left = 0, .right = 1});
  s.AddGuard(std::move(guard));
}

// The iterator has ended: for good, even if what it goes through grows again.
void EndForGood(Session& s, IteratorValue* iterator) {
  s.Touch(iterator);
  iterator->exhausted = true;
  s.AddEffect({.helper = model::Helper::kIterSkip, .args = {iterator, s.Int(1)}});
}

// itertools.count by ones.
V NextNumber(Session& s, IteratorValue* iterator) {
  guards::Guard guard{.kind = guards::GuardKind::kExpression, .subject = iterator->subject};
  guard.terms.push_back({.op = guards::CheckOp::kWordConst, .value = INT64_MIN});
  guard.terms.push_back({.op = guards::CheckOp::kWordFact, .subject = iterator->subject, .fact = Fact::kIterIndex});
  guard.terms.push_back({.op = guards::CheckOp::kWordLt, .left = 0, .right = 1});
  s.AddGuard(std::move(guard));
  auto* value = s.New<ResidualValue>();
  value->range = iterator;
  s.Touch(iterator);
  value->at = iterator->at++;
  value->type = s.TypeOfSymbol("builtins:int");
  value->effect = static_cast<uint32_t>(s.effects().size());
  s.AddEffect({.helper = model::Helper::kIterNext, .args = {iterator}, .has_result = true});
  return value;
}

bool OnlyAdvances(const Effect& effect) {
  return effect.helper == model::Helper::kIterSkip || effect.helper == model::Helper::kIterNext;
}

// itertools.chain: what it does to its iterators, done by advancing the chain itself.
Outcome NextOfChain(Interp& in, IteratorValue* chain) {
  Session& s = in.s;
  if (chain->exhausted)
    return in.Done(nullptr);
  if (chain->sources.empty())
    chain->sources = {s.StepFrom(chain, Step::kChained), s.StepFrom(chain, Step::kIterSource)};
  const Session::Mark mark = s.Snapshot();
  const size_t before = s.effects().size();
  auto refuse = [&] {
    s.Rollback(mark);
    return in.Break(Reason::kUnsupportedIteration, "a chain of something other than builtin iterators");
  };
  s.Touch(chain);
  V item = nullptr;
  while (item == nullptr) {
    if (V active = chain->sources[0]; active != nullptr) {
      if (As<IteratorValue>(s.Resolve(active)) == nullptr)
        return refuse();
      Outcome outcome = in.Next(active);
      if (!outcome.ok())
        return refuse();
      item = outcome.value;
      if (item == nullptr)
        chain->sources[0] = nullptr;
      continue;
    }
    auto* source = chain->sources[1] == nullptr ? nullptr : As<IteratorValue>(s.Resolve(chain->sources[1]));
    if (source == nullptr && chain->sources[1] != nullptr)
      return refuse();
    Outcome next = source == nullptr ? in.Done(nullptr) : in.Next(source);
    if (!next.ok())
      return refuse();
    if (next.value == nullptr)
      break;
    Outcome started = in.Iter(next.value);
    if (!started.ok())
      return refuse();
    chain->sources[0] = started.value;
  }
  std::vector<Effect>& effects = s.mutable_effects();
  for (size_t at = before; at < effects.size(); ++at)
    if (!OnlyAdvances(effects[at]))
      return refuse();
  auto* residual = As<ResidualValue>(item);
  if (residual == nullptr && item != nullptr && !item->is_real() && As<ConstantValue>(item) == nullptr)
    return refuse();  // a tuple that holds such a number
  effects.resize(before);
  s.Release(mark);
  if (item == nullptr) {
    EndForGood(s, chain);
    return in.Done(nullptr);
  }
  if (residual == nullptr) {
    s.AddEffect({.helper = model::Helper::kIterSkip, .args = {chain, s.Int(1)}});
    return in.Done(item);
  }
  residual->effect = static_cast<uint32_t>(before);
  s.AddEffect({.helper = model::Helper::kIterNext, .args = {chain}, .has_result = true});
  return in.Done(residual);
}

}  // namespace

// A real iterator of a list, tuple, range, dict or set. What it gives is asked of the iterator itself when new code runs.
Outcome NextReal(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  bool list_changed = std::any_of(s.mutated.begin(), s.mutated.end(), [](V value) { return As<SequenceValue>(value) != nullptr; });
  if (list_changed && iterator->type->is("builtins:list_iterator") && !iterator->exhausted) {
    V source = s.StepFrom(iterator, Step::kIterSource);
    auto* list = source == nullptr ? nullptr : As<SequenceValue>(s.Resolve(source));
    if (list != nullptr && list->mutated) {  // it may have grown or shrunk since the unit began
      uint64_t place = s.ReadFact(iterator, Fact::kIterIndex).word + iterator->at;
      s.Touch(iterator);
      s.AddEffect({.helper = model::Helper::kIterSkip, .args = {iterator, s.Int(1)}});
      iterator->exhausted = place >= list->items.size();
      if (iterator->exhausted)
        return in.Done(nullptr);
      ++iterator->at;
      return in.Done(list->items[place]);
    }
  }
  if (iterator->exhausted)
    return in.Done(nullptr);
  if (iterator->type->is("itertools:chain"))
    return NextOfChain(in, iterator);
  if (iterator->type->is("itertools:count"))
    return in.Done(NextNumber(s, iterator));
  const bool over_items = iterator->type->is("builtins:dict_itemiterator");
  if (iterator->source == nullptr && !iterator->type->is("builtins:range_iterator") && !iterator->type->is("builtins:tuple_iterator"))
    iterator->source = s.StepFrom(iterator, Step::kIterSource);
  if (s.IsChanged(iterator->source))
    return in.Break(Reason::kUnsupportedIteration, "what is iterated has changed in the frame");
  if (iterator->at >= iterator->length) {
    s.ReadFact(iterator, Fact::kIterRemaining);
    if (iterator->source != nullptr)
      EndForGood(s, iterator);
    return in.Done(nullptr);
  }
  GuardHasNext(s, iterator, iterator->at);
  if (iterator->type->is("builtins:range_iterator")) {
    auto* value = s.New<ResidualValue>();
    value->range = iterator;
    value->at = iterator->at;
    s.Touch(iterator);
    ++iterator->at;
    value->type = s.TypeOfSymbol("builtins:int");
    value->effect = static_cast<uint32_t>(s.effects().size());
    s.AddEffect({.helper = model::Helper::kIterNext, .args = {iterator}, .has_result = true});
    return in.Done(value);
  }
  V item = s.StepFrom(iterator, Step::kIterItem, static_cast<uint32_t>(iterator->at));
  V key = over_items ? s.StepFrom(iterator, Step::kIterKey, static_cast<uint32_t>(iterator->at)) : nullptr;
  if (item == nullptr || (over_items && key == nullptr))
    return in.Break(Reason::kUnsupportedIteration, iterator->type->symbol);
  if (over_items)
    item = s.Tuple({key, item});
  s.Touch(iterator);
  ++iterator->at;
  s.AddEffect({.helper = model::Helper::kIterSkip, .args = {iterator, s.Int(1)}});
  return in.Done(item);
}

}  // namespace framegate::translator
