// deque, defaultdict, sets that change, mappingproxy; id() and hash().
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

template <typename T>
T* Self(Interp& in, Args& args, size_t count) {
  return args.positional.size() != count || !args.keyword.empty() ? nullptr : As<T>(in.s.Resolve(args.positional[0]));
}

// Keeps a deque's length within its bound, dropping from the other end.
void Bound(SequenceValue* deque, bool from_left) {
  if (!deque->maxlen.is_int())
    return;
  size_t most = static_cast<size_t>(std::max<int64_t>(0, deque->maxlen.integer));
  if (deque->items.size() <= most)
    return;
  size_t extra = deque->items.size() - most;
  auto first = from_left ? deque->items.begin() : deque->items.end() - static_cast<ptrdiff_t>(extra);
  deque->items.erase(first, first + static_cast<ptrdiff_t>(extra));
}

Outcome DequePut(Interp& in, SequenceValue* deque, const Values& items, bool left) {
  in.s.Touch(deque);
  for (V item : items) {
    deque->items.insert(left ? deque->items.begin() : deque->items.end(), item);
    Bound(deque, !left);
  }
  SequenceChanged(in.s, deque);
  return in.Done(in.s.None());
}

Outcome DequeTake(Interp& in, SequenceValue* deque, bool left) {
  if (deque->items.empty())
    return in.Raise("builtins:IndexError", "pop from an empty deque");
  in.s.Touch(deque);
  V item = left ? deque->items.front() : deque->items.back();
  deque->items.erase(left ? deque->items.begin() : deque->items.end() - 1);
  SequenceChanged(in.s, deque);
  return in.Done(item);
}

}  // namespace

Outcome BuiltinDeque(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V source = !args.positional.empty() ? args.positional[0] : args.Keyword("iterable");
  V maxlen = args.positional.size() > 1 ? args.positional[1] : args.Keyword("maxlen");
  if (args.positional.size() > 2)
    return in.Raise("builtins:TypeError", StrCat("deque() takes at most 2 arguments (", args.positional.size(), " given)"));
  SequenceValue* deque = s.List({});
  deque->type = s.TypeOfSymbol("collections:deque");
  if (maxlen != nullptr && s.Resolve(maxlen) != s.None()) {
    const Constant* bound = IntOf(s, maxlen);
    if (bound == nullptr)
      return AsConstant(s.Resolve(maxlen)) != nullptr ? in.Raise("builtins:TypeError", "an integer is required")
                                                      : WrongArguments(in, "deque");
    if (IntValue(*bound) < 0)
      return in.Raise("builtins:ValueError", "maxlen must be non-negative");
    deque->maxlen = Constant::Int(IntValue(*bound));
  }
  if (source == nullptr)
    return in.Done(deque);
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(source, &items));
  deque->items = std::move(items);
  Bound(deque, true);
  return in.Done(deque);
}

Outcome BuiltinDequeAppend(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 2);
  return deque == nullptr ? WrongArguments(in, "deque.append") : DequePut(in, deque, {args.positional[1]}, false);
}

Outcome BuiltinDequeAppendLeft(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 2);
  return deque == nullptr ? WrongArguments(in, "deque.appendleft") : DequePut(in, deque, {args.positional[1]}, true);
}

Outcome BuiltinDequeExtend(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 2);
  Values items;
  if (deque == nullptr)
    return WrongArguments(in, "deque.extend");
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[1], &items));
  return DequePut(in, deque, items, false);
}

Outcome BuiltinDequeExtendLeft(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 2);
  Values items;
  if (deque == nullptr)
    return WrongArguments(in, "deque.extendleft");
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[1], &items));
  return DequePut(in, deque, items, true);
}

Outcome BuiltinDequePop(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 1);
  return deque == nullptr ? WrongArguments(in, "deque.pop") : DequeTake(in, deque, false);
}

Outcome BuiltinDequePopLeft(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 1);
  return deque == nullptr ? WrongArguments(in, "deque.popleft") : DequeTake(in, deque, true);
}

Outcome BuiltinDequeRotate(Interp& in, Args& args, Tail) {
  auto* deque = args.positional.empty() ? nullptr : As<SequenceValue>(in.s.Resolve(args.positional[0]));
  const Constant* by = args.positional.size() == 2 ? IntOf(in.s, args.positional[1]) : nullptr;
  if (deque == nullptr || (by == nullptr && args.positional.size() != 1))
    return WrongArguments(in, "deque.rotate");
  int64_t length = static_cast<int64_t>(deque->items.size()), steps = by == nullptr ? 1 : IntValue(*by);
  if (length > 1) {
    in.s.Touch(deque);
    steps = ((steps % length) + length) % length;
    std::rotate(deque->items.begin(), deque->items.end() - steps, deque->items.end());
    SequenceChanged(in.s, deque);
  }
  return in.Done(in.s.None());
}

