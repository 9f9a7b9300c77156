// list, tuple, dict, set: constructors and methods.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Helper;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

template <typename T>
T* Self(Interp& in, Args& args) {
  return args.positional.empty() ? nullptr : As<T>(in.s.Resolve(args.positional[0]));
}

// After a change of a list: real ones get their whole contents again.
Outcome ListChanged(Interp& in, SequenceValue* list, V result) {
  SequenceChanged(in.s, list);
  return in.Done(result == nullptr ? in.s.None() : result);
}

Outcome MakeSet(Interp& in, Args& args, const char* type) {
  auto* set = in.s.New<SetValue>();
  set->type = in.s.TypeOfSymbol(type);
  set->mutable_made = true;
  Values items;
  if (!args.positional.empty()) {
    auto* source = As<SetValue>(in.s.Resolve(args.positional[0]));
    if (source != nullptr) {
      ReadOrder(in.s, source);
      items = source->items;
    } else {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[0], &items));
    }
  }
  for (V item : items) {
    FRAMEGATE_TAKE([[maybe_unused]] V added, AddToSet(in, set, item));
  }
  V source = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  if (auto* other = As<SetValue>(source)) {  // not one by one
    set->history.clear();
    set->pop_place = -1;
    SetStep(set, "update", other);
  }
  set->has_history = set->has_history && As<MappingValue>(source) == nullptr;
  return in.Done(set);
}

// The __dict__ of an instance or a class.
bool IsDict(ViewValue* view) {
  return view != nullptr && (view->form == ViewForm::kInstanceDict || view->form == ViewForm::kTypeDict);
}

// What dict(...) and dict.update take: a mapping, or pairs; then keywords.
Outcome Merge(Interp& in, MappingValue* into, Args& args, size_t first) {
  Session& s = in.s;
  if (args.positional.size() > first) {
    V source = s.Resolve(args.positional[first]);
    auto* shown = As<ViewValue>(source);
    if (shown != nullptr && shown->form == ViewForm::kProxy)
      source = s.Resolve(shown->target);
    if (IsDict(shown)) {
      std::vector<std::string> names;
      FRAMEGATE_TAKE([[maybe_unused]] V none, NamesShown(in, shown, &names));
      MappingValue* copy = s.Dict();
      for (const std::string& name : names)
        s.MappingSet(copy, s.Str(name), ShownUnder(s, shown, name));
      source = copy;
    }
    auto* mapping = As<MappingValue>(source);
    if (mapping != nullptr) {
      if (!s.Complete(mapping))
        return in.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
      auto items = mapping->items;
      for (const auto& [key, value] : items) {
        FRAMEGATE_TAKE(V own, KeyIn(in, into, key));
        s.MappingSet(into, own, value);
      }
    } else {
      Outcome keys = As<SequenceValue>(source) != nullptr || As<IteratorValue>(source) != nullptr ||
                             As<GeneratorValue>(source) != nullptr || As<ViewValue>(source) != nullptr || AsConstant(source) != nullptr
                         ? in.Done(nullptr)
                         : in.GetAttr(source, "keys");
      if (keys.flow == Flow::kBreak)
        return keys;
      if (keys.ok() && keys.value != nullptr) {  // any mapping
        FRAMEGATE_TAKE(V given, in.Call(keys.value, {}));
        Values names;
        FRAMEGATE_TAKE([[maybe_unused]] V listed, in.ToValues(given, &names));
        for (V name : names) {
          FRAMEGATE_TAKE(V value, in.GetItem(source, name));
          FRAMEGATE_TAKE(V own, KeyIn(in, into, name));
          s.MappingSet(into, own, value);
        }
        for (const auto& [name, value] : args.keyword)
          s.MappingSet(into, s.Str(name), value);
        return in.Done(into);
      }
      s.raised = nullptr;
      Values pairs;
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(source, &pairs));
      size_t at = 0;
      for (V pair : pairs) {
        Values parts;
        TypeValue* kind = s.TypeOf(pair);
        Outcome unpacked = in.ToValues(pair, &parts);
        if (unpacked.flow == Flow::kRaise && kind != nullptr && s.TypeAttr(kind, "__iter__") == nullptr)
          return in.Raise("builtins:TypeError", StrCat("cannot convert dictionary update sequence element #", at, " to a sequence"));
        if (!unpacked.ok())
          return unpacked;
        if (parts.size() != 2)
          return in.Raise("builtins:ValueError",
                          StrCat("dictionary update sequence element #", at, " has length ", parts.size(), "; 2 is required"));
        FRAMEGATE_TAKE(V own, KeyIn(in, into, parts[0]));
        s.MappingSet(into, own, parts[1]);
        ++at;
      }
    }
  }
  for (const auto& [name, value] : args.keyword)
    s.MappingSet(into, s.Str(name), value);
  return in.Done(into);
}

