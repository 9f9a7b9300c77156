// except*: exception groups are split by polyfills that do what BaseExceptionGroup does.
#include "translator/ops/stack.h"

namespace framegate::translator {

using model::Reason;

namespace {

Outcome CallPolyfill(Interp& in, const char* name, Values args) {
  V function = in.s.Symbol(std::string("framegate._polyfills_groups:") + name);
  return function == nullptr ? in.Break(Reason::kUnsupportedCall, name) : in.Call(function, {.positional = std::move(args)});
}

}  // namespace

// Stack: exception (group or not), types. Replaced by what is left (or None) and what matched (or None), which becomes the one handled.
Outcome OpCheckEgMatch(Interp& in, Frame& f, const Instruction&) {
  FRAMEGATE_TAKE(V pair, CallPolyfill(in, "match_group", {Cell(f, 2), Cell(f, 1)}));
  Values parts;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(pair, &parts));
  if (parts.size() != 2)
    return in.Break(Reason::kUnsupportedValue, "CHECK_EG_MATCH");
  V match = in.s.Resolve(parts[0]);
  if (match == in.s.None()) {
    Cell(f, 1) = match;
    return Next();
  }
  Cell(f, 2) = parts[1];
  Cell(f, 1) = match;
  in.handled = match;
  return Next();
}

// Stack: original exception, list of what clauses raised and left. Replaced by the exception to raise again, or None.
Outcome OpPrepReraiseStar(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 2, CallPolyfill(in, "reraise_star", {Cell(f, 2), Cell(f, 1)}));
}

}  // namespace framegate::translator
