// Displays, comprehension steps, strings, unpacking.
#include "base/strings.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

std::string NameOfCallee(Interp& in, V callable) {
  callable = in.s.Resolve(callable);
  if (auto* method = As<MethodValue>(callable))
    callable = in.s.Resolve(method->function);
  auto* function = As<FunctionValue>(callable);
  if (function == nullptr)
    return "";
  const Constant* module = function->module == nullptr ? nullptr : AsConstant(in.s.Resolve(function->module));
  bool named = module != nullptr && module->is_str() && module->text != "builtins";
  return StrCat(named ? module->text : std::string(), named ? "." : "", function->qualname, "() ");
}

bool IsNotIterable(Interp& in, V value) {
  value = in.s.Resolve(value);
  if (value == nullptr || value->kind == ValueKind::kIterator || value->kind == ValueKind::kGenerator || value->kind == ValueKind::kView)
    return false;
  TypeValue* type = in.s.TypeOf(value);
  return type != nullptr && in.s.TypeAttr(type, "__iter__") == nullptr && in.s.TypeAttr(type, "__getitem__") == nullptr;
}

namespace {

Outcome PutInDict(Interp& in, MappingValue* dict, V key, V value) {
  FRAMEGATE_TAKE(V own, KeyIn(in, dict, key));
  in.s.MappingSet(dict, own, value);
  return Next();
}

}  // namespace

Outcome OpBuildTuple(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  return Replace(f, count, in.Done(in.s.Tuple(TopValues(f, count))));
}

Outcome OpBuildList(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  return Replace(f, count, in.Done(in.s.List(TopValues(f, count))));
}

Outcome OpBuildSet(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  auto* set = in.s.New<SetValue>();
  set->mutable_made = true;
  for (V item : TopValues(f, count)) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, AddToSet(in, set, item));
  }
  return Replace(f, count, in.Done(set));
}

Outcome OpBuildMap(Interp& in, Frame& f, const Instruction& i) {
  size_t count = 2 * static_cast<size_t>(i.arg);
  MappingValue* dict = in.s.Dict();
  Values cells = TopValues(f, count);
  for (size_t at = 0; at + 1 < cells.size(); at += 2) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, PutInDict(in, dict, cells[at], cells[at + 1]));
  }
  return Replace(f, count, in.Done(dict));
}

Outcome OpBuildConstKeyMap(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  auto* keys = As<SequenceValue>(in.s.Resolve(Cell(f, 1)));
  Values cells = TopValues(f, count + 1);
  MappingValue* dict = in.s.Dict();
  for (size_t at = 0; keys != nullptr && at < std::min(cells.size(), keys->items.size()); ++at)
    in.s.MappingSet(dict, keys->items[at], cells[at]);
  return Replace(f, count + 1, in.Done(dict));
}

Outcome OpBuildString(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  std::string text;
  for (V part : TopValues(f, count)) {
    const Constant* c = AsConstant(in.s.Resolve(part));
    if (c == nullptr || !c->is_str())
      return in.Break(Reason::kUnsupportedValue, "a string of unknown parts");
    text += c->text;
  }
  return Replace(f, count, in.Done(in.s.Str(std::move(text))));
}

namespace {

// What a display or comprehension fills that was begun before the unit, and nobody has read. No name leads to it, so nobody else reads it.
LazyValue* Unread(V container) {
  auto* lazy = As<LazyValue>(container);
  return lazy != nullptr && lazy->resolved == nullptr ? lazy : nullptr;
}

Outcome AddUnread(Interp& in, LazyValue* container, model::Helper helper, V key, V value) {
  const bool hashed = helper != model::Helper::kListAppend;
  if (hashed && in.s.HashKey(key).empty())
    return in.Break(Reason::kUnsupportedValue, "a key or element whose hash runs code");
  in.s.Touch(container);
  container->added.emplace_back(key, value);
  Effect effect{.helper = helper, .args = {container, key}};
  if (value != nullptr)
    effect.args.push_back(value);
  in.s.AddEffect(std::move(effect));
  return Next();
}

}  // namespace