Outcome View(Interp& in, Args& args, ViewForm form) {
  V self = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  auto* outer = As<ViewValue>(self);
  if (IsDict(outer)) {
    std::vector<std::string> names;
    FRAMEGATE_TAKE([[maybe_unused]] V none, NamesShown(in, outer, &names));
    Values items;
    for (const std::string& name : names) {
      V key = in.s.Str(name), value = ShownUnder(in.s, outer, name);
      items.push_back(form == ViewForm::kKeys ? key : form == ViewForm::kValues ? value : in.s.Tuple({key, value}));
    }
    return in.Done(in.s.Tuple(std::move(items)));
  }
  if (outer != nullptr && outer->form == ViewForm::kProxy)
    self = in.s.Resolve(outer->target);
  if (As<MappingValue>(self) == nullptr)
    return WrongArguments(in, "a dict view");
  auto* view = in.s.New<ViewValue>();
  view->form = form;
  view->target = self;
  return in.Done(view);
}

}  // namespace

Outcome BuiltinSlice(Interp& in, Args& args, Tail) {
  if (args.positional.empty() || args.positional.size() > 3)
    return WrongArguments(in, "slice");
  auto* slice = in.s.New<SliceValue>();
  bool only_stop = args.positional.size() == 1;
  slice->start = only_stop ? in.s.None() : args.positional[0];
  slice->stop = args.positional[only_stop ? 0 : 1];
  slice->step = args.positional.size() == 3 ? args.positional[2] : in.s.None();
  return in.Done(slice);
}

Outcome BuiltinList(Interp& in, Args& args, Tail) {
  Values items;
  if (!args.positional.empty()) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[0], &items));
  }
  return in.Done(in.s.List(std::move(items)));
}

Outcome BuiltinTuple(Interp& in, Args& args, Tail) {
  if (args.positional.empty())
    return in.Done(in.s.Tuple({}));
  V value = in.s.Resolve(args.positional[0]);
  TypeValue* type = in.s.TypeOf(value);
  if (type != nullptr && type->is("builtins:tuple"))
    return in.Done(value);
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(value, &items));
  return in.Done(in.s.Tuple(std::move(items)));
}

Outcome BuiltinDict(Interp& in, Args& args, Tail) {
  return Merge(in, in.s.Dict(), args, 0);
}

Outcome BuiltinOrderedDict(Interp& in, Args& args, Tail) {
  MappingValue* dict = in.s.Dict();
  dict->type = in.s.TypeOfSymbol("collections:OrderedDict");
  return Merge(in, dict, args, 0);
}

Outcome BuiltinSet(Interp& in, Args& args, Tail) {
  return MakeSet(in, args, "builtins:set");
}

Outcome BuiltinFrozenset(Interp& in, Args& args, Tail) {
  auto* given = args.positional.size() == 1 ? As<SetValue>(in.s.Resolve(args.positional[0])) : nullptr;
  if (given != nullptr && in.s.TypeOf(given)->is("builtins:frozenset"))
    return in.Done(given);
  return MakeSet(in, args, "builtins:frozenset");
}

Outcome BuiltinListAppend(Interp& in, Args& args, Tail) {
  if (LazyValue* unread = args.positional.size() != 2 ? nullptr : in.s.UnreadList(args.positional[0])) {
    in.s.Touch(unread);
    unread->added.emplace_back(args.positional[1], nullptr);
    in.s.AddEffect({.helper = Helper::kListAppend, .args = {unread, args.positional[1]}});
    return in.Done(in.s.None());
  }
  auto* list = Self<SequenceValue>(in, args);
  if (list == nullptr || args.positional.size() != 2)
    return WrongArguments(in, "list.append");
  in.s.Touch(list);
  list->items.push_back(args.positional[1]);
  return ListChanged(in, list, nullptr);
}

