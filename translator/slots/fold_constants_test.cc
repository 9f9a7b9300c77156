#include "translator/slots/fold_constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace framegate::translator {
namespace {

using model::Constant;

std::optional<Constant> Fold(std::string_view symbol, std::vector<Constant> args) {
  std::vector<const Constant*> operands;
  for (const Constant& arg : args)
    operands.push_back(&arg);
  return FoldConstants(symbol, operands);
}

TEST(FoldConstantsTest, GivesWhatPythonWould) {
  EXPECT_EQ(Fold("_operator:add", {Constant::Int(2), Constant::Int(3)}), Constant::Int(5));
  EXPECT_EQ(Fold("_operator:or_", {Constant::Bool(false), Constant::Bool(true)}), Constant::Bool(true));
  EXPECT_EQ(Fold("_operator:or_", {Constant::Bool(true), Constant::Int(2)}), Constant::Int(3));
  EXPECT_EQ(Fold("builtins:str.__lt__", {Constant::Str("\xEF\xBF\xBD"), Constant::Str("\xF0\x9F\x98\x80")}), Constant::Bool(true));
  EXPECT_EQ(Fold("_operator:eq", {Constant::Bool(true), Constant::Int(1)}), Constant::Bool(true));
  EXPECT_EQ(Fold("_operator:eq", {Constant::None(), Constant::Str("a")}), Constant::Bool(false));
  EXPECT_EQ(Fold("_operator:ne", {Constant::Tuple({Constant::Int(1)}), Constant::Tuple({Constant::Bool(true)})}), Constant::Bool(false));
  EXPECT_EQ(Fold("_operator:eq", {Constant::Float(1), Constant::Int(1)}), Constant::Bool(true));
  EXPECT_EQ(Fold("_operator:lt", {Constant::Float(NAN), Constant::Int(1)}), Constant::Bool(false));
  EXPECT_EQ(Fold("_operator:ne", {Constant::Float(NAN), Constant::Float(NAN)}), Constant::Bool(true));
  EXPECT_EQ(Fold("_operator:truediv", {Constant::Int(1), Constant::Int(4)}), Constant::Float(0.25));
  EXPECT_EQ(Fold("_operator:mul", {Constant::Int(2), Constant::Float(-0.0)}), Constant::Float(-0.0));
  EXPECT_EQ(Fold("_operator:getitem", {Constant::Str("abc"), Constant::Int(-1)}), Constant::Str("c"));
  EXPECT_EQ(Fold("builtins:str.isidentifier", {Constant::Str("")}), Constant::Bool(false));
  EXPECT_EQ(Fold("builtins:str.isidentifier", {Constant::Str("_a1")}), Constant::Bool(true));
}

TEST(FoldConstantsTest, LeavesTheRestToTheClient) {
  EXPECT_EQ(Fold("_operator:add", {Constant::Int(std::numeric_limits<int64_t>::max()), Constant::Int(1)}), std::nullopt);
  EXPECT_EQ(Fold("builtins:str.__eq__", {Constant::Str("a"), Constant::Int(1)}), std::nullopt);
  EXPECT_EQ(Fold("builtins:str.__eq__", {Constant::Int(1), Constant::Int(1)}), std::nullopt);
  EXPECT_EQ(Fold("builtins:int.__eq__", {Constant::Int(1), Constant::Float(1)}), std::nullopt);
  EXPECT_EQ(Fold("_operator:eq", {Constant::Int(int64_t{1} << 60), Constant::Float(1)}), std::nullopt);
  EXPECT_EQ(Fold("_operator:eq", {Constant::Tuple({Constant::Float(NAN)}), Constant::Tuple({Constant::Float(NAN)})}), std::nullopt);
  EXPECT_EQ(Fold("_operator:truediv", {Constant::Int(1), Constant::Int(0)}), std::nullopt);
  EXPECT_EQ(Fold("_operator:getitem", {Constant::Str("abc"), Constant::Int(3)}), std::nullopt);
  EXPECT_EQ(Fold("_operator:getitem", {Constant::Str("\xC3\xA9x"), Constant::Int(1)}), std::nullopt);
  EXPECT_EQ(Fold("builtins:str.isidentifier", {Constant::Str("\xC3\xA9")}), std::nullopt);
  EXPECT_EQ(Fold("builtins:str.startswith", {Constant::Str("a")}), std::nullopt);
}

}  // namespace
}  // namespace framegate::translator
