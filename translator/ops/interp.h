// The symbolic interpreter: frames of meanings over values. Python-to-Python calls push frames, so that a break finds every pending frame
// where it stands; operations that run Python code in the middle of an instruction run synchronously and are rolled back to the
// instruction's start when something in them cannot be captured. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translator/values/session.h"

namespace framegate::translator {

enum class Flow : uint8_t {
  kNext,    // done; `value` is the result where there is one
  kJump,    // the instruction has set the frame's ip
  kRaise,   // session.raised is the exception
  kBreak,   // cannot be captured: session.refusal says why
  kFrame,   // a frame was pushed (or a generator's resumed); its value arrives as the waiting frame's `waiting` says
  kReturn,  // the frame ends with `value`
  kYield,   // the generator's frame yields `value`
};

struct Outcome {
  Flow flow = Flow::kNext;
  V value = nullptr;

  bool ok() const { return flow == Flow::kNext; }
};

// Returns from a body unless an outcome is a plain result; then binds its value.
#define FRAMEGATE_TAKE(target, expression)                     \
  Outcome FRAMEGATE_CONCAT(outcome_, __LINE__) = (expression); \
  if (!FRAMEGATE_CONCAT(outcome_, __LINE__).ok())              \
    return FRAMEGATE_CONCAT(outcome_, __LINE__);               \
  target = FRAMEGATE_CONCAT(outcome_, __LINE__).value

// Whether an operation may end by pushing a frame, and how the frame below then takes the value. Without it Python code runs synchronously.
struct Tail {
  bool allowed = false;
  model::Resume resume = model::Resume::kPush;
};

inline constexpr Tail kSync{};
inline constexpr Tail kPushTail{true, model::Resume::kPush};

struct Args {
  Values positional;
  std::vector<std::pair<std::string, V>> keyword;

  V Keyword(std::string_view name) const {
    for (const auto& [key, value] : keyword)
      if (key == name)
        return value;
    return nullptr;
  }
};

// RERAISE, `raise` without an argument: the traceback keeps the place where it was raised first.
bool RaisesAgain(const Instruction& i);

enum class End : uint8_t { kReturned, kBroke, kRaised };

class Interp {
 public:
  explicit Interp(Session& session);
  ~Interp();

  // REQUIRES: frames() is not empty. Ends when the outermost frame returns, something breaks or an exception leaves the outermost frame.
  End Run();

  V returned() const { return returned_; }

  // Whether something that outlives this instruction holds an object made in the frame, or a real one.
  enum class Held : uint8_t { kNo, kYes, kUnknown };
  Held IsHeldNow(V target);
  // A real object that lived when the unit began lives still, as far as the frame can tell.
  bool LivesStill(V target);
  // It was found through a cell of the unit, which may be all that holds it.
  bool IsOfCells(V target);

  // A generator was dropped that does something then which cannot be done here: the translation is void.
  bool dropped() const { return dropped_; }

  std::vector<std::shared_ptr<Frame>>& frames() { return frames_; }

  Frame& top() { return *frames_.back(); }

  uint64_t instructions() const { return instructions_; }

  bool runs_sync() const { return sync_depth_ > 0; }

  // How often a synchronous run has broken inside.
  uint64_t sync_breaks() const { return sync_breaks_; }

  // The kind of break that the last kBroke asks for.
  model::BreakKind break_kind() const { return break_kind_; }

  void set_break_kind(model::BreakKind kind) { break_kind_ = kind; }

  // --- outcomes ---
  Outcome Done(V value) { return {Flow::kNext, value}; }

  Outcome Raise(const std::string& type_symbol, std::string message);
  Outcome RaiseValue(V exception);
  // What sys.exc_info() would see, or null; read of the thread where the unit has not changed it.
  V Handled();
  // The same, or `outside`. A generator sees what is handled where it is driven.
  V Topmost() const;
  Outcome Break(model::Reason reason, std::string detail);
  // Nothing of the unit can be captured: not even a break before this would keep what it does.
  Outcome LeaveAsWritten(model::Reason reason, std::string detail);

  // --- the slot engine; each follows CPython's own algorithm ---
  Outcome GetAttr(V object, const std::string& name, Tail tail = kSync);
  Outcome SetAttr(V object, const std::string& name, V value, Tail tail = kSync);  // value null deletes
  Outcome LookupSpecial(V object, const std::string& name);                        // bound; value null where the type has none
  Outcome Call(V callable, Args args, Tail tail = kSync);
  Outcome CallFunction(FunctionValue* function, Args args, Tail tail);
  Outcome CallType(TypeValue* type, Args args, Tail tail);
  // What type.__call__ does: __new__, then __init__.
  Outcome Construct(TypeValue* type, Args args, Tail tail);
  // Runs a class body on a namespace, to its end.
  Outcome RunBody(FunctionValue* body, V space);
  Outcome CallBuiltin(const std::string& symbol, Args args, Tail tail);
  Outcome BinaryOp(int32_t number, V left, V right, Tail tail = kSync);
  Outcome UnaryOp(char op, V operand, Tail tail = kSync);  // '-', '+', '~'
  Outcome Compare(int32_t op, V left, V right, Tail tail = kSync);
  Outcome Truth(V value, Tail tail = kSync);  // True or False
  Outcome Is(V left, V right);                // True or False
  Outcome Contains(V container, V item, Tail tail = kSync);
  Outcome Length(V value);  // an int
  Outcome GetItem(V container, V key, Tail tail = kSync);
  Outcome SetItem(V container, V key, V value, Tail tail = kSync);  // value null deletes
  Outcome Iter(V iterable, Tail tail = kSync);
  // Next item; value null where exhausted.
  Outcome Next(V iterator, Tail tail = kSync);
  Outcome ToValues(V iterable, Values* items);  // all items
  Outcome Equal(V left, V right);               // == as a bool, identity first, as containers compare
  Outcome IsInstance(V object, V type);
  Outcome Send(GeneratorValue* generator, V value, Tail tail);
  Outcome Throw(GeneratorValue* generator, V exception, Tail tail);
  Outcome Close(GeneratorValue* generator);

