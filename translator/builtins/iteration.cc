// Builtins that make or drive iterators.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

Outcome Several(Interp& in, IteratorForm form, V function, const Values& iterables, const char* type) {
  auto* iterator = in.s.New<IteratorValue>();
  iterator->form = form;
  iterator->source = function;
  iterator->mutable_made = true;
  iterator->type = in.s.TypeOfSymbol(type);
  for (V iterable : iterables) {
    FRAMEGATE_TAKE(V source, in.Iter(iterable));
    iterator->sources.push_back(source);
  }
  return in.Done(iterator);
}

}  // namespace

Outcome BuiltinRange(Interp& in, Args& args, Tail) {
  if (args.positional.empty() || args.positional.size() > 3 || !args.keyword.empty())
    return WrongArguments(in, "range");
  std::vector<Constant> parts;
  for (V& value : args.positional) {
    if (As<ObjectValue>(in.s.Resolve(value)) != nullptr && IntOf(in.s, value) == nullptr) {
      FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__index__"));
      if (method != nullptr) {
        FRAMEGATE_TAKE(value, in.Call(method, {}));
      }
    }
    const Constant* c = IntOf(in.s, value);
    if (const Constant* large = AsConstant(in.s.Resolve(value)); large != nullptr && large->kind == ConstantKind::kBigInt)
      return in.Fold("builtins:range", args);
    if (c == nullptr && AsConstant(in.s.Resolve(value)) != nullptr)
      return in.Raise("builtins:TypeError", StrCat("'", TypeName(in.s.TypeOf(value)), "' object cannot be interpreted as an integer"));
    if (c == nullptr)
      return WrongArguments(in, "range");
    parts.push_back(Constant::Int(IntValue(*c)));
  }
  if (parts.size() == 1)
    parts.insert(parts.begin(), Constant::Int(0));
  if (parts.size() == 2)
    parts.push_back(Constant::Int(1));
  if (parts[2].integer == 0)
    return in.Raise("builtins:ValueError", "range() arg 3 must not be zero");
  return in.Done(in.s.Const({.kind = ConstantKind::kRange, .items = std::move(parts)}));
}

Outcome BuiltinIter(Interp& in, Args& args, Tail) {
  if (args.positional.size() == 1)
    return in.Iter(args.positional[0]);
  if (args.positional.size() != 2)
    return WrongArguments(in, "iter");
  auto* iterator = in.s.New<IteratorValue>();
  iterator->form = IteratorForm::kCallable;
  iterator->source = args.positional[0];
  iterator->items = {args.positional[1]};
  iterator->mutable_made = true;
  return in.Done(iterator);
}

namespace {

// Every return of the function's code gives None.
bool ReturnsNothing(const DecodedCode& code) {
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    if (code.instructions[at].op != Op::kReturnValue)
      continue;
    const Instruction* before = at == 0 ? nullptr : &code.instructions[at - 1];
    const size_t constant = before == nullptr || before->op != Op::kLoadConst ? SIZE_MAX : static_cast<size_t>(before->arg);
    if (constant >= code.image->consts.size() || code.image->consts[constant].kind != ConstantKind::kNone)
      return false;
  }
  return true;
}

// next() of a generator that breaks inside.
Outcome NextInFrame(Interp& in, const Args& args, Tail tail, Outcome broke) {
  auto* generator = As<GeneratorValue>(in.s.Look(args.positional[0]));
  if (!tail.allowed || generator == nullptr || generator->frame == nullptr)
    return broke;
  const bool has_default = args.positional.size() == 2;
  if (!has_default && !ReturnsNothing(*generator->frame->code))
    return broke;
  return in.Call(in.s.Symbol(has_default ? "framegate._polyfills_consumers:next_or" : "framegate._polyfills_consumers:next_of"), args,
                 tail);
}

}  // namespace

Outcome BuiltinNext(Interp& in, Args& args, Tail tail) {
  if (args.positional.empty() || args.positional.size() > 2)
    return WrongArguments(in, "next");
  V iterator = in.s.Resolve(args.positional[0]);
  if (iterator->kind != ValueKind::kIterator && iterator->kind != ValueKind::kGenerator) {
    TypeValue* type = in.s.TypeOf(iterator);
    if (type != nullptr && in.s.TypeAttr(type, "__next__") == nullptr)
      return in.Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not an iterator"));
  }
  if (auto* generator = As<GeneratorValue>(iterator); generator != nullptr && args.positional.size() == 1) {
    Outcome sent = in.Send(generator, in.s.None(), kSync);
    return sent.flow == Flow::kBreak ? NextInFrame(in, args, tail, sent) : sent;
  }
  Outcome next = in.Next(iterator);
  if (next.flow == Flow::kBreak)
    return NextInFrame(in, args, tail, next);
  FRAMEGATE_TAKE(V item, std::move(next));
  if (item != nullptr)
    return in.Done(item);
  if (args.positional.size() == 2)
    return in.Done(args.positional[1]);
  in.Raise("builtins:StopIteration", "");
  As<ObjectValue>(in.s.raised)->arguments.clear();
  return {Flow::kRaise, nullptr};
}

