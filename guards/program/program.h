// A check program: flat code that re-observes facts and compares. This header is its shape; encoding and text are beside it.
//
// Instructions are 8 bytes. Registers are typed by number space: object registers (o) hold a borrowed object or nothing, word registers
// (w) a 64-bit number. Control goes forward only; a check that fails ends the program with its place as the verdict. The rules that
// make a program safe to run are in verify.h; running is eval.h on what link.h makes of it.
// Value types. Thread-compatible.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/status.h"
#include "model/subject.h"
#include "model/summary.h"

namespace framegate::guards {

enum class CheckOp : uint8_t {
#define FRAMEGATE_CHECK_OP(number, name, text, shape, cost, seen, doc) name = number,
#include "guards/program/check_ops.def"
#undef FRAMEGATE_CHECK_OP
};

std::string_view EnumText(CheckOp op);
bool EnumFromText(std::string_view text, CheckOp* op);

enum class OperandShape : uint8_t { kNone, kO, kOO, kOType, kOHandle, kPart, kSlot, kBody, kWord, kDim, kWFact, kWO, kWWW, kW };

// What a byte of opcode is: an own operation, the comparison of a fact, or a step.
inline constexpr uint8_t kFactOps = 64;
inline constexpr uint8_t kStepOps = 128;

constexpr uint8_t FactOp(model::Fact fact) {
  return static_cast<uint8_t>(kFactOps + static_cast<uint8_t>(fact));
}

constexpr uint8_t StepOp(model::Step step) {
  return static_cast<uint8_t>(kStepOps + static_cast<uint8_t>(step));
}

constexpr bool IsFactOp(uint8_t op) {
  return op >= kFactOps && op < kStepOps;
}

constexpr bool IsStepOp(uint8_t op) {
  return op >= kStepOps;
}

constexpr model::Fact FactOf(uint8_t op) {
  return static_cast<model::Fact>(op - kFactOps);
}

constexpr model::Step StepOf(uint8_t op) {
  return static_cast<model::Step>(op - kStepOps);
}

// Bits of `sub` in steps and comparisons of facts.
inline constexpr uint8_t kOptional = 1;  // step: nothing found is not a failure, the register holds nothing
inline constexpr uint8_t kUnknown = 1;   // fact: does not apply to the object
inline constexpr uint8_t kPooled = 2;    // word fact: imm is an index into words, not the word itself

// Steps: a: o> ; roots: imm is index, pair or constant; others: b: o< and c is index or constant.
// Facts: a: o< ; imm is the word, or an index into constants, hashes or tensors by the fact's shape.
struct Instruction {
  uint8_t op = 0;
  uint8_t sub = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;

  uint32_t imm() const { return static_cast<uint32_t>(b) | static_cast<uint32_t>(c) << 16; }

  void set_imm(uint32_t value) {
    b = static_cast<uint16_t>(value);
    c = static_cast<uint16_t>(value >> 16);
  }

  bool operator==(const Instruction&) const = default;
};

static_assert(sizeof(Instruction) == 8);

// The expected word of kTypeFlags where only some bits count: these are in its upper half.
constexpr uint64_t MaskedWord(uint64_t word, uint64_t mask) {
  return mask << 32 | word;
}

// Whether a word fact is as expected.
constexpr bool WordMatches(model::Fact fact, uint64_t expected, uint64_t actual) {
  if (fact != model::Fact::kTypeFlags || expected >> 32 == 0)
    return expected == actual;
  return ((expected ^ actual) & expected >> 32) == 0;
}

// Parts of a tensor's facts that are compared only where this is asked for.
enum TensorPart : uint32_t { kLeafPart = 1, kGradPart = 2, kOffsetPart = 4, kAllTensorParts = 7 };

// What a tensor check compares: everything in `facts` but what is free, and `parts` only where set.
struct TensorCheck {
  model::TensorFacts facts;
  std::vector<uint32_t> free_sizes;  // dimensions, ascending
  std::vector<uint32_t> free_strides;
  uint32_t parts = 0;  // of TensorPart

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("facts", s.facts);
    v("free_sizes", s.free_sizes);
    v("free_strides", s.free_strides);
    v("parts", s.parts);
  }
};

// Where both values are of one tensor. The one definition; native comparisons are faster forms of it.
bool Matches(const TensorCheck& check, const model::TensorFacts& actual);

struct Program {
  uint32_t objects = 0;  // number of object registers
  uint32_t words = 0;    // number of word registers
  std::vector<Instruction> instructions;
  std::vector<model::SubjectId> subjects;  // per instruction: the subject (of the entry) it is about, or kNoSubject; for people
  std::vector<model::Constant> constants;  // keys of steps, expected values
  std::vector<std::string> types;          // module:qualname
  std::vector<TensorCheck> tensors;
  std::vector<Hash128> hashes;
  std::vector<uint64_t> numbers;  // words that do not fit an instruction, and handles
};

// Limits that Verify and Decode enforce.
inline constexpr size_t kMaxInstructions = 1 << 20;
inline constexpr uint32_t kMaxRegisters = 1 << 16;
inline constexpr uint64_t kMaxCost = 16 << 20;

// kNone for a number that no row has.
OperandShape ShapeOf(CheckOp op);
// 0 for an opcode that no row has.
uint32_t CostOf(uint8_t op);
// A row of one of the three tables has this opcode.
bool IsKnownOp(uint8_t op);

// Bytes: magic, format, instructions of 8 bytes each, the rest as base/fields.h has it.
std::string EncodeProgram(const Program& program);
// InvalidArgument for malformed bytes, FailedPrecondition for another format, ResourceExhausted over a limit. Does not verify.
absl::StatusOr<Program> DecodeProgram(std::string_view bytes);

// One instruction per line, its subject last, after `(registers objects words)`:
//     (take o1 attr o0 "weight" #3)   (try o2 attr o0 "bias" #4)   (check_absent o2 #4)   (is o1 len 4 #3)   (lacks o1 len #3)
std::string PrintProgram(const Program& program);
// The inverse of PrintProgram but for entries of pools that nothing uses. InvalidArgument names the line.
absl::StatusOr<Program> ParseProgram(std::string_view text);

// What a check expects, as people read it: under 500 bytes. REQUIRES: the program verifies.
std::string Expectation(const Program& program, uint32_t instruction);

// The first check of a program that does not hold, for people.
struct Failure {
  uint32_t instruction = 0;
  uint32_t length = 0;  // instructions of the program
  model::SubjectId subject = model::kNoSubject;
  std::string ambient;  // name of the part of the ambient state where it is about that
  std::string expected;
  std::string seen;
};

// What was there where an own operation of this kind fails; "": the value of the object that it reads.
std::string_view SeenText(CheckOp op);
// Float tensor of sizes [5], ...: torch's name of the dtype first.
std::string Repr(const model::TensorFacts& facts);
// The value of a fact.
std::string Repr(const model::FactValue& value);
// list, torch.nn.modules.linear.Linear for module:qualname.
std::string TypeRepr(std::string_view name);
inline constexpr size_t kMaxRepr = 480;
// At most kMaxRepr bytes, the end as "...".
std::string Shorten(std::string text);

}  // namespace framegate::guards