  // --- tensors ---
  // A node `target` on args; result as metadata says.
  Outcome GraphCall(model::NodeOp op, const std::string& target, Args args);
  // The same where the result is known to look like `result`; the call may raise.
  Outcome GraphResult(const std::string& target, Args args, const model::Operand& result, std::vector<uint32_t> bodies = {});
  Outcome GraphState(const std::string& symbol, Args args);
  // The graph fails where the truth of the tensor is another one; then the unit runs as written.
  Outcome GraphExpect(V tensor, bool truth);
  Outcome TensorAttr(TensorValue* tensor, const std::string& name, Tail tail);
  Outcome SetTensorAttr(TensorValue* tensor, const std::string& name, V value);  // value null deletes
  bool HasTensor(const Args& args);
  bool HasTensor(V value, int depth = 0);

  // --- pure C functions, evaluated once in the client; kBreak where it will not ---
  Outcome Fold(const std::string& symbol, const Args& args);

  // --- frames ---
  Outcome PushFrame(FunctionValue* function, Args args, Tail tail);
  // An exception from inside the graph would find handlers, or leave the ambient state otherwise than the program does.
  bool MayBeHandled();
  void EnterScope(Frame& frame, V module);
  std::shared_ptr<Frame> NewFrame(FunctionValue* function);
  bool EnsureCode(FunctionValue* function);
  uint32_t Position();  // graph position of the instruction that runs

  V handled;  // the exception being handled; null: none; `outside`: what the thread handles anyway, whatever that is
  V outside;
  Session& s;

 private:
  Outcome RunSync(std::shared_ptr<Frame> frame, bool raise = false);  // raise: session.raised is raised where the frame stands
  Outcome RaiseInside(GeneratorValue* generator, V exception);
  Outcome ThrowThrough(GeneratorValue* generator, V receiver, V exception);
  enum class Turn : uint8_t { kGoOn, kEnd };
  Turn Advance(size_t base, End* end);
  Turn Deliver(size_t base, V value, End* end);
  Turn Yield(size_t base, V value, End* end);
  Turn Unwind(size_t base, End* end, bool left = false);
  Turn Exhausted(Frame& frame);
  bool TakeValue(Frame& frame, V value, Outcome* outcome);
  bool IsHandled(size_t base, bool left);
  void AddToTrace(const Frame& f);
  bool EnterHandler(Frame& frame);

  // A generator that stands where something handles what ends it.
  struct Suspended {
    GeneratorValue* generator;
    V holder;  // what a frame had through which it was reached last
  };

  // It has yielded.
  void NoteSuspended(GeneratorValue* generator);
  // Generators that nothing holds any more are closed, as dropping the last reference does. `returned`: with the outermost frame's own.
  void CloseDropped(bool returned);
  bool IsHeld(Suspended& suspended, bool returned);
  // An exception leaves the frame and keeps it: until when, nobody knows here.
  void NoteUnwound(const Frame& frame);
  // Objects with __del__ that the cells of a continuation hold.
  void NoteFinalizers();
  // One of them is held by nobody any more: what it does then comes before the next instruction.
  bool IsFinalizerDropped();
  // The program's own code is about to call a library's: a break in there may come back to the call. REQUIRES: the frame is not pushed yet.
  void NoteRetreat(const Frame& callee);
  // Those of frames that are gone.
  void DropRetreats();
  // At a break inside a library: as if it were at the call of it.
  void Retreat();
  // The outermost call of a function of numpy that the break is in, as a place in retreats_; its size where there is none.
  size_t NumpyRetreat();

  struct Retreating {
    size_t frame;  // the one that called
    Values stack;  // its own, when the instruction began
    V handled;
    Session::Mark mark;
    bool of_numpy;
  };

  std::vector<std::shared_ptr<Frame>> frames_;
  std::vector<Retreating> retreats_;

  std::vector<Suspended> suspended_;
  Values finalizers_;
  bool dropped_ = false;
  uint64_t begun_ = 0;  // Session::changes() when the instruction of the innermost frame began
  V returned_ = nullptr;
  uint64_t instructions_ = 0;
  int sync_depth_ = 0;
  uint64_t sync_breaks_ = 0;
  model::BreakKind break_kind_ = model::BreakKind::kInstruction;
};

// Bodies of translator/ops/opcodes.def.
#define FRAMEGATE_OP(number, name, family, args, doc) Outcome Op##name(Interp& in, Frame& f, const Instruction& i);
#include "translator/ops/opcodes.def"
#undef FRAMEGATE_OP

}  // namespace framegate::translator
