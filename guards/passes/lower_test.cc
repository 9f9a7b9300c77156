#include "guards/passes/lower.h"

#include <gtest/gtest.h>

#include "guards/program/notes.h"
#include "guards/program/program.h"
#include "guards/program/read_set.h"

namespace framegate::guards {
namespace {

using model::Constant;
using model::Fact;
using model::Step;
using model::SubjectId;

absl::StatusOr<bool> PassesOnSummary(std::string_view program, const model::Summary& summary) {
  return SummaryJudge(summary)(program);
}

// A set in the making, and a summary on which all of it holds.
class Sample {
 public:
  SubjectId Root(Step step, uint32_t index = 0, Constant key = {}) { return table.Root(step, index, key); }

  SubjectId Child(SubjectId parent, Step step, Constant key) { return table.Child(parent, step, 0, key); }

  SubjectId Child(SubjectId parent, Step step, uint32_t index = 0) { return table.Child(parent, step, index); }

  SubjectId Attr(SubjectId parent, const char* name) { return Child(parent, Step::kAttr, Constant::Str(name)); }

  Guard& Add(GuardKind kind, SubjectId subject) {
    set.guards.push_back({.kind = kind, .subject = subject});
    return set.guards.back();
  }

  void Type(SubjectId subject, const char* name) { Add(GuardKind::kTypeIs, subject).type = name; }

  void Word(SubjectId subject, Fact fact, uint64_t word) {
    Add(GuardKind::kFactIs, subject).fact = model::FactValue{.fact = fact, .word = word};
  }

  void Value(SubjectId subject, Constant value, Fact fact = Fact::kValue) {
    Add(GuardKind::kFactIs, subject).fact = model::FactValue{.fact = fact, .constant = std::move(value)};
  }

  GuardSet Set() {
    set.subjects = table.nodes();
    return set;
  }

  Lowered Lower() {
    auto lowered = guards::Lower(Set());
    EXPECT_TRUE(lowered.ok()) << lowered.status();
    return lowered.ok() ? *lowered : Lowered();
  }

  std::string Text() { return PrintProgram(*DecodeProgram(Lower().program)); }

