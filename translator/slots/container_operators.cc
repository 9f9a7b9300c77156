// Operators of builtin containers: + * of sequences, & | - ^ of sets and dicts.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

Outcome DequeOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  auto *a = As<SequenceValue>(left), *b = As<SequenceValue>(right);
  const Constant* times = IntOf(s, a != nullptr ? right : left);
  if (number == 13 && a != nullptr && s.IsSubclass(s.TypeOf(a), "collections:deque")) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.CallBuiltin("collections:deque.extend", {.positional = {left, right}}, kSync));
    return in.Done(left);
  }
  SequenceValue* like = a != nullptr && s.IsSubclass(s.TypeOf(a), "collections:deque") ? a : b;
  Values items;
  if (number == 0 && a != nullptr && b != nullptr && like == a && s.IsSubclass(s.TypeOf(b), "collections:deque")) {
    items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
  } else if (number == 5 && times != nullptr && IntValue(*times) < 100'000) {
    for (int64_t i = 0; i < IntValue(*times); ++i)
      items.insert(items.end(), like->items.begin(), like->items.end());
  } else {
    return in.Done(nullptr);
  }
  Args args{.positional = {s.Tuple(std::move(items))}};
  if (like->maxlen.is_int())
    args.positional.push_back(s.Const(like->maxlen));
  return in.CallBuiltin("collections:deque", std::move(args), kSync);
}

// list and tuple: + and *. Value null: not for them.
Outcome SequenceOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  int32_t plain = number % 13;
  auto *a = As<SequenceValue>(left), *b = As<SequenceValue>(right);
  auto is_size = [&](SequenceValue* v) { return v != nullptr && s.TypeOf(v)->is("torch:Size"); };
  auto is_list = [&](V v) { return s.TypeOf(v)->Has(TypeFlag::kListSubclass); };
  auto plain_type = [&](V v) { return !is_size(As<SequenceValue>(v)) && (is_list(v) || s.TypeOf(v)->Has(TypeFlag::kTupleSubclass)); };
  auto tuple_like = [&](SequenceValue* v) { return v != nullptr && (is_size(v) || s.TypeOf(v)->is("builtins:tuple")); };
  if (plain == 0 && tuple_like(a) && tuple_like(b) && (is_size(a) || is_size(b))) {  // a torch.Size, whichever side it is on
    Values items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    SequenceValue* size = s.Tuple(std::move(items));
    size->type = s.TypeOfSymbol("torch:Size");
    return in.Done(size);
  }
  if ((a != nullptr && s.IsSubclass(s.TypeOf(a), "collections:deque")) || (b != nullptr && s.IsSubclass(s.TypeOf(b), "collections:deque")))
    return DequeOp(in, number, left, right);
  if (plain == 0 && a != nullptr && b != nullptr && plain_type(a) && plain_type(b) && is_list(a) == is_list(b)) {
    if (number >= 13 && is_list(a))
      return in.CallBuiltin("builtins:list.__iadd__", {.positional = {left, right}}, kSync);
    Values items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return in.Done(is_list(a) ? s.List(std::move(items)) : s.Tuple(std::move(items)));
  }
  if (number == 13 && a != nullptr && is_list(a))
    return in.CallBuiltin("builtins:list.__iadd__", {.positional = {left, right}}, kSync);
  SequenceValue* sequence = a != nullptr ? a : b;
  const Constant* times = sequence == nullptr ? nullptr : IntOf(s, sequence == a ? right : left);
  if (number == 18 && a != nullptr && is_list(a) && times != nullptr)
    return in.CallBuiltin("builtins:list.__imul__", {.positional = {left, right}}, kSync);
  if (plain == 5 && times != nullptr && (plain_type(sequence) || is_size(sequence))) {
    int64_t count = std::max<int64_t>(0, IntValue(*times));
    if (static_cast<uint64_t>(count) * sequence->items.size() > 100'000)
      return in.Break(Reason::kValueBudget, "a repeated sequence");
    Values items;
    for (int64_t i = 0; i < count; ++i)
      items.insert(items.end(), sequence->items.begin(), sequence->items.end());
    SequenceValue* repeated = is_list(sequence) ? s.List(std::move(items)) : s.Tuple(std::move(items));
    if (is_size(sequence))
      repeated->type = s.TypeOf(sequence);
    return in.Done(repeated);
  }
  if (plain == 0 && a != nullptr && plain_type(a) && !(b != nullptr && plain_type(b)) && s.TypeOf(right) != nullptr &&
      s.TypeAttr(s.TypeOf(right), "__radd__") == nullptr)
    return in.Raise("builtins:TypeError", StrCat("can only concatenate ", is_list(a) ? "list" : "tuple", " (not \"",
                                                 TypeName(s.TypeOf(right)), "\") to ", is_list(a) ? "list" : "tuple"));
  if (plain == 0 && a != nullptr && b != nullptr && plain_type(a) && plain_type(b))
    return in.Raise("builtins:TypeError", StrCat("can only concatenate ", is_list(a) ? "list" : "tuple", " (not \"",
                                                 TypeName(s.TypeOf(right)), "\") to ", is_list(a) ? "list" : "tuple"));
  if (plain == 5 && a != nullptr && plain_type(a) && b == nullptr && AsConstant(right) != nullptr)
    return in.Raise("builtins:TypeError", StrCat("can't multiply sequence by non-int of type '", TypeName(s.TypeOf(right)), "'"));
  if (plain == 5 && b != nullptr && plain_type(b) && a == nullptr && AsConstant(left) != nullptr)
    return in.Raise("builtins:TypeError", StrCat("can't multiply sequence by non-int of type '", TypeName(s.TypeOf(left)), "'"));
  return in.Done(nullptr);
}

