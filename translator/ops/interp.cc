#include "translator/ops/interp.h"

#include "base/strings.h"
#include "model/libraries.h"
#include "translator/breaks/retreat.h"
#include "translator/ops/foresee.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::Resume;

namespace {

Outcome Execute(Interp& in, Frame& f, const Instruction& i) {
  switch (i.op) {
#define FRAMEGATE_OP(number, name, family, args, doc) \
  case Op::k##name:                                   \
    return Op##name(in, f, i);
#include "translator/ops/opcodes.def"
#undef FRAMEGATE_OP
  }
  return in.Break(Reason::kUnsupportedOpcode, StrCat("meaning ", static_cast<int>(i.op)));
}

}  // namespace

Outcome Interp::Break(Reason reason, std::string detail) {
  s.refusal = {.reason = reason, .detail = std::move(detail)};
  return {Flow::kBreak, nullptr};
}

Outcome Interp::Raise(const std::string& type_symbol, std::string message) {
  auto* exception = s.New<ObjectValue>();
  exception->type = s.TypeOfSymbol(type_symbol);
  exception->mutable_made = true;
  exception->arguments = {s.Str(std::move(message))};
  return RaiseValue(exception);
}

Interp::Interp(Session& session) : s(session) {
  auto* none = s.New<ConstantValue>();  // None to whoever looks at it, but not the one None
  none->constant = Constant::None();
  handled = outside = none;
  s.mirror().set_foresight([this](std::vector<model::Question>* questions) { Foresee(*this, questions); });
}

Interp::~Interp() {
  s.mirror().set_foresight(nullptr);
}

V Interp::Topmost() const {
  V found = handled;
  for (size_t at = frames_.size(); at-- > 0 && found == nullptr;)
    if (frames_[at]->generator != nullptr)
      found = frames_[at]->handled;  // while it runs: its driver's
  return found;
}

V Interp::Handled() {
  V found = Topmost();
  return found == outside ? s.HandledBefore() : found;
}

Outcome Interp::RaiseValue(V exception) {
  s.raised = exception;
  auto* object = As<ObjectValue>(exception);
  if (object == nullptr)
    return {Flow::kRaise, nullptr};
  if (object->is_real()) {
    if (V context = Topmost(); context != nullptr && context != exception) {
      s.Journal(object);
      object->context = context;
      s.AddEffect({.helper = model::Helper::kContextSet, .args = {object, context == outside ? s.Bool(true) : context}});
    }
    return {Flow::kRaise, nullptr};
  }
  if (object->traceback == nullptr) {
    s.Touch(object);
    object->traceback = NewTraceback(s, object);
  }
  V context = Topmost();
  if (context == nullptr || context == exception)
    return {Flow::kRaise, nullptr};
  if (context == outside) {
    s.Touch(object);
    object->context = outside;
    return {Flow::kRaise, nullptr};
  }
  for (auto* in_chain = As<ObjectValue>(context); in_chain != nullptr; in_chain = As<ObjectValue>(in_chain->context)) {
    if (in_chain->context != exception)
      continue;
    s.Touch(in_chain);  // a chain must not become a ring
    in_chain->context = nullptr;
  }
  s.Touch(object);
  object->context = context;
  return {Flow::kRaise, nullptr};
}

bool RaisesAgain(const Instruction& i) {
  return i.op == Op::kReraise || (i.op == Op::kRaiseVarargs && i.arg == 0);
}

uint32_t Interp::Position() {
  const Frame& f = top();
  return s.graph().AddPosition(
      {.caller = f.position, .filename = f.code->image->filename, .function = f.code->image->qualname, .line = f.instruction().line});
}

End Interp::Run() {
  End end = End::kReturned;
  NoteFinalizers();
  while (Advance(0, &end) == Turn::kGoOn) {
    if (!suspended_.empty())
      CloseDropped(false);
    if (!finalizers_.empty() && IsFinalizerDropped()) {
      Break(Reason::kLifetime, "an object with __del__ is dropped");
      break_kind_ = model::BreakKind::kGoOn;
      end = End::kBroke;
      break;
    }
  }
  if (end == End::kReturned)
    CloseDropped(true);
  if (end == End::kBroke && !s.failed())
    Retreat();
  return end;
}

