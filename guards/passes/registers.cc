#include <queue>

#include "guards/passes/passes.h"
#include "guards/program/shape.h"

namespace framegate::guards {

namespace {

constexpr uint32_t kNever = UINT32_MAX;

// Where each register is read last. What a slice's body makes, and its type, live to the body's end at least: a skipped body restores them.
std::vector<uint32_t> LastReads(const Program& program) {
  std::vector<uint32_t> last(program.objects, kNever);
  uint32_t body_end = 0;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& in = program.instructions[i];
    if (in.op == static_cast<uint8_t>(CheckOp::kSlice))
      body_end = i + in.imm();
    const Registers registers = RegistersOf(in);
    const uint32_t until = std::max(i, body_end);
    for (uint16_t r : registers.reads_objects)
      last[r] = until;
    if (registers.writes_object >= 0)
      last[static_cast<size_t>(registers.writes_object)] = until;
  }
  return last;
}

void Rename(Instruction* in, const std::vector<uint16_t>& name) {
  const OperandShape shape = IsFactOp(in->op) || IsStepOp(in->op) ? OperandShape::kO : ShapeOf(static_cast<CheckOp>(in->op));
  switch (shape) {
    case OperandShape::kO:
    case OperandShape::kOType:
    case OperandShape::kOHandle:
    case OperandShape::kSlot:
    case OperandShape::kBody:
      in->a = name[in->a];
      break;
    case OperandShape::kOO:
      in->a = name[in->a];
      in->b = name[in->b];
      break;
    case OperandShape::kDim:
    case OperandShape::kWFact:
    case OperandShape::kWO:
      in->b = name[in->b];
      break;
    case OperandShape::kNone:
    case OperandShape::kPart:
    case OperandShape::kWord:
    case OperandShape::kWWW:
    case OperandShape::kW:
      break;
  }
}

}  // namespace

void AllocateRegisters(Program* program) {
  const std::vector<uint32_t> last = LastReads(*program);
  std::vector<std::vector<uint16_t>> dying(program->instructions.size());
  for (uint32_t r = 0; r < program->objects; ++r)
    if (last[r] != kNever)
      dying[last[r]].push_back(static_cast<uint16_t>(r));
  std::vector<uint16_t> name(program->objects, 0);
  std::priority_queue<uint16_t, std::vector<uint16_t>, std::greater<>> free;  // the lowest first, so that few are in use
  uint32_t count = 0;
  for (uint32_t i = 0; i < program->instructions.size(); ++i) {
    Instruction& in = program->instructions[i];
    const Registers registers = RegistersOf(in);
    const bool is_step = IsStepOp(in.op) && !registers.reads_objects.empty();
    const uint16_t source = is_step ? name[in.b] : 0;
    // A step reads before it writes, so what it reads last makes room for what it writes.
    for (uint16_t r : dying[i])
      if (r != registers.writes_object)
        free.push(name[r]);
    if (registers.writes_object >= 0) {
      if (free.empty())
        free.push(static_cast<uint16_t>(count++));
      name[static_cast<size_t>(registers.writes_object)] = free.top();
      free.pop();
    }
    for (uint16_t r : dying[i])
      if (r == registers.writes_object)
        free.push(name[r]);
    if (is_step)
      in.b = source;
    Rename(&in, name);
  }
  program->objects = count;
}

}  // namespace framegate::guards