// __next__, which takes no value for the end.
Outcome BuiltinNextOnly(Interp& in, Args& args, Tail tail) {
  return args.positional.size() == 1 ? BuiltinNext(in, args, tail) : WrongArguments(in, "__next__");
}

Outcome BuiltinEnumerate(Interp& in, Args& args, Tail) {
  V start = args.positional.size() == 2 ? args.positional[1] : args.Keyword("start");
  const Constant* first = start == nullptr ? nullptr : IntOf(in.s, start);
  if (args.positional.empty() || (start != nullptr && first == nullptr))
    return WrongArguments(in, "enumerate");
  FRAMEGATE_TAKE(V iterator, Several(in, IteratorForm::kEnumerate, nullptr, {args.positional[0]}, "builtins:enumerate"));
  As<IteratorValue>(iterator)->start = first == nullptr ? 0 : IntValue(*first);
  return in.Done(iterator);
}

Outcome BuiltinZip(Interp& in, Args& args, Tail) {
  if (!args.keyword.empty())
    return in.Call(in.s.Symbol("framegate._polyfills:zip_strict"), args);
  if (args.positional.empty())
    return in.Iter(in.s.Tuple({}));
  return Several(in, IteratorForm::kZip, nullptr, args.positional, "builtins:zip");
}

Outcome BuiltinMap(Interp& in, Args& args, Tail) {
  if (args.positional.size() < 2)
    return WrongArguments(in, "map");
  Values iterables(args.positional.begin() + 1, args.positional.end());
  return Several(in, IteratorForm::kMap, args.positional[0], iterables, "builtins:map");
}

Outcome BuiltinReversed(Interp& in, Args& args, Tail) {
  V value = args.positional.size() == 1 ? in.s.Resolve(args.positional[0]) : nullptr;
  if (value == nullptr)
    return WrongArguments(in, "reversed");
  if (auto* sequence = As<SequenceValue>(value)) {
    auto* iterator = in.s.New<IteratorValue>();
    iterator->form = IteratorForm::kReversed;
    iterator->source = sequence;
    iterator->length = sequence->items.size();
    iterator->mutable_made = true;
    const bool is_list = in.s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass);
    iterator->type = in.s.TypeOfSymbol(is_list ? "_collections_abc:list_reverseiterator" : "builtins:reversed");
    return in.Done(iterator);
  }
  if (!As<ConstantValue>(value) && As<MappingValue>(value) == nullptr && As<ViewValue>(value) == nullptr) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__reversed__"));
    if (method != nullptr)
      return in.Call(method, {});
  }
  TypeValue* type = in.s.TypeOf(value);
  bool is_mapping = As<MappingValue>(value) != nullptr || As<ViewValue>(value) != nullptr;
  if (!is_mapping && type != nullptr && (in.s.TypeAttr(type, "__getitem__") == nullptr || in.s.TypeAttr(type, "__len__") == nullptr))
    return in.Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not reversible"));
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(value, &items));
  std::reverse(items.begin(), items.end());
  return in.Iter(in.s.Tuple(std::move(items)));
}

