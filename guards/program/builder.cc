#include "guards/program/builder.h"

#include "base/strings.h"

namespace framegate::guards {

ProgramBuilder::ProgramBuilder(Program program) : program_(std::move(program)) {
  if (!program_.instructions.empty() && program_.instructions.back().op == static_cast<uint8_t>(CheckOp::kPass)) {
    program_.instructions.pop_back();
    program_.subjects.pop_back();
  }
}

template <typename T>
uint32_t ProgramBuilder::Intern(std::vector<T>* pool, std::map<std::string, uint32_t>* places, const T& value) {
  auto [it, is_new] = places->try_emplace(Encode(value), static_cast<uint32_t>(pool->size()));
  if (is_new)
    pool->push_back(value);
  return it->second;
}

uint32_t ProgramBuilder::Constant(const model::Constant& value) {
  return Intern(&program_.constants, &constants_, value);
}

uint32_t ProgramBuilder::Type(const std::string& name) {
  return Intern(&program_.types, &types_, name);
}

uint32_t ProgramBuilder::Tensor(const TensorCheck& check) {
  return Intern(&program_.tensors, &tensors_, check);
}

uint32_t ProgramBuilder::Hash(const Hash128& hash) {
  return Intern(&program_.hashes, &hashes_, hash);
}

uint32_t ProgramBuilder::Number(uint64_t number) {
  return Intern(&program_.numbers, &numbers_, number);
}

uint32_t ProgramBuilder::Add(Instruction instruction, model::SubjectId subject) {
  program_.instructions.push_back(instruction);
  program_.subjects.push_back(subject);
  return static_cast<uint32_t>(program_.instructions.size() - 1);
}

uint32_t ProgramBuilder::Add(CheckOp op, uint16_t a, uint16_t b, uint16_t c, model::SubjectId subject) {
  return Add({.op = static_cast<uint8_t>(op), .a = a, .b = b, .c = c}, subject);
}

uint32_t ProgramBuilder::AddImm(CheckOp op, uint8_t sub, uint16_t a, uint32_t imm, model::SubjectId subject) {
  Instruction instruction{.op = static_cast<uint8_t>(op), .sub = sub, .a = a};
  instruction.set_imm(imm);
  return Add(instruction, subject);
}

absl::StatusOr<uint32_t> ProgramBuilder::AddStep(const model::SubjectNode& node, bool optional, uint16_t from, uint16_t to,
                                                 model::SubjectId subject) {
  Instruction instruction{.op = StepOp(node.step), .sub = optional ? kOptional : uint8_t{0}, .a = to};
  const uint32_t operand = model::OperandOf(node.step) == model::StepOperand::kKey ? Constant(node.key) : node.index;
  if (model::IsRoot(node.step)) {
    instruction.set_imm(operand);
  } else if (operand > UINT16_MAX) {
    return absl::ResourceExhaustedError(StrCat("step ", model::EnumText(node.step), ": operand ", operand, " is over 16 bits"));
  } else {
    instruction.b = from;
    instruction.c = static_cast<uint16_t>(operand);
  }
  return Add(instruction, subject);
}

absl::StatusOr<uint32_t> ProgramBuilder::AddFact(const model::FactValue& value, uint16_t object, model::SubjectId subject) {
  Instruction instruction{.op = FactOp(value.fact), .a = object};
  if (!value.known) {
    instruction.sub = kUnknown;
    return Add(instruction, subject);
  }
  switch (model::ShapeOf(value.fact)) {
    case model::FactShape::kWord:
      instruction.sub = value.word > UINT32_MAX ? kPooled : uint8_t{0};
      instruction.set_imm(value.word > UINT32_MAX ? Number(value.word) : static_cast<uint32_t>(value.word));
      break;
    case model::FactShape::kConstant:
      instruction.set_imm(Constant(value.constant));
      break;
    case model::FactShape::kTensor:
      if (!value.tensor)
        return absl::InvalidArgumentError("a tensor fact has no value");
      instruction.set_imm(Tensor({.facts = *value.tensor, .parts = kAllTensorParts}));
      break;
    case model::FactShape::kHash:
      instruction.set_imm(Hash(value.hash));
      break;
  }
  return Add(instruction, subject);
}

uint32_t ProgramBuilder::AddTensor(const TensorCheck& check, uint16_t object, model::SubjectId subject) {
  Instruction instruction{.op = FactOp(model::Fact::kTensor), .a = object};
  instruction.set_imm(Tensor(check));
  return Add(instruction, subject);
}

Program ProgramBuilder::Finish() {
  Add(CheckOp::kPass, 0, 0, 0, model::kNoSubject);
  return Take();
}

Program ProgramBuilder::Take() {
  Program program = std::move(program_);
  *this = ProgramBuilder();
  return program;
}

}  // namespace framegate::guards