// One instruction of the top frame. `base`: frames below it are not touched.
Interp::Turn Interp::Advance(size_t base, End* end) {
  Frame& f = top();
  const Instruction& i = f.instruction();
  s.line = i.line;
  if (++instructions_ > s.request().config.instruction_budget) {
    Break(Reason::kInstructionBudget, StrCat(instructions_ - 1, " instructions"));
    break_kind_ = model::BreakKind::kGoOn;
    *end = End::kBroke;
    return Turn::kEnd;
  }
  break_kind_ = model::BreakKind::kInstruction;
  if (!f.library && !runs_sync()) {
    f.begun = f.stack;
    begun_ = s.changes();
  }
  Outcome outcome = Execute(*this, f, i);
  if (f.underflow)
    s.Fail(
        absl::InvalidArgumentError(StrCat(f.code->image->qualname, ": the instruction at ", i.offset, " takes more than the stack holds")));
  if (s.failed()) {
    *end = End::kBroke;
    return Turn::kEnd;
  }
  switch (outcome.flow) {
    case Flow::kNext:
      ++f.ip;
      return Turn::kGoOn;
    case Flow::kJump:
    case Flow::kFrame:
      return Turn::kGoOn;
    case Flow::kReturn:
      return Deliver(base, outcome.value, end);
    case Flow::kYield:
      return Yield(base, outcome.value, end);
    case Flow::kRaise:
      return Unwind(base, end);
    case Flow::kBreak:
      *end = End::kBroke;
      return Turn::kEnd;
  }
  return Turn::kEnd;
}

// The top frame returned `value`.
Interp::Turn Interp::Deliver(size_t base, V value, End* end) {
  std::shared_ptr<Frame> done = frames_.back();
  if (frames_.size() == base + 1 && !done->sync_root && base == 0) {
    returned_ = value;
    *end = End::kReturned;
    return Turn::kEnd;
  }
  frames_.pop_back();
  DropRetreats();
  s.dropped_real = s.dropped_real || (s.request().unit.continuation && frames_.size() < s.request().unit.frames.size());
  GeneratorValue* generator = done->generator;
  if (generator != nullptr) {
    s.Touch(generator);
    generator->frame = nullptr;
    generator->running = false;
    std::swap(handled, done->handled);
    // A generator that ends is StopIteration(value) to whoever drives it.
    auto* stop = s.New<ObjectValue>();
    stop->type = s.TypeOfSymbol("builtins:StopIteration");
    stop->mutable_made = true;
    if (value != s.None())
      stop->arguments = {value};
    s.raised = stop;
    if (done->sync_root) {
      *end = End::kRaised;
      return Turn::kEnd;
    }
    return Unwind(base, end, true);
  }
  if (done->sync_root) {
    returned_ = value;
    *end = End::kReturned;
    return Turn::kEnd;
  }
  Outcome outcome;
  Frame& f = top();
  if (TakeValue(f, value, &outcome)) {
    f.waiting = Resume::kInnermost;
    return Turn::kGoOn;
  }
  if (outcome.flow == Flow::kRaise)
    return Unwind(base, end);
  *end = End::kBroke;
  return Turn::kEnd;
}

// The waiting frame takes the value of the frame that was above it and goes on. False: see *outcome.
bool Interp::TakeValue(Frame& f, V value, Outcome* outcome) {
  const Instruction& i = f.instruction();
  switch (f.waiting) {
    case Resume::kInnermost:
    case Resume::kPush:
    case Resume::kGetIter:
    case Resume::kNext:
      f.stack.push_back(value);
      ++f.ip;
      return true;
    case Resume::kOperand:
      f.stack.push_back(value);
      return true;
    case Resume::kDiscard:
    case Resume::kReturnSelf:
      ++f.ip;
      return true;
    case Resume::kInit:
      if (s.Resolve(value) != s.None()) {
        TypeValue* type = s.TypeOf(value);
        *outcome = Raise("builtins:TypeError", StrCat("__init__() should return None, not '",
                                                      type == nullptr ? "?" : type->symbol.substr(type->symbol.find(':') + 1), "'"));
        return false;
      }
      ++f.ip;
      return true;
    case Resume::kTruth:
    case Resume::kNot:
    case Resume::kBool:
    case Resume::kContains: {
      const Constant* given = AsConstant(s.Resolve(value));
      const bool fits = given != nullptr && (given->is_bool() || (given->is_int() && given->integer >= 0));
      if (f.waiting != Resume::kContains && !fits) {
        *outcome = Break(Reason::kUnsupportedValue, "a truth that is neither a bool nor a length");
        return false;
      }
      *outcome = Truth(value);
      if (!outcome->ok())
        return false;
      bool truth = outcome->value == s.Bool(true);
      if (f.waiting == Resume::kTruth) {
        bool on_true = i.op == Op::kPopJumpIfTrue || i.op == Op::kJumpIfTrueOrPop;
        f.ip = truth == on_true ? i.target : f.ip + 1;
        return true;
      }
      bool invert = f.waiting == Resume::kNot || (f.waiting == Resume::kContains && i.arg == 1);
      f.stack.push_back(s.Bool(truth != invert));
      ++f.ip;
      return true;
    }
  }
  return false;
}

