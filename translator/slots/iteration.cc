// iter(), next() and everything at once.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;
using model::Step;
using model::TypeFlag;

namespace {

IteratorValue* Over(Session& s, IteratorForm form, V source) {
  auto* iterator = s.New<IteratorValue>();
  iterator->form = form;
  iterator->source = source;
  iterator->mutable_made = true;
  return iterator;
}

IteratorValue* OverItems(Session& s, Values items) {
  IteratorValue* iterator = Over(s, IteratorForm::kFixed, nullptr);
  iterator->items = std::move(items);
  return iterator;
}

// The items that a view or mapping shows, as they are now.
bool ViewItems(Session& s, V target, ViewForm form, Values* items) {
  target = s.Resolve(target);
  auto* mapping = As<MappingValue>(target);
  if (mapping == nullptr || !s.Complete(mapping))
    return false;
  for (const auto& [key, value] : mapping->items) {
    if (form == ViewForm::kValues)
      items->push_back(value);
    else if (form == ViewForm::kItems)
      items->push_back(s.Tuple({key, value}));
    else
      items->push_back(key);
  }
  return true;
}

Outcome IterConstant(Interp& in, V value, const Constant& c) {
  Session& s = in.s;
  if (c.kind == ConstantKind::kRange) {
    IteratorValue* iterator = Over(s, IteratorForm::kRange, nullptr);
    iterator->start = c.items[0].integer;
    iterator->step = c.items[2].integer;
    FRAMEGATE_TAKE(V length, in.Length(value));
    iterator->length = static_cast<uint64_t>(AsConstant(length)->integer);
    return in.Done(iterator);
  }
  Values items;
  if (c.kind == ConstantKind::kTuple || c.kind == ConstantKind::kSize || c.kind == ConstantKind::kFrozenset) {
    for (const Constant& item : c.items)
      items.push_back(s.Const(item));
  } else if (c.kind == ConstantKind::kBytes) {
    for (unsigned char byte : c.text)
      items.push_back(s.Int(byte));
  } else if (c.kind == ConstantKind::kStr) {
    for (size_t at = 0; at < c.text.size();) {
      unsigned char lead = static_cast<unsigned char>(c.text[at]);
      size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      items.push_back(s.Str(c.text.substr(at, size)));
      at += size;
    }
  } else {
    return in.Raise("builtins:TypeError", StrCat("'", TypeName(s.TypeOf(value)), "' object is not iterable"));
  }
  return in.Done(OverItems(s, std::move(items)));
}

Outcome IterTensor(Interp& in, TensorValue* tensor) {
  if (const model::TensorFacts* facts = in.s.FactsOf(tensor); facts != nullptr && facts->sizes.empty())
    return in.Raise("builtins:TypeError", "iteration over a 0-d tensor");
  FRAMEGATE_TAKE(V length, in.Length(tensor));
  FRAMEGATE_TAKE(V items, in.GraphCall(model::NodeOp::kCallMethod, "unbind", {.positional = {tensor}}));
  auto* sequence = As<SequenceValue>(items);
  if (sequence == nullptr || length == nullptr)
    return in.Break(Reason::kUnsupportedIteration, "a tensor");
  return in.Done(OverItems(in.s, sequence->items));
}

}  // namespace

