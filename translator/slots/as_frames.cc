// Operators whose methods are Python code that breaks: started again as frames of their own, so that the break finds each where it stands.
#include "translator/slots/slots.h"

namespace framegate::translator {

Outcome SyncOrFrames(Interp& in, V left, V right, Tail tail, const std::function<Outcome()>& sync, const std::function<Outcome()>& frames) {
  Session& s = in.s;
  if (!tail.allowed || (As<ObjectValue>(s.Look(left)) == nullptr && As<ObjectValue>(s.Look(right)) == nullptr))
    return sync();
  const Session::Mark mark = s.Snapshot();
  const uint64_t breaks = in.sync_breaks();
  Outcome outcome = sync();
  if (outcome.flow != Flow::kBreak) {
    s.Release(mark);
    return outcome;
  }
  s.Rollback(mark);
  if (in.sync_breaks() == breaks)
    return outcome;
  const Refusal refusal = s.refusal;
  const Outcome started = frames();
  if (started.flow == Flow::kFrame)
    return started;
  s.refusal = refusal;
  return outcome;
}

Outcome FirstImplemented(Interp& in, const std::vector<MethodCall>& calls, std::string error, Tail tail) {
  Args args{.positional = {in.s.Str(std::move(error))}};
  for (const MethodCall& call : calls) {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(call.self, call.name));
    if (method != nullptr)
      args.positional.push_back(in.s.Tuple({method, call.other}));
  }
  V function = in.s.Symbol("framegate._polyfills:first_implemented");
  return function == nullptr ? in.Break(model::Reason::kUnsupportedCall, "an operator") : in.Call(function, std::move(args), tail);
}

Outcome TruthInFrames(Interp& in, V value, Tail tail) {
  FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__bool__"));
  if (method == nullptr) {
    FRAMEGATE_TAKE(method, in.LookupSpecial(value, "__len__"));
  }
  return method == nullptr ? in.Break(model::Reason::kUnsupportedValue, "truth") : in.Call(method, {}, tail);
}

}  // namespace framegate::translator
