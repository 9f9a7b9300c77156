// iter(), next() and everything at once.
#include "translator/slots/real_iterators.h"
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
  if (c.kind == ConstantKind::kRange && !std::all_of(c.items.begin(), c.items.end(), [](const Constant& part) { return part.is_int(); })) {
    FRAMEGATE_TAKE(V length, in.Length(value));
    const Constant* count = AsConstant(length);
    if (count == nullptr || !count->is_int() || count->integer > 100'000)
      return in.Break(Reason::kUnsupportedIteration, "a range of large numbers");
    FRAMEGATE_TAKE(V items, in.Fold("builtins:tuple", {.positional = {value}}));
    return in.Done(OverItems(s, As<SequenceValue>(items)->items));
  }
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
    return in.Raise("builtins:TypeError", StrCat("'", FullTypeName(s.TypeOf(value)), "' object is not iterable"));
  }
  IteratorValue* iterator = OverItems(s, std::move(items));
  if (c.kind == ConstantKind::kBytes || c.kind == ConstantKind::kStr)
    iterator->source = value;  // what it says it is
  return in.Done(iterator);
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
  if (view != nullptr || (!is_python && (As<SequenceValue>(iterable) != nullptr || As<MappingValue>(iterable) != nullptr ||
                                         As<SetValue>(iterable) != nullptr)))
    return RawIter(*this, iterable);
  if (As<OpaqueValue>(iterable) != nullptr || As<ResidualValue>(iterable) != nullptr)
    return type->Has(TypeFlag::kIterator) ? Done(iterable) : Break(Reason::kUnsupportedIteration, type->symbol);
  FRAMEGATE_TAKE(V method, LookupSpecial(iterable, "__iter__"));
  if (s.Resolve(s.TypeAttr(type, "__iter__")) == s.None())
    return Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not iterable"));
  if (method != nullptr) {
    FRAMEGATE_TAKE(V iterator, Call(method, {}));
    iterator = s.Resolve(iterator);
    TypeValue* kind = s.TypeOf(iterator);
    bool fine = iterator->kind == ValueKind::kIterator || iterator->kind == ValueKind::kGenerator || kind == nullptr ||
                s.TypeAttr(kind, "__next__") != nullptr;
    return fine ? Done(iterator) : Raise("builtins:TypeError", StrCat("iter() returned non-iterator of type '", TypeName(kind), "'"));
  }
  if (s.TypeAttr(type, "__getitem__") != nullptr)
    return Call(s.Symbol("framegate._polyfills:iter_by_index"), {.positional = {iterable}});
  return Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not iterable"));
}

Outcome NamesShown(Interp& in, ViewValue* view, std::vector<std::string>* names) {
  if (view->form == ViewForm::kTypeDict)
    return in.s.TypeNames(As<TypeValue>(view->target), names)
               ? in.Done(nullptr)
               : in.Break(Reason::kUnsupportedValue, "a class's dict whose names cannot be known");
  return in.s.InstanceNames(view->target, names) ? in.Done(nullptr)
                                                 : in.Break(Reason::kUnsupportedValue, "an instance dict whose names cannot be known");
}

V ShownUnder(Session& s, ViewValue* view, std::string_view name) {
  return view->form == ViewForm::kTypeDict ? OwnAttr(s, As<TypeValue>(view->target), name) : s.InstanceAttr(view->target, name);
}

Outcome RawIter(Interp& in, V iterable) {
  Session& s = in.s;
  auto* view = As<ViewValue>(iterable);
  if (As<SequenceValue>(iterable) != nullptr)
    return in.Done(Over(s, IteratorForm::kSequence, iterable));
  if (view != nullptr && (view->form == ViewForm::kInstanceDict || view->form == ViewForm::kTypeDict)) {
    std::vector<std::string> names;
    FRAMEGATE_TAKE([[maybe_unused]] V none, NamesShown(in, view, &names));
    Values items;
    for (std::string& name : names)
      items.push_back(s.Str(std::move(name)));
    return in.Done(OverItems(s, std::move(items)));
  }
  if (view != nullptr || As<MappingValue>(iterable) != nullptr) {
    IteratorValue* iterator = Over(s, IteratorForm::kMapping, iterable);
    auto* mapping = As<MappingValue>(s.Resolve(view != nullptr ? view->target : iterable));
    if (mapping == nullptr && view != nullptr && view->form == ViewForm::kProxy)
      return in.Iter(view->target);
    if (mapping == nullptr || !s.Complete(mapping))
      return in.Break(Reason::kUnsupportedIteration, "a dict whose keys cannot be known");
    iterator->version = mapping->version;
    return in.Done(iterator);
  }
  if (auto* set = As<SetValue>(iterable)) {
    FRAMEGATE_TAKE([[maybe_unused]] V ordered, InOrder(in, set));
    auto* iterator = OverItems(s, set->items);
    iterator->source = set;
    iterator->version = set->version;
    return in.Done(iterator);
  }
  return in.Iter(iterable);
}