// The top frame, a generator's, yielded `value`; it is suspended and whoever drove it goes on.
Interp::Turn Interp::Yield(size_t base, V value, End* end) {
  std::shared_ptr<Frame> done = frames_.back();
  GeneratorValue* generator = done->generator;
  frames_.pop_back();
  generator->running = false;
  NoteSuspended(generator);
  std::swap(handled, done->handled);
  bool sync = done->sync_root;
  done->sync_root = false;
  if (sync) {
    returned_ = value;
    *end = End::kReturned;
    return Turn::kEnd;
  }
  Outcome outcome;
  Frame& f = top();
  if (TakeValue(f, value, &outcome)) {
    f.waiting = Resume::kInnermost;
    return Turn::kGoOn;
  }
  if (outcome.flow == Flow::kRaise)
    return Unwind(base, end);
  *end = End::kBroke;
  return Turn::kEnd;
}

// Ends a FOR_ITER or SEND whose iterator has no more.
Interp::Turn Interp::Exhausted(Frame& f) {
  const Instruction& i = f.instruction();
  f.waiting = Resume::kInnermost;
  if (i.op == Op::kSend) {  // the value of the StopIteration is the value of the expression
    auto* stop = As<ObjectValue>(s.raised);
    V value = stop != nullptr && !stop->arguments.empty() ? stop->arguments[0] : s.None();
    f.stack.pop_back();
    if (!s.Is311())
      f.stack.push_back(nullptr);  // END_SEND takes the receiver's place away
    f.stack.push_back(value);
  } else {
    f.stack.pop_back();
  }
  s.raised = nullptr;
  f.ip = i.target;
  return Turn::kGoOn;
}

bool Interp::IsHandled(size_t base, bool left) {
  bool is_stop = s.IsSubclass(s.TypeOf(s.raised), "builtins:StopIteration");
  for (size_t at = frames_.size(); at-- > base;) {
    const Frame& f = *frames_[at];
    if ((left || at + 1 < frames_.size()) && f.waiting == Resume::kNext && is_stop)
      return true;
    if (f.instruction().handler != kNoIndex)
      return true;
    if (f.sync_root)
      return true;  // whoever runs synchronously decides
  }
  return false;
}

bool Interp::EnterHandler(Frame& f) {
  const Instruction& i = f.instruction();
  if (i.handler == kNoIndex)
    return false;
  const Handler& handler = f.code->handlers[i.handler];
  f.stack.resize(std::min<size_t>(handler.depth, f.stack.size()));
  if (handler.lasti)
    f.stack.push_back(s.Int(i.offset));
  f.stack.push_back(s.raised);
  f.waiting = Resume::kInnermost;
  f.ip = handler.target;
  s.raised = nullptr;
  return true;
}

// `left`: the frame that raised is gone already, the top one drives it.
Interp::Turn Interp::Unwind(size_t base, End* end, bool left) {
  if (base == 0 && !IsHandled(0, left)) {  // leaves the outermost frame: all frames stay as they are, so that tracebacks are right
    *end = End::kRaised;
    return Turn::kEnd;
  }
  bool is_stop = s.IsSubclass(s.TypeOf(s.raised), "builtins:StopIteration");
  bool again = !left && RaisesAgain(top().instruction());
  bool first = !left;
  while (true) {
    Frame& f = top();
    if (!first && f.waiting == Resume::kNext && is_stop)
      return Exhausted(f);
    if (!std::exchange(again, false))
      AddToTrace(f);
    if (EnterHandler(f))
      return Turn::kGoOn;
    std::shared_ptr<Frame> done = frames_.back();
    if (frames_.size() <= base + 1 && !done->sync_root) {
      *end = End::kRaised;
      return Turn::kEnd;
    }
    frames_.pop_back();
    DropRetreats();
    NoteUnwound(*done);
    if (done->generator != nullptr) {
      s.Touch(done->generator);
      done->generator->frame = nullptr;
      done->generator->running = false;
      std::swap(handled, done->handled);
      std::string text = s.Is311() ? StopIterationText(s, done->code->image->flags, s.raised) : "";
      if (!text.empty()) {  // PEP 479; later versions compile it into the generator's code
        V stop = s.raised;
        Raise("builtins:RuntimeError", text);
        auto* error = As<ObjectValue>(s.raised);
        error->cause = error->context = stop;
        error->suppress_context = true;
        is_stop = false;
      }
    }
    if (done->sync_root) {
      *end = End::kRaised;
      return Turn::kEnd;
    }
    first = false;
  }
}