// What a dict view's operators make of an iterable.
SetValue* AsIterableSet(Interp& in, V value) {
  Values items;
  if (As<ConstantValue>(value) != nullptr || As<ObjectValue>(value) != nullptr || !ToValuesInAnyOrder(in, value, &items).ok())
    return nullptr;
  auto* set = in.s.New<SetValue>();
  for (V item : items)
    if (!AddToSet(in, set, item).ok())
      return nullptr;
  return set;
}

// Sets: & | - ^, in place for sets that change. Dicts: |. Value null: not for them.
Outcome SetOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  int32_t plain = number % 13;
  SetValue *a = AsSet(in, left), *b = AsSet(in, right);
  const bool of_views = As<ViewValue>(left) != nullptr || As<ViewValue>(right) != nullptr;
  if (a != nullptr && b == nullptr && As<ViewValue>(left) != nullptr)
    b = AsIterableSet(in, right);
  else if (b != nullptr && a == nullptr && As<ViewValue>(right) != nullptr)
    a = AsIterableSet(in, left);
  if (s.custom_keys && a != nullptr && b != nullptr)
    for (SetValue* set : {a, b})
      for (V item : set->items)
        if (s.HashesItself(item))
          return in.Break(Reason::kUnsupportedValue, "a set of elements with equality of their own");
  if (a == nullptr || b == nullptr || (plain != 1 && plain != 7 && plain != 10 && plain != 12))
    return in.Done(nullptr);
  ReadOrder(s, a);
  ReadOrder(s, b);
  if (a == b) {  // what one becomes does not change the other
    b = s.New<SetValue>();
    *b = *a;
  }
  Values items;
  for (V item : a->items) {
    bool in_both = b->index.contains(s.HashKey(item));
    if (plain == 7 || in_both == (plain == 1))
      items.push_back(item);
  }
  for (V item : b->items)
    if ((plain == 7 || plain == 12) && !a->index.contains(s.HashKey(item)))
      items.push_back(item);
  bool in_place = number >= 13 && a == left && s.IsSubclass(s.TypeOf(a), "builtins:set");
  auto* set = in_place ? a : s.New<SetValue>();
  if (in_place) {
    s.Touch(set);
    set->items.clear();
    set->index.clear();
    ++set->version;
  } else {
    TypeValue* kind = of_views ? nullptr : s.TypeOf(a);
    set->type =
        kind != nullptr && s.IsSubclass(kind, "builtins:frozenset") ? s.TypeOfSymbol("builtins:frozenset") : s.TypeOfSymbol("builtins:set");
    set->mutable_made = true;
  }
  for (V item : items) {
    set->index[s.HashKey(item)] = static_cast<uint32_t>(set->items.size());
    set->items.push_back(item);
  }
  set->in_order = set->is_order_unread = false;
  set->pop_place = -1;
  if (of_views || set->is_real()) {
    set->has_history = false;
  } else {
    constexpr const char* kNames[] = {"and", "or", "sub", "xor", "iand", "ior", "isub", "ixor"};
    const size_t which = (plain == 1 ? 0u : plain == 7 ? 1u : plain == 10 ? 2u : 3u) + (in_place ? 4u : 0u);
    if (!in_place) {
      set->has_history = a->has_history && !a->is_real();
      set->history = a->history;
    }
    SetStep(set, kNames[which], b);
  }
  if (in_place && set->is_real())
    s.AddEffect({.helper = model::Helper::kSetAssign, .args = {set, s.Tuple(set->items)}});
  return in.Done(set);
}

