#include "guards/program/verify.h"

#include <gtest/gtest.h>

#include <random>

#include "guards/program/builder.h"
#include "guards/program/eval.h"
#include "guards/program/summary_probe.h"

namespace framegate::guards {
namespace {

Program Parsed(std::string_view text) {
  auto program = ParseProgram(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : Program();
}

// The rule that a program in text form breaks; "ok" where it breaks none.
std::string_view RuleOf(const Program& program) {
  const VerifyResult result = Verify(program);
  EXPECT_EQ(result.ok, result.ToStatus().ok());
  return result.ok ? "ok" : EnumText(result.rule);
}

std::string_view RuleOf(std::string_view text) {
  return RuleOf(Parsed(text));
}

constexpr char kGood[] = R"((registers 3 2)
(take o0 slot 0 1 #0)
(check_type o0 "mod:Thing" #0)
(take o1 attr o0 "weight" #1)
(is o1 tensor ((facts ((dtype "torch.float32") (sizes (2 3)) (strides (3 1)))) (free_sizes (0))) #1)
(try o2 attr o0 "bias" #2)
(check_absent o2 #2)
(take o2 type o0 #3)
(slice o2 3 #3)
(is o2 type_flags 4294967296 #3)
(take o1 mro_attr o2 "n" #4)
(is o1 value 3 #4)
(take o1 [] o0 ((kind tuple) (items (((kind int) (integer 1))))) #5)
(is o1 value "text" #5)
(lacks o1 len #5)
(check_ambient grad_mode True)
(size w0 o1 0 #5)
(word w1 8 #5)
(le w0 w0 w1 #5)
(check_true w0 #5)
(group_begin)
(group_add o1 #5)
(check_object o1 7 #5)
(keep o1 9 #5)
(pass)
)";

TEST(ProgramTextTest, PrintsWhatItParses) {
  EXPECT_EQ(PrintProgram(Parsed(kGood)), kGood);
}

TEST(ProgramTextTest, BytesGiveItBack) {
  const Program program = Parsed(kGood);
  auto again = DecodeProgram(EncodeProgram(program));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintProgram(*again), kGood);
  EXPECT_EQ(EncodeProgram(*again), EncodeProgram(program));
}

TEST(ProgramTextTest, MistakesNameTheLine) {
  for (std::string_view text : {"(registers 1 0)\n(take x0 slot 0 0)\n", "(pass)\n(is o1 len)", "(pass)\n(nonsense)", "(pass)\n(pass 1)",
                                "(pass)\n(take o0 [] o1 ((kind none)))"}) {
    auto program = ParseProgram(text);
    ASSERT_FALSE(program.ok()) << text;
    EXPECT_NE(program.status().message().find("line 2"), std::string::npos) << program.status();
  }
}

TEST(DecodeTest, RefusesOtherFormats) {
  std::string bytes = EncodeProgram(Parsed("(pass)"));
  bytes[4] = 99;
  EXPECT_EQ(DecodeProgram(bytes).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(DecodeProgram("FG").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeProgram(std::string("FGCP\x01\xff\xff\xff\xff", 9)).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(VerifyTest, AcceptsEveryKindOfInstruction) {
  EXPECT_EQ(RuleOf(kGood), "ok");
}

TEST(VerifyTest, KnownOp) {
  Program program = Parsed("(registers 1 0)\n(take o0 slot 0 0)\n(pass)");
  for (int op : {14, 50, 60, 61, 62, 63, 127, 255}) {
    program.instructions[0].op = static_cast<uint8_t>(op);
    EXPECT_EQ(RuleOf(program), "known_op") << op;
  }
}

TEST(VerifyTest, ReservedZero) {
  Program program = Parsed("(registers 1 0)\n(take o0 slot 0 0)\n(take o0 type o0)\n(check_present o0)\n(pass)");
  EXPECT_EQ(RuleOf(program), "ok");
  for (size_t i = 1; i < 4; ++i) {
    Program changed = program;
    changed.instructions[i].c = 1;
    EXPECT_EQ(RuleOf(changed), "reserved_zero") << i;
    changed = program;
    changed.instructions[i].sub = 0x80;
    EXPECT_EQ(RuleOf(changed), "reserved_zero") << i;
  }
}

TEST(VerifyTest, RegisterInRange) {
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o1 slot 0 0)\n(pass)"), "register_in_range");
  EXPECT_EQ(RuleOf("(registers 1 1)\n(word w1 0)\n(pass)"), "register_in_range");
}

TEST(VerifyTest, WrittenFirst) {
  EXPECT_EQ(RuleOf("(registers 2 0)\n(take o0 type o1)\n(pass)"), "written_first");
  EXPECT_EQ(RuleOf("(registers 0 1)\n(check_true w0)\n(pass)"), "written_first");
}

TEST(VerifyTest, Presence) {
  EXPECT_EQ(RuleOf("(registers 1 0)\n(try o0 slot 0 0)\n(is o0 len 1)\n(pass)"), "presence");
  EXPECT_EQ(RuleOf("(registers 1 0)\n(try o0 slot 0 0)\n(check_absent o0)\n(is o0 len 1)\n(pass)"), "presence");
  EXPECT_EQ(RuleOf("(registers 1 0)\n(try o0 slot 0 0)\n(keep o0 1)\n(pass)"), "presence");
  EXPECT_EQ(RuleOf("(registers 1 0)\n(try o0 slot 0 0)\n(check_present o0)\n(is o0 len 1)\n(pass)"), "ok");
}

TEST(VerifyTest, PoolInRange) {
  Program program =
      Parsed("(registers 1 0)\n(take o0 slot 0 0)\n(take o0 attr o0 \"a\")\n(is o0 value 1)\n(check_type o0 \"m:T\")\n(pass)");
  for (size_t i = 1; i < 4; ++i) {
    Program changed = program;
    changed.instructions[i].c = 9;
    EXPECT_EQ(RuleOf(changed), "pool_in_range") << i;
  }
}

TEST(VerifyTest, OperandKind) {
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o0 slot 0 0)\n(take o0 attr o0 3)\n(pass)"), "operand_kind");
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o0 slot 0 0)\n(check_type o0 \"T\")\n(pass)"), "operand_kind");
  EXPECT_EQ(RuleOf("(registers 1 1)\n(take o0 slot 0 0)\n(fact w0 o0 value)\n(pass)"), "operand_kind");
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o0 slot 0 0)\n(is o0 tensor ((free_sizes (0))))\n(pass)"), "operand_kind");
  Program program = Parsed("(check_ambient grad_mode True)\n(pass)");
  program.instructions[0].sub = 200;
  EXPECT_EQ(RuleOf(program), "operand_kind");
}

TEST(VerifyTest, Ends) {
  EXPECT_EQ(RuleOf(""), "ends");
  EXPECT_EQ(RuleOf("(nop)"), "ends");
  EXPECT_EQ(RuleOf("(pass)\n(pass)"), "ends");
}

TEST(VerifyTest, SliceBody) {
  const std::string begin = "(registers 4 0)\n(take o0 slot 0 0)\n(take o1 slot 0 1)\n";
  EXPECT_EQ(RuleOf(begin + "(slice o0 2)\n(take o2 mro_attr o0 \"f\")\n(check_type o2 \"builtins:function\")\n(pass)"), "ok");
  EXPECT_EQ(RuleOf(begin + "(slice o0 2)\n(take o2 mro o0 1)\n(take o3 own_attr o2 \"f\")\n(pass)"), "ok");
  for (std::string_view body :
       {"(slice o0 1)\n(take o2 attr o0 \"f\")\n(pass)",                                   // an instance's dict can change
        "(slice o0 1)\n(take o2 mro_attr o1 \"f\")\n(pass)",                               // another object
        "(slice o0 2)\n(take o2 mro_attr o0 \"f\")\n(take o3 mro_attr o2 \"f\")\n(pass)",  // a class found on the class
        "(slice o0 2)\n(take o2 mro_attr o0 \"f\")\n(take o2 mro_attr o0 \"g\")\n(pass)",  // a register written twice
        "(slice o0 1)\n(take o0 mro_attr o0 \"f\")\n(pass)",                               // over the type itself
        "(slice o0 2)\n(take o2 mro_attr o0 \"f\")\n(is o2 code 00000000000000000000000000000000)\n(pass)",  // f.__code__ = g
        "(slice o0 2)\n(take o2 mro_attr o0 \"f\")\n(check_type o2 \"m:C\")\n(pass)",                        // x.__class__ = C
        "(slice o0 1)\n(is o1 type_flags 0)\n(pass)", "(slice o0 0)\n(pass)", "(slice o0 1)\n(pass)",
        "(slice o0 2)\n(slice o0 1)\n(is o0 mro_len 2)\n(pass)", "(slice o0 1)\n(keep o0 1)\n(pass)"})
    EXPECT_EQ(RuleOf(begin + std::string(body)), "slice_body") << body;
}

TEST(VerifyTest, Group) {
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o0 slot 0 0)\n(group_add o0)\n(pass)"), "group");
}

TEST(VerifyTest, KeepOnce) {
  EXPECT_EQ(RuleOf("(registers 1 0)\n(take o0 slot 0 0)\n(keep o0 4)\n(keep o0 4)\n(pass)"), "keep_once");
}

TEST(VerifyTest, Cost) {
  ProgramBuilder builder;
  const uint16_t object = builder.NewObject();
  ASSERT_TRUE(builder.AddStep({.step = model::Step::kSlot}, false, 0, object, 0).ok());
  for (size_t i = 0; i <= kMaxCost / CostOf(FactOp(model::Fact::kTensor)); ++i)
    builder.AddTensor({}, object, 0);
  const VerifyResult result = Verify(builder.Finish());
  EXPECT_EQ(EnumText(result.rule), "cost");
  EXPECT_EQ(result.ToStatus().code(), absl::StatusCode::kResourceExhausted);
}

TEST(VerifyTest, Size) {
  Program program = Parsed("(pass)");
  program.subjects.clear();
  EXPECT_EQ(RuleOf(program), "size");
  EXPECT_EQ(RuleOf("(registers 4000000000 0)\n(pass)"), "size");
  EXPECT_EQ(RuleOf("(registers 0 2)\n(pass)"), "size");
}

// Whatever verifies runs to an end; whatever does not decode or verify is refused without harm.
TEST(VerifyTest, MutatedProgramsAreRefusedOrRun) {
  const std::string good = EncodeProgram(Parsed(kGood));
  std::mt19937 random(7);
  int verified = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string bytes = good;
    for (uint32_t change = random() % 4 + 1; change > 0; --change) {
      const size_t place = random() % bytes.size();
      if (random() % 16 == 0)
        bytes.resize(place);
      else if (random() % 2 == 0)
        bytes[place] = static_cast<char>(random());
      else
        bytes[place] = static_cast<char>(random() % 4);
      if (bytes.empty())
        break;
    }
    auto program = DecodeProgram(bytes);
    if (!program.ok() || !Verify(*program).ok)
      continue;
    ++verified;
    EXPECT_FALSE(PrintProgram(*program).empty());
    for (uint32_t i = 0; i < program->instructions.size(); ++i)
      EXPECT_LE(Expectation(*program, i).size(), kMaxRepr);
    auto linked = Linked<SummaryProbe>::Link(*program, {});
    ASSERT_TRUE(linked.ok());
    const SummaryIndex index{model::Summary()};
    SummaryProbe probe(index);
    Scratch<SummaryProbe> scratch;
    scratch.Reserve(*linked);
    std::vector<SummaryProbe::Object> kept(linked->keep_slots().size());
    EXPECT_LT(Evaluate(*linked, probe, scratch, kept.data()).instruction, program->instructions.size());
  }
  EXPECT_GT(verified, 100);
}

}  // namespace
}  // namespace framegate::guards
