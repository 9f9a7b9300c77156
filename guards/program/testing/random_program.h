// Random check programs: well formed for the most part, so that many verify and what they do is worth running. Tests only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/testing/fuzz_rounds.h"
#include "guards/program/program.h"
#include "model/subject.h"

namespace framegate::guards {

class RandomProgram {
 public:
  explicit RandomProgram(Random* random) : random_(*random) {}

  Program Make() {
    program_ = Program{.objects = 2 + random_.Below(6), .words = random_.Below(4)};
    FillPools();
    present_.clear();
    maybe_.clear();
    words_.clear();
    group_ = false;
    AddRoot();
    for (uint32_t left = random_.Below(24); left > 0; --left)
      AddAny();
    if (!random_.OneIn(50))
      Add({.op = static_cast<uint8_t>(CheckOp::kPass)});
    return std::move(program_);
  }

  // A few bytes of an encoded program are others, or missing.
  void Damage(std::string* bytes) {
    for (uint32_t change = 1 + random_.Below(4); change > 0 && !bytes->empty(); --change) {
      const uint32_t place = random_.Below(static_cast<uint32_t>(bytes->size()));
      if (random_.OneIn(16))
        bytes->resize(place);
      else
        (*bytes)[place] = static_cast<char>(random_.OneIn(2) ? random_.Below(256) : random_.Below(4));
    }
  }

 private:
  void FillPools() {
    using model::Constant;
    static const std::vector<Constant> kConstants = {Constant::Str("n"),
                                                     Constant::Str("f"),
                                                     Constant::Str("p"),
                                                     Constant::Str("__getattr__"),
                                                     Constant::Str("builtins:len"),
                                                     Constant::Int(0),
                                                     Constant::Int(1),
                                                     Constant::Int(INT64_MIN),
                                                     Constant::Bool(true),
                                                     Constant::None(),
                                                     Constant::Float(1.5),
                                                     Constant::Bytes("b"),
                                                     Constant::Tuple({Constant::Int(1), Constant::Str("n")}),
                                                     Constant::Tuple({})};
    static const TensorCheck kTensor{
        .facts = {.dtype = "torch.float32", .device = "cpu", .layout = "torch.strided", .sizes = {2, 3}, .strides = {3, 1}},
        .free_sizes = {0}};
    program_.constants = kConstants;
    program_.types = {"builtins:list", "builtins:dict", "m:C", "builtins:function"};
    program_.tensors = {kTensor};
    program_.hashes = {Hash128{}};
    program_.numbers = {0, 1, 7, UINT64_MAX, uint64_t{1} << 63};
  }

  void Add(Instruction instruction) {
    program_.instructions.push_back(instruction);
    program_.subjects.push_back(model::kNoSubject);
  }

  template <typename T>
  uint32_t Index(const std::vector<T>& pool) {
    return random_.OneIn(60) ? random_.Below(70000) : random_.Below(static_cast<uint32_t>(pool.size()));
  }

  uint16_t AnyObject() {
    if (present_.empty() || random_.OneIn(40))
      return static_cast<uint16_t>(random_.Below(program_.objects + 1));
    return present_[random_.Below(static_cast<uint32_t>(present_.size()))];
  }

  uint16_t AnyWord() {
    if (words_.empty() || random_.OneIn(40))
      return static_cast<uint16_t>(random_.Below(program_.words + 1));
    return words_[random_.Below(static_cast<uint32_t>(words_.size()))];
  }

  uint16_t NewWord() {
    const auto word = static_cast<uint16_t>(random_.Below(std::max(1u, program_.words)));
    words_.push_back(word);
    return word;
  }

  void AddRoot() {
    const auto to = static_cast<uint16_t>(random_.Below(program_.objects));
    Instruction in{.op = StepOp(model::Step::kSlot), .a = to};
    in.set_imm(random_.OneIn(40) ? random_.Below(70000) : random_.Below(2));
    Wrote(to, false);
    Add(in);
  }

  void Wrote(uint16_t object, bool maybe) {
    std::erase(present_, object);
    std::erase(maybe_, object);
    (maybe ? maybe_ : present_).push_back(object);
  }

  void AddAny() {
    if (!maybe_.empty() && !random_.OneIn(3)) {
      const uint16_t object = maybe_.back();
      maybe_.pop_back();
      const bool absent = random_.OneIn(3);
      if (!absent)
        present_.push_back(object);
      return Add({.op = static_cast<uint8_t>(absent ? CheckOp::kCheckAbsent : CheckOp::kCheckPresent), .a = object});
    }
    switch (random_.Below(8)) {
      case 0:
        return AddRoot();
      case 1:
      case 2:
      case 3:
        return AddStep();
      case 4:
      case 5:
        return AddFact();
      default:
        return AddOwn();
    }
  }

