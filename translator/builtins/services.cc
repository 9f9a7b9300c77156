// Objects of C types of the standard library that are known by what they were made from: regular expressions and their matches. Calls that
// have their effect, and their result, only when new code runs: random numbers, locks.
#include "translator/builtins/table.h"
#include "translator/slots/members.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Helper;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

// An error of a pattern carries more than its arguments: it is raised where the original runs.
Outcome FoldOrBreak(Interp& in, const char* symbol, Args args) {
  Outcome outcome = in.Fold(symbol, args);
  return outcome.flow == Flow::kRaise ? in.Break(Reason::kOpaqueCall, symbol) : outcome;
}

// (pattern, flags) of a compiled one; false where it is none.
bool SourceOf(Session& s, ObjectValue* pattern, V* text, V* flags) {
  if (!pattern->is_real()) {
    *text = pattern->arguments[0];
    *flags = pattern->arguments[1];
    return true;
  }
  const model::FactValue& source = s.ReadFact(pattern, Fact::kPattern);
  if (!source.known || source.constant.items.size() != 2)
    return false;
  *text = s.Const(source.constant.items[0]);
  *flags = s.Const(source.constant.items[1]);
  return true;
}

// (flags, number of groups, names of groups).
Outcome InfoOf(Interp& in, ObjectValue* pattern) {
  if (pattern->parts != nullptr)
    return in.Done(pattern->parts);
  V text = nullptr, flags = nullptr;
  if (!SourceOf(in.s, pattern, &text, &flags))
    return in.Break(Reason::kUnsupportedAttribute, "a pattern that is not known");
  FRAMEGATE_TAKE(pattern->parts, FoldOrBreak(in, "framegate._pure:pattern_info", {.positional = {text, flags}}));
  return in.Done(pattern->parts);
}

Outcome PatternMember(Interp& in, ObjectValue* pattern, const std::string& name) {
  Session& s = in.s;
  V text = nullptr, flags = nullptr;
  if (name == "pattern")
    return SourceOf(s, pattern, &text, &flags) ? in.Done(text) : in.Break(Reason::kUnsupportedAttribute, "a pattern that is not known");
  FRAMEGATE_TAKE(V info, InfoOf(in, pattern));
  const Values& parts = As<SequenceValue>(info)->items;
  if (name != "groupindex")
    return in.Done(parts[name == "flags" ? 0 : 1]);
  auto* names = s.New<ViewValue>();
  names->form = ViewForm::kProxy;
  names->target = parts[2];
  names->type = s.TypeOfSymbol("types:MappingProxyType");
  return in.Done(names);
}

// Places in what is kept of a match: its arguments, and what _pure.pattern_match tells.
enum MatchArgument { kMatchPattern, kMatchMethod, kMatchString };

enum MatchPart { kSpans, kTexts, kLastIndex, kLastGroup, kPos, kEndPos };

}  // namespace

Outcome RegexMember(Interp& in, ObjectValue* object, const std::string& name) {
  TypeValue* type = in.s.TypeOf(object);
  if (type->is("re:Pattern") && (name == "pattern" || name == "flags" || name == "groups" || name == "groupindex"))
    return PatternMember(in, object, name);
  auto* parts = type->is("re:Match") ? As<SequenceValue>(object->parts) : nullptr;
  if (parts == nullptr)
    return in.Done(nullptr);
  const std::pair<std::string_view, V> kMembers[] = {{"re", object->arguments[kMatchPattern]},
                                                     {"string", object->arguments[kMatchString]},
                                                     {"lastindex", parts->items[kLastIndex]},
                                                     {"lastgroup", parts->items[kLastGroup]},
                                                     {"pos", parts->items[kPos]},
                                                     {"endpos", parts->items[kEndPos]}};
  for (const auto& [own, value] : kMembers)
    if (own == name)
      return in.Done(value);
  if (name == "regs")
    return in.CallBuiltin("builtins:tuple", {.positional = {parts->items[kSpans]}}, kSync);
  return in.Done(nullptr);
}

Outcome BuiltinNewPattern(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  Constant key;
  if (args.positional.size() != 2 || !ToConstant(s, s.Tuple(args.positional), &key))
    return WrongArguments(in, "re.compile");
  const std::string cached = StrCat("re.compile|", Encode(key));
  if (auto it = s.cached.find(cached); it != s.cached.end())
    return in.Done(it->second);
  auto* pattern = s.New<ObjectValue>();
  pattern->type = s.TypeOfSymbol("re:Pattern");
  pattern->constructor = "re.compile";
  pattern->mutable_made = true;
  pattern->arguments = args.positional;
  FRAMEGATE_TAKE([[maybe_unused]] V info, InfoOf(in, pattern));
  s.cached[cached] = pattern;  // re keeps one of each
  return in.Done(pattern);
}

Outcome BuiltinNewMatch(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 7)
    return WrongArguments(in, "a match");
  auto* match = in.s.New<ObjectValue>();
  match->type = in.s.TypeOfSymbol("re:Match");
  match->constructor = "make_match";
  match->mutable_made = true;
  match->parts = in.s.Resolve(args.positional.back());
  match->arguments.assign(args.positional.begin(), args.positional.end() - 1);
  return in.Done(match);
}

Outcome BuiltinFound(Interp& in, Args& args, Tail) {
  auto* match = args.positional.size() != 1 ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  return match == nullptr || match->parts == nullptr ? in.Break(Reason::kOpaqueCall, "a match from elsewhere") : in.Done(match->parts);
}

