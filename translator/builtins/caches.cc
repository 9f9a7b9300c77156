// functools.lru_cache: what the function gives again.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

// Where calling the function has no effect and gives a value without identity, it is as good as what the cache holds.
Outcome BuiltinLruCacheCall(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V wrapped, in.GetAttr(args.positional[0], "__wrapped__"));
  args.positional.erase(args.positional.begin());
  Session::Mark mark = s.Snapshot();
  size_t effects = s.effects().size(), mutated = s.mutated.size(), nodes = s.graph().nodes().size();
  Outcome outcome = in.Call(wrapped, std::move(args));
  V value = outcome.ok() ? s.Resolve(outcome.value) : nullptr;
  Constant constant;
  bool plain = value != nullptr && (ToConstant(s, value, &constant) || !value->mutable_made);
  if (s.effects().size() == effects && s.mutated.size() == mutated && s.graph().nodes().size() == nodes &&
      (plain || outcome.flow == Flow::kRaise)) {
    s.Release(mark);
    return outcome;
  }
  s.Rollback(mark);
  return in.Break(Reason::kOpaqueCall, "a cached function that does more than compute");
}

}  // namespace framegate::translator
