// Generators and coroutines made and driven inside the frame.
#include "base/strings.h"
#include "translator/builtins/table.h"
#include "translator/ops/stack.h"

namespace framegate::translator {

using model::Reason;
using model::Resume;

Outcome OpResume(Interp&, Frame&, const Instruction&) {
  return Next();
}

// The frame that runs becomes the generator; its caller gets the generator. The value of the first send is dropped by the code itself.
Outcome OpReturnGenerator(Interp& in, Frame& f, const Instruction&) {
  if (in.frames().size() == 1)
    return in.Break(Reason::kGeneratorRoot, f.code->image->qualname);
  auto* generator = in.s.New<GeneratorValue>();
  generator->mutable_made = true;
  generator->qualname = f.code->image->qualname;
  generator->function = f.function;
  uint32_t flags = f.code->image->flags;  // CO_ASYNC_GENERATOR, CO_COROUTINE
  generator->type = in.s.TypeOfSymbol((flags & 0x200) != 0  ? "types:AsyncGeneratorType"
                                      : (flags & 0x80) != 0 ? "types:CoroutineType"
                                                            : "types:GeneratorType");
  if (const LazyIterator* row = f.hidden ? FindLazyIterator(f.function->symbol) : nullptr)
    generator->type = in.s.TypeOfSymbol(std::string(row->type));
  auto frame = std::make_shared<Frame>(f);
  frame->generator = generator;
  frame->sync_root = false;
  generator->frame = frame;
  return {Flow::kReturn, generator};
}

Outcome OpYieldValue(Interp& in, Frame& f, const Instruction&) {
  if (f.generator == nullptr)
    return in.Break(Reason::kUnsupportedGenerator, "a yield outside of a captured generator");
  V value = Cell(f, 1);
  Pop(f, 1);
  return {Flow::kYield, value};
}

Outcome OpGetYieldFromIter(Interp& in, Frame& f, const Instruction&) {
  if (As<GeneratorValue>(in.s.Resolve(Cell(f, 1))) != nullptr)
    return Next();
  return Replace(f, 1, in.Iter(Cell(f, 1)));
}

// Stack: receiver, value to send. Gives what the receiver yields; jumps with its return value when it ends.
Outcome OpSend(Interp& in, Frame& f, const Instruction& i) {
  V receiver = in.s.Resolve(Cell(f, 2)), value = Cell(f, 1);
  if (auto* generator = As<GeneratorValue>(receiver)) {
    Pop(f, 1);
    Outcome outcome = in.Send(generator, value, {true, Resume::kNext});
    if (outcome.flow == Flow::kBreak || outcome.flow == Flow::kRaise)
      f.stack.push_back(value);
    return outcome;
  }
  if (in.s.Resolve(value) != in.s.None())
    return in.Break(Reason::kUnsupportedGenerator, "send to an iterator");
  FRAMEGATE_TAKE(V item, in.Next(receiver));
  if (item != nullptr) {
    Cell(f, 1) = item;
    return Next();
  }
  Pop(f, in.s.Is311() ? 2 : 1);
  f.stack.push_back(in.s.None());
  f.ip = i.target;
  return {Flow::kJump, nullptr};
}

Outcome OpEndSend(Interp&, Frame& f, const Instruction&) {
  V value = Cell(f, 1);
  Pop(f, 2);
  f.stack.push_back(value);
  return Next();
}

}  // namespace framegate::translator
