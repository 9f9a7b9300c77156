// Builtins on values: numbers, strings, conversions, reductions.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

Outcome WrongArguments(Interp& in, const char* name) {
  return in.Break(Reason::kUnsupportedCall, StrCat(name, " with these arguments"));
}

// A conversion by one special method, or folded where the argument is a constant.
Outcome Convert(Interp& in, Args& args, const char* symbol, const char* special) {
  if (args.positional.size() == 1 && args.keyword.empty()) {
    V value = in.s.Resolve(args.positional[0]);
    Constant unused;
    if (As<TensorValue>(value) != nullptr)
      return in.Break(Reason::kTensorValue, StrCat(symbol, " of a tensor"));
    if (!ToConstant(in.s, value, &unused) && (value->kind == ValueKind::kObject)) {
      FRAMEGATE_TAKE(V method, in.LookupSpecial(value, special));
      V function = in.s.Resolve(method);
      auto* bound = As<MethodValue>(function);
      if (bound != nullptr && As<FunctionValue>(in.s.Resolve(bound->function)) != nullptr)
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
  if (items.size() == 1) {
    V iterable = items[0];
    if (As<TensorValue>(in.s.Resolve(iterable)) != nullptr)
      return in.Break(Reason::kTensorValue, StrCat(name, " of a tensor"));
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(iterable, &items));
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

}  // namespace

Outcome BuiltinLen(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? in.Length(args.positional[0]) : WrongArguments(in, "len");
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
  if (args.positional.size() == 1 && args.keyword.empty() && As<SymbolValue>(in.s.Look(args.positional[0])) != nullptr)
    return in.BinaryOp(11, args.positional[0], in.s.Int(1));  // a true quotient
  return Convert(in, args, "builtins:float", "__float__");
}

Outcome BuiltinStr(Interp& in, Args& args, Tail) {
  return Convert(in, args, "builtins:str", "__str__");
}

Outcome BuiltinRepr(Interp& in, Args& args, Tail) {
  return Convert(in, args, "builtins:repr", "__repr__");
}

Outcome BuiltinFormat(Interp& in, Args& args, Tail) {
  V value = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  if (value != nullptr && value->kind == ValueKind::kObject) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__format__"));
    auto* bound = As<MethodValue>(in.s.Resolve(method));
    if (bound != nullptr && As<FunctionValue>(in.s.Resolve(bound->function)) != nullptr)
      return in.Call(bound, {.positional = {args.positional.size() > 1 ? args.positional[1] : in.s.Str("")}});
    Args one{.positional = {value}};
    const Constant* spec = args.positional.size() > 1 ? ConstantOf(in.s, args.positional[1], ConstantKind::kStr) : nullptr;
    if (spec == nullptr || spec->text.empty())
      return BuiltinStr(in, one, kSync);
  }
  return in.Fold("builtins:format", args);
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
  FRAMEGATE_TAKE(V iterator, in.Iter(args.positional[0]));
  while (true) {
    FRAMEGATE_TAKE(V item, in.Next(iterator));
    if (item == nullptr)
      return in.Done(total);
    FRAMEGATE_TAKE(total, in.BinaryOp(0, total, item));
  }
}

Outcome BuiltinAny(Interp& in, Args& args, Tail) {
  return AnyOrAll(in, args, true);
}

Outcome BuiltinAll(Interp& in, Args& args, Tail) {
  return AnyOrAll(in, args, false);
}

Outcome BuiltinStrJoin(Interp& in, Args& args, Tail) {
  const Constant* separator = args.positional.size() == 2 ? ConstantOf(in.s, args.positional[0], ConstantKind::kStr) : nullptr;
  if (separator == nullptr)
    return WrongArguments(in, "str.join");
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[1], &items));
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