namespace {

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

// The number that comes with the next item of an enumerate.
V EnumerateNumber(Session& s, IteratorValue* iterator) {
  if (!iterator->is_real())
    return s.Int(iterator->start + static_cast<int64_t>(iterator->at++));
  auto* number = s.New<ResidualValue>();
  number->range = iterator;
  number->at = iterator->at++;
  number->type = s.TypeOfSymbol("builtins:int");
  number->effect = static_cast<uint32_t>(s.effects().size());
  s.AddEffect({.helper = model::Helper::kEnumerateCount, .args = {iterator}, .has_result = true});
  return number;
}

// enumerate, zip and map: their own iterators are advanced, real ones by effects of their own.
Outcome NextOfEach(Interp& in, IteratorValue* iterator) {
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
    return in.Done(s.Tuple({EnumerateNumber(s, iterator), items[0]}));
  return in.Done(s.Tuple(std::move(items)));
}

// Where one of several breaks, those before it have not moved.
Outcome NextOfSeveral(Interp& in, IteratorValue* iterator) {
  const Session::Mark mark = in.s.Snapshot();
  Outcome outcome = NextOfEach(in, iterator);
  if (outcome.flow == Flow::kBreak)
    in.s.Rollback(mark);
  else
    in.s.Release(mark);
  return outcome;
}

Outcome NextOf(Interp& in, IteratorValue* iterator) {
  Session& s = in.s;
  switch (iterator->form) {
    case IteratorForm::kSequence: {
      auto* sequence = As<SequenceValue>(s.Resolve(iterator->source));
      if (iterator->exhausted)
        return in.Done(nullptr);
      s.Touch(iterator);
      if (s.TypeOf(sequence) != nullptr && s.IsSubclass(s.TypeOf(sequence), "collections:deque")) {
        if (iterator->at == 0 && iterator->length == 0)
          iterator->length = sequence->items.size();
        if (iterator->length != sequence->items.size() && iterator->at < iterator->length)
          return in.Raise("builtins:RuntimeError", "deque mutated during iteration");
      }
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
      if (auto* set = As<SetValue>(iterator->source);
          set != nullptr && set->version != iterator->version && iterator->at <= iterator->items.size()) {
        s.Touch(iterator);
        iterator->at = iterator->items.size() + 1;
        return in.Raise("builtins:RuntimeError", "Set changed size during iteration");
      }
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
    case IteratorForm::kCallable: {  // iter(callable, sentinel): the sentinel is items[0]
      if (iterator->exhausted)
        return in.Done(nullptr);
      FRAMEGATE_TAKE(V item, in.Call(iterator->source, {}));
      FRAMEGATE_TAKE(V stop, in.Equal(item, iterator->items[0]));
      if (stop != s.Bool(true))
        return in.Done(item);
      s.Touch(iterator);
      iterator->exhausted = true;
      return in.Done(nullptr);
    }
  }
  return in.Break(Reason::kUnsupportedIteration, "an iterator");
}

}  // namespace

Outcome Interp::Next(V iterator, Tail tail) {
  iterator = s.Resolve(iterator);
  if (auto* known = As<IteratorValue>(iterator))
    return NextOf(*this, known);
  if (auto* generator = As<GeneratorValue>(iterator)) {
    if (generator->frame == nullptr)
      return Done(nullptr);
    // A plan cannot name a generator's frame: what breaks in one is done by the loop that drives it, with the generator as it was.
    Outcome outcome = Send(generator, s.None(), runs_sync() ? tail : kSync);
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

bool RunsFrames(Session& s, V value) {
  value = s.Look(value);
  if (auto* generator = As<GeneratorValue>(value))
    return generator->frame != nullptr;
  auto* iterator = As<IteratorValue>(value);
  if (iterator == nullptr || iterator->is_real())
    return false;
  V function = iterator->form == IteratorForm::kMap ? s.Look(iterator->source) : nullptr;
  if (auto* method = As<MethodValue>(function))
    function = s.Look(method->function);
  return As<FunctionValue>(function) != nullptr ||
         std::any_of(iterator->sources.begin(), iterator->sources.end(), [&](V source) { return RunsFrames(s, source); });
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
