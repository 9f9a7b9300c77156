// A program made ready for one kind of probe: pools become what the probe compares with (Python objects, pinned types), bodies of slices
// get room for what they saw last. Linking happens once, evaluation (eval.h) thousands of times.
//
// A probe P names the types it works with:
//     P::Object    a borrowed object; a pointer, null for nothing
//     P::Pool      owns what operands point to; made once per linked program:
//       absl::StatusOr<Operand> Key(Step, const Constant&), Expected(Fact, const Constant&), Ambient(vector<pair<part, Constant>>),
//       Type(const std::string&), Tensor(const TensorCheck&), Hash(const Hash128&), Object(uint64_t handle)
// Ownership: Linked owns its pool. Thread-compatible; its caches are written by evaluation, so one evaluation at a time (the GIL).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "guards/program/program.h"

namespace framegate::guards {

// What an instruction's operand becomes: a word, or something that the pool owns.
union Operand {
  constexpr explicit Operand(uint64_t value = 0) : word(value) {}

  constexpr explicit Operand(const void* value) : pointer(value) {}

  uint64_t word;
  const void* pointer;
};

static_assert(sizeof(Operand) == 8);

template <typename P>
struct LinkedInstruction {
  uint8_t op = 0;
  uint8_t sub = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  mutable uint16_t hint = 0;  // a probe's own cache: where it found the answer last
  Operand operand{};
};

// Opcodes that only linked programs have, among the numbers check_ops.def leaves free.
inline constexpr uint8_t kSliceEnd = 60;
inline constexpr uint8_t kLacksFact = 61;  // sub: fact
inline constexpr uint8_t kAmbientBatch = 62;

template <typename P>
class Linked {
 public:
  // What a slice's body left behind when it passed last.
  struct Slice {
    uint64_t version = 0;  // of the type; 0: never passed
    uint32_t end = 0;      // linked index of its kSliceEnd
    std::vector<std::pair<uint16_t, typename P::Object>> outs;
  };

  // REQUIRES: the program verifies. The pool's statuses.
  static absl::StatusOr<Linked> Link(const Program& program, typename P::Pool pool);

  const std::vector<LinkedInstruction<P>>& code() const { return code_; }

  // Of a linked instruction: its place in the program.
  uint32_t origin(size_t at) const { return origins_[at]; }

  std::vector<Slice>& slices() const { return slices_; }

  // Slots of the new code, in the order evaluation gives kept objects.
  const std::vector<uint32_t>& keep_slots() const { return keep_slots_; }

  uint32_t objects() const { return objects_; }

  uint32_t words() const { return words_; }

  uint32_t group_size() const { return group_size_; }

  const typename P::Pool& pool() const { return pool_; }

 private:
  explicit Linked(typename P::Pool pool) : pool_(std::move(pool)) {}

  absl::Status Add(const Program& program, uint32_t at);
  absl::Status AddStep(const Program& program, const Instruction& in, LinkedInstruction<P>* out);
  absl::Status AddFact(const Program& program, const Instruction& in, LinkedInstruction<P>* out);
  absl::StatusOr<uint32_t> AddAmbient(const Program& program, uint32_t at);
  absl::Status AddSlice(const Program& program, uint32_t at);

  void Push(LinkedInstruction<P> instruction, uint32_t origin) {
    code_.push_back(instruction);
    origins_.push_back(origin);
  }

