// Subscription and length.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

struct Range {
  int64_t start, step, count;
};

// One part of a slice: an int, None, or what __index__ makes an int.
Outcome SlicePart(Interp& in, V value, bool* none, int64_t* number) {
  const Constant* c = AsConstant(in.s.Resolve(value));
  *none = c != nullptr && c->is_none();
  if (*none)
    return in.Done(nullptr);
  if (c != nullptr && c->kind == ConstantKind::kBigInt) {
    *number = c->text.starts_with('-') ? INT64_MIN / 2 : INT64_MAX / 2;
    return in.Done(nullptr);
  }
  V index = value;
  if (IntOf(in.s, value) == nullptr) {
    if (As<TensorValue>(in.s.Resolve(value)) != nullptr)
      return in.Break(Reason::kTensorValue, "a slice by a tensor");
    FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__index__"));
    if (method == nullptr)
      return in.Raise("builtins:TypeError", "slice indices must be integers or None or have an __index__ method");
    FRAMEGATE_TAKE(index, in.Call(method, {}));
  }
  const Constant* known = IntOf(in.s, index);
  if (known == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a slice of parts that are no ints");
  *number = std::clamp(IntValue(*known), INT64_MIN / 2, INT64_MAX / 2);
  return in.Done(nullptr);
}

// CPython's PySlice_AdjustIndices.
Outcome SliceRange(Interp& in, SliceValue* slice, int64_t length, Range* range) {
  bool no_start, no_stop, no_step;
  int64_t start = 0, stop = 0, step = 1;
  FRAMEGATE_TAKE([[maybe_unused]] V by, SlicePart(in, slice->step, &no_step, &step));
  FRAMEGATE_TAKE([[maybe_unused]] V from, SlicePart(in, slice->start, &no_start, &start));
  FRAMEGATE_TAKE([[maybe_unused]] V to, SlicePart(in, slice->stop, &no_stop, &stop));
  if (no_step)
    step = 1;
  if (step == 0)
    return in.Raise("builtins:ValueError", "slice step cannot be zero");
  auto clip = [&](int64_t at) {
    if (at < 0)
      at = std::max<int64_t>(at + length, step < 0 ? -1 : 0);
    return std::min(at, step < 0 ? length - 1 : length);
  };
  start = no_start ? (step < 0 ? length - 1 : 0) : clip(start);
  stop = no_stop ? (step < 0 ? -1 : length) : clip(stop);
  int64_t count = step < 0 ? (stop < start ? (start - stop - 1) / -step + 1 : 0) : (start < stop ? (stop - start - 1) / step + 1 : 0);
  *range = {start, step, count};
  return in.Done(nullptr);
}

// A slice that came as a constant, with its parts as values.
V OpenSlice(Session& s, V key) {
  const Constant* c = AsConstant(key);
  if (c == nullptr || c->kind != ConstantKind::kSlice || c->items.size() != 3)
    return key;
  auto* slice = s.New<SliceValue>();
  slice->start = s.Const(c->items[0]);
  slice->stop = s.Const(c->items[1]);
  slice->step = s.Const(c->items[2]);
  return slice;
}

Outcome SequenceItem(Interp& in, SequenceValue* sequence, V key) {
  Session& s = in.s;
  key = OpenSlice(s, key);
  TypeValue* type = s.TypeOf(sequence);
  int64_t length = static_cast<int64_t>(sequence->items.size());
  bool is_deque = !type->Has(TypeFlag::kListSubclass) && !type->Has(TypeFlag::kTupleSubclass);
  if (auto* slice = As<SliceValue>(key); slice != nullptr && !is_deque) {
    Range range{};
    FRAMEGATE_TAKE([[maybe_unused]] V fits, SliceRange(in, slice, length, &range));
    Values items;
    for (int64_t i = 0; i < range.count; ++i)
      items.push_back(sequence->items[static_cast<size_t>(range.start + i * range.step)]);
    if (type->Has(TypeFlag::kListSubclass))
      return in.Done(s.List(std::move(items)));
    if (range.count == length && range.step == 1 && type->is("builtins:tuple"))
      return in.Done(sequence);
    SequenceValue* tuple = s.Tuple(std::move(items));
    if (type->is("torch:Size"))
      tuple->type = type;
    return in.Done(tuple);
  }
  const Constant* index = IntOf(s, key);
  const char* kind = type->Has(TypeFlag::kListSubclass) ? "list" : is_deque ? "deque" : "tuple";
  if (index == nullptr) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(key, "__index__"));
    if (method != nullptr && As<TensorValue>(key) == nullptr) {
      FRAMEGATE_TAKE(V number, in.Call(method, {}));
      if (IntOf(s, number) != nullptr)
        return SequenceItem(in, sequence, s.Resolve(number));
    }
    if (method != nullptr)
      return in.Break(Reason::kTensorValue, "an index that is a tensor");
    return is_deque ? in.Raise("builtins:TypeError", StrCat("sequence index must be integer, not '", TypeName(s.TypeOf(key)), "'"))
                    : in.Raise("builtins:TypeError", StrCat(kind, " indices must be integers or slices, not ", TypeName(s.TypeOf(key))));
  }
  int64_t at = IntValue(*index);
  if (at < 0)
    at += length;
  if (at < 0 || at >= length)
    return in.Raise("builtins:IndexError", StrCat(kind, " index out of range"));
  return in.Done(sequence->items[static_cast<size_t>(at)]);
}

