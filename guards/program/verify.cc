#include "guards/program/verify.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"

namespace framegate::guards {

namespace {

using model::ConstantKind;

// What is known of an object register.
enum class Register : uint8_t { kUnwritten, kMaybe, kPresent };

// Types, and what a type's dicts hold, follow from the type alone; so do these facts of a type.
bool IsTypeStep(model::Step step) {
  return step == model::Step::kTypeAttr || step == model::Step::kTypeDictItem || step == model::Step::kMro;
}

bool IsTypeFact(model::Fact fact) {
  return fact == model::Fact::kTypeFlags || fact == model::Fact::kTypeName || fact == model::Fact::kMroLength;
}

// Facts that an object can never change, so that they follow from which object it is.
bool IsFixedFact(model::Fact fact) {
  return fact == model::Fact::kValue || fact == model::Fact::kSymbolName;
}

class Verifier {
 public:
  explicit Verifier(const Program& program) : p_(program), objects_(program.objects, Register::kUnwritten), words_(program.words, false) {}

  VerifyResult Run() {
    CheckSize();
    for (at_ = 0; result_.ok && at_ < p_.instructions.size(); ++at_)
      CheckInstruction(p_.instructions[at_]);
    if (result_.ok && (p_.instructions.empty() || p_.instructions.back().op != static_cast<uint8_t>(CheckOp::kPass)))
      Fail(ProgramRule::kEnds, "the last instruction is not pass");
    return result_;
  }

 private:
  void Fail(ProgramRule rule, std::string detail) {
    if (result_.ok)
      result_ = {.ok = false, .rule = rule, .instruction = static_cast<uint32_t>(at_), .detail = std::move(detail)};
  }

  // `detail` is put together where it is needed only.
  template <typename... Detail>
  bool Expect(bool holds, ProgramRule rule, const Detail&... detail) {
    if (!holds)
      Fail(rule, StrCat(detail...));
    return holds;
  }

  void CheckSize() {
    Expect(p_.instructions.size() <= kMaxInstructions, ProgramRule::kSize, "too many instructions");
    Expect(p_.subjects.size() == p_.instructions.size(), ProgramRule::kSize, "not one subject per instruction");
    Expect(p_.objects <= kMaxRegisters && p_.words <= kMaxRegisters, ProgramRule::kSize, "too many registers");
    // A register that nothing writes is never read; more of them than instructions would only cost memory.
    Expect(p_.objects <= p_.instructions.size() && p_.words <= p_.instructions.size(), ProgramRule::kSize,
           "more registers than instructions");
  }

  void CheckInstruction(const Instruction& in) {
    if (!Expect(IsKnownOp(in.op), ProgramRule::kKnownOp, "opcode ", in.op))
      return;
    cost_ += CostOf(in.op);
    Expect(cost_ <= kMaxCost, ProgramRule::kCost, "the budget is used up");
    if (body_end_ > at_)
      CheckInBody(in);
    if (IsStepOp(in.op))
      CheckStep(in);
    else if (IsFactOp(in.op))
      CheckFact(in);
    else
      CheckOwn(in);
  }

  void ReadObject(uint16_t r, bool present = true) {
    if (!Expect(r < p_.objects, ProgramRule::kRegisterInRange, "o", r))
      return;
    if (Expect(objects_[r] != Register::kUnwritten, ProgramRule::kWrittenFirst, "o", r) && present)
      Expect(objects_[r] == Register::kPresent, ProgramRule::kPresence, "o", r, " may hold nothing");
  }

  void ReadWord(uint16_t r) {
    if (Expect(r < p_.words, ProgramRule::kRegisterInRange, "w", r))
      Expect(words_[r], ProgramRule::kWrittenFirst, "w", r);
  }

  void WriteWord(uint16_t r) {
    if (Expect(r < p_.words, ProgramRule::kRegisterInRange, "w", r))
      words_[r] = true;
  }