Outcome OpListAppend(Interp& in, Frame& f, const Instruction& i) {
  V container = Cell(f, static_cast<size_t>(i.arg) + 1), item = Cell(f, 1);
  if (LazyValue* unread = Unread(container))
    return Consume(f, 1, AddUnread(in, unread, model::Helper::kListAppend, item, nullptr));
  auto* list = As<SequenceValue>(in.s.Resolve(container));
  if (list == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "LIST_APPEND to a list from elsewhere");
  in.s.Touch(list);
  list->items.push_back(item);
  if (list->is_real())
    in.s.AddEffect({.helper = model::Helper::kListAppend, .args = {list, item}});
  Pop(f, 1);
  return Next();
}

Outcome OpSetAdd(Interp& in, Frame& f, const Instruction& i) {
  V container = Cell(f, static_cast<size_t>(i.arg) + 1), item = Cell(f, 1);
  if (LazyValue* unread = Unread(container))
    return Consume(f, 1, AddUnread(in, unread, model::Helper::kSetAdd, item, nullptr));
  auto* set = As<SetValue>(in.s.Resolve(container));
  if (set == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "SET_ADD to a set from elsewhere");
  FRAMEGATE_TAKE([[maybe_unused]] V added, AddToSet(in, set, item));
  Pop(f, 1);
  return Next();
}

Outcome OpMapAdd(Interp& in, Frame& f, const Instruction& i) {
  V container = Cell(f, static_cast<size_t>(i.arg) + 2);
  if (LazyValue* unread = Unread(container))
    return Consume(f, 2, AddUnread(in, unread, model::Helper::kDictSet, Cell(f, 2), Cell(f, 1)));
  auto* dict = As<MappingValue>(in.s.Resolve(container));
  if (dict == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "MAP_ADD to a dict from elsewhere");
  return Consume(f, 2, PutInDict(in, dict, Cell(f, 2), Cell(f, 1)));
}

Outcome OpListExtend(Interp& in, Frame& f, const Instruction& i) {
  V container = Cell(f, static_cast<size_t>(i.arg) + 1);
  LazyValue* unread = Unread(container);
  Values items;
  V source = in.s.Look(Cell(f, 1));
  const auto [given, can_wait] = TryWhole(in, source, [&] { return in.ToValues(Cell(f, 1), &items); });
  if (can_wait)
    return Consume(f, 1,
                   in.Call(in.s.Symbol("framegate._polyfills_consumers:list_extend"), {.positional = {container, source}},
                           {true, model::Resume::kDiscard}));
  if (given.flow == Flow::kRaise && IsNotIterable(in, Cell(f, 1)))
    return in.Raise("builtins:TypeError", StrCat("Value after * must be an iterable, not ", TypeName(in.s.TypeOf(Cell(f, 1)))));
  if (!given.ok())
    return given;
  if (unread != nullptr) {
    for (V item : items)
      AddUnread(in, unread, model::Helper::kListAppend, item, nullptr);
    Pop(f, 1);
    return Next();
  }
  auto* list = As<SequenceValue>(in.s.Resolve(container));
  if (list == nullptr || list->is_real())
    return in.Break(Reason::kUnsupportedMutation, "LIST_EXTEND of a list from elsewhere");
  in.s.Touch(list);
  list->items.insert(list->items.end(), items.begin(), items.end());
  Pop(f, 1);
  return Next();
}

Outcome OpSetUpdate(Interp& in, Frame& f, const Instruction& i) {
  auto* set = As<SetValue>(in.s.Resolve(Cell(f, static_cast<size_t>(i.arg) + 1)));
  if (set == nullptr || set->is_real())
    return in.Break(Reason::kUnsupportedMutation, "SET_UPDATE of a set from elsewhere");
  V source = in.s.Look(Cell(f, 1));
  const auto [merged, can_wait] = TryWhole(in, source, [&] { return MergeIntoSet(in, set, source); });
  if (!can_wait)
    return Consume(f, 1, merged);
  return Consume(f, 1,
                 in.Call(in.s.Symbol("framegate._polyfills:set_update"), {.positional = {set, source}}, {true, model::Resume::kDiscard}));
}