Outcome KeyError(Interp& in, V key) {
  in.Raise("builtins:KeyError", "");
  As<ObjectValue>(in.s.raised)->arguments = {key};
  return {Flow::kRaise, nullptr};
}

Outcome MappingItem(Interp& in, MappingValue* mapping, V key) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V own, KeyIn(in, mapping, key));
  if (V value = s.MappingGet(mapping, own))
    return in.Done(value);
  TypeValue* type = s.TypeOf(mapping);
  if (!type->is("builtins:dict")) {
    V missing = s.TypeAttr(type, "__missing__");
    if (missing != nullptr) {
      FRAMEGATE_TAKE(V method, in.LookupSpecial(mapping, "__missing__"));
      return in.Call(method, {.positional = {key}});
    }
  }
  return KeyError(in, key);
}

// What an object's __index__ gives; other values as they are.
Outcome AsIndex(Interp& in, V value) {
  if (As<ObjectValue>(in.s.Resolve(value)) == nullptr)
    return in.Done(value);
  if (V payload = in.s.Payload(value))
    return in.Done(payload);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__index__"));
  return method == nullptr ? in.Done(value) : in.Call(method, {});
}

Outcome ConstantItem(Interp& in, V container, V key) {
  Session& s = in.s;
  Constant unused;
  if (const Constant* c = AsConstant(container); c != nullptr && (c->kind == ConstantKind::kTuple || c->kind == ConstantKind::kSize)) {
    Values items;
    for (const Constant& item : c->items)
      items.push_back(s.Const(item));
    SequenceValue* tuple = s.Tuple(std::move(items));
    tuple->type = s.TypeOf(container);
    return SequenceItem(in, tuple, key);
  }
  if (auto* slice = As<SliceValue>(key)) {
    auto* known = s.New<SliceValue>();
    FRAMEGATE_TAKE(known->start, AsIndex(in, slice->start));
    FRAMEGATE_TAKE(known->stop, AsIndex(in, slice->stop));
    FRAMEGATE_TAKE(known->step, AsIndex(in, slice->step));
    if (!ToConstant(s, known, &unused))
      return in.Break(Reason::kUnsupportedValue, "a slice of unknown parts");
    key = known;
  } else {
    FRAMEGATE_TAKE(key, AsIndex(in, key));
  }
  return in.Fold("_operator:getitem", {.positional = {container, key}});
}

}  // namespace

Outcome RawGetItem(Interp& in, V container, V key) {
  if (auto* sequence = As<SequenceValue>(container))
    return SequenceItem(in, sequence, key);
  if (auto* mapping = As<MappingValue>(container))
    return MappingItem(in, mapping, key);
  return in.GetItem(container, key);
}