  model::SubjectTable table;
  GuardSet set;
};

model::FactValue TensorFact(std::vector<int64_t> sizes) {
  return {.fact = Fact::kTensor, .tensor = model::TensorFacts{.dtype = "torch.float32", .sizes = std::move(sizes), .strides = {1}}};
}

TEST(LowerTest, DropsWhatIsRepeatedOrFollows) {
  Sample s;
  SubjectId word = s.Root(Step::kSlot, 1);
  s.Type(word, "builtins:str");
  s.Word(word, Fact::kLength, 4);
  s.Value(word, Constant::Str("left"));
  s.Value(word, Constant::Str("left"));
  s.Add(GuardKind::kPresent, word);
  EXPECT_EQ(s.Text(), R"((registers 1 0)
(take o0 slot 0 1 #0)
(is o0 value "left" #0)
(pass)
)");
}

TEST(LowerTest, AbsenceAndPresenceMakeStepsOptional) {
  Sample s;
  SubjectId object = s.Root(Step::kSlot);
  s.Add(GuardKind::kAbsent, s.Attr(object, "a"));
  s.Add(GuardKind::kPresent, s.Attr(object, "b"));
  s.Add(GuardKind::kPresent, s.Attr(object, "c"));
  s.Value(s.Attr(object, "c"), Constant::Int(1));
  EXPECT_EQ(s.Text(), R"((registers 2 0)
(take o0 slot 0 0 #0)
(try o1 attr o0 "a" #1)
(check_absent o1 #1)
(try o1 attr o0 "b" #2)
(check_present o1 #2)
(take o0 attr o0 "c" #3)
(is o0 value 1 #3)
(pass)
)");
}

TEST(LowerTest, ArgumentsComeFirstThenModesThenTheTree) {
  Sample s;
  SubjectId self = s.Root(Step::kSlot, 0), x = s.Root(Step::kSlot, 1);
  s.Value(s.Attr(self, "flag"), Constant::Bool(true));
  s.Add(GuardKind::kAmbientIs, model::kNoSubject).constant = Constant::Bool(true);
  s.Add(GuardKind::kTensorIs, x).fact = TensorFact({5});
  s.Type(x, "torch:Tensor");
  s.Type(self, "m:Net");
  s.set.keeps = {{x, 7}};
  EXPECT_EQ(s.Text(), R"((registers 2 0)
(take o0 slot 0 0 #0)
(check_type o0 "m:Net" #0)
(take o1 slot 0 1 #1)
(check_type o1 "torch:Tensor" #1)
(is o1 tensor ((facts ((dtype "torch.float32") (sizes (5)) (strides (1))))) #1)
(check_ambient grad_mode True)
(take o0 attr o0 "flag" #2)
(is o0 value True #2)
(keep o1 7 #1)
(pass)
)");
}

TEST(LowerTest, WhatFollowsFromATypeIsOneSlice) {
  Sample s;
  SubjectId self = s.Root(Step::kSlot);
  s.Type(self, "m:Net");
  SubjectId type = s.Child(self, Step::kType);
  SubjectId forward = s.Child(type, Step::kTypeAttr, Constant::Str("forward"));
  s.Value(s.Attr(self, "n"), Constant::Int(2));
  s.Add(GuardKind::kFactIs, forward).fact = model::FactValue{.fact = Fact::kCodeId};
  s.Type(forward, "builtins:function");
  s.Add(GuardKind::kAbsent, s.Child(type, Step::kTypeAttr, Constant::Str("n")));
  s.Word(type, Fact::kTypeFlags, 3);
  EXPECT_EQ(s.Text(), R"((registers 4 0)
(take o0 slot 0 0 #0)
(check_type o0 "m:Net" #0)
(take o1 type o0 #1)
(slice o1 5 #1)
(take o2 mro_attr o1 "forward" #2)
(try o3 mro_attr o1 "n" #4)
(is o1 type_flags 3 #1)
(check_type o2 "builtins:function" #2)
(check_absent o3 #4)
(is o2 code 00000000000000000000000000000000 #2)
(take o0 attr o0 "n" #3)
(is o0 value 2 #3)
(pass)
)");
}

TEST(LowerTest, ExpressionsAndGroups) {
  Sample s;
  SubjectId x = s.Root(Step::kSlot, 0), y = s.Root(Step::kSlot, 1);
  Guard& guard = s.Add(GuardKind::kExpression, x);
  guard.terms = {{.op = CheckOp::kWordSize, .subject = x, .dimension = 1},
                 {.op = CheckOp::kWordConst, .value = 8},
                 {.op = CheckOp::kWordMod, .left = 0, .right = 1},
                 {.op = CheckOp::kWordConst},
                 {.op = CheckOp::kWordEq, .left = 2, .right = 3}};
  s.Add(GuardKind::kAllDistinct, x).others = {y};
  Guard& pair = s.Add(GuardKind::kDistinct, y);
  pair.other = x;
  const Lowered lowered = s.Lower();
  EXPECT_EQ(PrintProgram(*DecodeProgram(lowered.program)), R"((registers 2 5)
(take o0 slot 0 0 #0)
(size w0 o0 1 #0)
(word w1 8 #0)
(mod w2 w0 w1 #0)
(word w3 0 #0)
(eq w4 w2 w3 #0)
(check_true w4 #0)
(take o1 slot 0 1 #1)
(group_begin #0)
(group_add o0 #0)
(group_add o1 #1)
(pass)
)");
  ASSERT_EQ(lowered.notes.size(), 2u);
  EXPECT_EQ(lowered.notes[0].torch_kind, "SHAPE_ENV");
  EXPECT_EQ(lowered.notes[0].expected, "eq(mod(#0.size(1), 8), 0)");
}

TEST(LowerTest, PairsThatAreAllDistinctBecomeOneGroup) {
  Sample s;
  for (uint32_t a = 0; a < 4; ++a)
    for (uint32_t b = 0; b < a; ++b)
      s.Add(GuardKind::kDistinct, s.Root(Step::kSlot, a)).other = s.Root(Step::kSlot, b);
  s.Add(GuardKind::kDistinct, s.Root(Step::kSlot, 5)).other = s.Root(Step::kSlot, 0);
  EXPECT_EQ(s.Text(), R"((registers 4 0)
(take o0 slot 0 0 #0)
(take o1 slot 0 1 #1)
(take o2 slot 0 2 #2)
(take o3 slot 0 3 #3)
(group_begin #0)
(group_add o0 #0)
(group_add o1 #1)
(group_add o2 #2)
(group_add o3 #3)
(take o1 slot 0 5 #4)
(check_distinct o1 o0 #4)
(pass)
)");
}

TEST(LowerTest, NotesNameWhatIsExpected) {
  Sample s;
  SubjectId x = s.Root(Step::kSlot, 0), v = s.Root(Step::kSlot, 1);
  s.Add(GuardKind::kTensorIs, x).fact = TensorFact({5});
  s.Type(v, "builtins:list");
  s.Word(v, Fact::kLength, 3);
  s.Value(s.Root(Step::kSlot, 2), Constant::Str(std::string(10'000, 'a')));
  s.Add(GuardKind::kAmbientIs, model::kNoSubject).constant = Constant::Bool(true);
  std::vector<std::pair<std::string, std::string>> notes;
  for (const model::GuardNote& note : s.Lower().notes)
    notes.emplace_back(note.torch_kind, note.expected.substr(0, 24));
  EXPECT_EQ(notes, (std::vector<std::pair<std::string, std::string>>{{"TYPE_MATCH", "list"},
                                                                     {"CONSTANT_MATCH", "'" + std::string(23, 'a')},
                                                                     {"SEQUENCE_LENGTH", "3"},
                                                                     {"TENSOR_MATCH", "Float tensor, size=[5], "},
                                                                     {"GRAD_MODE", "True"},
                                                                     {"SHAPE_ENV", ""}}));
}

TEST(LowerTest, ProcessLocalGuardsAreNotDurable) {
  Sample s;
  s.Add(GuardKind::kIsObject, s.Root(Step::kSlot)).object = 4;
  EXPECT_FALSE(s.Lower().durable);
}

TEST(LowerTest, RefusesMalformedSets) {
  Sample s;
  s.Add(GuardKind::kTypeIs, s.Root(Step::kSlot));
  EXPECT_EQ(guards::Lower(s.Set()).status().code(), absl::StatusCode::kInvalidArgument);
  s.set.guards = {{.kind = GuardKind::kFactIs, .subject = 0}};
  EXPECT_FALSE(guards::Lower(s.Set()).ok());
  s.set.guards = {{.kind = GuardKind::kPresent, .subject = 9}};
  EXPECT_FALSE(guards::Lower(s.Set()).ok());
  s.set.guards = {{.kind = GuardKind::kSame, .subject = 0}};
  EXPECT_FALSE(guards::Lower(s.Set()).ok());
  // A check on what must be absent contradicts itself.
  s.set.guards = {{.kind = GuardKind::kAbsent, .subject = 0}, {.kind = GuardKind::kTypeIs, .subject = 0, .type = "m:T"}};
  EXPECT_FALSE(guards::Lower(s.Set()).ok());
}

// self.layers["1"].flag, on handles 1 (self), 2 (its type), 3, 4 (True).
model::Summary Objects(bool flag) {
  model::Summary summary;
  summary.roots = {{.step = Step::kSlot, .target = 1}, {.step = Step::kAmbient, .target = 9}};
  summary.records = {
      {.handle = 1, .edges = {{.step = Step::kType, .target = 2}, {.step = Step::kAttr, .key = Constant::Str("layers"), .target = 3}}},
      {.handle = 2, .facts = {{.fact = Fact::kTypeName, .constant = Constant::Tuple({Constant::Str("m"), Constant::Str("Net")})}}},
      {.handle = 3,
       .edges = {{.step = Step::kDictItem, .key = Constant::Str("1"), .target = 4},
                 {.step = Step::kDictItem, .key = Constant::Str("2"), .target = model::kAbsent},
                 {.step = Step::kDictItem, .key = Constant::Str("3"), .target = 1}}},
      {.handle = 4, .facts = {{.fact = Fact::kValue, .constant = Constant::Bool(flag)}}},
      {.handle = 9, .facts = {{.fact = Fact::kAmbient, .constant = Constant::Tuple({Constant::Bool(true)})}}}};
  return summary;
}

Sample OfObjects() {
  Sample s;
  SubjectId self = s.Root(Step::kSlot);
  s.Type(self, "m:Net");
  SubjectId layers = s.Attr(self, "layers");
  s.Value(s.Child(layers, Step::kDictItem, Constant::Str("1")), Constant::Bool(true));
  s.Add(GuardKind::kAbsent, s.Child(layers, Step::kDictItem, Constant::Str("2")));
  s.Add(GuardKind::kAmbientIs, model::kNoSubject).constant = Constant::Bool(true);
  return s;
}

TEST(SummaryTest, PassesWhereAllHolds) {
  const Lowered lowered = OfObjects().Lower();
  EXPECT_TRUE(*PassesOnSummary(lowered.program, Objects(true)));
  EXPECT_FALSE(*PassesOnSummary(lowered.program, Objects(false)));
}

TEST(SummaryTest, WhatIsNotThereFails) {
  const Lowered lowered = OfObjects().Lower();
  for (size_t record = 0; record < Objects(true).records.size(); ++record) {
    model::Summary summary = Objects(true);
    summary.records.erase(summary.records.begin() + static_cast<std::ptrdiff_t>(record));
    EXPECT_FALSE(*PassesOnSummary(lowered.program, summary)) << record;
  }
  EXPECT_FALSE(*PassesOnSummary(lowered.program, {}));
}

TEST(ReadSetTest, IsEnoughAndNoMore) {
  const Lowered lowered = OfObjects().Lower();
  const ReadSet read_set = ReadSetOf(*DecodeProgram(lowered.program));
  const model::Summary filtered = Filter(Objects(true), read_set);
  EXPECT_TRUE(*PassesOnSummary(lowered.program, filtered));
  for (const model::ObjectRecord& record : filtered.records)
    for (const model::Edge& edge : record.edges)
      EXPECT_FALSE(edge.key == Constant::Str("3"));
  EXPECT_FALSE(*PassesOnSummary(lowered.program, Filter(Objects(false), read_set)));
  EXPECT_EQ(Encode(Union(read_set, read_set)), Encode(Union(read_set, {})));
}

std::string Without(const Lowered& lowered, std::string_view torch_kind) {
  std::vector<bool> dropped;
  for (const model::GuardNote& note : lowered.notes)
    dropped.push_back(note.torch_kind == torch_kind);
  auto program = WithoutNotes(lowered.program, lowered.notes, dropped);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : "";
}

TEST(NotesTest, ADroppedGuardIsNotCheckedAndTheOthersAre) {
  const Lowered lowered = OfObjects().Lower();
  const std::string program = Without(lowered, "CONSTANT_MATCH");
  EXPECT_TRUE(*PassesOnSummary(program, Objects(false)));
  model::Summary other = Objects(true);
  other.records[1].facts[0].constant = Constant::Tuple({Constant::Str("m"), Constant::Str("Other")});
  EXPECT_FALSE(*PassesOnSummary(program, other));
}

TEST(NotesTest, StepsThatOnlyDroppedGuardsNeedGoAsWell) {
  Sample s;
  SubjectId self = s.Root(Step::kSlot);
  s.Value(s.Attr(self, "gone"), Constant::Int(1));
  s.Add(GuardKind::kPresent, s.Attr(self, "there"));
  s.set.keeps = {{self, 3}};
  EXPECT_EQ(PrintProgram(*DecodeProgram(Without(s.Lower(), "CONSTANT_MATCH"))), R"((registers 2 0)
(take o0 slot 0 0 #0)
(nop #1)
(nop #1)
(try o1 attr o0 "there" #2)
(check_present o1 #2)
(keep o0 3 #0)
(pass)
)");
}

TEST(NotesTest, EmptySlicesGo) {
  Sample s;
  SubjectId type = s.Child(s.Root(Step::kSlot), Step::kType);
  s.Word(type, Fact::kTypeFlags, 3);
  s.Add(GuardKind::kAbsent, s.Child(type, Step::kTypeAttr, Constant::Str("n")));
  const Lowered lowered = s.Lower();
  auto program = WithoutNotes(lowered.program, lowered.notes, std::vector<bool>(lowered.notes.size(), true));
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(*PassesOnSummary(*program, {}));
  EXPECT_FALSE(WithoutNotes(lowered.program, lowered.notes, {true}).ok());
}

}  // namespace
}  // namespace framegate::guards
