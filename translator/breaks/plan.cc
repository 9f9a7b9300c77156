#include "translator/breaks/plan.h"

namespace framegate::translator {

using model::BreakKind;
using model::PendingFrame;
using model::Resume;

namespace {

struct StackEffect {
  bool known = false;
  uint32_t pops = 0, pushes = 0;
};

StackEffect EffectOf(const Instruction& i) {
  [[maybe_unused]] uint32_t arg = static_cast<uint32_t>(i.arg), arg2 = static_cast<uint32_t>(i.arg2);
#define FRAMEGATE_EFFECT(name, taken, left) \
  if (i.op == Op::k##name)                  \
    return {true, static_cast<uint32_t>(taken), static_cast<uint32_t>(left)};
#include "translator/breaks/stack_effects.def"
#undef FRAMEGATE_EFFECT
  return {};
}

bool JumpsIfTrue(Op op) {
  return op == Op::kPopJumpIfTrue || op == Op::kJumpIfTrueOrPop;
}

uint32_t OffsetOf(const Frame& f, uint32_t index) {
  return index < f.code->instructions.size() ? f.code->instructions[index].offset : 0;
}

PendingFrame Pending(const Frame& f, const model::CodeId& code) {
  const Instruction& i = f.instruction();
  PendingFrame pending{.code = code, .resume = f.waiting, .offset = i.offset, .next = f.waiting == Resume::kOperand ? i.offset : i.next};
  pending.slots = static_cast<uint32_t>(f.slots.size());
  pending.depth = static_cast<uint32_t>(f.stack.size());
  if (i.target != kNoIndex)
    pending.jump = OffsetOf(f, i.target);
  pending.jump_if = JumpsIfTrue(i.op);
  pending.keep_on_jump = i.op == Op::kJumpIfFalseOrPop || i.op == Op::kJumpIfTrueOrPop;
  return pending;
}

}  // namespace

std::optional<model::BreakPlan> MakePlan(Interp& in, BreakKind kind, const Refusal& refusal) {
  model::BreakPlan plan{.kind = kind, .reason = refusal.reason, .detail = refusal.detail};
  for (size_t at = 0; at < in.frames().size(); ++at) {
    Frame& f = *in.frames()[at];
    if (f.generator != nullptr || f.function == nullptr)
      return std::nullopt;
    bool innermost = at + 1 == in.frames().size();
    PendingFrame pending = Pending(f, f.function->code_id);
    if (!f.hidden || plan.filename.empty()) {  // a polyfill stands for C code that a line of the frame below it calls
      plan.filename = f.code->image->filename;
      plan.line = f.instruction().line;
    }
    if (innermost) {
      pending.resume = Resume::kInnermost;
      if (kind == BreakKind::kInstruction) {
        StackEffect effect = EffectOf(f.instruction());
        if (!effect.known || effect.pops > pending.depth)
          return std::nullopt;
        pending.pops = effect.pops;
        pending.pushes = effect.pushes;
      } else if (kind == BreakKind::kTruth) {
        pending.pops = 1;
      } else if (kind == BreakKind::kRaise || kind == BreakKind::kGoOn) {
        pending.next = pending.offset;  // nothing comes after it, perhaps not even in the code
        plan.traced = kind == BreakKind::kRaise && RaisesAgain(f.instruction());
      }
    } else if (f.waiting == Resume::kInnermost) {
      return std::nullopt;
    }
    plan.frames.push_back(std::move(pending));
  }
  return plan;
}

}  // namespace framegate::translator
