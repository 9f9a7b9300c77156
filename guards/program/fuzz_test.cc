// Random and damaged programs: what decodes and verifies runs to an end on whatever a client told, and has a text; the rest is refused.

#include <gtest/gtest.h>

#include "guards/program/eval.h"
#include "guards/program/notes.h"
#include "guards/program/read_set.h"
#include "guards/program/summary_probe.h"
#include "guards/program/testing/random_program.h"
#include "guards/program/verify.h"

namespace framegate::guards {
namespace {

// A few objects with facts of all shapes, each reachable from the others.
model::Summary SomeSummary() {
  using model::Constant;
  model::Summary summary;
  summary.roots = {{.step = model::Step::kSlot, .index = 0, .target = 1}, {.step = model::Step::kSlot, .index = 1, .target = 2}};
  for (model::Handle handle = 1; handle <= 3; ++handle) {
    model::ObjectRecord record{.handle = handle};
    record.facts = {
        {.fact = model::Fact::kValue, .constant = Constant::Int(1)},
        {.fact = model::Fact::kLength, .word = 1},
        {.fact = model::Fact::kTypeName, .constant = Constant::Tuple({Constant::Str("m"), Constant::Str("C")})},
        {.fact = model::Fact::kCodeId},
        {.fact = model::Fact::kRange, .known = false},
        {.fact = model::Fact::kTensor, .tensor = model::TensorFacts{.dtype = "torch.float32", .sizes = {2, 3}, .strides = {3, 1}}}};
    for (const model::Step step :
         {model::Step::kType, model::Step::kAttr, model::Step::kTypeAttr, model::Step::kDictItem, model::Step::kItem}) {
      const bool keyed = model::OperandOf(step) == model::StepOperand::kKey;
      record.edges.push_back({.step = step, .key = keyed ? Constant::Str("n") : Constant(), .target = handle % 3 + 1});
      record.edges.push_back({.step = step, .index = 1, .key = keyed ? Constant::Str("f") : Constant(), .target = model::kAbsent});
    }
    summary.records.push_back(std::move(record));
  }
  return summary;
}

struct Counts {
  uint64_t verified = 0, passed = 0;
};

void Try(const std::string& bytes, const SummaryIndex& index, Counts* counts) {
  const absl::StatusOr<Program> program = DecodeProgram(bytes);
  if (!program.ok() || !Verify(*program).ok)
    return;
  ++counts->verified;
  auto linked = Linked<SummaryProbe>::Link(*program, {});
  ASSERT_TRUE(linked.ok()) << linked.status();
  SummaryProbe probe(index);
  Scratch<SummaryProbe> scratch;
  scratch.Reserve(*linked);
  std::vector<SummaryProbe::Object> kept(linked->keep_slots().size());
  const Verdict verdict = Evaluate(*linked, probe, scratch, kept.data());
  ASSERT_LT(verdict.instruction, program->instructions.size());
  counts->passed += verdict.pass;
  if (counts->verified % 16 != 0)
    return;
  ASSERT_LE(Expectation(*program, verdict.instruction).size(), kMaxRepr);
  ASSERT_EQ(EncodeProgram(*DecodeProgram(EncodeProgram(*program))), EncodeProgram(*program));
  const absl::StatusOr<Program> parsed = ParseProgram(PrintProgram(*program));
  ASSERT_TRUE(parsed.ok()) << parsed.status() << PrintProgram(*program);
  ASSERT_EQ(PrintProgram(*parsed), PrintProgram(*program));
  ReadSetOf(*program);
}

TEST(ProgramFuzz, RandomProgramsAreRefusedOrRun) {
  const model::Summary summary = SomeSummary();
  const SummaryIndex index(summary);
  Random random(FuzzRounds::Seed());
  RandomProgram programs(&random);
  FuzzRounds rounds;
  Counts counts;
  while (rounds.Next() && !HasFatalFailure())
    Try(EncodeProgram(programs.Make()), index, &counts);
  RecordProperty("verified", static_cast<int>(counts.verified));
  EXPECT_GT(counts.verified, rounds.rounds() / 20);
  EXPECT_GT(counts.passed, rounds.rounds() / 2000);
  printf("%llu programs, %llu verified, %llu passed\n", static_cast<unsigned long long>(rounds.rounds()),
         static_cast<unsigned long long>(counts.verified), static_cast<unsigned long long>(counts.passed));
}

TEST(ProgramFuzz, DamagedProgramsAreRefusedOrRun) {
  const model::Summary summary = SomeSummary();
  const SummaryIndex index(summary);
  Random random(FuzzRounds::Seed() + 1);
  RandomProgram programs(&random);
  FuzzRounds rounds;
  Counts counts;
  while (rounds.Next() && !HasFatalFailure()) {
    std::string bytes = EncodeProgram(programs.Make());
    programs.Damage(&bytes);
    Try(bytes, index, &counts);
  }
  EXPECT_GT(counts.verified, rounds.rounds() / 100);
  printf("%llu programs, %llu verified, %llu passed\n", static_cast<unsigned long long>(rounds.rounds()),
         static_cast<unsigned long long>(counts.verified), static_cast<unsigned long long>(counts.passed));
}

}  // namespace
}  // namespace framegate::guards
