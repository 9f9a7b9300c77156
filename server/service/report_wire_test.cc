#include "server/service/report_wire.h"

#include "gtest/gtest.h"

namespace framegate::server {
namespace {

// There and back is the same message.
template <typename Message, typename Report>
void RoundTrip(const Report& report) {
  Message first, second;
  ToProto(report, &first);
  EXPECT_GT(first.ByteSizeLong(), 0u);
  Message read;
  ASSERT_TRUE(read.ParseFromString(first.SerializeAsString()));
  ToProto(FromProto(read), &second);
  EXPECT_EQ(first.SerializeAsString(), second.SerializeAsString());
}

TEST(ReportWireTest, RoundTrips) {
  RoundTrip<v1::StatsReply>(DaemonReport{.build = "1.2",
                                         .schema = std::string(16, '\xfe'),
                                         .pid = 7,
                                         .start_ms = 8,
                                         .socket = "/s",
                                         .cache_dir = "/c",
                                         .log_file = "/l",
                                         .tiers = {{"memory", "ok", 1, 2}, {"sqlite", "damaged", 3, 4}},
                                         .metrics = {{"a", true, 5, "doc"}, {"b", false, 6, ""}},
                                         .settings = {{"x", "y", "flag"}}});
  RoundTrip<v1::ListReply>(ListReport{.entries = {{"k", "u", "p", "t", "c", 1, 2, 3, 4}}, .total = 9});
  RoundTrip<v1::GuardsReply>(std::vector<GuardsReport>{{"u", "c", "f", 1, 2, {{"k", "s", "e", 3, 4}}}});
  RoundTrip<v1::ClearReply>(ClearReport{.entries = 1, .bytes = 2});
}

}  // namespace
}  // namespace framegate::server
