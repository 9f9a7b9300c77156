// Our own functions inside captured code.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

Outcome BuiltinGraphBreak(Interp& in, Args&, Tail) {
  return in.Break(model::Reason::kExplicitBreak, "graph_break()");
}

Outcome BuiltinDisabled(Interp& in, Args&, Tail) {
  return in.Break(model::Reason::kDisabledFunction, "a disabled function");
}

// A compiled callable met in capture is inlined under the outer back-end.
Outcome BuiltinOptimized(Interp& in, Args& args, Tail tail) {
  V wrapped = in.s.StepFrom(args.positional[0], model::Step::kSlotMember, "__wrapped__");
  if (wrapped == nullptr)
    return in.Break(model::Reason::kUnsupportedCall, "a compiled callable of nothing");
  args.positional.erase(args.positional.begin());
  return in.Call(wrapped, std::move(args), tail);
}

}  // namespace framegate::translator