  void AddStep() {
    const uint8_t op = AnyOp(kStepOps, 256);
    const model::Step step = StepOf(op);
    const bool optional = random_.OneIn(3), root = model::IsRoot(step);
    const uint16_t from = AnyObject();
    const auto to = static_cast<uint16_t>(random_.Below(program_.objects));
    Instruction in{.op = op, .sub = optional ? kOptional : uint8_t{0}, .a = to};
    uint32_t operand = 0;
    switch (model::OperandOf(step)) {
      case model::StepOperand::kNone:
        break;
      case model::StepOperand::kIndex:
      case model::StepOperand::kPair:
        operand = random_.OneIn(20) ? random_.Below(70000) : random_.Below(3);
        break;
      case model::StepOperand::kKey:
        operand = model::TakesAnyKey(step) ? Index(program_.constants) : random_.Below(5);
        break;
    }
    if (root) {
      in.set_imm(operand);
    } else {
      in.b = from;
      in.c = static_cast<uint16_t>(operand);
    }
    Wrote(to, optional);
    Add(in);
  }

  void AddFact() {
    const uint8_t op = AnyOp(kFactOps, kStepOps);
    Instruction in{.op = op, .a = AnyObject()};
    if (random_.OneIn(8)) {
      in.sub = kUnknown;
      return Add(in);
    }
    switch (model::ShapeOf(FactOf(op))) {
      case model::FactShape::kWord:
        if (random_.OneIn(4))
          in.sub = kPooled;
        in.set_imm(in.sub == kPooled ? Index(program_.numbers) : random_.Below(4));
        break;
      case model::FactShape::kConstant:
        in.set_imm(Index(program_.constants));
        break;
      case model::FactShape::kTensor:
        in.set_imm(Index(program_.tensors));
        break;
      case model::FactShape::kHash:
        in.set_imm(Index(program_.hashes));
        break;
    }
    Add(in);
  }

  void AddOwn() {
    Instruction in{.op = AnyOp(0, kFactOps)};
    const CheckOp op = static_cast<CheckOp>(in.op);
    if (op == CheckOp::kPass && !random_.OneIn(20))
      return;
    switch (ShapeOf(op)) {
      case OperandShape::kNone:
        group_ = group_ || op == CheckOp::kGroupBegin;
        break;
      case OperandShape::kO:
        if (op != CheckOp::kGroupAdd && !random_.OneIn(20))
          return;
        if (!group_)
          Add({.op = static_cast<uint8_t>(CheckOp::kGroupBegin)});
        group_ = true;
        in.a = AnyObject();
        break;
      case OperandShape::kOO:
        in.a = AnyObject();
        in.b = AnyObject();
        break;
      case OperandShape::kOType:
        in.a = AnyObject();
        in.set_imm(Index(program_.types));
        break;
      case OperandShape::kOHandle:
        in.a = AnyObject();
        in.set_imm(Index(program_.numbers));
        break;
      case OperandShape::kPart:
        in.sub = static_cast<uint8_t>(random_.Below(14));
        in.set_imm(Index(program_.constants));
        break;
      case OperandShape::kSlot:
        in.a = AnyObject();
        in.set_imm(random_.Below(40));
        break;
      case OperandShape::kBody:
        in.a = AnyObject();
        in.set_imm(random_.Below(3));
        break;
      case OperandShape::kWord:
        in.a = NewWord();
        in.set_imm(Index(program_.numbers));
        break;
      case OperandShape::kDim:
        in.b = AnyObject();
        in.c = static_cast<uint16_t>(random_.Below(3));
        in.a = NewWord();
        break;
      case OperandShape::kWFact:
        in.b = AnyObject();
        in.sub = static_cast<uint8_t>(AnyOp(kFactOps, kStepOps) - kFactOps);
        in.a = NewWord();
        break;
      case OperandShape::kWO:
        in.b = AnyObject();
        in.a = NewWord();
        break;
      case OperandShape::kWWW:
        in.b = AnyWord();
        in.c = AnyWord();
        in.a = NewWord();
        break;
      case OperandShape::kW:
        in.a = AnyWord();
        break;
    }
    Add(in);
  }

  uint8_t AnyOp(uint32_t from, uint32_t to) {
    while (true) {
      const auto op = static_cast<uint8_t>(from + random_.Below(to - from));
      if (IsKnownOp(op) || random_.OneIn(2000))
        return op;
    }
  }

  Random& random_;
  Program program_;
  std::vector<uint16_t> present_, maybe_, words_;
  bool group_ = false;
};

}  // namespace framegate::guards
