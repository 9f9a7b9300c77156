// bytearray: an object that is known by the bytes it holds. Its methods are Python code over these (framegate/_polyfills_bytes.py).
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

V ByteArrayContents(Session& s, V value) {
  auto* array = As<ObjectValue>(s.Resolve(value));
  if (array == nullptr || array->type == nullptr || !array->type->is("builtins:bytearray"))
    return nullptr;
  if (array->arguments.empty() && array->is_real())
    if (const model::FactValue& held = s.ReadFact(array, model::Fact::kPayload); held.known)
      array->arguments = {s.Const(held.constant)};
  return array->arguments.empty() ? nullptr : array->arguments[0];
}

Outcome BuiltinByteArrayMade(Interp& in, Args& args, Tail) {
  const Constant* content = args.positional.size() == 1 ? ConstantOf(in.s, args.positional[0], ConstantKind::kBytes) : nullptr;
  if (content == nullptr)
    return WrongArguments(in, "bytearray");
  auto* array = in.s.New<ObjectValue>();
  array->type = in.s.TypeOfSymbol("builtins:bytearray");
  array->mutable_made = true;
  array->constructor = "bytearray";
  array->arguments = {in.s.Resolve(args.positional[0])};
  return in.Done(array);
}

Outcome BuiltinByteArrayContents(Interp& in, Args& args, Tail) {
  V content = args.positional.size() == 1 ? ByteArrayContents(in.s, args.positional[0]) : nullptr;
  return content == nullptr ? in.Break(Reason::kUnsupportedValue, "a bytearray whose bytes are not known") : in.Done(content);
}

Outcome BuiltinByteArrayAssign(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  const Constant* content = args.positional.size() == 2 ? ConstantOf(s, args.positional[1], ConstantKind::kBytes) : nullptr;
  if (content == nullptr || ByteArrayContents(s, args.positional[0]) == nullptr)
    return in.Break(Reason::kUnsupportedMutation, "a bytearray whose bytes are not known");
  auto* array = As<ObjectValue>(s.Resolve(args.positional[0]));
  s.Touch(array);
  array->arguments = {s.Resolve(args.positional[1])};
  if (array->is_real())
    s.AddEffect({.helper = model::Helper::kConstruct, .args = {s.Str("bytearray_assign"), array, array->arguments[0]}});
  return in.Done(s.None());
}

}  // namespace framegate::translator
