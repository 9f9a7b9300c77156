// The rules a check program must keep before it is linked and run. Deny by default: what no rule allows is refused.
// Thread-safe: a pure function.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "guards/program/program.h"

namespace framegate::guards {

// columns: name, text used in messages and tests, what must hold
#define FRAMEGATE_PROGRAM_RULES(RULE)                                                                     \
  RULE(kKnownOp, "known_op", "every opcode is a row of a table")                                          \
  RULE(kReservedZero, "reserved_zero", "fields and bits that a shape does not use are zero")              \
  RULE(kRegisterInRange, "register_in_range", "registers are below the counts of the program")            \
  RULE(kWrittenFirst, "written_first", "a register is written before it is read, on every way")           \
  RULE(kPresence, "presence", "what an optional step gave is checked for presence before it is used")     \
  RULE(kPoolInRange, "pool_in_range", "operands are inside their pool")                                   \
  RULE(kOperandKind, "operand_kind", "a constant, fact or part has the kind its instruction takes")       \
  RULE(kEnds, "ends", "`pass` is the last instruction and occurs nowhere else")                           \
  RULE(kSliceBody, "slice_body", "a slice's body holds steps and checks that follow from its type alone") \
  RULE(kGroup, "group", "a group is begun before it is added to, in the same place")                      \
  RULE(kKeepOnce, "keep_once", "a slot is kept once")                                                     \
  RULE(kCost, "cost", "the whole costs no more than the budget")                                          \
  RULE(kSize, "size", "counts of instructions, registers and subjects agree and are within limits")

enum class ProgramRule : uint8_t {
#define FRAMEGATE_RULE(name, text, doc) name,
  FRAMEGATE_PROGRAM_RULES(FRAMEGATE_RULE)
#undef FRAMEGATE_RULE
};
std::string_view EnumText(ProgramRule rule);

struct VerifyResult {
  bool ok = true;
  ProgramRule rule = ProgramRule::kKnownOp;
  uint32_t instruction = 0;
  std::string detail;

  // InvalidArgument naming rule and instruction; ResourceExhausted for cost and size.
  absl::Status ToStatus() const;
};

VerifyResult Verify(const Program& program);

// Instances of this builtin type (module:qualname) can never change their class, so their type follows from which object they are.
bool HasFixedInstances(std::string_view type);

}  // namespace framegate::guards
