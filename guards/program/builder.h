// Puts a program together: instructions with their operands interned in pools. What lowering, the text form and guards added in the client
// (those a back-end asks for) use. Not thread-safe.
#pragma once

#include <map>
#include <string>

#include "guards/program/program.h"

namespace framegate::guards {

class ProgramBuilder {
 public:
  // Goes on with a program: what is added comes before its `pass`, which Finish puts back.
  explicit ProgramBuilder(Program program = {});

  uint16_t NewObject() { return static_cast<uint16_t>(program_.objects++); }

  uint16_t NewWord() { return static_cast<uint16_t>(program_.words++); }

  uint32_t Constant(const model::Constant& value);
  uint32_t Type(const std::string& name);
  uint32_t Tensor(const TensorCheck& check);
  uint32_t Hash(const Hash128& hash);
  uint32_t Number(uint64_t number);

  // Each adds one instruction and gives its place.
  uint32_t Add(Instruction instruction, model::SubjectId subject);
  uint32_t Add(CheckOp op, uint16_t a, uint16_t b, uint16_t c, model::SubjectId subject);
  uint32_t AddImm(CheckOp op, uint8_t sub, uint16_t a, uint32_t imm, model::SubjectId subject);
  // `node` gives step, index and key; `from` is ignored for roots. ResourceExhausted for an index or pool over 16 bits.
  absl::StatusOr<uint32_t> AddStep(const model::SubjectNode& node, bool optional, uint16_t from, uint16_t to, model::SubjectId subject);
  // InvalidArgument for the fact kTensor without a value. All of it is compared; AddTensor compares less.
  absl::StatusOr<uint32_t> AddFact(const model::FactValue& value, uint16_t object, model::SubjectId subject);

  uint32_t AddTensor(const TensorCheck& check, uint16_t object, model::SubjectId subject);

  size_t size() const { return program_.instructions.size(); }

  Instruction& at(uint32_t instruction) { return program_.instructions[instruction]; }

  // Adds `pass`. The builder is empty afterwards.
  Program Finish();
  // The program as it is. The builder is empty afterwards.
  Program Take();

 private:
  template <typename T>
  uint32_t Intern(std::vector<T>* pool, std::map<std::string, uint32_t>* places, const T& value);

  Program program_;
  std::map<std::string, uint32_t> constants_, types_, tensors_, hashes_, numbers_;  // places by encoding
};

}  // namespace framegate::guards
