// Raising, handling, `with`.
#include "base/strings.h"
#include "translator/builtins/state.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

namespace {

// An exception object from what `raise` was given: an instance or a class.
Outcome MakeException(Interp& in, V value) {
  value = in.s.Resolve(value);
  if (auto* type = As<TypeValue>(value); type != nullptr && in.s.IsSubclass(type, "builtins:BaseException"))
    return in.Call(type, {});
  TypeValue* type = in.s.TypeOf(value);
  if (type != nullptr && in.s.IsSubclass(type, "builtins:BaseException"))
    return in.Done(value);
  return in.Raise("builtins:TypeError", "exceptions must derive from BaseException");
}

}  // namespace

ObjectValue* NewTraceback(Session& s, V of) {
  auto* traceback = s.New<ObjectValue>();
  traceback->arguments = {of};
  traceback->hint = "traceback";
  traceback->type = s.TypeOfSymbol("types:TracebackType");
  return traceback;
}

// `f` is left or handles the exception: its place becomes part of the traceback.
void Interp::AddToTrace(const Frame& f) {
  auto* exception = As<ObjectValue>(s.raised);
  if (exception == nullptr || f.function == nullptr || f.hidden)
    return;
  s.Journal(exception);
  const TracePlace place{f.function->code_id, f.instruction().offset};
  if (exception->is_real()) {
    s.AddEffect({.helper = model::Helper::kTraceAdd, .args = {exception, s.Str(place.code.Hex()), s.Int(place.offset)}});
    exception->traceback = nullptr;
    return;
  }
  ObjectValue* entry = NewTraceback(s, exception);
  entry->place = place;
  entry->traceback = exception->traceback;
  exception->traceback = entry;
}

Outcome OpRaiseVarargs(Interp& in, Frame& f, const Instruction& i) {
  if (i.arg == 0) {
    V handled = in.Handled();
    if (handled == nullptr)
      return in.Raise("builtins:RuntimeError", "No active exception to reraise");
    in.s.raised = in.s.Resolve(handled);
    return {Flow::kRaise, nullptr};
  }
  FRAMEGATE_TAKE(V exception, MakeException(in, Cell(f, static_cast<size_t>(i.arg))));
  if (i.arg == 2) {
    V cause = in.s.Resolve(Cell(f, 1));
    if (cause != in.s.None()) {
      auto* cause_type = As<TypeValue>(cause);
      TypeValue* type = in.s.TypeOf(cause);
      if (cause_type == nullptr && !in.s.IsSubclass(type, "builtins:BaseException"))
        return in.Raise("builtins:TypeError", "exception causes must derive from BaseException");
      FRAMEGATE_TAKE(cause, MakeException(in, cause));
    }
    auto* object = As<ObjectValue>(exception);
    if (object == nullptr || object->is_real())
      return in.Break(Reason::kUnsupportedMutation, "raise ... from on an exception from elsewhere");
    in.s.Touch(object);
    object->cause = cause;
    object->suppress_context = true;
  }
  return in.RaiseValue(exception);
}

Outcome OpReraise(Interp& in, Frame& f, const Instruction&) {
  in.s.raised = in.s.Resolve(Cell(f, 1));
  return {Flow::kRaise, nullptr};
}

Outcome OpPushExcInfo(Interp& in, Frame& f, const Instruction&) {
  V exception = Cell(f, 1);
  Cell(f, 1) = in.handled == nullptr ? in.s.None() : in.handled;
  f.stack.push_back(exception);
  in.handled = in.s.Resolve(exception);
  return Next();
}

Outcome OpPopExcept(Interp& in, Frame& f, const Instruction&) {
  V before = in.s.Resolve(Cell(f, 1));
  in.handled = before == in.s.None() ? nullptr : before;
  Pop(f, 1);
  return Next();
}

