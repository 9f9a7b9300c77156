// Structural pattern matching.
#include <algorithm>

#include "base/strings.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

Outcome PushFlag(Interp& in, Frame& f, TypeFlag flag) {
  TypeValue* type = in.s.TypeOf(Cell(f, 1));
  if (type == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a pattern on a value of unknown type");
  f.stack.push_back(in.s.Bool(type->Has(flag)));
  return Next();
}

}  // namespace

Outcome OpMatchMapping(Interp& in, Frame& f, const Instruction&) {
  return PushFlag(in, f, TypeFlag::kMapping);
}

Outcome OpMatchSequence(Interp& in, Frame& f, const Instruction&) {
  return PushFlag(in, f, TypeFlag::kSequence);
}

namespace {

// What `mapping.get(key, absent)` gives; value null: absent.
Outcome Get(Interp& in, V subject, V key, V absent) {
  auto* mapping = As<MappingValue>(in.s.Resolve(subject));
  auto* get = mapping == nullptr ? nullptr : As<BuiltinValue>(in.s.Resolve(in.s.TypeAttr(in.s.TypeOf(mapping), "get")));
  if (get != nullptr && get->symbol == "builtins:dict.get") {
    FRAMEGATE_TAKE(V own, FindKey(in, mapping, key));
    return in.Done(own == nullptr ? nullptr : in.s.MappingGet(mapping, own));
  }
  FRAMEGATE_TAKE(V method, in.GetAttr(subject, "get"));
  FRAMEGATE_TAKE(V value, in.Call(method, {.positional = {key, absent}}));
  return in.Done(value == absent ? nullptr : value);
}

// int(x), str(x) and the like bind the subject itself.
bool BindsItself(Session& s, TypeValue* type) {
  constexpr std::string_view kTypes[] = {"builtins:bytearray", "builtins:bytes", "builtins:dict", "builtins:float", "builtins:frozenset",
                                         "builtins:int",       "builtins:list",  "builtins:set",  "builtins:str",   "builtins:tuple"};
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](std::string_view name) { return s.IsSubclass(type, name); });
}

// The subject has no such attribute: the pattern does not match.
bool IsMissing(Interp& in, const Outcome& outcome) {
  return outcome.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError");
}

// The names of the attributes that positional patterns look at, as far as they are wanted; none where the one is the subject itself.
Outcome PositionalNames(Interp& in, TypeValue* type, size_t wanted, Values* names) {
  Session& s = in.s;
  Outcome match_args = in.GetAttr(type, "__match_args__");
  const bool is_missing = IsMissing(in, match_args);
  if (!match_args.ok() && !is_missing)
    return match_args;
  size_t allowed = 0;
  if (is_missing) {
    s.raised = nullptr;
    allowed = BindsItself(s, type) ? 1 : 0;
  } else {
    TypeValue* given = s.TypeOf(match_args.value);
    if (given == nullptr)
      return in.Break(Reason::kUnsupportedValue, "__match_args__ of unknown type");
    if (!given->is("builtins:tuple"))
      return in.Raise("builtins:TypeError", StrCat(TypeName(type), ".__match_args__ must be a tuple (got ", TypeName(given), ")"));
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(match_args.value, names));
    allowed = names->size();
  }
  if (allowed < wanted)
    return in.Raise("builtins:TypeError", StrCat(TypeName(type), "() accepts ", allowed, " positional sub-pattern", allowed == 1 ? "" : "s",
                                                 " (", wanted, " given)"));
  names->resize(std::min(names->size(), wanted));
  return in.Done(nullptr);
}

}  // namespace

// Stack: subject, keys. Pushes the tuple of values, or None.
Outcome OpMatchKeys(Interp& in, Frame& f, const Instruction&) {
  Values keys;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(Cell(f, 1), &keys));
  Args nothing;
  FRAMEGATE_TAKE(V absent, in.CallBuiltin("builtins:object", nothing, kSync));
  Values values;
  for (V key : keys) {
    FRAMEGATE_TAKE(V value, Get(in, Cell(f, 2), key, absent));
    if (value == nullptr) {
      f.stack.push_back(in.s.None());
      return Next();
    }
    values.push_back(value);
  }
  f.stack.push_back(in.s.Tuple(std::move(values)));
  return Next();
}

// Stack: subject, class, names of keyword patterns. Replaces them by the tuple of attributes, or None.
Outcome OpMatchClass(Interp& in, Frame& f, const Instruction& i) {
  Session& s = in.s;
  V subject = Cell(f, 3), names = Cell(f, 1);
  auto* type = As<TypeValue>(s.Resolve(Cell(f, 2)));
  if (type == nullptr)
    return in.Raise("builtins:TypeError", "called match pattern must be a class");
  FRAMEGATE_TAKE(V matches, in.IsInstance(subject, type));
  if (matches != s.Bool(true))
    return Replace(f, 3, in.Done(s.None()));
  Values wanted, attributes, keyword;
  if (i.arg > 0) {
    FRAMEGATE_TAKE([[maybe_unused]] V fits, PositionalNames(in, type, static_cast<size_t>(i.arg), &wanted));
    if (wanted.empty())
      attributes.push_back(subject);
  }
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(names, &keyword));
  wanted.insert(wanted.end(), keyword.begin(), keyword.end());
  std::vector<std::string> seen;
  for (V name : wanted) {
    const Constant* text = ConstantOf(s, name, ConstantKind::kStr);
    if (text == nullptr)
      return in.Raise("builtins:TypeError", StrCat("__match_args__ elements must be strings (got ", TypeName(s.TypeOf(name)), ")"));
    if (std::find(seen.begin(), seen.end(), text->text) != seen.end())
      return in.Raise("builtins:TypeError", StrCat(TypeName(type), "() got multiple sub-patterns for attribute '", text->text, "'"));
    seen.push_back(text->text);
    Outcome value = in.GetAttr(subject, text->text);
    if (IsMissing(in, value)) {
      s.raised = nullptr;
      return Replace(f, 3, in.Done(s.None()));
    }
    if (!value.ok())
      return value;
    attributes.push_back(value.value);
  }
  return Replace(f, 3, in.Done(s.Tuple(std::move(attributes))));
}

}  // namespace framegate::translator