Outcome Interp::GetItem(V container, V key, Tail tail) {
  container = s.Resolve(container);
  key = As<TensorValue>(container) != nullptr ? s.Look(key) : s.Resolve(key);
  if (container == nullptr || key == nullptr)
    return Break(Reason::kUnsupportedValue, "a subscript of NULL");
  if (As<TensorValue>(container) != nullptr)
    return GraphCall(model::NodeOp::kCallFunction, "_operator:getitem", {.positional = {container, key}});
  if (AsConstant(container) != nullptr)
    return ConstantItem(*this, container, key);
  if (container->kind == ValueKind::kResidual)
    return Break(Reason::kUnsupportedValue, "a subscript of a value known only at run time");
  TypeValue* type = s.TypeOf(container);
  if (auto* view = As<ViewValue>(container)) {
    if (view->form == ViewForm::kProxy)
      return GetItem(view->target, key, tail);
    if (view->form == ViewForm::kTypeDict) {
      const Constant* own = ConstantOf(s, key, ConstantKind::kStr);
      V found = own == nullptr ? nullptr : OwnAttr(s, As<TypeValue>(view->target), own->text);
      return found != nullptr ? Done(found) : KeyError(*this, key);
    }
    if (view->form != ViewForm::kInstanceDict)
      return Raise("builtins:TypeError", StrCat("'",
                                                view->form == ViewForm::kKeys     ? "dict_keys"
                                                : view->form == ViewForm::kValues ? "dict_values"
                                                                                  : "dict_items",
                                                "' object is not subscriptable"));
    const Constant* name = ConstantOf(s, key, ConstantKind::kStr);
    V value = view->form != ViewForm::kInstanceDict || name == nullptr ? nullptr : s.InstanceAttr(view->target, name->text);
    return value != nullptr ? Done(value) : KeyError(*this, key);
  }
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "a subscript");
  if (auto* cls = As<TypeValue>(container)) {
    TypeValue* metatype = s.TypeOf(cls);
    if (metatype != nullptr && !metatype->is("builtins:type") && s.TypeAttr(metatype, "__getitem__") != nullptr) {
      FRAMEGATE_TAKE(V own, LookupSpecial(cls, "__getitem__"));
      return Call(own, {.positional = {key}}, tail);
    }
    FRAMEGATE_TAKE(V method, GetAttr(cls, "__class_getitem__"));
    return Call(method, {.positional = {key}}, tail);
  }
  V own = type->Has(TypeFlag::kHeapType) ? s.TypeAttr(type, "__getitem__") : nullptr;
  bool is_python = As<FunctionValue>(s.Resolve(own)) != nullptr;
  if (!is_python) {
    if (auto* sequence = As<SequenceValue>(container))
      return SequenceItem(*this, sequence, key);
    if (auto* mapping = As<MappingValue>(container))
      return MappingItem(*this, mapping, key);
  }
  FRAMEGATE_TAKE(V method, LookupSpecial(container, "__getitem__"));
  if (method == nullptr)
    return Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not subscriptable"));
  return Call(method, {.positional = {key}}, tail);
}

namespace {

Outcome AssignList(Interp& in, SequenceValue* list, V key, V value) {
  Session& s = in.s;
  key = OpenSlice(s, key);
  int64_t length = static_cast<int64_t>(list->items.size());
  auto changed = [&] {
    SequenceChanged(s, list);
    return in.Done(s.None());
  };
  if (auto* slice = As<SliceValue>(key)) {
    Range range{};
    FRAMEGATE_TAKE([[maybe_unused]] V fits, SliceRange(in, slice, length, &range));
    Values items;
    if (value != nullptr) {
      Outcome given = in.ToValues(value, &items);
      if (given.flow == Flow::kRaise && s.TypeAttr(s.TypeOf(value), "__iter__") == nullptr)
        return in.Raise("builtins:TypeError", range.step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
      if (!given.ok())
        return given;
    }
    if (range.step != 1 && value != nullptr && static_cast<int64_t>(items.size()) != range.count)
      return in.Raise("builtins:ValueError",
                      StrCat("attempt to assign sequence of size ", items.size(), " to extended slice of size ", range.count));
    s.Touch(list);
    if (range.step == 1) {
      auto first = list->items.begin() + range.start;
      list->items.erase(first, first + range.count);
      list->items.insert(list->items.begin() + range.start, items.begin(), items.end());
      return changed();
    }
    std::vector<bool> gone(list->items.size());
    for (int64_t i = 0; i < range.count; ++i) {
      size_t at = static_cast<size_t>(range.start + i * range.step);
      if (value != nullptr)
        list->items[at] = items[static_cast<size_t>(i)];
      gone[at] = value == nullptr;
    }
    Values kept;
    for (size_t i = 0; i < gone.size(); ++i)
      if (!gone[i])
        kept.push_back(list->items[i]);
    list->items = std::move(kept);
    return changed();
  }
  const Constant* index = IntOf(s, key);
  bool is_deque = !s.TypeOf(list)->Has(TypeFlag::kListSubclass);
  if (index == nullptr) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(key, "__index__"));
    if (method != nullptr && As<TensorValue>(s.Resolve(key)) != nullptr)
      return in.Break(Reason::kTensorValue, "an index that is a tensor");
    if (method != nullptr) {
      FRAMEGATE_TAKE(V number, in.Call(method, {}));
      index = IntOf(s, number);
    }
  }
  if (index == nullptr)
    return in.Raise("builtins:TypeError", StrCat("list indices must be integers or slices, not ", TypeName(s.TypeOf(key))));
  int64_t at = IntValue(*index);
  if (at < 0)
    at += length;
  if (at < 0 || at >= length)
    return in.Raise("builtins:IndexError", is_deque ? "deque index out of range" : "list assignment index out of range");
  s.Touch(list);
  if (value == nullptr)
    list->items.erase(list->items.begin() + at);
  else
    list->items[static_cast<size_t>(at)] = value;
  return changed();
}

}  // namespace