// Runs one pushed frame to its end. A break inside undoes all of it.
Outcome Interp::RunSync(std::shared_ptr<Frame> frame, bool raise) {
  size_t base = frames_.size();
  if (sync_depth_ > 60)
    return Break(Reason::kInlineDepth, "nested operators");
  frame->sync_root = true;
  Session::Mark mark = s.Snapshot();
  V handled_before = handled;
  frames_.push_back(std::move(frame));
  ++sync_depth_;
  End end = End::kReturned;
  Turn turn = raise ? Unwind(base, &end) : Turn::kGoOn;
  while (turn == Turn::kGoOn)
    turn = Advance(base, &end);
  --sync_depth_;
  if (end == End::kBroke) {
    frames_.resize(base);
    s.Rollback(mark);
    handled = handled_before;
    break_kind_ = model::BreakKind::kInstruction;
    ++sync_breaks_;
    return {Flow::kBreak, nullptr};
  }
  s.Release(mark);
  break_kind_ = model::BreakKind::kInstruction;
  if (end == End::kRaised)
    return {Flow::kRaise, nullptr};
  return Done(returned_);
}

bool Interp::EnsureCode(FunctionValue* function) {
  if (function->code == nullptr)
    function->code = s.CodeOf(function->code_id, function->handle);
  return function->code != nullptr;
}

std::shared_ptr<Frame> Interp::NewFrame(FunctionValue* function) {
  auto frame = std::make_shared<Frame>();
  frame->code = function->code;
  frame->function = function;
  frame->slots.resize(function->code->image->nlocalsplus());
  frame->library = model::IsLibraryFile(function->code->image->filename);
  frame->hidden = function->symbol.starts_with("framegate._polyfills");
  if (!frames_.empty()) {
    frame->position = Position();
    frame->module_stack = top().module_stack;
  }
  return frame;
}

Outcome Interp::Send(GeneratorValue* generator, V value, Tail tail) {
  if (generator->running)
    return Raise("builtins:ValueError", "generator already executing");
  if (generator->frame == nullptr && generator->type->is("builtins:coroutine"))
    return Raise("builtins:RuntimeError", "cannot reuse already awaited coroutine");
  if (generator->frame == nullptr) {
    auto* stop = s.New<ObjectValue>();
    stop->type = s.TypeOfSymbol("builtins:StopIteration");
    stop->mutable_made = true;
    return RaiseValue(stop);
  }
  if (!generator->started && s.Resolve(value) != s.None())
    return Raise("builtins:TypeError", StrCat("can't send non-None value to a just-started ",
                                              generator->type->is("builtins:coroutine") ? "coroutine" : "generator"));
  if (frames_.size() > s.request().config.inline_depth)
    return Break(Reason::kInlineDepth, generator->qualname);
  Session::Mark mark = s.Snapshot();
  s.Touch(generator);
  generator->started = true;
  generator->running = true;
  std::shared_ptr<Frame> frame = generator->frame;
  frame->stack.push_back(value);
  ++frame->ip;
  std::swap(handled, frame->handled);
  if (tail.allowed) {
    s.Release(mark);
    top().waiting = tail.resume;
    frames_.push_back(frame);
    return {Flow::kFrame, nullptr};
  }
  Outcome outcome = RunSync(frame);
  if (outcome.flow == Flow::kBreak)
    s.Rollback(mark);
  else
    s.Release(mark);
  return outcome;
}

Outcome Interp::RunBody(FunctionValue* body, V space) {
  if (!EnsureCode(body))
    return Break(Reason::kUnsupportedCall, StrCat(body->qualname, ": its code cannot be had"));
  if (frames_.size() > s.request().config.inline_depth)
    return Break(Reason::kInlineDepth, body->qualname);
  std::shared_ptr<Frame> frame = NewFrame(body);
  frame->locals = space;
  return RunSync(std::move(frame));
}

}  // namespace framegate::translator