  void Zero(bool is_zero) { Expect(is_zero, ProgramRule::kReservedZero, "a field that is not used"); }

  template <typename T>
  bool InPool(uint32_t index, const std::vector<T>& pool) {
    return Expect(index < pool.size(), ProgramRule::kPoolInRange, "entry ", index, " of ", pool.size());
  }

  void CheckStep(const Instruction& in) {
    const model::Step step = StepOf(in.op);
    const bool root = model::IsRoot(step);
    const uint32_t operand = root ? in.imm() : in.c;
    Zero((in.sub & ~kOptional) == 0);
    if (!root)
      ReadObject(in.b);
    switch (model::OperandOf(step)) {
      case model::StepOperand::kNone:
        Zero(operand == 0);
        break;
      case model::StepOperand::kIndex:
      case model::StepOperand::kPair:
        break;
      case model::StepOperand::kKey:
        if (InPool(operand, p_.constants) && !model::TakesAnyKey(step))
          Expect(p_.constants[operand].is_str(), ProgramRule::kOperandKind, "the key is a name");
        break;
    }
    if (Expect(in.a < p_.objects, ProgramRule::kRegisterInRange, "o", in.a))
      objects_[in.a] = in.sub & kOptional ? Register::kMaybe : Register::kPresent;
  }

  void CheckFact(const Instruction& in) {
    const model::Fact fact = FactOf(in.op);
    ReadObject(in.a);
    const model::FactShape shape = model::ShapeOf(fact);
    if (in.sub & kUnknown)
      return Zero(in.sub == kUnknown && in.imm() == 0);
    Zero((in.sub & ~(shape == model::FactShape::kWord ? kPooled : 0)) == 0);
    switch (shape) {
      case model::FactShape::kWord:
        if (in.sub & kPooled)
          InPool(in.imm(), p_.numbers);
        break;
      case model::FactShape::kConstant:
        InPool(in.imm(), p_.constants);
        break;
      case model::FactShape::kTensor:
        if (InPool(in.imm(), p_.tensors))
          CheckTensor(p_.tensors[in.imm()]);
        break;
      case model::FactShape::kHash:
        InPool(in.imm(), p_.hashes);
        break;
    }
  }

  void CheckTensor(const TensorCheck& check) {
    const auto are_dimensions = [](const std::vector<uint32_t>& free, size_t rank) {
      return std::is_sorted(free.begin(), free.end()) && std::adjacent_find(free.begin(), free.end()) == free.end() &&
             (free.empty() || free.back() < rank);
    };
    Expect(are_dimensions(check.free_sizes, check.facts.sizes.size()) && are_dimensions(check.free_strides, check.facts.strides.size()),
           ProgramRule::kOperandKind, "a free dimension that the tensor has not");
    Expect((check.parts & ~uint32_t{kAllTensorParts}) == 0, ProgramRule::kOperandKind, "unknown parts of a tensor");
  }

  void CheckOwn(const Instruction& in) {
    const CheckOp op = static_cast<CheckOp>(in.op);
    const OperandShape shape = ShapeOf(op);
    if (shape != OperandShape::kPart && shape != OperandShape::kWFact)
      Zero(in.sub == 0);
    switch (shape) {
      case OperandShape::kNone:
        Zero(in.a == 0 && in.imm() == 0);
        group_ = group_ || op == CheckOp::kGroupBegin;
        Expect(op != CheckOp::kPass || at_ + 1 == p_.instructions.size(), ProgramRule::kEnds, "pass before the end");
        break;
      case OperandShape::kO:
        Zero(in.imm() == 0);
        CheckObjectOp(op, in);
        break;
      case OperandShape::kOO:
        Zero(in.c == 0);
        ReadObject(in.a);
        ReadObject(in.b);
        break;
      case OperandShape::kOType:
        ReadObject(in.a);
        if (InPool(in.imm(), p_.types))
          Expect(p_.types[in.imm()].find(':') != std::string::npos, ProgramRule::kOperandKind, "a type is module:qualname");
        break;
      case OperandShape::kOHandle:
        ReadObject(in.a);
        InPool(in.imm(), p_.numbers);
        break;
      case OperandShape::kPart:
        Zero(in.a == 0);
        InPool(in.imm(), p_.constants);
        Expect(in.sub < model::kAmbientParts, ProgramRule::kOperandKind, "an unknown part of the ambient state");
        break;
      case OperandShape::kSlot:
        ReadObject(in.a);
        Expect(kept_.insert(in.imm()).second, ProgramRule::kKeepOnce, "slot ", in.imm());
        Expect(in.imm() <= UINT16_MAX, ProgramRule::kOperandKind, "a slot is a number of 16 bits");
        break;
      case OperandShape::kBody:
        ReadObject(in.a);
        BeginBody(in);
        break;
      case OperandShape::kWord:
      case OperandShape::kDim:
      case OperandShape::kWFact:
      case OperandShape::kWO:
      case OperandShape::kWWW:
      case OperandShape::kW:
        CheckWordOp(shape, in);
        break;
    }
  }