Outcome DictOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  auto *a = As<MappingValue>(left), *b = As<MappingValue>(right);
  if (number == 20 && a != nullptr && b == nullptr) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.CallBuiltin("builtins:dict.update", {.positional = {left, right}}, kSync));
    return in.Done(left);
  }
  if (number % 13 != 7 || a == nullptr || b == nullptr || !s.Complete(a) || !s.Complete(b))
    return in.Done(nullptr);
  MappingValue* merged = number >= 13 ? a : s.Dict();
  if (merged != a && !s.TypeOf(a)->is("builtins:dict")) {
    if (!s.TypeOf(a)->is("collections:OrderedDict") && !s.TypeOf(a)->is("collections:defaultdict"))
      return s.TypeOf(a)->Has(TypeFlag::kHeapType) ? in.Break(Reason::kUnsupportedValue, "| of a dict's subclass") : in.Done(nullptr);
    merged->type = s.TypeOf(a);
  }
  bool reflected = merged != a && s.TypeOf(a)->is("builtins:dict");
  if (reflected && (s.TypeOf(b)->is("collections:OrderedDict") || s.TypeOf(b)->is("collections:defaultdict")))
    merged->type = s.TypeOf(b);  // whose __ror__ comes first
  if (merged != a && merged->type->is("collections:defaultdict")) {
    FRAMEGATE_TAKE(V factory, in.GetAttr(reflected ? right : left, "default_factory"));
    merged->default_factory = s.Resolve(factory) == s.None() ? nullptr : factory;
  }
  if (merged != a)
    for (const auto& [key, value] : a->items)
      s.MappingSet(merged, key, value);
  auto items = b->items;
  for (const auto& [key, value] : items)
    s.MappingSet(merged, key, value);
  return in.Done(merged);
}

}  // namespace

Outcome ContainerOp(Interp& in, int32_t number, V left, V right) {
  for (V* side : {&left, &right})
    if (auto* view = As<ViewValue>(*side); view != nullptr && view->form == ViewForm::kProxy) {
      *side = in.s.Resolve(view->target);
    } else if (constexpr int32_t kOr = 7; view != nullptr && view->form == ViewForm::kInstanceDict && number == kOr) {
      FRAMEGATE_TAKE(*side, in.CallBuiltin("builtins:dict.copy", {.positional = {view}}, kSync));
    }
  if (As<SequenceValue>(left) != nullptr || As<SequenceValue>(right) != nullptr)
    return SequenceOp(in, number, left, right);
  FRAMEGATE_TAKE(V set, SetOp(in, number, left, right));
  return set != nullptr ? in.Done(set) : DictOp(in, number, left, right);
}

}  // namespace framegate::translator
