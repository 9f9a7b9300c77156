#include "server/stats/why_log.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace framegate::server {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Units(const std::vector<WhyReport>& reports) {
  std::vector<std::string> units;
  for (const WhyReport& report : reports)
    units.push_back(report.unit);
  return units;
}

TEST(WhyLogTest, FindsByQualifiedAndPlainNamesTheNewestFirst) {
  WhyLog log;
  for (const char* unit : {"Block.forward", "Net.forward+12", "straightforward", "Block.forward"})
    log.Add({.unit = unit});
  EXPECT_THAT(Units(log.Find("forward", 9)), ElementsAre("Block.forward", "Net.forward+12", "Block.forward"));
  EXPECT_THAT(Units(log.Find("Block.forward", 1)), ElementsAre("Block.forward"));
  EXPECT_EQ(log.Find("", 9).size(), 4u);
}

TEST(WhyLogTest, KeepsTheLast) {
  WhyLog log;
  for (size_t i = 0; i <= WhyLog::kMost; ++i)
    log.Add({.unit = i == 0 ? "first" : "later"});
  EXPECT_TRUE(log.Find("first", 9).empty());
  EXPECT_EQ(log.Find("later", WhyLog::kMost + 9).size(), WhyLog::kMost);
}

}  // namespace
}  // namespace framegate::server
