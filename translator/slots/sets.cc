// Sets: their elements, what was done to them, and the order in which they give them.
#include <cmath>

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Helper;
using model::Reason;

namespace {

Constant Step(const char* name, Constant argument) {
  return Constant::Tuple({Constant::Str(name), std::move(argument)});
}

// The hash of a number is the same in every process.
bool IsNumber(Session& s, V value) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr &&
         (c->is_int() || c->is_bool() || c->kind == ConstantKind::kBigInt || (c->kind == ConstantKind::kFloat && !std::isnan(c->real)));
}

void Reindex(Session& s, SetValue* set) {
  set->index.clear();
  for (uint32_t at = 0; at < set->items.size(); ++at)
    set->index[s.HashKey(set->items[at])] = at;
}

// Something that only happens when new code runs, to a real set.
void Later(Session& s, SetValue* set, const char* method, V argument) {
  Effect effect{.helper = Helper::kConstruct, .args = {s.Str(method), set}};
  if (argument != nullptr)
    effect.args.push_back(argument);
  s.AddEffect(std::move(effect));
}

}  // namespace

void SetStep(SetValue* set, const char* name, Constant argument) {
  if (set->has_history)
    set->history.push_back(Step(name, std::move(argument)));
}

// What was done with the other set becomes part of what was done to this one.
void SetStep(SetValue* set, const char* name, const SetValue* other) {
  constexpr size_t kMostSteps = 1000;
  set->has_history = set->has_history && !set->is_real() && !other->is_real() && other->has_history &&
                     other->history.size() + set->history.size() < kMostSteps;
  SetStep(set, name, Constant::Tuple(other->history));
}

bool ReadOrder(Session& s, SetValue* set) {
  if (!set->is_order_unread)
    return set->in_order;
  Values items;
  for (const Constant& element : s.ReadFact(set, model::Fact::kSetElements).constant.items)
    if (auto it = set->index.find(s.HashKey(s.Const(element))); it != set->index.end())
      items.push_back(set->items[it->second]);
  if (items.size() != set->items.size())
    return false;
  s.Journal(set);
  set->items = std::move(items);
  set->in_order = true;
  set->is_order_unread = false;
  Reindex(s, set);
  return true;
}

namespace {

Outcome PutInOrder(Interp& in, SetValue* set) {
  Session& s = in.s;
  if (set->in_order || set->items.empty() || (set->items.size() == 1 && set->pop_place >= 0))
    return in.Done(set);
  const bool numbers = std::all_of(set->items.begin(), set->items.end(), [&](V item) { return IsNumber(s, item); });
  auto refuse = [&] { return in.Break(Reason::kUnsupportedIteration, "the order of a set made in the frame"); };
  if (ReadOrder(s, set))
    return in.Done(set);
  if (set->is_real() || !set->has_history)
    return set->items.size() == 1 ? in.Done(set) : refuse();
  FRAMEGATE_TAKE(V answer, in.Fold("framegate:set_order", {.positional = {s.Const(Constant::Tuple(set->history))}}));
  auto* parts = As<SequenceValue>(answer);
  auto* order = parts == nullptr || parts->items.size() != 2 ? nullptr : As<SequenceValue>(parts->items[0]);
  if (order == nullptr || order->items.size() != set->items.size())
    return refuse();
  Values items;
  for (V element : order->items) {
    auto it = set->index.find(s.HashKey(element));
    if (it == set->index.end())
      return refuse();
    items.push_back(set->items[it->second]);
  }
  if (!numbers && !s.RelyOnOrder(set, &items))
    return set->items.size() == 1 ? in.Done(set) : refuse();
  s.Journal(set);
  set->items = std::move(items);
  set->in_order = true;
  set->pop_place = AsConstant(parts->items[1])->integer;
  Reindex(s, set);
  return in.Done(set);
}

}  // namespace

// The items as they are iterated: asked of the client, whose answer holds in its process alone unless all are numbers, or no order makes a
// difference.
Outcome InOrder(Interp& in, SetValue* set) {
  Outcome outcome = PutInOrder(in, set);
  if (SetOrders* orders = in.s.orders(); orders != nullptr && outcome.ok())
    orders->NoteUse(set);
  return outcome;
}