  void CheckObjectOp(CheckOp op, const Instruction& in) {
    const bool tests_presence = op == CheckOp::kCheckPresent || op == CheckOp::kCheckAbsent;
    ReadObject(in.a, !tests_presence);
    if (op == CheckOp::kGroupAdd)
      Expect(group_, ProgramRule::kGroup, "no group is begun");
    if (op == CheckOp::kCheckPresent && result_.ok)
      objects_[in.a] = Register::kPresent;
  }

  void CheckWordOp(OperandShape shape, const Instruction& in) {
    if (shape == OperandShape::kWord) {
      InPool(in.imm(), p_.numbers);
    } else if (shape == OperandShape::kW) {
      Zero(in.imm() == 0);
      return ReadWord(in.a);
    } else if (shape == OperandShape::kWWW) {
      ReadWord(in.b);
      ReadWord(in.c);
    } else {
      ReadObject(in.b);
      Zero(shape == OperandShape::kDim || in.c == 0);
      if (shape == OperandShape::kWFact)
        Expect(IsKnownOp(FactOp(static_cast<model::Fact>(in.sub))) && in.sub < kStepOps - kFactOps &&
                   model::ShapeOf(static_cast<model::Fact>(in.sub)) == model::FactShape::kWord,
               ProgramRule::kOperandKind, "no word fact");
    }
    WriteWord(in.a);
  }

  void BeginBody(const Instruction& in) {
    Expect(body_end_ <= at_, ProgramRule::kSliceBody, "a slice in a slice");
    Expect(in.imm() > 0 && in.imm() < p_.instructions.size() - at_, ProgramRule::kSliceBody, "the body ends outside the program");
    body_end_ = at_ + 1 + in.imm();
    body_type_ = in.a;
    body_types_ = {in.a};
    body_made_.clear();
  }

