#include "server/cli/commands.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/service/test_daemon.h"

namespace framegate::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CommandsTest : public ::testing::Test {
 protected:
  Place place() { return PlaceOf(test_.settings.socket, test_.settings.cache_dir); }

  std::string Run(int expected, const std::function<int()>& command) {
    ::testing::internal::CaptureStdout();
    int code = command();
    std::string text = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, expected) << text;
    return text;
  }

  void TranslateOne() {
    auto stub = test_.Stub();
    grpc::ClientContext context;
    auto call = stub->Translate(&context);
    v1::TranslateRequest open;
    open.mutable_open()->set_key_material(Encode(MaterialOf("f")));
    open.mutable_open()->set_summary(Encode(SummaryOf({1})));
    call->Write(open);
    v1::TranslateReply reply;
    while (call->Read(&reply)) {
    }
    EXPECT_TRUE(call->Finish().ok());
  }

  TestDaemon test_;
};

TEST_F(CommandsTest, WithoutADaemonTheySayHowToGetOne) {
  for (const std::function<int()>& command : {std::function<int()>([&] { return RunStatus(place()); }),
                                              {[&] { return RunStats(place()); }},
                                              {[&] { return RunStop(place()); }},
                                              {[&] { return RunCacheList(place(), 5); }},
                                              {[&] { return RunCacheClear(place()); }}})
    EXPECT_THAT(Run(3, command), AllOf(HasSubstr("no daemon serves"), HasSubstr("framegated --socket"), HasSubstr("framegated.log")));
}

TEST_F(CommandsTest, TheyTellAboutARunningOne) {
  ASSERT_TRUE(test_.Start().ok());
  TranslateOne();
  EXPECT_THAT(Run(0, [&] { return RunStatus(place()); }),
              AllOf(HasSubstr(StrCat("pid ", getpid())), HasSubstr("1 translations"), HasSubstr("sqlite    ok")));
  EXPECT_THAT(Run(0, [&] { return RunStats(place()); }), AllOf(HasSubstr("translate_requests"), HasSubstr("idle_seconds")));
  EXPECT_THAT(Run(0, [&] { return RunCacheList(place(), 5); }), AllOf(HasSubstr("no graph"), HasSubstr("1 of 1 entries")));
  EXPECT_THAT(Run(0, [&] { return RunCacheClear(place()); }), HasSubstr("1 entries"));
  EXPECT_THAT(Run(0, [&] { return RunCacheList(place(), 5); }), HasSubstr("0 of 0 entries"));
}

TEST_F(CommandsTest, AStoreThatDoesNotWorkIsSaid) {
  (void)!system(StrCat("echo x > ", test_.settings.cache_dir).c_str());
  ASSERT_TRUE(test_.Start().ok());
  EXPECT_THAT(Run(0, [&] { return RunStatus(place()); }), AllOf(HasSubstr("cannot be used"), HasSubstr("another --cache-dir")));
}

TEST_F(CommandsTest, StopWaitsForTheEnd) {
  ASSERT_TRUE(test_.Start().ok());
  std::thread joins([&] { test_.Join(); });
  EXPECT_THAT(Run(0, [&] { return RunStop(place()); }), HasSubstr("stopped"));
  joins.join();
  EXPECT_EQ(test_.reason, "asked to: framegate stop");
}

TEST_F(CommandsTest, APlaceThatMakesNoSenseIsSaid) {
  Place place = PlaceOf("/tmp/" + std::string(200, 'x'), "");
  EXPECT_THAT(Run(1, [&] { return RunStatus(place); }), HasSubstr("at most 100"));
}

TEST_F(CommandsTest, NumbersForPeople) {
  EXPECT_EQ(PrintBytes(1023), "1023 B");
  EXPECT_EQ(PrintBytes(1536), "1.5 KiB");
  EXPECT_EQ(PrintBytes(5ull << 30), "5.0 GiB");
  EXPECT_EQ(PrintAge(-5), "0 s");
  EXPECT_EQ(PrintAge(119'000), "119 s");
  EXPECT_EQ(PrintAge(3 * 60'000), "3 min");
  EXPECT_EQ(PrintAge(5 * 3'600'000), "5 h");
  EXPECT_EQ(PrintAge(3 * 86'400'000), "3 days");
}

}  // namespace
}  // namespace framegate::server
