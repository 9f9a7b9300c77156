// functools.lru_cache: what the function gives again.
#include "absl/strings/str_format.h"
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

// Nothing of it may be changed or leave the frame: the cache holds another one.
void Freeze(V value) {
  if (auto* lazy = As<LazyValue>(value))
    value = lazy->resolved;
  if (value == nullptr || value->is_real() || value->frozen || As<ConstantValue>(value) != nullptr || As<TypeValue>(value) != nullptr)
    return;
  value->frozen = value->mutable_made;
  VisitParts(value, Freeze);
}

// An argument by value, or by which it is; "" where it has equality of its own.
std::string KeyOf(Session& s, V value) {
  if (Constant constant; ToConstant(s, value, &constant))
    return StrCat("=", Encode(constant));
  value = s.Resolve(value);
  if (value->frozen)
    return absl::StrFormat("@%p", static_cast<void*>(value));
  return s.HashesItself(value) ? "" : s.HashKey(value);
}

// The call by its function and arguments; "" where one of those has no key.
std::string KeyOf(Session& s, const Args& args) {
  std::string key = StrCat(s.Resolve(args.positional[0])->handle);
  auto add = [&](std::string_view name, V value) {
    const std::string part = KeyOf(s, value);
    key = part.empty() || key.empty() ? "" : StrCat(key, "|", name, part);
  };
  for (size_t i = 1; i < args.positional.size(); ++i)
    add("", args.positional[i]);
  for (const auto& [name, value] : args.keyword)
    add(name, value);
  return key;
}

// What the cache of a real one holds for these arguments; null where it holds nothing, or under a key that is no constant.
V Cached(Session& s, const Args& args) {
  V cache = s.Resolve(args.positional[0]);
  std::vector<Constant> key(args.positional.size() - 1);
  for (size_t i = 1; i < args.positional.size(); ++i)
    if (!ToConstant(s, args.positional[i], &key[i - 1]))
      return nullptr;
  if (!cache->is_real() || !args.keyword.empty())
    return nullptr;
  const bool is_alone = key.size() == 1 && (key[0].is_str() || key[0].is_int() || key[0].kind == ConstantKind::kBigInt);
  const Constant whole = is_alone ? key[0] : Constant::Tuple(std::move(key));
  return s.mirror().Step(cache->handle, model::Step::kCached, 0, whole) == model::kAbsent
             ? nullptr
             : s.StepFrom(cache, model::Step::kCached, 0, whole);
}

}  // namespace

// One made in the frame is called through Python code, and lives no longer than the frame.
Outcome BuiltinLruCache(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V make = s.Symbol("framegate._polyfills_library:lru_cache_of");
  if (make == nullptr || args.positional.size() != 4 || !args.keyword.empty())
    return in.Break(Reason::kUnsupportedCall, "lru_cache with these arguments");
  FRAMEGATE_TAKE(V parts, in.Call(make, {.positional = args.positional}));
  auto* given = As<SequenceValue>(s.Resolve(parts));
  if (given == nullptr || given->items.size() != 3)
    return in.Break(Reason::kUnsupportedCall, "lru_cache with these arguments");
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol("functools:_lru_cache_wrapper");
  object->mutable_made = true;
  object->hint = "lru_cache";
  object->stand_in = given->items[0];
  object->attributes = {{"cache_info", given->items[1]}, {"cache_clear", given->items[2]}};
  return in.Done(object);
}

// Where calling the function has no effect, its value is as good as what the cache holds, as long as it is only read. Otherwise what the
// cache holds is all that can be known.
Outcome BuiltinLruCacheCall(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V wrapped, in.GetAttr(args.positional[0], "__wrapped__"));
  std::string key = KeyOf(s, args);
  if (auto it = s.cached.find(key); it != s.cached.end() && !key.empty())
    return in.Done(it->second);
  const Args call = args;
  args.positional.erase(args.positional.begin());
  Session::Mark mark = s.Snapshot();
  size_t effects = s.effects().size(), mutated = s.mutated.size(), nodes = s.graph().nodes().size();
  Outcome outcome = in.Call(wrapped, std::move(args));
  bool clean = s.effects().size() == effects && s.mutated.size() == mutated && s.graph().nodes().size() == nodes;
  if (!clean || (outcome.flow != Flow::kNext && outcome.flow != Flow::kRaise) || (outcome.ok() && key.empty())) {
    s.Rollback(mark);
    if (V value = Cached(s, call))
      return in.Done(value);
    const std::string why = outcome.flow == Flow::kBreak ? s.refusal.detail : !clean ? "it has an effect" : "an argument is no constant";
    return in.Break(Reason::kOpaqueCall, StrCat("a cached function that does more than compute: ", why));
  }
  s.Release(mark);
  if (outcome.ok()) {
    Freeze(outcome.value);
    s.cached[key] = outcome.value;
    if (call.keyword.empty())
      s.cached_calls[outcome.value] = call.positional;
  }
  return outcome;
}

}  // namespace framegate::translator
