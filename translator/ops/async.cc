// await, async for, async with. Asynchronous generators are driven by polyfills.
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

namespace {

// A coroutine, or a generator that stands for what C code would await.
bool IsCoroutine(V value) {
  auto* generator = As<GeneratorValue>(value);
  return generator != nullptr &&
         (generator->type->is("builtins:coroutine") ||
          (generator->function != nullptr && generator->function->symbol.starts_with("framegate._polyfills:async_")));
}

// What iterating over an awaitable means; value null where it is none.
Outcome Awaited(Interp& in, V value) {
  value = in.s.Resolve(value);
  if (IsCoroutine(value))
    return in.Done(value);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(value, "__await__"));
  if (method == nullptr)
    return in.Done(nullptr);
  FRAMEGATE_TAKE(V iterator, in.Call(method, {}));
  iterator = in.s.Resolve(iterator);
  TypeValue* type = in.s.TypeOf(iterator);
  if (type != nullptr && in.s.TypeAttr(type, "__next__") == nullptr && iterator->kind != ValueKind::kIterator)
    return in.Raise("builtins:TypeError", StrCat("__await__() returned non-iterator of type '", TypeName(type), "'"));
  return in.Done(iterator);
}

Outcome NoProtocol(Interp& in, V manager, const char* missing) {
  return in.Raise("builtins:TypeError", StrCat("'", TypeName(in.s.TypeOf(manager)),
                                               "' object does not support the asynchronous context manager protocol", missing));
}

}  // namespace

Outcome OpGetAwaitable(Interp& in, Frame& f, const Instruction& i) {
  V value = Cell(f, 1);
  FRAMEGATE_TAKE(V iterator, Awaited(in, value));
  if (iterator != nullptr)
    return Replace(f, 1, in.Done(iterator));
  std::string type = TypeName(in.s.TypeOf(value));
  if (i.arg == 1 || i.arg == 2)
    return in.Raise("builtins:TypeError", StrCat("'async with' received an object from ", i.arg == 1 ? "__aenter__" : "__aexit__",
                                                 " that does not implement __await__: ", type));
  return in.Raise("builtins:TypeError", StrCat("object ", type, " can't be used in 'await' expression"));
}

Outcome OpGetAiter(Interp& in, Frame& f, const Instruction&) {
  V iterable = Cell(f, 1);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(iterable, "__aiter__"));
  if (method == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("'async for' requires an object with __aiter__ method, got ", TypeName(in.s.TypeOf(iterable))));
  FRAMEGATE_TAKE(V iterator, in.Call(method, {}));
  TypeValue* type = in.s.TypeOf(iterator);
  if (type == nullptr)
    return in.Break(Reason::kUnsupportedIteration, "an asynchronous iterator of unknown type");
  if (in.s.TypeAttr(type, "__anext__") == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("'async for' received an object from __aiter__ that does not implement __anext__: ", TypeName(type)));
  return Replace(f, 1, in.Done(iterator));
}

Outcome OpGetAnext(Interp& in, Frame& f, const Instruction&) {
  V iterator = Cell(f, 1);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(iterator, "__anext__"));
  if (method == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("'async for' requires an iterator with __anext__ method, got ", TypeName(in.s.TypeOf(iterator))));
  FRAMEGATE_TAKE(V next, in.Call(method, {}));
  FRAMEGATE_TAKE(V awaited, Awaited(in, next));
  if (awaited == nullptr)
    return in.Raise("builtins:TypeError", StrCat("'async for' received an invalid object from __anext__: ", TypeName(in.s.TypeOf(next))));
  f.stack.push_back(awaited);
  return Next();
}

// Stack: asynchronous iterator, exception. StopAsyncIteration ends the loop.
Outcome OpEndAsyncFor(Interp& in, Frame& f, const Instruction&) {
  V exception = in.s.Resolve(Cell(f, 1));
  if (in.s.IsSubclass(in.s.TypeOf(exception), "builtins:StopAsyncIteration")) {
    Pop(f, 2);
    return Next();
  }
  in.s.raised = exception;
  return {Flow::kRaise, nullptr};
}

Outcome OpBeforeAsyncWith(Interp& in, Frame& f, const Instruction&) {
  V manager = Cell(f, 1);
  FRAMEGATE_TAKE(V enter, in.LookupSpecial(manager, "__aenter__"));
  if (enter == nullptr)
    return NoProtocol(in, manager, "");
  FRAMEGATE_TAKE(V exit, in.LookupSpecial(manager, "__aexit__"));
  if (exit == nullptr)
    return NoProtocol(in, manager, " (missed __aexit__ method)");
  FRAMEGATE_TAKE(V entered, in.Call(enter, {}));
  Cell(f, 1) = exit;
  f.stack.push_back(entered);
  return Next();
}

// What an asynchronous generator yields itself, as opposed to what it awaits.
Outcome OpAsyncGenWrap(Interp& in, Frame& f, const Instruction&) {
  auto* wrapped = in.s.New<ObjectValue>();
  wrapped->hint = "async_generator_wrapped_value";
  wrapped->type = in.s.TypeOfSymbol("builtins:object");
  wrapped->arguments = {Cell(f, 1)};
  return Replace(f, 1, in.Done(wrapped));
}

}  // namespace framegate::translator