Outcome BuiltinDequeCopy(Interp& in, Args& args, Tail) {
  auto* deque = Self<SequenceValue>(in, args, 1);
  if (deque == nullptr || !in.s.TypeOf(deque)->is("collections:deque"))
    return WrongArguments(in, "deque.copy");
  SequenceValue* copy = in.s.List(deque->items);
  copy->type = deque->type;
  copy->maxlen = deque->maxlen;
  return in.Done(copy);
}

Outcome BuiltinDefaultDict(Interp& in, Args& args, Tail) {
  MappingValue* dict = in.s.Dict();
  dict->type = in.s.TypeOfSymbol("collections:defaultdict");
  Args rest{.keyword = args.keyword};
  if (!args.positional.empty()) {
    V factory = in.s.Resolve(args.positional[0]);
    TypeValue* type = in.s.TypeOf(factory);
    if (factory != in.s.None() && type != nullptr && !type->Has(model::TypeFlag::kCallable))
      return in.Raise("builtins:TypeError", "first argument must be callable or None");
    dict->default_factory = factory == in.s.None() ? nullptr : factory;
    rest.positional.assign(args.positional.begin() + 1, args.positional.end());
  }
  rest.positional.insert(rest.positional.begin(), dict);
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.CallBuiltin("builtins:dict.update", std::move(rest), kSync));
  return in.Done(dict);
}

Outcome BuiltinDefaultDictMissing(Interp& in, Args& args, Tail) {
  auto* dict = Self<MappingValue>(in, args, 2);
  if (dict == nullptr)
    return WrongArguments(in, "defaultdict.__missing__");
  FRAMEGATE_TAKE(V factory, in.GetAttr(dict, "default_factory"));
  if (in.s.Resolve(factory) == in.s.None()) {
    in.Raise("builtins:KeyError", "");
    As<ObjectValue>(in.s.raised)->arguments = {args.positional[1]};
    return {Flow::kRaise, nullptr};
  }
  FRAMEGATE_TAKE(V value, in.Call(factory, {}));
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetItem(dict, args.positional[1], value));
  return in.Done(value);
}

Outcome BuiltinSetAdd(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 2);
  if (set == nullptr)
    return WrongArguments(in, "set.add");
  FRAMEGATE_TAKE([[maybe_unused]] V added, AddToSet(in, set, args.positional[1]));
  return in.Done(in.s.None());
}

Outcome BuiltinSetDelete(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 2);
  if (set == nullptr)
    return WrongArguments(in, "set.discard");
  FRAMEGATE_TAKE(V key, FindKey(in, set, args.positional[1]));
  if (key != nullptr)
    SetDelete(in.s, set, key);
  return in.Done(in.s.None());
}

Outcome BuiltinSetClear(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 1);
  if (set == nullptr)
    return WrongArguments(in, "set.clear");
  in.s.Touch(set);
  set->items.clear();
  set->index.clear();
  ++set->version;
  set->history.clear();
  set->has_history = !set->is_real();
  set->pop_place = 0;
  SetChanged(in.s, set);
  return in.Done(in.s.None());
}

Outcome BuiltinSetCopy(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 1);
  if (set == nullptr)
    return WrongArguments(in, "set.copy");
  if (in.s.TypeOf(set)->is("builtins:frozenset"))
    return in.Done(set);
  ReadOrder(in.s, set);
  auto* copy = in.s.New<SetValue>();
  copy->type = in.s.TypeOf(set);
  copy->mutable_made = true;
  copy->items = set->items;
  copy->index = set->index;
  copy->pop_place = -1;
  SetStep(copy, "update", set);
  return in.Done(copy);
}

Outcome BuiltinSetPop(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 1);
  return set == nullptr ? WrongArguments(in, "set.pop") : SetPop(in, set);
}

// Adds what another set or a dict holds, as set.update does it: not one by one.
Outcome BuiltinSetMerge(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 2);
  if (set == nullptr)
    return WrongArguments(in, "set.update");
  FRAMEGATE_TAKE([[maybe_unused]] V merged, MergeIntoSet(in, set, args.positional[1]));
  return in.Done(in.s.None());
}