Outcome BuiltinListExtend(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  if (list == nullptr || args.positional.size() != 2)
    return WrongArguments(in, "list.extend");
  Values items;
  const Outcome given = in.ToValues(args.positional[1], &items);
  if (given.flow == Flow::kBreak)
    return given;
  const V raised = in.s.raised;
  in.s.Touch(list);
  list->items.insert(list->items.end(), items.begin(), items.end());  // those that came before an exception too
  FRAMEGATE_TAKE(V none, ListChanged(in, list, nullptr));
  in.s.raised = raised;
  return given.flow == Flow::kRaise ? given : in.Done(none);
}

Outcome BuiltinListIadd(Interp& in, Args& args, Tail tail) {
  V list = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  FRAMEGATE_TAKE([[maybe_unused]] V none, BuiltinListExtend(in, args, tail));
  return in.Done(list);
}

Outcome BuiltinListInsert(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  const Constant* at = args.positional.size() == 3 ? IntOf(in.s, args.positional[1]) : nullptr;
  if (list == nullptr || at == nullptr)
    return WrongArguments(in, "list.insert");
  int64_t length = static_cast<int64_t>(list->items.size()), place = IntValue(*at);
  place = place < 0 ? std::max<int64_t>(0, place + length) : std::min(place, length);
  if (list->maxlen.is_int() && length >= list->maxlen.integer)
    return in.Raise("builtins:IndexError", "deque already at its maximum size");
  in.s.Touch(list);
  list->items.insert(list->items.begin() + place, args.positional[2]);
  return ListChanged(in, list, nullptr);
}

Outcome BuiltinListPop(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  const Constant* at = args.positional.size() == 2 ? IntOf(in.s, args.positional[1]) : nullptr;
  if (list == nullptr || (at == nullptr && args.positional.size() != 1))
    return WrongArguments(in, "list.pop");
  int64_t length = static_cast<int64_t>(list->items.size()), place = at == nullptr ? -1 : IntValue(*at);
  if (length == 0)
    return in.Raise("builtins:IndexError", "pop from empty list");
  if (place < 0)
    place += length;
  if (place < 0 || place >= length)
    return in.Raise("builtins:IndexError", "pop index out of range");
  in.s.Touch(list);
  V value = list->items[static_cast<size_t>(place)];
  list->items.erase(list->items.begin() + place);
  return ListChanged(in, list, value);
}

Outcome BuiltinListClear(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  if (list == nullptr)
    return WrongArguments(in, "list.clear");
  in.s.Touch(list);
  list->items.clear();
  return ListChanged(in, list, nullptr);
}

Outcome BuiltinListReverse(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  if (list == nullptr)
    return WrongArguments(in, "list.reverse");
  in.s.Touch(list);
  std::reverse(list->items.begin(), list->items.end());
  return ListChanged(in, list, nullptr);
}

Outcome BuiltinListCopy(Interp& in, Args& args, Tail) {
  auto* list = Self<SequenceValue>(in, args);
  return list == nullptr ? WrongArguments(in, "list.copy") : in.Done(in.s.List(list->items));
}

Outcome BuiltinSequenceIndex(Interp& in, Args& args, Tail) {
  auto* sequence = Self<SequenceValue>(in, args);
  if (sequence == nullptr || args.positional.size() < 2 || args.positional.size() > 4)
    return WrongArguments(in, "index");
  int64_t bounds[2] = {0, static_cast<int64_t>(sequence->items.size())}, length = bounds[1];
  for (size_t at = 2; at < args.positional.size(); ++at) {
    const Constant* bound = IntOf(in.s, args.positional[at]);
    if (bound == nullptr)
      return WrongArguments(in, "index");
    int64_t place = IntValue(*bound);
    bounds[at - 2] = std::clamp<int64_t>(place < 0 ? place + length : place, 0, length);
  }
  for (size_t i = static_cast<size_t>(bounds[0]); i < std::min(sequence->items.size(), static_cast<size_t>(bounds[1])); ++i) {
    FRAMEGATE_TAKE(V equal, in.Equal(sequence->items[i], args.positional[1]));
    if (equal == in.s.Bool(true))
      return in.Done(in.s.Int(static_cast<int64_t>(i)));
  }
  if (in.s.TypeOf(sequence)->Has(model::TypeFlag::kTupleSubclass))
    return in.Raise("builtins:ValueError", "tuple.index(x): x not in tuple");
  FRAMEGATE_TAKE(V text, in.CallBuiltin("builtins:repr", {.positional = {args.positional[1]}}, kSync));
  const Constant* shown = ConstantOf(in.s, text, ConstantKind::kStr);
  const bool is_list = in.s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass);
  return in.Raise("builtins:ValueError", StrCat(shown == nullptr ? "?" : shown->text, is_list ? " is not in list" : " is not in deque"));
}

