// Builtins on values: numbers, strings, conversions, reductions.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

// A conversion by one special method, or folded where the argument is a constant.
Outcome Convert(Interp& in, Args& args, const char* symbol, const char* special) {
  if (args.positional.size() == 1 && args.keyword.empty()) {
    V value = in.s.Resolve(args.positional[0]);
    Constant unused;
    if (V payload = in.s.Payload(value);
        payload != nullptr && As<FunctionValue>(in.s.Resolve(in.s.TypeAttr(in.s.TypeOf(value), special))) == nullptr)
      args.positional[0] = value = payload;
    if (As<TensorValue>(value) != nullptr)
      return in.Break(Reason::kTensorValue, StrCat(symbol, " of a tensor"));
    if (!ToConstant(in.s, value, &unused) && (value->kind == ValueKind::kObject)) {
      FRAMEGATE_TAKE(V method, in.LookupSpecial(value, special));
      V function = in.s.Resolve(method);
      auto* bound = As<MethodValue>(function);
      V target = bound == nullptr ? nullptr : in.s.Resolve(bound->function);
      auto* builtin = As<BuiltinValue>(target);
      if (As<FunctionValue>(target) != nullptr || (builtin != nullptr && FindBuiltin(builtin->symbol) != nullptr))
        return in.Call(function, {});
    }
  }
  return in.Fold(symbol, args);
}

// The best item of `items` by comparison `op`; `key` may be null or None.
Outcome Best(Interp& in, const Values& items, int32_t op, V key) {
  V best = nullptr, best_key = nullptr;
  for (V item : items) {
    V item_key = item;
    if (key != nullptr && in.s.Resolve(key) != in.s.None()) {
      FRAMEGATE_TAKE(item_key, in.Call(key, {.positional = {item}}));
    }
    if (best != nullptr) {
      FRAMEGATE_TAKE(V better, in.Compare(op, item_key, best_key));
      FRAMEGATE_TAKE(V truth, in.Truth(better));
      if (truth != in.s.Bool(true))
        continue;
    }
    best = item;
    best_key = item_key;
  }
  return in.Done(best);
}

Outcome Extreme(Interp& in, Args& args, int32_t op, const char* name) {
  Values items = args.positional;
  if (items.empty())
    return in.Raise("builtins:TypeError", StrCat(name, " expected at least 1 argument, got 0"));
  if (items.size() > 1 && args.Keyword("default") != nullptr)
    return in.Raise("builtins:TypeError", StrCat("Cannot specify a default for ", name, "() with multiple positional arguments"));
  if (items.size() == 1) {
    V iterable = items[0];
    if (As<TensorValue>(in.s.Resolve(iterable)) != nullptr)
      return in.Break(Reason::kTensorValue, StrCat(name, " of a tensor"));
    FRAMEGATE_TAKE([[maybe_unused]] V none,
                   args.Keyword("key") == nullptr ? ToValuesInAnyOrder(in, iterable, &items) : in.ToValues(iterable, &items));
  }
  FRAMEGATE_TAKE(V best, Best(in, items, op, args.Keyword("key")));
  if (best != nullptr)
    return in.Done(best);
  if (V fallback = args.Keyword("default"))
    return in.Done(fallback);
  return in.Raise("builtins:ValueError", StrCat(name, in.s.Is311() ? "() arg is an empty sequence" : "() iterable argument is empty"));
}

Outcome AnyOrAll(Interp& in, Args& args, bool stop) {
  if (args.positional.size() != 1)
    return WrongArguments(in, "any or all");
  FRAMEGATE_TAKE(V iterator, in.Iter(args.positional[0]));
  while (true) {
    FRAMEGATE_TAKE(V item, in.Next(iterator));
    if (item == nullptr)
      return in.Done(in.s.Bool(!stop));
    FRAMEGATE_TAKE(V truth, in.Truth(item));
    if ((truth == in.s.Bool(true)) == stop)
      return in.Done(in.s.Bool(stop));
  }
}

// Where the truth of an item breaks, as frames of Python code, which break at that item.
Outcome AnyOrAllAt(Interp& in, Args& args, bool stop, Tail tail) {
  const Session::Mark mark = in.s.Snapshot();
  Outcome outcome = AnyOrAll(in, args, stop);
  const bool breaks = outcome.flow == Flow::kBreak;
  if (!breaks) {
    in.s.Release(mark);
    return outcome;
  }
  in.s.Rollback(mark);
  V function = tail.allowed && in.s.refusal.reason == Reason::kTensorBranch
                   ? in.s.Symbol(stop ? "framegate._polyfills:any_of" : "framegate._polyfills:all_of")
                   : nullptr;
  return function == nullptr ? outcome : in.Call(function, args, tail);
}

}  // namespace

Outcome BuiltinLen(Interp& in, Args& args, Tail tail) {
  if (args.positional.size() != 1)
    return WrongArguments(in, "len");
  V value = args.positional[0];
  return SyncOrFrames(
      in, value, nullptr, tail, [&] { return in.Length(value); },
      [&]() -> Outcome {
        FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__len__"));
        return in.Call(in.s.Symbol("framegate._polyfills:length_of"), {.positional = {method}}, tail);
      });
}

Outcome BuiltinBool(Interp& in, Args& args, Tail) {
  if (args.positional.empty())
    return in.Done(in.s.Bool(false));
  Outcome outcome = in.Truth(args.positional[0]);
  if (outcome.flow == Flow::kBreak && in.s.refusal.reason == Reason::kTensorBranch)
    in.s.refusal.reason = Reason::kTensorValue;  // the value is wanted, no branch is taken here
  return outcome;
}