Outcome Interp::Iter(V iterable, Tail) {
  iterable = s.Resolve(iterable);
  if (iterable == nullptr)
    return Break(Reason::kUnsupportedIteration, "NULL");
  if (const Constant* c = AsConstant(iterable))
    return IterConstant(*this, iterable, *c);
  if (auto* tensor = As<TensorValue>(iterable))
    return IterTensor(*this, tensor);
  if (iterable->kind == ValueKind::kIterator || iterable->kind == ValueKind::kGenerator)
    return Done(iterable);
  auto* view = As<ViewValue>(iterable);
  TypeValue* type = view != nullptr ? nullptr : s.TypeOf(iterable);
  if (type == nullptr && view == nullptr)
    return Break(Reason::kUnsupportedIteration, "an object of unknown type");
  V own = type != nullptr && type->Has(TypeFlag::kHeapType) ? s.TypeAttr(type, "__iter__") : nullptr;
  bool is_python = As<FunctionValue>(s.Resolve(own)) != nullptr;
  if (!is_python && As<SequenceValue>(iterable) != nullptr) {
    IteratorValue* iterator = Over(s, IteratorForm::kSequence, iterable);
    return Done(iterator);
  }
  if (!is_python && (As<MappingValue>(iterable) != nullptr || (view != nullptr && view->form != ViewForm::kInstanceDict))) {
    IteratorValue* iterator = Over(s, IteratorForm::kMapping, iterable);
    auto* mapping = As<MappingValue>(s.Resolve(view != nullptr ? view->target : iterable));
    if (mapping == nullptr || !s.Complete(mapping))
      return Break(Reason::kUnsupportedIteration, "a dict whose keys cannot be known");
    iterator->version = mapping->version;
    return Done(iterator);
  }
  if (view != nullptr) {
    std::vector<std::string> names;
    if (!s.InstanceNames(view->target, &names))
      return Break(Reason::kUnsupportedIteration, "an instance dict whose names cannot be known");
    Values items;
    for (std::string& name : names)
      items.push_back(s.Str(std::move(name)));
    return Done(OverItems(s, std::move(items)));
  }
  if (auto* set = As<SetValue>(iterable); set != nullptr && !is_python) {
    if (!set->is_real() && set->items.size() > 1)
      return Break(Reason::kUnsupportedIteration, "the order of a set made in the frame");
    return Done(OverItems(s, set->items));
  }
  if (As<OpaqueValue>(iterable) != nullptr || As<ResidualValue>(iterable) != nullptr)
    return type->Has(TypeFlag::kIterator) ? Done(iterable) : Break(Reason::kUnsupportedIteration, type->symbol);
  FRAMEGATE_TAKE(V method, LookupSpecial(iterable, "__iter__"));
  if (method != nullptr)
    return Call(method, {});
  if (s.TypeAttr(type, "__getitem__") != nullptr)
    return Call(s.Symbol("framegate._polyfills:iter_by_index"), {.positional = {iterable}});
  return Raise("builtins:TypeError", StrCat("'", TypeName(type), "' object is not iterable"));
}