Outcome BuiltinSequenceCount(Interp& in, Args& args, Tail) {
  auto* sequence = Self<SequenceValue>(in, args);
  if (sequence == nullptr || args.positional.size() != 2)
    return WrongArguments(in, "count");
  int64_t count = 0;
  for (V item : Values(sequence->items)) {
    FRAMEGATE_TAKE(V equal, in.Equal(item, args.positional[1]));
    count += equal == in.s.Bool(true);
  }
  return in.Done(in.s.Int(count));
}

Outcome BuiltinDictGet(Interp& in, Args& args, Tail) {
  V self = args.positional.size() >= 2 ? in.s.Resolve(args.positional[0]) : nullptr;
  V fallback = args.positional.size() > 2 ? args.positional[2] : in.s.None(), value = nullptr;
  auto* view = As<ViewValue>(self);
  if (view != nullptr && view->form == ViewForm::kProxy)
    self = in.s.Resolve(view->target);
  if (view != nullptr && view->form == ViewForm::kTypeDict) {
    const Constant* name = ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
    value = name == nullptr ? nullptr : OwnAttr(in.s, As<TypeValue>(view->target), name->text);
  } else if (view != nullptr && view->form == ViewForm::kInstanceDict) {
    const Constant* name = ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
    value = name == nullptr ? nullptr : in.s.InstanceAttr(view->target, name->text);
  } else if (auto* mapping = As<MappingValue>(self)) {
    FRAMEGATE_TAKE(V own, KeyIn(in, mapping, args.positional[1]));
    value = in.s.MappingGet(mapping, own);
  } else {
    return WrongArguments(in, "dict.get");
  }
  return in.Done(value == nullptr ? fallback : value);
}

Outcome BuiltinDictKeys(Interp& in, Args& args, Tail) {
  return View(in, args, ViewForm::kKeys);
}

Outcome BuiltinDictValues(Interp& in, Args& args, Tail) {
  return View(in, args, ViewForm::kValues);
}

Outcome BuiltinDictItems(Interp& in, Args& args, Tail) {
  return View(in, args, ViewForm::kItems);
}

Outcome BuiltinDictPop(Interp& in, Args& args, Tail) {
  V self = args.positional.size() >= 2 ? in.s.Resolve(args.positional[0]) : nullptr;
  V value = nullptr;
  if (auto* view = As<ViewValue>(self); view != nullptr && view->form == ViewForm::kInstanceDict) {
    const Constant* name = ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
    value = name == nullptr ? nullptr : in.s.InstanceAttr(view->target, name->text);
    if (value != nullptr) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, RawSetItem(in, view, args.positional[1], nullptr));
    }
  } else if (auto* mapping = As<MappingValue>(self)) {
    FRAMEGATE_TAKE(V own, KeyIn(in, mapping, args.positional[1]));
    value = in.s.MappingGet(mapping, own);
    if (value != nullptr)
      in.s.MappingDelete(mapping, own);
  } else {
    return WrongArguments(in, "dict.pop");
  }
  if (value != nullptr)
    return in.Done(value);
  if (args.positional.size() > 2)
    return in.Done(args.positional[2]);
  in.Raise("builtins:KeyError", "");
  As<ObjectValue>(in.s.raised)->arguments = {args.positional[1]};
  return {Flow::kRaise, nullptr};
}