// Whether a clause that names `types` takes the exception.
Outcome MatchesClause(Interp& in, V exception, V types) {
  types = in.s.Resolve(types);
  if (auto* tuple = As<SequenceValue>(types)) {
    for (V type : tuple->items) {
      FRAMEGATE_TAKE(V matched, MatchesClause(in, exception, type));
      if (matched == in.s.Bool(true))
        return in.Done(matched);
    }
    return in.Done(in.s.Bool(false));
  }
  auto* type = As<TypeValue>(types);
  if (type == nullptr || !in.s.IsSubclass(type, "builtins:BaseException"))
    return in.Raise("builtins:TypeError", "catching classes that do not inherit from BaseException is not allowed");
  TypeValue* actual = in.s.TypeOf(exception);
  if (actual == nullptr)
    return in.Break(Reason::kUnsupportedValue, "an exception of unknown type");
  return in.Done(in.s.Bool(in.s.IsSubclassOf(actual, type)));
}

Outcome OpCheckExcMatch(Interp& in, Frame& f, const Instruction&) {
  FRAMEGATE_TAKE(V matched, MatchesClause(in, Cell(f, 2), Cell(f, 1)));
  Cell(f, 1) = matched;
  return Next();
}

Outcome OpBeforeWith(Interp& in, Frame& f, const Instruction&) {
  V manager = Cell(f, 1);
  TypeValue* type = in.s.TypeOf(manager);
  FRAMEGATE_TAKE(V enter, in.LookupSpecial(manager, "__enter__"));
  if (enter == nullptr)
    return in.Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object does not support the context manager protocol"));
  FRAMEGATE_TAKE(V exit, in.LookupSpecial(manager, "__exit__"));
  if (exit == nullptr)
    return in.Raise("builtins:TypeError",
                    StrCat("'", FullTypeName(type), "' object does not support the context manager protocol (missed __exit__ method)"));
  NoteManager(in.s, manager);
  Outcome outcome = in.Call(enter, {}, kPushTail);
  if (outcome.flow == Flow::kNext) {
    Cell(f, 1) = exit;
    f.stack.push_back(outcome.value);
  } else if (outcome.flow == Flow::kFrame) {
    Cell(f, 1) = exit;
  }
  return outcome;
}

namespace {

// What an exception from elsewhere that is handled has: read when new code comes there.
V HandledTraceback(Session& s, V exception) {
  auto* object = As<ObjectValue>(exception);
  if (object != nullptr && object->traceback != nullptr)
    return object->traceback;
  auto* read = s.New<ResidualValue>();
  read->type = s.TypeOfSymbol("types:TracebackType");
  read->effect = static_cast<uint32_t>(s.effects().size());
  s.AddEffect({.helper = model::Helper::kGetAttrGeneric, .args = {exception, s.Str("__traceback__")}, .has_result = true});
  ObjectValue* traceback = NewTraceback(s, read);
  if (object != nullptr) {
    s.Journal(object);
    object->traceback = traceback;
  }
  return traceback;
}

}  // namespace

// Stack: exit, lasti, previous exception, exception. Calls exit(type, exception, traceback).
Outcome OpWithExceptStart(Interp& in, Frame& f, const Instruction&) {
  V exception = in.s.Resolve(Cell(f, 1)), exit = Cell(f, 4);
  TypeValue* type = in.s.TypeOf(exception);
  if (type == nullptr)
    return in.Break(Reason::kUnsupportedValue, "an exception of unknown type");
  V traceback = nullptr;
  if (exception->is_real()) {
    traceback = HandledTraceback(in.s, exception);
  } else {
    FRAMEGATE_TAKE(traceback, in.GetAttr(exception, "__traceback__"));
  }
  Outcome outcome = in.Call(exit, {.positional = {type, exception, traceback}}, kPushTail);
  if (outcome.flow == Flow::kNext)
    f.stack.push_back(outcome.value);
  return outcome;
}

Outcome OpCleanupThrow(Interp& in, Frame& f, const Instruction&) {
  V exception = in.s.Resolve(Cell(f, 1));
  if (in.s.IsSubclass(in.s.TypeOf(exception), "builtins:StopIteration")) {
    auto* stop = As<ObjectValue>(exception);
    V value = stop != nullptr && !stop->arguments.empty() ? stop->arguments[0] : in.s.None();
    Pop(f, 3);
    f.stack.push_back(in.s.None());
    f.stack.push_back(value);
    return Next();
  }
  in.s.raised = exception;
  return {Flow::kRaise, nullptr};
}

}  // namespace framegate::translator