namespace {

// What has sq_ slots, whose errors are worded otherwise.
bool IsConstantSequence(Session& s, V value) {
  TypeValue* type = s.TypeOf(value);
  for (const char* name : {"builtins:tuple", "builtins:str", "builtins:bytes", "builtins:range"})
    if (s.IsSubclass(type, name))
      return true;
  return false;
}

}  // namespace

void SequenceChanged(Session& s, SequenceValue* sequence) {
  if (!sequence->is_real())
    return;
  bool is_list = s.TypeOf(sequence)->Has(TypeFlag::kListSubclass);
  s.AddEffect({.helper = is_list ? model::Helper::kListAssign : model::Helper::kDequeAssign, .args = {sequence, s.Tuple(sequence->items)}});
}

namespace {

bool IsInstanceDict(V container) {
  auto* view = As<ViewValue>(container);
  return view != nullptr && view->form == ViewForm::kInstanceDict;
}

Outcome SetInInstanceDict(Interp& in, ViewValue* view, V key, V value) {
  const Constant* name = ConstantOf(in.s, key, ConstantKind::kStr);
  if (name == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "an instance dict's key that is no str");
  V meta = in.s.TypeAttr(in.s.TypeOf(view->target), name->text);
  if (TypeValue* kind = meta == nullptr ? nullptr : in.s.TypeOf(meta); kind != nullptr && kind->is("builtins:member_descriptor"))
    return in.Break(Reason::kUnsupportedMutation, "an instance dict's key that is a slot's name");
  if (value == nullptr && in.s.InstanceAttr(view->target, name->text) == nullptr)
    return KeyError(in, key);
  in.s.SetInstanceAttr(view->target, name->text, value);
  return in.Done(in.s.None());
}

}  // namespace

Outcome RawSetItem(Interp& in, V container, V key, V value) {
  if (IsInstanceDict(container))
    return SetInInstanceDict(in, As<ViewValue>(container), key, value);
  if (auto* list = As<SequenceValue>(container); list != nullptr && !in.s.TypeOf(list)->Has(TypeFlag::kTupleSubclass))
    return AssignList(in, list, key, value);
  auto* mapping = As<MappingValue>(container);
  if (mapping == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "a subscript");
  FRAMEGATE_TAKE(V own, KeyIn(in, mapping, key));
  if (value != nullptr)
    in.s.MappingSet(mapping, own, value);
  else if (!in.s.MappingDelete(mapping, own))
    return KeyError(in, key);
  return in.Done(in.s.None());
}

Outcome Interp::SetItem(V container, V key, V value, Tail tail) {
  container = s.Resolve(container);
  key = As<TensorValue>(container) != nullptr ? s.Look(key) : s.Resolve(key);
  if (As<TensorValue>(container) != nullptr && value != nullptr)
    return GraphCall(model::NodeOp::kCallFunction, "_operator:setitem", {.positional = {container, key, value}});
  TypeValue* type = s.TypeOf(container);
  if (type == nullptr)
    return Break(Reason::kUnsupportedMutation, "a subscript");
  if (IsInstanceDict(container))
    return RawSetItem(*this, container, key, value);
  const char* special = value == nullptr ? "__delitem__" : "__setitem__";
  bool is_python = type->Has(TypeFlag::kHeapType) && As<FunctionValue>(s.Resolve(s.TypeAttr(type, special))) != nullptr;
  if (!is_python &&
      ((As<SequenceValue>(container) != nullptr && !type->Has(TypeFlag::kTupleSubclass)) || As<MappingValue>(container) != nullptr))
    return RawSetItem(*this, container, key, value);
  FRAMEGATE_TAKE(V method, LookupSpecial(container, special));
  if (method == nullptr)
    return Raise("builtins:TypeError",
                 StrCat("'", TypeName(type), "' object does", value == nullptr && IsConstantSequence(s, container) ? "n't" : " not",
                        " support item ", value == nullptr ? "deletion" : "assignment"));
  Args args{.positional = {key}};
  if (value != nullptr)
    args.positional.push_back(value);
  return Call(method, std::move(args), tail);
}

