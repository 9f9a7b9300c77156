// throw() and close() of generators and coroutines made in the frame.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

namespace {

// What a suspended generator delegates to (`yield from`, `await`), or null.
V DelegatedTo(Session& s, const Frame& frame) {
  const DecodedCode& code = *frame.code;
  if (frame.ip + 1 >= code.instructions.size() || frame.stack.empty())
    return nullptr;
  const Instruction& next = code.instructions[frame.ip + 1];
  return next.op == Op::kResume && (next.arg & 3) >= 2 ? s.Resolve(frame.stack.back()) : nullptr;
}

bool IsNamed(Session& s, V exception, const char* type) {
  return s.IsSubclass(s.TypeOf(exception), type);
}

}  // namespace

std::string StopIterationText(Session& s, uint32_t code_flags, V exception) {
  TypeValue* type = s.TypeOf(exception);
  bool is_async = (code_flags & 0x200) != 0;
  const char* kind = is_async ? "async generator" : (code_flags & 0x80) != 0 ? "coroutine" : "generator";
  if (s.IsSubclass(type, "builtins:StopIteration"))
    return StrCat(kind, " raised StopIteration");
  return is_async && s.IsSubclass(type, "builtins:StopAsyncIteration") ? StrCat(kind, " raised StopAsyncIteration") : "";
}

// Goes on with the exception where the generator stands.
Outcome Interp::RaiseInside(GeneratorValue* generator, V exception) {
  Session::Mark mark = s.Snapshot();
  s.Touch(generator);
  generator->started = true;
  generator->running = true;
  std::shared_ptr<Frame> frame = generator->frame;
  std::swap(handled, frame->handled);
  RaiseValue(exception);
  Outcome outcome = RunSync(frame, true);
  if (outcome.flow == Flow::kBreak)
    s.Rollback(mark);
  else
    s.Release(mark);
  return outcome;
}

// The exception goes to what the generator delegates to; what that yields, the generator yields.
Outcome Interp::ThrowThrough(GeneratorValue* generator, V receiver, V exception) {
  Outcome outcome;
  auto* inner = As<GeneratorValue>(receiver);
  if (IsNamed(s, exception, "builtins:GeneratorExit")) {
    if (inner != nullptr) {
      outcome = Close(inner);
    } else {
      outcome = GetAttr(receiver, "close");
      if (outcome.flow == Flow::kRaise)
        outcome = Done(nullptr);
      else if (outcome.ok())
        outcome = Call(outcome.value, {});
    }
    if (outcome.flow == Flow::kBreak)
      return outcome;
    V raised = outcome.flow == Flow::kRaise ? s.raised : exception;
    return RaiseInside(generator, raised);
  }
  if (inner != nullptr) {
    outcome = Throw(inner, exception, kSync);
  } else {
    outcome = GetAttr(receiver, "throw");
    if (outcome.flow == Flow::kRaise)
      return RaiseInside(generator, exception);
    if (outcome.ok())
      outcome = Call(outcome.value, {.positional = {exception}});
  }
  if (outcome.flow == Flow::kRaise && !IsNamed(s, s.raised, "builtins:StopIteration"))
    return RaiseInside(generator, s.raised);
  if (outcome.flow != Flow::kRaise)
    return outcome;
  if (!s.Is311())
    return RaiseInside(generator, s.raised);  // CLEANUP_THROW takes the value out
  // Its value is that of the expression: the generator goes on after its SEND.
  auto* stop = As<ObjectValue>(s.raised);
  V value = stop != nullptr && !stop->arguments.empty() ? stop->arguments[0] : s.None();
  Session::Mark mark = s.Snapshot();
  s.Touch(generator);
  Frame& frame = *generator->frame;
  uint32_t at = frame.ip;
  while (at > 0 && frame.code->instructions[at].op != Op::kSend)
    --at;
  s.raised = nullptr;
  generator->running = true;
  frame.stack.back() = value;
  frame.ip = frame.code->instructions[at].target;
  std::swap(handled, frame.handled);
  outcome = RunSync(generator->frame);
  if (outcome.flow == Flow::kBreak)
    s.Rollback(mark);
  else
    s.Release(mark);
  return outcome;
}

Outcome Interp::Throw(GeneratorValue* generator, V exception, Tail) {
  exception = s.Resolve(exception);
  if (generator->running)
    return Raise("builtins:ValueError", "generator already executing");
  if (generator->frame == nullptr && generator->type->is("builtins:coroutine"))
    return Raise("builtins:RuntimeError", "cannot reuse already awaited coroutine");
  if (generator->frame == nullptr)
    return RaiseValue(exception);
  if (frames_.size() > s.request().config.inline_depth)
    return Break(Reason::kInlineDepth, generator->qualname);
  if (!generator->started) {
    s.Touch(generator);
    generator->frame = nullptr;
    return RaiseValue(exception);
  }
  Session::Mark mark = s.Snapshot();
  V receiver = DelegatedTo(s, *generator->frame);
  Outcome outcome = receiver != nullptr ? ThrowThrough(generator, receiver, exception) : RaiseInside(generator, exception);
  if (outcome.flow == Flow::kBreak)
    s.Rollback(mark);
  else
    s.Release(mark);
  return outcome;
}

Outcome Interp::Close(GeneratorValue* generator) {
  if (generator->running)
    return Raise("builtins:ValueError", "generator already executing");
  if (generator->frame == nullptr)
    return Done(s.None());
  if (!generator->started) {
    s.Touch(generator);
    generator->frame = nullptr;
    return Done(s.None());
  }
  auto* exit = s.New<ObjectValue>();
  exit->type = s.TypeOfSymbol("builtins:GeneratorExit");
  exit->mutable_made = true;
  Outcome outcome = Throw(generator, exit, kSync);
  if (outcome.ok())
    return Raise("builtins:RuntimeError",
                 StrCat(generator->type->is("builtins:coroutine") ? "coroutine" : "generator", " ignored GeneratorExit"));
  if (outcome.flow != Flow::kRaise)
    return outcome;
  bool stopped = IsNamed(s, s.raised, "builtins:StopIteration");
  if (!stopped && !IsNamed(s, s.raised, "builtins:GeneratorExit"))
    return outcome;
  V value = s.None();
  if (auto* stop = As<ObjectValue>(s.raised); stopped && s.Is313() && stop != nullptr && !stop->arguments.empty())
    value = stop->arguments[0];  // 3.13: what it returned
  s.raised = nullptr;
  return Done(value);
}

}  // namespace framegate::translator