// A stable merge by __lt__, as list.sort compares.
Outcome BuiltinSorted(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  Values items;
  if (args.positional.size() != 1)
    return WrongArguments(in, "sorted");
  V key = args.Keyword("key"), reverse_flag = args.Keyword("reverse");
  FRAMEGATE_TAKE([[maybe_unused]] V none, key == nullptr || s.Resolve(key) == s.None() ? ToValuesInAnyOrder(in, args.positional[0], &items)
                                                                                       : in.ToValues(args.positional[0], &items));
  bool reverse = false;
  if (reverse_flag != nullptr) {
    FRAMEGATE_TAKE(V truth, in.Truth(reverse_flag));
    reverse = truth == s.Bool(true);
  }
  std::vector<std::pair<V, V>> keyed;
  for (V item : items) {
    V sort_key = item;
    if (key != nullptr && s.Resolve(key) != s.None()) {
      FRAMEGATE_TAKE(sort_key, in.Call(key, {.positional = {item}}));
    }
    keyed.emplace_back(sort_key, item);
  }
  if (reverse)
    std::reverse(keyed.begin(), keyed.end());
  for (size_t i = 1; i < keyed.size(); ++i) {  // binary insertion: few comparisons, no assumption about their order
    std::pair<V, V> moved = keyed[i];
    size_t low = 0, high = i;
    while (low < high) {
      size_t middle = (low + high) / 2;
      FRAMEGATE_TAKE(V less, in.Compare(0, moved.first, keyed[middle].first));
      FRAMEGATE_TAKE(V truth, in.Truth(less));
      if (truth == s.Bool(true))
        high = middle;
      else
        low = middle + 1;
    }
    keyed.erase(keyed.begin() + static_cast<ptrdiff_t>(i));
    keyed.insert(keyed.begin() + static_cast<ptrdiff_t>(low), moved);
  }
  if (reverse)
    std::reverse(keyed.begin(), keyed.end());
  Values sorted;
  for (const auto& [unused, item] : keyed)
    sorted.push_back(item);
  return in.Done(s.List(std::move(sorted)));
}

Outcome BuiltinGeneratorSend(Interp& in, Args& args, Tail) {
  auto* generator = args.positional.empty() ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  if (generator == nullptr || args.positional.size() != 2)
    return WrongArguments(in, "generator.send");
  return in.Send(generator, args.positional[1], kSync);
}

Outcome BuiltinGeneratorNext(Interp& in, Args& args, Tail) {
  auto* generator = args.positional.empty() ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  return generator == nullptr ? WrongArguments(in, "generator.__next__") : in.Send(generator, in.s.None(), kSync);
}

// throw(exception), or throw(type, value, traceback) as before Python 3.12.
Outcome BuiltinGeneratorThrow(Interp& in, Args& args, Tail tail) {
  auto* generator = args.positional.empty() ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  if (generator == nullptr || args.positional.size() < 2 || args.positional.size() > 4)
    return WrongArguments(in, "generator.throw");
  V exception = in.s.Resolve(args.positional[1]), value = args.positional.size() > 2 ? in.s.Resolve(args.positional[2]) : in.s.None();
  if (auto* type = As<TypeValue>(exception); type != nullptr && in.s.IsSubclass(type, "builtins:BaseException")) {
    if (in.s.IsSubclass(in.s.TypeOf(value), "builtins:BaseException")) {
      exception = value;
    } else {
      Args made;
      if (value != in.s.None())
        made.positional = {value};
      FRAMEGATE_TAKE(exception, in.Call(type, std::move(made)));
    }
  } else if (!in.s.IsSubclass(in.s.TypeOf(exception), "builtins:BaseException")) {
    return in.Raise("builtins:TypeError",
                    StrCat("exceptions must be classes or instances deriving from BaseException, not ", TypeName(in.s.TypeOf(exception))));
  } else if (value != in.s.None()) {
    return in.Raise("builtins:TypeError", "instance exception may not have a separate value");
  }
  return in.Throw(generator, exception, tail);
}

Outcome BuiltinGeneratorClose(Interp& in, Args& args, Tail) {
  auto* generator = args.positional.empty() ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  return generator == nullptr ? WrongArguments(in, "generator.close") : in.Close(generator);
}

Outcome BuiltinFirstArgument(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? in.Done(args.positional[0]) : WrongArguments(in, "a method that gives its object");
}

// Steps of an asynchronous generator's body, and what it gave.
Outcome BuiltinAsyncSend(Interp& in, Args& args, Tail) {
  auto* generator = args.positional.size() != 2 ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  return generator == nullptr ? WrongArguments(in, "a step of an asynchronous generator") : in.Send(generator, args.positional[1], kSync);
}

Outcome BuiltinAsyncThrow(Interp& in, Args& args, Tail) {
  auto* generator = args.positional.size() != 2 ? nullptr : As<GeneratorValue>(in.s.Resolve(args.positional[0]));
  return generator == nullptr ? WrongArguments(in, "a step of an asynchronous generator") : in.Throw(generator, args.positional[1], kSync);
}

Outcome BuiltinIsWrapped(Interp& in, Args& args, Tail) {
  auto* object = args.positional.size() != 1 ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  return in.Done(in.s.Bool(object != nullptr && object->hint == "async_generator_wrapped_value"));
}

Outcome BuiltinUnwrap(Interp& in, Args& args, Tail) {
  auto* object = args.positional.size() != 1 ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  return object == nullptr || object->arguments.empty() ? WrongArguments(in, "_unwrap") : in.Done(object->arguments[0]);
}

}  // namespace framegate::translator