Outcome Interp::Length(V value) {
  value = s.Resolve(value);
  if (const Constant* c = AsConstant(value)) {
    if (c->kind == ConstantKind::kBytes)
      return Done(s.Int(static_cast<int64_t>(c->text.size())));
    if (c->kind == ConstantKind::kTuple || c->kind == ConstantKind::kSize)
      return Done(s.Int(static_cast<int64_t>(c->items.size())));
    if (c->kind == ConstantKind::kStr) {
      int64_t points = 0;
      for (unsigned char byte : c->text)
        points += (byte & 0xc0) != 0x80;
      return Done(s.Int(points));
    }
    if (c->kind == ConstantKind::kRange &&
        !std::all_of(c->items.begin(), c->items.end(), [](const Constant& part) { return part.is_int(); }))
      return Fold("builtins:len", {.positional = {value}});
    if (c->kind == ConstantKind::kRange) {
      int64_t start = c->items[0].integer, stop = c->items[1].integer, step = c->items[2].integer;
      int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0) : (start > stop ? (start - stop - 1) / -step + 1 : 0);
      return Done(s.Int(count));
    }
    return Raise("builtins:TypeError", StrCat("object of type '", FullTypeName(s.TypeOf(value)), "' has no len()"));
  }
  if (As<ResidualValue>(value) != nullptr)
    return Break(Reason::kUnsupportedValue, "the length of a value known only at run time");
  TypeValue* type = s.TypeOf(value);
  bool is_python =
      type != nullptr && type->Has(TypeFlag::kHeapType) && As<FunctionValue>(s.Resolve(s.TypeAttr(type, "__len__"))) != nullptr;
  if (auto* tensor = As<TensorValue>(value)) {
    const model::TensorFacts* facts = s.FactsOf(tensor);
    if (facts == nullptr)
      return Break(Reason::kUnsupportedTensor, "len() of a tensor whose shape is not known");
    if (facts->sizes.empty())
      return Raise("builtins:TypeError", "len() of a 0-d tensor");
    return Done(s.Number(SizesOf(*facts)[0]));
  }
  if (!is_python && (As<SequenceValue>(value) != nullptr || As<MappingValue>(value) != nullptr || As<SetValue>(value) != nullptr ||
                     As<ViewValue>(value) != nullptr))
    return RawLength(*this, value);
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "len()");
  FRAMEGATE_TAKE(V method, LookupSpecial(value, "__len__"));
  if (method == nullptr)
    return Raise("builtins:TypeError", StrCat("object of type '", FullTypeName(type), "' has no len()"));
  FRAMEGATE_TAKE(V length, Call(method, {}));
  length = s.Resolve(length);
  const Constant* known = IntOf(s, length);
  if (known == nullptr && AsConstant(length) != nullptr)
    return Raise("builtins:TypeError", StrCat("'", TypeName(s.TypeOf(length)), "' object cannot be interpreted as an integer"));
  if (known != nullptr && IntValue(*known) < 0)
    return Raise("builtins:ValueError", "__len__() should return >= 0");
  return Done(known != nullptr ? s.Int(IntValue(*known)) : length);
}

Outcome RawLength(Interp& in, V value) {
  Session& s = in.s;
  if (auto* sequence = As<SequenceValue>(value))
    return in.Done(s.Int(static_cast<int64_t>(sequence->items.size())));
  if (auto* view = As<ViewValue>(value)) {
    if (view->form != ViewForm::kInstanceDict && view->form != ViewForm::kTypeDict)
      return in.Length(view->target);
    std::vector<std::string> names;
    FRAMEGATE_TAKE([[maybe_unused]] V none, NamesShown(in, view, &names));
    return in.Done(s.Int(static_cast<int64_t>(names.size())));
  }
  if (auto* mapping = As<MappingValue>(value)) {
    if (!mapping->complete && mapping->items.empty())
      return in.Done(s.Int(static_cast<int64_t>(s.ReadFact(mapping, model::Fact::kLength).word)));
    if (!s.Complete(mapping))
      return in.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
    return in.Done(s.Int(static_cast<int64_t>(mapping->items.size())));
  }
  if (auto* set = As<SetValue>(value))
    return in.Done(s.Int(static_cast<int64_t>(set->items.size())));
  return in.Length(value);
}

}  // namespace framegate::translator
