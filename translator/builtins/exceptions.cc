// Methods of exceptions, exception groups, what is being handled.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

Outcome BuiltinWithTraceback(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "with_traceback");
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetAttr(args.positional[0], "__traceback__", args.positional[1]));
  return in.Done(args.positional[0]);
}

Outcome BuiltinAddNote(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "add_note");
  const Constant* note = ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
  if (note == nullptr)
    return in.Raise("builtins:TypeError", StrCat("note must be a str, not '", TypeName(in.s.TypeOf(args.positional[1])), "'"));
  V self = in.s.Resolve(args.positional[0]);
  V notes = in.s.InstanceAttr(self, "__notes__");
  if (notes == nullptr) {
    notes = in.s.List({});
    in.s.SetInstanceAttr(self, "__notes__", notes);
  }
  return in.CallBuiltin("builtins:list.append", {.positional = {notes, args.positional[1]}}, kSync);
}

// BaseExceptionGroup.__new__(cls, message, exceptions).
Outcome BuiltinGroupNew(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* type = args.positional.empty() ? nullptr : As<TypeValue>(s.Resolve(args.positional[0]));
  if (type == nullptr || !args.keyword.empty())
    return WrongArguments(in, "an exception group");
  if (args.positional.size() != 3)
    return in.Raise("builtins:TypeError",
                    StrCat("BaseExceptionGroup.__new__() takes exactly 2 arguments (", args.positional.size() - 1, " given)"));
  if (ConstantOf(s, args.positional[1], ConstantKind::kStr) == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("BaseExceptionGroup.__new__() argument 1 must be str, not ", TypeName(s.TypeOf(args.positional[1]))));
  V sequence = s.Resolve(args.positional[2]);
  TypeValue* kind = s.TypeOf(sequence);
  Values items;
  if (As<SequenceValue>(sequence) == nullptr && (kind == nullptr || s.TypeAttr(kind, "__getitem__") == nullptr))
    return in.Raise("builtins:TypeError", "second argument (exceptions) must be a sequence");
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(sequence, &items));
  if (items.empty())
    return in.Raise("builtins:ValueError", "second argument (exceptions) must be a non-empty sequence");
  bool all_exceptions = true;
  for (size_t i = 0; i < items.size(); ++i) {
    TypeValue* item = s.TypeOf(items[i]);
    if (item == nullptr || !s.IsSubclass(item, "builtins:BaseException"))
      return in.Raise("builtins:ValueError", StrCat("Item ", i, " of second argument (exceptions) is not an exception"));
    all_exceptions = all_exceptions && s.IsSubclass(item, "builtins:Exception");
  }
  if (type->is("builtins:BaseExceptionGroup") && all_exceptions)
    type = s.TypeOfSymbol("builtins:ExceptionGroup");
  else if (s.IsSubclass(type, "builtins:Exception") && !all_exceptions)
    return in.Raise("builtins:TypeError", type->is("builtins:ExceptionGroup")
                                              ? "Cannot nest BaseExceptions in an ExceptionGroup"
                                              : StrCat("Cannot nest BaseExceptions in '", TypeName(type), "'"));
  auto* group = s.New<ObjectValue>();
  group->type = type;
  group->mutable_made = true;
  group->arguments = {args.positional[1], args.positional[2]};
  group->parts = s.Tuple(std::move(items));
  return in.Done(group);
}

Outcome BuiltinGroupDerive(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "derive");
  FRAMEGATE_TAKE(V message, in.GetAttr(args.positional[0], "message"));
  Args all{.positional = {in.s.TypeOfSymbol("builtins:BaseExceptionGroup"), message, args.positional[1]}};
  return BuiltinGroupNew(in, all, kSync);
}

Outcome BuiltinExcInfo(Interp& in, Args&, Tail) {
  Session& s = in.s;
  V handled = s.Resolve(in.Handled());
  if (handled == nullptr)
    return in.Done(s.Tuple({s.None(), s.None(), s.None()}));
  TypeValue* type = s.TypeOf(handled);
  if (type == nullptr)
    return in.Break(Reason::kUnsupportedValue, "an exception of unknown type");
  FRAMEGATE_TAKE(V traceback, in.GetAttr(handled, "__traceback__"));
  return in.Done(s.Tuple({type, handled, traceback}));
}

Outcome BuiltinCurrentException(Interp& in, Args&, Tail) {
  V handled = in.Handled();
  return in.Done(handled == nullptr ? in.s.None() : handled);
}

}  // namespace framegate::translator