namespace {

// DICT_UPDATE and DICT_MERGE. `merge` refuses repeated keys, as keyword arguments do.
Outcome UpdateDict(Interp& in, Frame& f, const Instruction& i, bool merge) {
  auto* dict = As<MappingValue>(in.s.Resolve(Cell(f, static_cast<size_t>(i.arg) + 1)));
  if (dict == nullptr || dict->is_real())
    return in.Break(Reason::kUnsupportedMutation, "** into a dict from elsewhere");
  std::string callee;
  if (merge) {
    callee = NameOfCallee(in, Cell(f, static_cast<size_t>(i.arg) + (in.s.Is313() ? 4 : 3)));
  }
  std::vector<std::pair<V, V>> items;
  V source = in.s.Resolve(Cell(f, 1));
  if (auto* from = As<MappingValue>(source); from != nullptr && in.s.TypeOf(from)->is("builtins:dict")) {
    if (!in.s.Complete(from))
      return in.Break(Reason::kUnsupportedValue, "** of a dict whose keys cannot be known");
    items = from->items;
  } else {
    Outcome keys = in.GetAttr(source, "keys");
    if (keys.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError"))
      return in.Raise("builtins:TypeError", merge
                                                ? StrCat(callee, "argument after ** must be a mapping, not ", TypeName(in.s.TypeOf(source)))
                                                : StrCat("'", FullTypeName(in.s.TypeOf(source)), "' object is not a mapping"));
    if (!keys.ok())
      return keys;
    FRAMEGATE_TAKE(V given, in.Call(keys.value, {}));
    Values names;
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(given, &names));
    for (V name : names) {
      FRAMEGATE_TAKE(V value, in.GetItem(source, name));
      items.emplace_back(name, value);
    }
  }
  for (const auto& [key, value] : items) {
    FRAMEGATE_TAKE(V own, KeyIn(in, dict, key));
    const Constant* name = ConstantOf(in.s, key, ConstantKind::kStr);
    if (merge && name == nullptr)
      return in.Raise("builtins:TypeError", "keywords must be strings");
    if (merge && in.s.MappingGet(dict, own) != nullptr)
      return in.Raise("builtins:TypeError", StrCat(callee, "got multiple values for keyword argument '", name->text, "'"));
    in.s.MappingSet(dict, own, value);
  }
  Pop(f, 1);
  return Next();
}

}  // namespace

Outcome OpDictUpdate(Interp& in, Frame& f, const Instruction& i) {
  return UpdateDict(in, f, i, false);
}

Outcome OpDictMerge(Interp& in, Frame& f, const Instruction& i) {
  return UpdateDict(in, f, i, true);
}

Outcome OpListToTuple(Interp& in, Frame& f, const Instruction&) {
  auto* list = As<SequenceValue>(in.s.Resolve(Cell(f, 1)));
  if (list == nullptr)
    return in.Break(Reason::kUnsupportedValue, "LIST_TO_TUPLE");
  return Replace(f, 1, in.Done(in.s.Tuple(list->items)));
}

namespace {

constexpr const char* kConversions[] = {"", "builtins:str", "builtins:repr", "builtins:ascii"};

}  // namespace

Outcome OpFormatValue(Interp& in, Frame& f, const Instruction& i) {
  size_t cells = i.arg2 == 1 ? 2 : 1;
  V value = Cell(f, cells);
  if (i.arg != 0) {
    FRAMEGATE_TAKE(value, in.CallBuiltin(kConversions[i.arg], {.positional = {value}}, kSync));
  }
  const Constant* text = AsConstant(in.s.Resolve(value));
  if (i.arg2 == 0 && text != nullptr && text->is_str())
    return Replace(f, cells, in.Done(value));
  V spec = i.arg2 == 1 ? Cell(f, 1) : in.s.Str("");
  return Replace(f, cells, in.CallBuiltin("builtins:format", {.positional = {value, spec}}, kSync));
}