  typename P::Pool pool_;
  std::vector<LinkedInstruction<P>> code_;
  std::vector<uint32_t> origins_;
  mutable std::vector<Slice> slices_;
  std::vector<uint32_t> keep_slots_;
  uint32_t objects_ = 0, words_ = 0, group_size_ = 0, group_count_ = 0;
};

template <typename P>
absl::StatusOr<Linked<P>> Linked<P>::Link(const Program& program, typename P::Pool pool) {
  Linked linked(std::move(pool));
  linked.objects_ = program.objects;
  linked.words_ = program.words;
  linked.code_.reserve(program.instructions.size());
  for (uint32_t at = 0; at < program.instructions.size();) {
    const uint8_t op = program.instructions[at].op;
    if (op == static_cast<uint8_t>(CheckOp::kCheckAmbient)) {
      ASSIGN_OR_RETURN(at, linked.AddAmbient(program, at));
    } else if (op == static_cast<uint8_t>(CheckOp::kSlice)) {
      RETURN_IF_ERROR(linked.AddSlice(program, at));
      at += 1 + program.instructions[at].imm();
    } else {
      RETURN_IF_ERROR(linked.Add(program, at));
      ++at;
    }
  }
  return linked;
}

template <typename P>
absl::Status Linked<P>::Add(const Program& program, uint32_t at) {
  const Instruction& in = program.instructions[at];
  LinkedInstruction<P> out{.op = in.op, .sub = in.sub, .a = in.a, .b = in.b, .hint = in.c};
  if (IsStepOp(in.op)) {
    RETURN_IF_ERROR(AddStep(program, in, &out));
  } else if (IsFactOp(in.op)) {
    RETURN_IF_ERROR(AddFact(program, in, &out));
  } else {
    switch (ShapeOf(static_cast<CheckOp>(in.op))) {
      case OperandShape::kNone:
        if (in.op == static_cast<uint8_t>(CheckOp::kNop))
          return absl::OkStatus();
        group_count_ = 0;
        break;
      case OperandShape::kOType: {
        ASSIGN_OR_RETURN(out.operand, pool_.Type(program.types[in.imm()]));
        break;
      }
      case OperandShape::kOHandle: {
        ASSIGN_OR_RETURN(out.operand, pool_.Object(program.numbers[in.imm()]));
        break;
      }
      case OperandShape::kSlot:
        out.operand = Operand(uint64_t{keep_slots_.size()});
        keep_slots_.push_back(in.imm());
        break;
      case OperandShape::kWord:
        out.operand = Operand(program.numbers[in.imm()]);
        break;
      case OperandShape::kO:
        if (in.op == static_cast<uint8_t>(CheckOp::kGroupAdd))
          group_size_ = std::max(group_size_, ++group_count_);
        break;
      case OperandShape::kOO:
      case OperandShape::kPart:
      case OperandShape::kBody:
      case OperandShape::kDim:
      case OperandShape::kWFact:
      case OperandShape::kWO:
      case OperandShape::kWWW:
      case OperandShape::kW:
        break;
    }
  }
  Push(out, at);
  return absl::OkStatus();
}

template <typename P>
absl::Status Linked<P>::AddStep(const Program& program, const Instruction& in, LinkedInstruction<P>* out) {
  const model::Step step = StepOf(in.op);
  const uint32_t index = model::IsRoot(step) ? in.imm() : in.c;
  out->hint = 0;
  if (model::OperandOf(step) == model::StepOperand::kKey) {
    ASSIGN_OR_RETURN(out->operand, pool_.Key(step, program.constants[index]));
  } else {
    out->operand = Operand(uint64_t{index});
  }
  return absl::OkStatus();
}

template <typename P>
absl::Status Linked<P>::AddFact(const Program& program, const Instruction& in, LinkedInstruction<P>* out) {
  const model::Fact fact = FactOf(in.op);
  out->hint = 0;
  if (in.sub & kUnknown) {
    out->op = kLacksFact;
    out->sub = static_cast<uint8_t>(fact);
    return absl::OkStatus();
  }
  switch (model::ShapeOf(fact)) {
    case model::FactShape::kWord:
      out->operand = Operand(in.sub & kPooled ? program.numbers[in.imm()] : uint64_t{in.imm()});
      break;
    case model::FactShape::kConstant: {
      ASSIGN_OR_RETURN(out->operand, pool_.Expected(fact, program.constants[in.imm()]));
      break;
    }
    case model::FactShape::kTensor: {
      ASSIGN_OR_RETURN(out->operand, pool_.Tensor(program.tensors[in.imm()]));
      break;
    }
    case model::FactShape::kHash: {
      ASSIGN_OR_RETURN(out->operand, pool_.Hash(program.hashes[in.imm()]));
      break;
    }
  }
  return absl::OkStatus();
}

// Neighbours become one read of the ambient state. Gives the place after them.
template <typename P>
absl::StatusOr<uint32_t> Linked<P>::AddAmbient(const Program& program, uint32_t at) {
  std::vector<std::pair<uint8_t, model::Constant>> parts;
  const uint32_t first = at;
  for (; program.instructions[at].op == static_cast<uint8_t>(CheckOp::kCheckAmbient); ++at)
    parts.emplace_back(program.instructions[at].sub, program.constants[program.instructions[at].imm()]);
  LinkedInstruction<P> out{.op = kAmbientBatch};
  ASSIGN_OR_RETURN(out.operand, pool_.Ambient(parts));
  Push(out, first);
  return at;
}

template <typename P>
absl::Status Linked<P>::AddSlice(const Program& program, uint32_t at) {
  const Instruction& in = program.instructions[at];
  const uint64_t index = slices_.size();
  LinkedInstruction<P> begin{.op = in.op, .a = in.a, .operand = Operand(index)};
  Push(begin, at);
  slices_.emplace_back();
  for (uint32_t i = at + 1; i <= at + in.imm(); ++i) {
    RETURN_IF_ERROR(Add(program, i));
    if (IsStepOp(program.instructions[i].op))
      slices_[index].outs.emplace_back(program.instructions[i].a, nullptr);
  }
  slices_[index].end = static_cast<uint32_t>(code_.size());
  begin.op = kSliceEnd;
  Push(begin, at);
  return absl::OkStatus();
}

}  // namespace framegate::guards
