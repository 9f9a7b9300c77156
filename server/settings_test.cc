#include "server/settings.h"

#include <stdlib.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace framegate::server {
namespace {

using ::testing::HasSubstr;

class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const SettingRow& row : SettingRows())
      unsetenv(std::string(row.variable).c_str());
    flags_.resize(SettingRows().size());
  }

  void Flag(std::string_view name, std::string text) {
    for (size_t i = 0; i < flags_.size(); ++i)
      if (SettingRows()[i].name == name)
        flags_[i] = text;
  }

  std::string OriginOf(const Settings& settings, std::string_view name) {
    for (const SettingReport& report : Describe(settings))
      if (report.name == name)
        return report.origin;
    return "";
  }

  std::vector<std::string> flags_;
};

TEST_F(SettingsTest, DefaultsComeFromTheTable) {
  setenv("XDG_CACHE_HOME", "/var/cache/me", 1);
  Settings settings = *ReadSettings(flags_);
  EXPECT_EQ(settings.idle_seconds, 600);
  EXPECT_EQ(settings.request_bytes, 8u << 20);
  EXPECT_EQ(settings.cache_dir, "/var/cache/me/framegate");
  EXPECT_EQ(settings.log_file, "/var/cache/me/framegate/framegated.log");
  EXPECT_THAT(settings.socket, HasSubstr(".sock"));
  EXPECT_EQ(OriginOf(settings, "idle_seconds"), "default");
}

TEST_F(SettingsTest, AFlagWinsOverTheEnvironment) {
  setenv("FRAMEGATE_IDLE_SECONDS", "7", 1);
  EXPECT_EQ(ReadSettings(flags_)->idle_seconds, 7);
  EXPECT_EQ(OriginOf(*ReadSettings(flags_), "idle_seconds"), "environment");
  Flag("idle_seconds", "0.25");
  EXPECT_EQ(ReadSettings(flags_)->idle_seconds, 0.25);
  EXPECT_EQ(OriginOf(*ReadSettings(flags_), "idle_seconds"), "flag");
}

TEST_F(SettingsTest, ABadValueNamesWhereItStands) {
  setenv("FRAMEGATE_IDLE_SECONDS", "soon", 1);
  EXPECT_THAT(std::string(ReadSettings(flags_).status().message()), HasSubstr("FRAMEGATE_IDLE_SECONDS=soon"));
  unsetenv("FRAMEGATE_IDLE_SECONDS");
  Flag("store", "maybe");
  EXPECT_THAT(std::string(ReadSettings(flags_).status().message()), HasSubstr("rw, ro, off"));
  Flag("store", "ro");
  Flag("foreground", "perhaps");
  EXPECT_EQ(ReadSettings(flags_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(SettingsTest, PathsAreMadeAbsolute) {
  ASSERT_EQ(chdir("/tmp"), 0);
  Flag("cache_dir", "here");
  Flag("socket", "d.sock");
  EXPECT_EQ(ReadSettings(flags_)->cache_dir, "/tmp/here");
  EXPECT_EQ(ReadSettings(flags_)->socket, "/tmp/d.sock");
  EXPECT_EQ(ReadSettings(flags_)->log_file, "/tmp/here/framegated.log");
}

TEST_F(SettingsTest, ThePathOfTheSocketIsMeasured) {
  Flag("socket", "/tmp/" + std::string(200, 'x'));
  EXPECT_EQ(ReadSettings(flags_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace framegate::server