Outcome BuiltinDictSetDefault(Interp& in, Args& args, Tail) {
  auto* mapping = Self<MappingValue>(in, args);
  if (auto* view = Self<ViewValue>(in, args); view != nullptr && view->form == ViewForm::kInstanceDict && args.positional.size() >= 2) {
    const Constant* name = ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
    V kept = name == nullptr ? nullptr : in.s.InstanceAttr(view->target, name->text);
    if (kept != nullptr || name == nullptr)
      return kept != nullptr ? in.Done(kept) : WrongArguments(in, "dict.setdefault");
    V value = args.positional.size() > 2 ? args.positional[2] : in.s.None();
    FRAMEGATE_TAKE([[maybe_unused]] V none, RawSetItem(in, view, args.positional[1], value));
    return in.Done(value);
  }
  if (mapping == nullptr || args.positional.size() < 2)
    return WrongArguments(in, "dict.setdefault");
  FRAMEGATE_TAKE(V own, KeyIn(in, mapping, args.positional[1]));
  if (V value = in.s.MappingGet(mapping, own))
    return in.Done(value);
  V value = args.positional.size() > 2 ? args.positional[2] : in.s.None();
  in.s.MappingSet(mapping, own, value);
  return in.Done(value);
}

Outcome BuiltinDictUpdate(Interp& in, Args& args, Tail) {
  auto* mapping = Self<MappingValue>(in, args);
  auto* view = Self<ViewValue>(in, args);
  if (args.positional.size() > 2)
    return in.Raise("builtins:TypeError", StrCat("update expected at most 1 argument, got ", args.positional.size() - 1));
  if (view != nullptr && view->form == ViewForm::kInstanceDict) {
    MappingValue* given = in.s.Dict();
    FRAMEGATE_TAKE([[maybe_unused]] V all, Merge(in, given, args, 1));
    for (const auto& [key, value] : given->items) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetItem(view, key, value));
    }
    return in.Done(in.s.None());
  }
  if (mapping == nullptr)
    return WrongArguments(in, "dict.update");
  FRAMEGATE_TAKE([[maybe_unused]] V merged, Merge(in, mapping, args, 1));
  return in.Done(in.s.None());
}

Outcome BuiltinDictCopy(Interp& in, Args& args, Tail) {
  V self = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  Args one{.positional = {self}};
  if (auto* view = As<ViewValue>(self); IsDict(view)) {
    FRAMEGATE_TAKE(V items, View(in, args, ViewForm::kItems));
    one.positional = {items};
  } else if (view != nullptr && view->form == ViewForm::kProxy) {
    one.positional = {in.s.Resolve(view->target)};
  } else if (As<MappingValue>(self) == nullptr) {
    return WrongArguments(in, "dict.copy");
  }
  return Merge(in, in.s.Dict(), one, 0);
}

// copy() of OrderedDict and defaultdict: of their own type.
Outcome BuiltinTypedDictCopy(Interp& in, Args& args, Tail) {
  auto* self = Self<MappingValue>(in, args);
  TypeValue* type = self == nullptr ? nullptr : in.s.TypeOf(self);
  if (type == nullptr || !in.s.Complete(self) || !(type->is("collections:OrderedDict") || type->is("collections:defaultdict")))
    return WrongArguments(in, "copy");
  MappingValue* copy = in.s.Dict();
  copy->type = type;
  if (type->is("collections:defaultdict")) {
    FRAMEGATE_TAKE(V factory, in.GetAttr(self, "default_factory"));
    copy->default_factory = in.s.Resolve(factory) == in.s.None() ? nullptr : factory;
  }
  Args one{.positional = {self}};
  return Merge(in, copy, one, 0);
}

Outcome BuiltinDictClear(Interp& in, Args& args, Tail) {
  auto* mapping = Self<MappingValue>(in, args);
  if (mapping == nullptr || !in.s.Complete(mapping))
    return WrongArguments(in, "dict.clear");
  in.s.Touch(mapping);
  mapping->items.clear();
  mapping->index.clear();
  ++mapping->version;
  if (mapping->is_real())
    in.s.AddEffect({.helper = Helper::kDictClear, .args = {mapping}});
  return in.Done(in.s.None());
}

}  // namespace framegate::translator
