// Subscription and length.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

struct Range {
  int64_t start, step, count;
};

// CPython's PySlice_AdjustIndices. False: a part is no int (or None).
bool SliceRange(Session& s, SliceValue* slice, int64_t length, Range* range) {
  auto part = [&](V value, bool* none, int64_t* number) {
    const Constant* c = AsConstant(s.Resolve(value));
    *none = c != nullptr && c->is_none();
    if (c != nullptr && (c->is_int() || c->is_bool()))
      *number = IntValue(*c);
    return c != nullptr && (c->is_none() || c->is_int() || c->is_bool());
  };
  bool no_start, no_stop, no_step;
  int64_t start = 0, stop = 0, step = 1;
  if (!part(slice->start, &no_start, &start) || !part(slice->stop, &no_stop, &stop) || !part(slice->step, &no_step, &step))
    return false;
  if (no_step)
    step = 1;
  if (step == 0)
    return false;
  auto clip = [&](int64_t at) {
    if (at < 0)
      at = std::max<int64_t>(at + length, step < 0 ? -1 : 0);
    return std::min(at, step < 0 ? length - 1 : length);
  };
  start = no_start ? (step < 0 ? length - 1 : 0) : clip(start);
  stop = no_stop ? (step < 0 ? -1 : length) : clip(stop);
  int64_t count = step < 0 ? (stop < start ? (start - stop - 1) / -step + 1 : 0) : (start < stop ? (stop - start - 1) / step + 1 : 0);
  *range = {start, step, count};
  return true;
}

Outcome SequenceItem(Interp& in, SequenceValue* sequence, V key) {
  Session& s = in.s;
  TypeValue* type = s.TypeOf(sequence);
  int64_t length = static_cast<int64_t>(sequence->items.size());
  if (auto* slice = As<SliceValue>(key)) {
    Range range{};
    if (!SliceRange(s, slice, length, &range))
      return in.Break(Reason::kUnsupportedValue, "a slice of parts that are no ints");
    Values items;
    for (int64_t i = 0; i < range.count; ++i)
      items.push_back(sequence->items[static_cast<size_t>(range.start + i * range.step)]);
    if (type->Has(TypeFlag::kListSubclass))
      return in.Done(s.List(std::move(items)));
    SequenceValue* tuple = s.Tuple(std::move(items));
    if (type->is("torch:Size"))
      tuple->type = type;
    return in.Done(tuple);
  }
  const Constant* index = IntOf(s, key);
  const char* kind = type->Has(TypeFlag::kListSubclass) ? "list" : type->Has(TypeFlag::kTupleSubclass) ? "tuple" : "deque";
  if (index == nullptr) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(key, "__index__"));
    if (method != nullptr && As<TensorValue>(key) == nullptr) {
      FRAMEGATE_TAKE(V number, in.Call(method, {}));
      if (IntOf(s, number) != nullptr)
        return SequenceItem(in, sequence, s.Resolve(number));
    }
    if (method != nullptr)
      return in.Break(Reason::kTensorValue, "an index that is a tensor");
    return in.Raise("builtins:TypeError", StrCat(kind, " indices must be integers or slices, not ", TypeName(s.TypeOf(key))));
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
  if (s.HashKey(key).empty()) {
    TypeValue* type = s.TypeOf(key);
    if (type != nullptr && (type->is("builtins:list") || type->is("builtins:dict") || type->is("builtins:set")))
      return in.Raise("builtins:TypeError", StrCat("unhashable type: '", TypeName(type), "'"));
    return in.Break(Reason::kUnsupportedValue, "a key whose hash runs code");
  }
  if (V value = s.MappingGet(mapping, key))
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
    if (!ToConstant(s, slice, &unused))
      return in.Break(Reason::kUnsupportedValue, "a slice of unknown parts");
    key = s.Const(unused);
  }
  return in.Fold("_operator:getitem", {.positional = {container, key}});
}

}  // namespace

Outcome Interp::GetItem(V container, V key, Tail tail) {
  container = s.Resolve(container);
  key = As<TensorValue>(container) != nullptr ? s.Look(key) : s.Resolve(key);
  if (container == nullptr || key == nullptr)
    return Break(Reason::kUnsupportedValue, "a subscript of NULL");
  if (As<TensorValue>(container) != nullptr)
    return GraphCall(model::NodeOp::kCallFunction, "_operator:getitem", {.positional = {container, key}});
  if (AsConstant(container) != nullptr)
    return ConstantItem(*this, container, key);
  TypeValue* type = s.TypeOf(container);
  if (auto* view = As<ViewValue>(container)) {
    if (view->form == ViewForm::kProxy)
      return GetItem(view->target, key, tail);
    const Constant* name = ConstantOf(s, key, ConstantKind::kStr);
    V value = view->form != ViewForm::kInstanceDict || name == nullptr ? nullptr : s.InstanceAttr(view->target, name->text);
    return value != nullptr ? Done(value) : KeyError(*this, key);
  }
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "a subscript");
  if (auto* cls = As<TypeValue>(container)) {
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
    return Raise("builtins:TypeError", StrCat("'", TypeName(type), "' object is not subscriptable"));
  return Call(method, {.positional = {key}}, tail);
}

