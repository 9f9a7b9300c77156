#include "model/edge_index.h"

#include <gtest/gtest.h>

#include <deque>

namespace framegate::model {
namespace {

TEST(EdgeIndexTest, FindsTheLatestOfFewAndOfMany) {
  std::deque<Constant> keys;
  EdgeIndex index;
  for (Handle target = 1; target <= 40; ++target) {
    const std::string name = "n" + std::to_string(target % 20);
    index.Add(Step::kAttr, 0, keys.emplace_back(Constant::Str(name)), target);
    EXPECT_EQ(index.Find(Step::kAttr, 0, Constant::Str(name)), target);
    EXPECT_EQ(index.Find(Step::kDictItem, 0, Constant::Str(name)), std::nullopt);
  }
  for (Handle target = 21; target <= 40; ++target)
    EXPECT_EQ(index.Find(Step::kAttr, 0, Constant::Str("n" + std::to_string(target % 20))), target);
  index.Add(Step::kItem, 3, keys.emplace_back(), 7);
  EXPECT_EQ(index.Find(Step::kItem, 3, Constant::Str("not looked at")), 7u);
  EXPECT_EQ(index.Find(Step::kItem, 4, {}), std::nullopt);
}

TEST(EdgeIndexTest, AllKeysTellWhatIsNotThere) {
  FactValue keys{.fact = Fact::kDictKeys, .constant = Constant::Tuple({Constant::Str("a"), Constant::Int(1)})};
  EXPECT_TRUE(SayAbsent({&keys}, Step::kDictItem, Constant::Str("b")));
  EXPECT_FALSE(SayAbsent({&keys}, Step::kDictItem, Constant::Str("a")));
  EXPECT_FALSE(SayAbsent({&keys}, Step::kAttr, Constant::Str("b")));
  EXPECT_FALSE(SayAbsent({&keys}, Step::kDictItem, Constant::Bool(true)));  // is the key 1
  keys.known = false;
  EXPECT_FALSE(SayAbsent({&keys}, Step::kDictItem, Constant::Str("b")));
}

}  // namespace
}  // namespace framegate::model