Outcome BuiltinInt(Interp& in, Args& args, Tail) {
  if (Size size; args.positional.size() == 1 && args.keyword.empty() && As<SymbolValue>(in.s.Look(args.positional[0])) != nullptr &&
                 in.s.AsSize(args.positional[0], &size))
    return in.Done(args.positional[0]);
  return Convert(in, args, "builtins:int", "__int__");
}

Outcome BuiltinFloat(Interp& in, Args& args, Tail) {
  if (args.positional.size() == 1 && args.keyword.empty() && IsFloatSymbol(in.s, args.positional[0]))
    return in.Done(args.positional[0]);
  if (args.positional.size() == 1 && args.keyword.empty() && As<SymbolValue>(in.s.Look(args.positional[0])) != nullptr)
    return in.BinaryOp(11, args.positional[0], in.s.Int(1));  // a true quotient
  return Convert(in, args, "builtins:float", "__float__");
}

Outcome BuiltinStr(Interp& in, Args& args, Tail) {
  if (args.positional.size() == 1 && args.keyword.empty())
    return Str(in, args.positional[0]);
  return args.positional.empty() && args.keyword.empty() ? in.Done(in.s.Str("")) : in.Fold("builtins:str", args);
}

Outcome BuiltinRepr(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? Repr(in, args.positional[0]) : WrongArguments(in, "repr");
}

Outcome BuiltinAscii(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 1)
    return WrongArguments(in, "ascii");
  FRAMEGATE_TAKE(V text, Repr(in, args.positional[0]));
  const std::string& shown = AsConstant(text)->text;
  bool plain = std::all_of(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return plain ? in.Done(text) : in.Fold("builtins:ascii", args);
}

Outcome BuiltinFormat(Interp& in, Args& args, Tail) {
  if (args.positional.empty() || args.positional.size() > 2)
    return WrongArguments(in, "format");
  return Format(in, args.positional[0], args.positional.size() > 1 ? args.positional[1] : in.s.Str(""));
}

Outcome BuiltinAbs(Interp& in, Args& args, Tail) {
  if (args.positional.size() == 1 && As<TensorValue>(in.s.Resolve(args.positional[0])) != nullptr)
    return in.GraphCall(model::NodeOp::kCallFunction, "_operator:abs", std::move(args));
  return Convert(in, args, "builtins:abs", "__abs__");
}

Outcome BuiltinMin(Interp& in, Args& args, Tail) {
  return Extreme(in, args, 0, "min");
}

Outcome BuiltinMax(Interp& in, Args& args, Tail) {
  return Extreme(in, args, 4, "max");
}

Outcome BuiltinSum(Interp& in, Args& args, Tail) {
  if (args.positional.empty())
    return WrongArguments(in, "sum");
  V total = args.positional.size() > 1 ? args.positional[1] : args.Keyword("start");
  if (total == nullptr)
    total = in.s.Int(0);
  if (const Constant* start = AsConstant(in.s.Resolve(total)); start != nullptr && start->is_str())
    return in.Raise("builtins:TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
  if (ConstantOf(in.s, total, ConstantKind::kBytes) != nullptr)
    return in.Raise("builtins:TypeError", "sum() can't sum bytes [use b''.join(seq) instead]");
  FRAMEGATE_TAKE(V iterator, in.Iter(args.positional[0]));
  while (true) {
    FRAMEGATE_TAKE(V item, in.Next(iterator));
    if (item == nullptr)
      return in.Done(total);
    FRAMEGATE_TAKE(total, in.BinaryOp(0, total, item));
  }
}

Outcome BuiltinAny(Interp& in, Args& args, Tail tail) {
  return AnyOrAllAt(in, args, true, tail);
}

Outcome BuiltinAll(Interp& in, Args& args, Tail tail) {
  return AnyOrAllAt(in, args, false, tail);
}

Outcome BuiltinStrJoin(Interp& in, Args& args, Tail) {
  const Constant* separator = args.positional.size() == 2 ? ConstantOf(in.s, args.positional[0], ConstantKind::kStr) : nullptr;
  if (separator == nullptr)
    return WrongArguments(in, "str.join");
  Values items;
  TypeValue* given = in.s.TypeOf(args.positional[1]);
  const Outcome taken = in.ToValues(args.positional[1], &items);
  if (taken.flow == Flow::kRaise && given != nullptr && in.s.TypeAttr(given, "__iter__") == nullptr &&
      in.s.TypeAttr(given, "__getitem__") == nullptr)
    return in.Raise("builtins:TypeError", "can only join an iterable");
  if (!taken.ok())
    return taken;
  std::vector<std::string> parts;
  for (V item : items) {
    const Constant* part = ConstantOf(in.s, item, ConstantKind::kStr);
    if (part == nullptr && AsConstant(in.s.Resolve(item)) == nullptr)
      return WrongArguments(in, "str.join");
    if (part == nullptr)
      return in.Raise("builtins:TypeError",
                      StrCat("sequence item ", parts.size(), ": expected str instance, ", TypeName(in.s.TypeOf(item)), " found"));
    parts.push_back(part->text);
  }
  return in.Done(in.s.Str(StrJoin(parts, separator->text)));
}

}  // namespace framegate::translator