  // The body may be skipped, with its results restored: nothing in it may come from elsewhere.
  void CheckInBody(const Instruction& in) {
    const auto from_type = [&](uint16_t r) { return body_types_.contains(r) || body_made_.contains(r); };
    bool fits = in.op == static_cast<uint8_t>(CheckOp::kNop);
    if (IsStepOp(in.op)) {
      // A second write, or one over the slice's type, would make what is restored differ from what was there.
      fits = IsTypeStep(StepOf(in.op)) && body_types_.contains(in.b) && in.a != body_type_ && body_made_.insert(in.a).second;
      if (StepOf(in.op) == model::Step::kMro)
        body_types_.insert(in.a);
    } else if (IsFactOp(in.op)) {
      fits = IsTypeFact(FactOf(in.op)) ? body_types_.contains(in.a) : IsFixedFact(FactOf(in.op)) && from_type(in.a);
    } else {
      switch (static_cast<CheckOp>(in.op)) {
        case CheckOp::kCheckPresent:
        case CheckOp::kCheckAbsent:
          fits = from_type(in.a);
          break;
        case CheckOp::kCheckSubclass:
          fits = body_types_.contains(in.a);
          break;
        case CheckOp::kCheckType:
          fits = from_type(in.a) && in.imm() < p_.types.size() && HasFixedInstances(p_.types[in.imm()]);
          break;
        case CheckOp::kCheckSame:
        case CheckOp::kCheckDistinct:
          fits = from_type(in.a) && from_type(in.b);
          break;
        case CheckOp::kNop:
        case CheckOp::kPass:
        case CheckOp::kCheckAmbient:
        case CheckOp::kCheckObject:
        case CheckOp::kGroupBegin:
        case CheckOp::kGroupAdd:
        case CheckOp::kKeep:
        case CheckOp::kSlice:
        case CheckOp::kWordConst:
        case CheckOp::kWordSize:
        case CheckOp::kWordStride:
        case CheckOp::kWordOffset:
        case CheckOp::kWordInt:
        case CheckOp::kWordFact:
        case CheckOp::kWordAdd:
        case CheckOp::kWordSub:
        case CheckOp::kWordMul:
        case CheckOp::kWordFloorDiv:
        case CheckOp::kWordMod:
        case CheckOp::kWordMin:
        case CheckOp::kWordMax:
        case CheckOp::kWordEq:
        case CheckOp::kWordNe:
        case CheckOp::kWordLt:
        case CheckOp::kWordLe:
        case CheckOp::kWordAnd:
        case CheckOp::kWordOr:
        case CheckOp::kCheckTrue:
          break;
      }
    }
    Expect(fits, ProgramRule::kSliceBody, "not a step or check below the slice's type");
  }

  const Program& p_;
  size_t at_ = 0;
  std::vector<Register> objects_;
  std::vector<bool> words_;
  std::set<uint32_t> kept_;
  bool group_ = false;
  size_t body_end_ = 0;
  uint16_t body_type_ = 0;
  std::set<uint16_t> body_types_;  // it, and entries of its MRO
  std::set<uint16_t> body_made_;
  uint64_t cost_ = 0;
  VerifyResult result_;
};

}  // namespace

bool HasFixedInstances(std::string_view type) {
  static constexpr std::string_view kTypes[] = {"function",
                                                "builtin_function_or_method",
                                                "method_descriptor",
                                                "wrapper_descriptor",
                                                "getset_descriptor",
                                                "member_descriptor",
                                                "classmethod_descriptor",
                                                "property",
                                                "classmethod",
                                                "staticmethod",
                                                "int",
                                                "float",
                                                "complex",
                                                "str",
                                                "bytes",
                                                "bool",
                                                "NoneType",
                                                "tuple"};
  constexpr std::string_view kBuiltins = "builtins:";
  return type.starts_with(kBuiltins) && std::find(std::begin(kTypes), std::end(kTypes), type.substr(kBuiltins.size())) != std::end(kTypes);
}

std::string_view EnumText(ProgramRule rule) {
  switch (rule) {
#define FRAMEGATE_RULE(name, text, doc) \
  case ProgramRule::name:               \
    return text;
    FRAMEGATE_PROGRAM_RULES(FRAMEGATE_RULE)
#undef FRAMEGATE_RULE
  }
  return "";
}

absl::Status VerifyResult::ToStatus() const {
  if (ok)
    return absl::OkStatus();
  const std::string message = StrCat("check program: ", EnumText(rule), " at instruction ", instruction, ": ", detail);
  return rule == ProgramRule::kCost || rule == ProgramRule::kSize ? absl::ResourceExhaustedError(message)
                                                                  : absl::InvalidArgumentError(message);
}

VerifyResult Verify(const Program& program) {
  // Registers are counted before room is made for them.
  if (program.objects > kMaxRegisters || program.words > kMaxRegisters)
    return {.ok = false, .rule = ProgramRule::kSize, .detail = "too many registers"};
  return Verifier(program).Run();
}

}  // namespace framegate::guards
