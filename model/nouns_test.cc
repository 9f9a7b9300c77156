#include <gtest/gtest.h>

#include "base/text.h"
#include "model/entry.h"
#include "model/summary.h"

namespace framegate::model {
namespace {

CodeImage SampleCode() {
  CodeImage image;
  image.name = image.qualname = "f";
  image.code = std::string("\x97\x00\x64\x00", 4);
  image.consts = {Constant::Int(3), Constant::Tuple({Constant::Str("a"), Constant::Float(0.5)})};
  image.localsplusnames = {"x"};
  image.localspluskinds = "\x20";
  image.filename = "f.py";
  image.firstlineno = 4;
  return image;
}

// Text and bytes both give back what went in.
template <typename T>
void ExpectRoundTrips(const T& value) {
  T again;
  ASSERT_TRUE(Decode(Encode(value), &again).ok());
  EXPECT_EQ(Print(again), Print(value));
  ASSERT_TRUE(Parse(Print(value), &again).ok()) << Parse(Print(value), &again) << Print(value);
  EXPECT_EQ(Encode(again), Encode(value));
}

TEST(ConstantTest, TellsTypesWithEqualValuesApart) {
  EXPECT_FALSE(Constant::Int(1) == Constant::Bool(true));
  EXPECT_FALSE(Constant::Float(0.0) == Constant::Float(-0.0));
  EXPECT_TRUE(Constant::Float(__builtin_nan("")) == Constant::Float(__builtin_nan("")));
}

TEST(ConstantTest, ReprIsPythons) {
  EXPECT_EQ(Repr(Constant::Tuple({Constant::Str("a")})), "('a',)");
  EXPECT_EQ(Repr(Constant::Float(1)), "1.0");
  EXPECT_EQ(Repr(Constant::Float(0.1)), "0.1");
}

TEST(CodeImageTest, IdIgnoresWhereItWasWritten) {
  CodeImage moved = SampleCode();
  moved.filename = "g.py";
  moved.firstlineno = 90;
  EXPECT_EQ(IdOf(moved), IdOf(SampleCode()));
}

TEST(CodeImageTest, IdOfNestedCodeIgnoresWhereItWasWritten) {
  CodeImage inner = SampleCode(), outer = SampleCode(), moved = SampleCode();
  Constant constant = Constant::Of(ConstantKind::kCode);
  constant.code = {std::make_shared<CodeImage>(inner)};
  outer.consts.push_back(constant);
  inner.firstlineno = 77;
  constant.code = {std::make_shared<CodeImage>(inner)};
  moved.consts.push_back(constant);
  EXPECT_EQ(IdOf(moved), IdOf(outer));
}

TEST(CodeImageTest, IdFollowsConstantTypes) {
  CodeImage other = SampleCode();
  other.consts[0] = Constant::Bool(true);
  EXPECT_NE(IdOf(other), IdOf(SampleCode()));
}

TEST(NounsTest, RoundTrip) {
  ExpectRoundTrips(SampleCode());
  Summary summary;
  summary.roots = {{.step = Step::kSlot, .index = 0, .target = 1}};
  summary.records = {{.handle = 1, .facts = {{.fact = Fact::kValue, .constant = Constant::Int(-5)}}, .edges = {{.target = 2}}}};
  ExpectRoundTrips(summary);
  Entry entry;
  entry.subjects = {{.step = Step::kSlot}, {.step = Step::kAttr, .parent = 0, .key = Constant::Str("w")}};
  entry.code = {.image = SampleCode(), .origins = {0, UINT32_MAX}};
  entry.plans = {{.kind = BreakKind::kTruth, .reason = Reason::kTensorBranch, .frames = {{.offset = 4, .depth = 2}}}};
  entry.graph = GraphBlob{.nodes = {{.op = NodeOp::kOutput, .name = "output"}}};
  ExpectRoundTrips(entry);
  ExpectRoundTrips(KeyMaterial{.unit = {.frames = {{.nulls = "01"}}}});
}

TEST(SubjectTest, PathIsPython) {
  SubjectTable table;
  SubjectId self = table.Root(Step::kSlot, PairIndex(0, 0));
  SubjectId layers = table.Child(self, Step::kAttr, 0, Constant::Str("layers"));
  SubjectId item = table.Child(layers, Step::kDictItem, 0, Constant::Str("1"));
  SubjectId flag = table.Child(item, Step::kAttr, 0, Constant::Str("flag"));
  EXPECT_EQ(SubjectPath(table.nodes(), flag, {{"self"}}), "self.layers['1'].flag");
  EXPECT_EQ(table.Child(item, Step::kAttr, 0, Constant::Str("flag")), flag);
  EXPECT_TRUE(VerifySubjects(table.nodes()).ok());
}

TEST(SubjectTest, VerifyRejectsChildBeforeParent) {
  EXPECT_FALSE(VerifySubjects({{.step = Step::kAttr, .parent = 0, .key = Constant::Str("a")}}).ok());
}

TEST(GraphTest, VerifyRejectsForwardReference) {
  GraphBlob graph{.nodes = {{.op = NodeOp::kOutput, .name = "output", .args = {{.kind = ArgKind::kNode, .node = 0}}}}};
  EXPECT_FALSE(VerifyGraph(graph).ok());
}

TEST(TablesTest, EveryReasonHasTextAndAdvice) {
  for (int i = 1; i < 400; ++i) {
    Reason reason = static_cast<Reason>(i);
    EXPECT_EQ(EnumText(reason).empty(), WhatHappens(reason).empty());
    EXPECT_EQ(EnumText(reason).empty(), Advice(reason).empty());
  }
}

}  // namespace
}  // namespace framegate::model