namespace {

Outcome AssignList(Interp& in, SequenceValue* list, V key, V value) {
  Session& s = in.s;
  int64_t length = static_cast<int64_t>(list->items.size());
  auto changed = [&] {
    if (list->is_real())
      s.AddEffect({.helper = model::Helper::kListAssign, .args = {list, s.Tuple(list->items)}});
    return in.Done(s.None());
  };
  if (auto* slice = As<SliceValue>(key)) {
    Range range{};
    if (!SliceRange(s, slice, length, &range))
      return in.Break(Reason::kUnsupportedValue, "a slice of parts that are no ints");
    Values items;
    if (value != nullptr) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(value, &items));
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
  if (index == nullptr)
    return in.Raise("builtins:TypeError", StrCat("list indices must be integers or slices, not ", TypeName(s.TypeOf(key))));
  int64_t at = IntValue(*index);
  if (at < 0)
    at += length;
  if (at < 0 || at >= length)
    return in.Raise("builtins:IndexError", "list assignment index out of range");
  s.Touch(list);
  if (value == nullptr)
    list->items.erase(list->items.begin() + at);
  else
    list->items[static_cast<size_t>(at)] = value;
  return changed();
}

}  // namespace

Outcome Interp::SetItem(V container, V key, V value, Tail tail) {
  container = s.Resolve(container);
  key = As<TensorValue>(container) != nullptr ? s.Look(key) : s.Resolve(key);
  if (As<TensorValue>(container) != nullptr && value != nullptr)
    return GraphCall(model::NodeOp::kCallFunction, "_operator:setitem", {.positional = {container, key, value}});
  TypeValue* type = s.TypeOf(container);
  if (type == nullptr)
    return Break(Reason::kUnsupportedMutation, "a subscript");
  if (auto* view = As<ViewValue>(container); view != nullptr && view->form == ViewForm::kInstanceDict) {
    const Constant* name = ConstantOf(s, key, ConstantKind::kStr);
    if (name == nullptr)
      return Break(Reason::kUnsupportedMutation, "an instance dict's key that is no str");
    if (value == nullptr && s.InstanceAttr(view->target, name->text) == nullptr)
      return KeyError(*this, key);
    s.SetInstanceAttr(view->target, name->text, value);
    return Done(s.None());
  }
  const char* special = value == nullptr ? "__delitem__" : "__setitem__";
  bool is_python = type->Has(TypeFlag::kHeapType) && As<FunctionValue>(s.Resolve(s.TypeAttr(type, special))) != nullptr;
  if (auto* list = As<SequenceValue>(container); list != nullptr && !is_python && type->Has(TypeFlag::kListSubclass))
    return AssignList(*this, list, key, value);
  if (auto* mapping = As<MappingValue>(container); mapping != nullptr && !is_python) {
    if (s.HashKey(key).empty())
      return Break(Reason::kUnsupportedValue, "a key whose hash runs code");
    if (value != nullptr)
      s.MappingSet(mapping, key, value);
    else if (!s.MappingDelete(mapping, key))
      return KeyError(*this, key);
    return Done(s.None());
  }
  FRAMEGATE_TAKE(V method, LookupSpecial(container, special));
  if (method == nullptr)
    return Raise("builtins:TypeError", StrCat("'", TypeName(type), "' object does", value == nullptr ? "n't" : " not", " support item ",
                                              value == nullptr ? "deletion" : "assignment"));
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
    if (c->kind == ConstantKind::kRange) {
      int64_t start = c->items[0].integer, stop = c->items[1].integer, step = c->items[2].integer;
      int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0) : (start > stop ? (start - stop - 1) / -step + 1 : 0);
      return Done(s.Int(count));
    }
    return Raise("builtins:TypeError", StrCat("object of type '", TypeName(s.TypeOf(value)), "' has no len()"));
  }
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
  if (!is_python) {
    if (auto* sequence = As<SequenceValue>(value))
      return Done(s.Int(static_cast<int64_t>(sequence->items.size())));
    if (auto* view = As<ViewValue>(value); view != nullptr && view->form != ViewForm::kInstanceDict)
      return Length(view->target);
    if (auto* mapping = As<MappingValue>(value)) {
      if (!mapping->complete && mapping->items.empty())
        return Done(s.Int(static_cast<int64_t>(s.ReadFact(mapping, model::Fact::kLength).word)));
      if (!s.Complete(mapping))
        return Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
      return Done(s.Int(static_cast<int64_t>(mapping->items.size())));
    }
    if (auto* set = As<SetValue>(value))
      return Done(s.Int(static_cast<int64_t>(set->items.size())));
  }
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "len()");
  FRAMEGATE_TAKE(V method, LookupSpecial(value, "__len__"));
  if (method == nullptr)
    return Raise("builtins:TypeError", StrCat("object of type '", TypeName(type), "' has no len()"));
  return Call(method, {});
}

}  // namespace framegate::translator