Outcome ToValuesInAnyOrder(Interp& in, V iterable, Values* items) {
  auto* set = As<SetValue>(in.s.Resolve(iterable));
  size_t texts = 0, numbers = 0, objects = 0;
  if (set != nullptr)
    for (V item : set->items) {
      const Constant* c = AsConstant(in.s.Resolve(item));
      objects += As<ObjectValue>(in.s.Resolve(item)) != nullptr && !in.s.HashKey(item).empty() && !in.s.HashesItself(item);
      texts += c != nullptr && c->is_str();
      numbers += c != nullptr && (c->is_int() || c->is_bool() || (c->kind == ConstantKind::kFloat && !std::isnan(c->real)));
    }
  if (set == nullptr || set->items.empty() || set->in_order ||
      (texts != set->items.size() && numbers != set->items.size() && objects != set->items.size()))
    return in.ToValues(iterable, items);
  *items = set->items;
  return in.Done(nullptr);
}

Outcome AddToSet(Interp& in, SetValue* set, V item) {
  FRAMEGATE_TAKE(V key, KeyIn(in, set, item));
  std::string text = in.s.HashKey(key);
  if (set->index.contains(text))
    return in.Done(set);
  in.s.Touch(set);
  set->index[text] = static_cast<uint32_t>(set->items.size());
  set->items.push_back(in.s.Resolve(item));
  ++set->version;
  set->in_order = set->is_order_unread = false;
  set->pop_place = set->pop_place == 0 && set->items.size() == 1 ? 0 : -1;
  Constant element;
  set->has_history = set->has_history && !set->is_real() && ToConstant(in.s, item, &element);
  SetStep(set, "add", std::move(element));
  if (set->is_real())
    in.s.AddEffect({.helper = Helper::kSetAdd, .args = {set, set->items.back()}});
  return in.Done(set);
}

void SetDelete(Session& s, SetValue* set, V key) {
  s.Touch(set);
  auto it = set->index.find(s.HashKey(key));
  uint32_t place = it->second;
  V item = set->items[place];
  set->items.erase(set->items.begin() + place);
  set->index.erase(it);
  for (auto& [other, at] : set->index)
    if (at > place)
      --at;
  ++set->version;
  if (set->pop_place > static_cast<int64_t>(place))
    --set->pop_place;
  Constant element;
  set->has_history = set->has_history && ToConstant(s, item, &element);
  SetStep(set, "discard", std::move(element));
  if (set->is_real())
    Later(s, set, "set.discard", item);
}

Outcome SetPop(Interp& in, SetValue* set) {
  Session& s = in.s;
  if (set->items.empty())
    return in.Raise("builtins:KeyError", "pop from an empty set");
  if (set->is_real() && !set->mutated)
    set->pop_place = static_cast<int64_t>(s.ReadFact(set, model::Fact::kSetPlace).word);
  FRAMEGATE_TAKE([[maybe_unused]] V ordered, InOrder(in, set));
  if (set->pop_place < 0 && set->items.size() > 1)
    return in.Break(Reason::kUnsupportedIteration, "which element a set gives");
  s.Touch(set);
  const size_t place =
      set->pop_place >= 0 && set->pop_place < static_cast<int64_t>(set->items.size()) ? static_cast<size_t>(set->pop_place) : 0;
  V item = set->items[place];
  set->items.erase(set->items.begin() + static_cast<ptrdiff_t>(place));
  set->pop_place = set->pop_place < 0 ? -1 : static_cast<int64_t>(place);
  Reindex(s, set);
  ++set->version;
  if (set->has_history)
    set->history.push_back(Constant::Tuple({Constant::Str("pop")}));
  if (set->is_real())
    Later(s, set, "set.pop", nullptr);
  return in.Done(item);
}

Outcome MergeIntoSet(Interp& in, SetValue* set, V iterable) {
  iterable = in.s.Resolve(iterable);
  auto* other = As<SetValue>(iterable);
  Values items;
  if (other != nullptr) {
    ReadOrder(in.s, other);
    items = other->items;
  } else {
    FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(iterable, &items));
  }
  in.s.Touch(set);
  std::vector<Constant> before = set->history;
  const bool known = set->has_history;
  for (V item : items) {
    FRAMEGATE_TAKE([[maybe_unused]] V added, AddToSet(in, set, item));
  }
  if (other == nullptr) {
    set->has_history = set->has_history && As<MappingValue>(iterable) == nullptr;
    return in.Done(set);
  }
  set->history = std::move(before);  // not one by one
  set->has_history = known;
  set->in_order = set->is_order_unread = false;
  set->pop_place = -1;
  SetStep(set, "update", other);
  return in.Done(set);
}

// Real sets get their whole contents again.
void SetChanged(Session& s, SetValue* set) {
  if (set->is_real())
    s.AddEffect({.helper = Helper::kSetAssign, .args = {set, s.Tuple(set->items)}});
}

}  // namespace framegate::translator