namespace {

// More than `given` items were left when the unit began: relied on as that and no more, so that one entry serves every turn of a loop.
void GuardHasNext(Session& s, IteratorValue* iterator, uint64_t given) {
  guards::Guard guard{.kind = guards::GuardKind::kExpression, .subject = iterator->subject};
  guard.terms.push_back({.op = guards::CheckOp::kWordConst, .value = static_cast<int64_t>(given)});
  guard.terms.push_back({.op = guards::CheckOp::kWordFact, .subject = iterator->subject, .fact = Fact::kIterRemaining});
  guard.terms.push_back({.op = guards::CheckOp::kWordLt, .left = 0, .right = 1});
  s.AddGuard(std::move(guard));
}

// A real list, tuple or range iterator. What it gives is asked of the iterator itself when new code runs.
Outcome NextReal(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  if (iterator->at >= iterator->length) {
    s.ReadFact(iterator, Fact::kIterRemaining);
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
  if (item == nullptr)
    return in.Done(nullptr);
  s.Touch(iterator);
  ++iterator->at;
  s.AddEffect({.helper = model::Helper::kIterSkip, .args = {iterator, s.Int(1)}});
  return in.Done(item);
}

Outcome NextOfMapping(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  auto* view = As<ViewValue>(s.Resolve(iterator->source));
  V target = view != nullptr ? view->target : iterator->source;
  auto* mapping = As<MappingValue>(s.Resolve(target));
  if (iterator->exhausted)
    return in.Done(nullptr);
  if (mapping->version != iterator->version)
    return in.Raise("builtins:RuntimeError", "dictionary changed size during iteration");
  Values items;
  ViewItems(s, target, view != nullptr ? view->form : ViewForm::kKeys, &items);
  s.Touch(iterator);
  if (iterator->at >= items.size()) {
    iterator->exhausted = true;
    return in.Done(nullptr);
  }
  return in.Done(items[iterator->at++]);
}

Outcome NextOfSeveral(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  Values items;
  for (V source : iterator->sources) {
    FRAMEGATE_TAKE(V item, in.Next(source));
    if (item == nullptr)
      return in.Done(nullptr);
    items.push_back(item);
  }
  if (iterator->form == IteratorForm::kMap)
    return in.Call(iterator->source, {.positional = std::move(items)});
  s.Touch(iterator);
  if (iterator->form == IteratorForm::kEnumerate)
    return in.Done(s.Tuple({s.Int(iterator->start + static_cast<int64_t>(iterator->at++)), items[0]}));
  return in.Done(s.Tuple(std::move(items)));
}

Outcome NextOf(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  switch (iterator->form) {
    case IteratorForm::kSequence: {
      auto* sequence = As<SequenceValue>(s.Resolve(iterator->source));
      if (iterator->exhausted)
        return in.Done(nullptr);
      s.Touch(iterator);
      if (iterator->at < sequence->items.size())
        return in.Done(sequence->items[iterator->at++]);
      iterator->exhausted = true;
      return in.Done(nullptr);
    }
    case IteratorForm::kReversed: {
      auto* sequence = As<SequenceValue>(s.Resolve(iterator->source));
      s.Touch(iterator);
      if (iterator->at < iterator->length && iterator->length - 1 - iterator->at < sequence->items.size())
        return in.Done(sequence->items[iterator->length - 1 - iterator->at++]);
      iterator->at = iterator->length;
      return in.Done(nullptr);
    }
    case IteratorForm::kRange:
      if (iterator->at >= iterator->length)
        return in.Done(nullptr);
      s.Touch(iterator);
      return in.Done(s.Int(iterator->start + iterator->step * static_cast<int64_t>(iterator->at++)));
    case IteratorForm::kFixed:
      if (iterator->at >= iterator->items.size())
        return in.Done(nullptr);
      s.Touch(iterator);
      return in.Done(iterator->items[iterator->at++]);
    case IteratorForm::kMapping:
      return NextOfMapping(in, iterator);
    case IteratorForm::kReal:
      return NextReal(in, iterator);
    case IteratorForm::kEnumerate:
    case IteratorForm::kZip:
    case IteratorForm::kMap:
      return NextOfSeveral(in, iterator);
    case IteratorForm::kCallable:
      break;
  }
  return in.Break(Reason::kUnsupportedIteration, "iter(callable, sentinel)");
}

}  // namespace

Outcome Interp::Next(V iterator, Tail tail) {
  iterator = s.Resolve(iterator);
  if (auto* known = As<IteratorValue>(iterator))
    return NextOf(*this, known);
  if (auto* generator = As<GeneratorValue>(iterator)) {
    if (generator->frame == nullptr)
      return Done(nullptr);
    Outcome outcome = Send(generator, s.None(), tail);
    if (outcome.flow == Flow::kRaise && generator->frame == nullptr && s.IsSubclass(s.TypeOf(s.raised), "builtins:StopIteration")) {
      s.raised = nullptr;
      return Done(nullptr);
    }
    return outcome;
  }
  TypeValue* type = s.TypeOf(iterator);
  V method = type == nullptr ? nullptr : s.TypeAttr(type, "__next__");
  auto* function = As<FunctionValue>(s.Resolve(method));
  if (function == nullptr)
    return Break(Reason::kUnsupportedIteration, type == nullptr ? "an unknown iterator" : type->symbol);
  Outcome outcome = Call(function, {.positional = {iterator}}, tail);
  if (outcome.flow == Flow::kRaise && s.IsSubclass(s.TypeOf(s.raised), "builtins:StopIteration")) {
    s.raised = nullptr;
    return Done(nullptr);
  }
  return outcome;
}

Outcome Interp::ToValues(V iterable, Values* items) {
  iterable = s.Resolve(iterable);
  items->clear();
  if (auto* sequence = As<SequenceValue>(iterable);
      sequence != nullptr && s.TypeOf(sequence) != nullptr && !s.TypeOf(sequence)->Has(TypeFlag::kPythonCode)) {
    *items = sequence->items;
    return Done(nullptr);
  }
  FRAMEGATE_TAKE(V iterator, Iter(iterable));
  while (true) {
    FRAMEGATE_TAKE(V item, Next(iterator));
    if (item == nullptr)
      return Done(nullptr);
    items->push_back(item);
    if (items->size() > 1'000'000)
      return Break(Reason::kValueBudget, "an iterable without end");
  }
}

}  // namespace framegate::translator