Outcome OpConvertValue(Interp& in, Frame& f, const Instruction& i) {
  return Replace(f, 1, in.CallBuiltin(kConversions[i.arg], {.positional = {Cell(f, 1)}}, kSync));
}

namespace {

Outcome WrongCount(Interp& in, size_t got, size_t want) {
  if (got < want)
    return in.Raise("builtins:ValueError", StrCat("not enough values to unpack (expected ", want, ", got ", got, ")"));
  return in.Raise("builtins:ValueError", StrCat("too many values to unpack (expected ", want, ")"));
}

Outcome ItemsToUnpack(Interp& in, Frame& f, int64_t most, Values* items) {
  V value = in.s.Resolve(Cell(f, 1));
  TypeValue* type = in.s.TypeOf(value);
  if (As<TensorValue>(value) == nullptr && type != nullptr && !type->Has(model::TypeFlag::kIterable) &&
      in.s.TypeAttr(type, "__getitem__") == nullptr && in.s.TypeAttr(type, "__iter__") == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("cannot unpack non-iterable ", type->symbol.substr(type->symbol.rfind(':') + 1), " object"));
  return TakeItems(in, f, most, items);
}

// As unpacking takes them: no more of an iterator than are needed to know that there are too many.
Outcome FirstItems(Interp& in, V value, size_t most, Values* items) {
  if (As<SequenceValue>(in.s.Resolve(value)) != nullptr)
    return in.ToValues(value, items);
  FRAMEGATE_TAKE(V iterator, in.Iter(value));
  while (items->size() < most) {
    FRAMEGATE_TAKE(V item, in.Next(iterator));
    if (item == nullptr)
      break;
    items->push_back(item);
  }
  return in.Done(nullptr);
}

}  // namespace

Outcome TakeItems(Interp& in, Frame& f, int64_t most, Values* items) {
  V operand = in.s.Look(Cell(f, 1));
  const auto [taken, can_wait] = TryWhole(in, operand, [&] {
    return most == kAllItems ? in.ToValues(operand, items) : FirstItems(in, operand, static_cast<size_t>(most), items);
  });
  if (!can_wait)
    return taken;
  Refusal why = in.s.refusal;
  const Outcome started = in.Call(in.s.Symbol("framegate._polyfills_consumers:first_of"), {.positional = {operand, in.s.Int(most)}},
                                  {true, model::Resume::kOperand});
  if (started.flow == Flow::kFrame)
    return Consume(f, 1, started);
  in.s.refusal = std::move(why);
  return taken;
}

Outcome OpUnpackSequence(Interp& in, Frame& f, const Instruction& i) {
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, ItemsToUnpack(in, f, i.arg + 1, &items));
  if (items.size() != static_cast<size_t>(i.arg))
    return WrongCount(in, items.size(), static_cast<size_t>(i.arg));
  Pop(f, 1);
  f.stack.insert(f.stack.end(), items.rbegin(), items.rend());
  return Next();
}

Outcome OpUnpackEx(Interp& in, Frame& f, const Instruction& i) {
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, ItemsToUnpack(in, f, kAllItems, &items));
  size_t before = static_cast<size_t>(i.arg), after = static_cast<size_t>(i.arg2);
  if (items.size() < before + after)
    return in.Raise("builtins:ValueError",
                    StrCat("not enough values to unpack (expected at least ", before + after, ", got ", items.size(), ")"));
  Values rest(items.begin() + static_cast<ptrdiff_t>(before), items.end() - static_cast<ptrdiff_t>(after));
  V list = in.s.List(std::move(rest));
  Pop(f, 1);
  for (size_t at = 0; at < after; ++at)
    f.stack.push_back(items[items.size() - 1 - at]);
  f.stack.push_back(list);
  for (size_t at = before; at-- > 0;)
    f.stack.push_back(items[at]);
  return Next();
}

}  // namespace framegate::translator
