// What a failed instruction saw, as people read it: one rule for live objects and for summaries. Allocates; not for the hot path.
#pragma once

#include <string>

#include "guards/program/eval.h"
#include "guards/program/program.h"
#include "guards/program/shape.h"

namespace framegate::guards {

// `registers` are as the evaluation left them. A teller has
//     std::string Absent(const Instruction& step)      what a step found that found nothing
//     std::string Fact(model::Fact, P::Object)         the fact's value, or what the object is instead
//     std::string Type(P::Object)                      the type's name
//     std::string Ambient(uint8_t part)
// Under 500 bytes.
template <typename P, typename Teller>
std::string Seen(const Instruction& failed, Scratch<P>& registers, const Teller& teller) {
  if (IsStepOp(failed.op))
    return teller.Absent(failed);
  const Registers used = RegistersOf(failed);
  const typename P::Object object = used.reads_objects.empty() ? nullptr : registers.objects()[used.reads_objects[0]];
  if (IsFactOp(failed.op))
    return Shorten(teller.Fact(FactOf(failed.op), object));
  const CheckOp op = static_cast<CheckOp>(failed.op);
  if (op == CheckOp::kCheckType)
    return teller.Type(object);
  if (op == CheckOp::kCheckAmbient)
    return Shorten(teller.Ambient(failed.sub));
  if (!SeenText(op).empty())
    return std::string(SeenText(op));
  return object != nullptr ? Shorten(teller.Fact(model::Fact::kValue, object)) : "";
}

}  // namespace framegate::guards