// sequence[index], of which one is known only at run time.
Outcome BuiltinItem(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V sequence = args.positional.size() == 2 ? s.Resolve(args.positional[0]) : nullptr;
  V index = sequence == nullptr ? nullptr : s.Resolve(args.positional[1]);
  if (index == nullptr || (As<ResidualValue>(index) == nullptr && As<ResidualValue>(sequence) == nullptr))
    return sequence == nullptr ? WrongArguments(in, "_item") : in.GetItem(sequence, args.positional[1]);
  auto* item = s.New<ResidualValue>();
  item->function = "getitem";
  item->key = index;
  if (auto* residual = As<ResidualValue>(sequence); residual != nullptr) {
    item->of = residual;
    item->type = s.TypeOfSymbol("builtins:int");
    return in.Done(item);
  }
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(sequence, &items));
  for (V each : items) {
    TypeValue* type = s.TypeOf(each);
    if (type == nullptr || (item->type != nullptr && type != item->type))
      return in.Break(Reason::kOpaqueCall, "one of several objects of different types");
    item->type = type;
  }
  item->of = s.Tuple(std::move(items));
  return in.Done(item);
}

const RunTimeCall* FindRunTimeCall(std::string_view symbol) {
  static constexpr RunTimeCall kRows[] = {
#define FRAMEGATE_RUN_TIME_CALL(symbol, self, result, raises) {symbol, self, result, raises != 0},
#include "translator/builtins/run_time_calls.def"
#undef FRAMEGATE_RUN_TIME_CALL
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const RunTimeCall& r) { return r.symbol == symbol; });
  return row == std::end(kRows) ? nullptr : row;
}

Outcome CallAtRunTime(Interp& in, const RunTimeCall& call, const Args& args) {
  Session& s = in.s;
  auto refuse = [&] { return in.Break(Reason::kOpaqueCall, std::string(call.symbol)); };
  if (!args.keyword.empty() || (call.raises && in.MayBeHandled()))
    return refuse();
  Effect effect{.helper = Helper::kConstruct, .args = {s.Str(std::string(call.symbol))}};
  size_t first = 0;
  if (!call.self.empty()) {
    auto* self = args.positional.empty() ? nullptr : As<ObjectValue>(s.Resolve(args.positional[0]));
    if (self == nullptr || !s.TypeOf(self)->is(call.self) || (self->is_real() && self->subject == model::kNoSubject))
      return refuse();
    s.Touch(self);
    effect.args.push_back(self);
    first = 1;
  }
  for (size_t at = first; at < args.positional.size(); ++at) {
    V value = s.Resolve(args.positional[at]);
    auto* tuple = As<SequenceValue>(value);  // what changes later must not be seen
    const bool fixed = tuple != nullptr && !tuple->is_real() && s.TypeOf(tuple)->is("builtins:tuple");
    if (Constant unused; !fixed && !ToConstant(s, value, &unused))
      return refuse();
    effect.args.push_back(value);
  }
  if (call.result == "None" || call.result == "True") {
    s.AddEffect(std::move(effect));
    return in.Done(call.result == "None" ? s.None() : s.Bool(true));
  }
  auto* result = s.New<ResidualValue>();
  result->type = s.TypeOfSymbol(std::string(call.result));
  result->effect = static_cast<uint32_t>(s.effects().size());
  effect.has_result = true;
  s.AddEffect(std::move(effect));
  return in.Done(result);
}

Outcome BuiltinRLock(Interp& in, Args& args, Tail) {
  if (!args.positional.empty() || !args.keyword.empty())
    return WrongArguments(in, "RLock");
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol("_thread:RLock");
  object->mutable_made = true;
  object->constructor = "RLock";
  return in.Done(object);
}

Outcome BuiltinRandom(Interp& in, Args& args, Tail) {
  Constant unused;
  for (V value : args.positional)
    if (!ToConstant(in.s, value, &unused))
      return WrongArguments(in, "random.Random");
  if (args.positional.size() > 1 || !args.keyword.empty())
    return WrongArguments(in, "random.Random");
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol("random:Random");
  object->mutable_made = true;
  object->constructor = "random.Random";
  object->arguments = args.positional;
  if (args.positional.empty() || in.s.Resolve(args.positional[0]) == in.s.None())  // seeded by the system
    return WrongArguments(in, "random.Random");
  return in.Done(object);
}

// The frame that a warning is for. Where it is in its file only the code of this process says.
Outcome BuiltinCaller(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  const Constant* level = args.positional.size() == 1 ? IntOf(s, args.positional[0]) : nullptr;
  int64_t left = level == nullptr ? 0 : IntValue(*level);
  const auto& frames = in.frames();
  for (size_t at = frames.size(); left > 0 && at-- > 0;) {
    const Frame& f = *frames[at];
    if (f.hidden || --left > 0)
      continue;
    if (f.function == nullptr)
      break;
    FRAMEGATE_TAKE(V globals, in.GetAttr(f.function, "__globals__"));
    auto told = [&](const char* constructor, const char* type, V key) {
      auto* value = s.New<ResidualValue>();
      value->function = constructor;
      value->of = f.function;
      value->key = key;
      value->type = s.TypeOfSymbol(type);
      return value;
    };
    return in.Done(
        s.Tuple({globals, told("file_of", "builtins:str", nullptr), told("line_of", "builtins:int", s.Int(f.instruction().offset))}));
  }
  return in.Break(Reason::kFrameReader, "a warning");
}

}  // namespace framegate::translator
