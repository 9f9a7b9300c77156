// Operators of torch.Size.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

Outcome SizeOf(Interp& in, Values items) {
  SequenceValue* size = in.s.Tuple(std::move(items));
  size->type = in.s.TypeOfSymbol("torch:Size");
  return in.Done(size);
}

// The two operands' items, where both are tuples.
Outcome Sides(Interp& in, Args& args, Values* left, Values* right) {
  if (args.positional.size() != 2)
    return in.Break(Reason::kUnsupportedCall, "torch.Size with these arguments");
  for (V side : args.positional)
    if (TypeValue* type = in.s.TypeOf(side); type == nullptr || !type->Has(model::TypeFlag::kTupleSubclass))
      return in.Break(Reason::kUnsupportedCall, "torch.Size and something other than a tuple");
  FRAMEGATE_TAKE([[maybe_unused]] V first, in.ToValues(args.positional[0], left));
  return in.ToValues(args.positional[1], right);
}

}  // namespace

Outcome BuiltinSizeAdd(Interp& in, Args& args, Tail) {
  Values items, more;
  FRAMEGATE_TAKE([[maybe_unused]] V both, Sides(in, args, &items, &more));
  items.insert(items.end(), more.begin(), more.end());
  return SizeOf(in, std::move(items));
}

Outcome BuiltinSizeAddTo(Interp& in, Args& args, Tail tail) {
  if (args.positional.size() == 2)
    std::swap(args.positional[0], args.positional[1]);
  return BuiltinSizeAdd(in, args, tail);
}

}  // namespace framegate::translator