// The set itself, of whose order nothing is known any more.
Outcome BuiltinInAnyOrder(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 1);
  if (set == nullptr)
    return WrongArguments(in, "_in_any_order");
  in.s.Touch(set);
  set->has_history = false;
  set->in_order = set->is_order_unread = false;
  set->pop_place = -1;
  return in.Done(set);
}

// The elements of a set for a use that does not show their order.
Outcome BuiltinUnordered(Interp& in, Args& args, Tail) {
  auto* set = Self<SetValue>(in, args, 1);
  return set == nullptr ? WrongArguments(in, "_unordered") : in.Done(in.s.Tuple(set->items));
}

Outcome BuiltinMappingProxy(Interp& in, Args& args, Tail) {
  V mapping = args.positional.size() == 1 ? in.s.Resolve(args.positional[0]) : nullptr;
  if (As<MappingValue>(mapping) == nullptr)
    return WrongArguments(in, "mappingproxy");
  auto* view = in.s.New<ViewValue>();
  view->form = ViewForm::kProxy;
  view->target = mapping;
  view->type = in.s.TypeOfSymbol("types:MappingProxyType");
  return in.Done(view);
}

Outcome BuiltinId(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? Identity(in, args.positional[0]) : WrongArguments(in, "id");
}

Outcome BuiltinHash(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? Hash(in, args.positional[0]) : WrongArguments(in, "hash");
}

Outcome BuiltinObject(Interp& in, Args& args, Tail) {
  if (!args.positional.empty() || !args.keyword.empty())
    return in.Raise("builtins:TypeError", "object() takes no arguments");
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol("builtins:object");
  object->mutable_made = true;
  object->constructor = "object";
  return in.Done(object);
}

Outcome BuiltinSimpleNamespace(Interp& in, Args& args, Tail) {
  if (!args.positional.empty())
    return in.s.Is313() ? WrongArguments(in, "SimpleNamespace") : in.Raise("builtins:TypeError", "no positional arguments expected");
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol("types:SimpleNamespace");
  object->mutable_made = true;
  object->attributes = args.keyword;
  return in.Done(object);
}

namespace {

// An object of a C type that is called through Python code, and made again by its constructor.
Outcome CalledThrough(Interp& in, Args& args, const char* name) {
  V make = in.s.Symbol(StrCat("framegate._polyfills:", name));
  if (make == nullptr || !args.keyword.empty())
    return WrongArguments(in, name);
  FRAMEGATE_TAKE(V stand_in, in.Call(make, {.positional = args.positional}));
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol(StrCat("operator:", name));
  object->mutable_made = true;
  object->constructor = name;
  object->arguments = args.positional;
  object->stand_in = stand_in;
  return in.Done(object);
}

}  // namespace

Outcome BuiltinItemGetter(Interp& in, Args& args, Tail) {
  return CalledThrough(in, args, "itemgetter");
}

Outcome BuiltinAttrGetter(Interp& in, Args& args, Tail) {
  return CalledThrough(in, args, "attrgetter");
}

Outcome BuiltinMethodCaller(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  if (args.keyword.empty())
    return CalledThrough(in, args, "methodcaller");
  V make = s.Symbol("framegate._polyfills:methodcaller");
  if (make == nullptr || args.positional.empty())
    return WrongArguments(in, "methodcaller");
  FRAMEGATE_TAKE(V stand_in, in.Call(make, args));
  MappingValue* keywords = s.Dict();
  for (const auto& [name, value] : args.keyword)
    s.MappingSet(keywords, s.Str(name), value);
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol("operator:methodcaller");
  object->mutable_made = true;
  object->constructor = "methodcaller_of";
  object->arguments = {args.positional[0], s.Tuple({args.positional.begin() + 1, args.positional.end()}), keywords};
  object->stand_in = stand_in;
  return in.Done(object);
}

// The field of a named tuple's class that is made in the frame; its place is that of its name among the class's _fields.
Outcome BuiltinTupleGetter(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2 || !args.keyword.empty() || ConstantOf(in.s, args.positional[0], ConstantKind::kInt) == nullptr)
    return WrongArguments(in, "_tuplegetter");
  V type = in.s.Symbol("_collections:_tuplegetter");
  auto* object = in.s.New<ObjectValue>();
  object->type = type == nullptr ? in.s.TypeOfSymbol("collections:_tuplegetter") : As<TypeValue>(in.s.Resolve(type));
  object->mutable_made = true;
  object->hint = "tuplegetter";
  object->arguments = args.positional;
  return in.Done(object);
}

}  // namespace framegate::translator
