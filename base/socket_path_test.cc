#include "base/socket_path.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace framegate {
namespace {

using ::testing::HasSubstr;

class SocketPathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fg-path-XXXXXX";
    folder_ = mkdtemp(name);
    unsetenv("FRAMEGATE_SOCKET");
    unsetenv("XDG_RUNTIME_DIR");
  }

  void TearDown() override {
    (void)!chdir("/");
    (void)!system(StrCat("rm -rf ", folder_).c_str());
  }

  std::string folder_;
  Hash128 schema_ = HashBytes("schema");
};

TEST_F(SocketPathTest, TheVariableDecides) {
  setenv("FRAMEGATE_SOCKET", "/run/x/daemon.sock", 1);
  EXPECT_EQ(*SocketPath(schema_), "/run/x/daemon.sock");
  setenv("FRAMEGATE_SOCKET", "", 1);
  EXPECT_THAT(*SocketPath(schema_), HasSubstr("framegate"));
}

TEST_F(SocketPathTest, ARelativePathIsMadeAbsolute) {
  ASSERT_EQ(chdir(folder_.c_str()), 0);
  setenv("FRAMEGATE_SOCKET", "here.sock", 1);
  EXPECT_EQ(*SocketPath(schema_), folder_ + "/here.sock");
}

TEST_F(SocketPathTest, NamesTheSchemaInARuntimeDirectoryOfOurs) {
  setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  EXPECT_EQ(*SocketPath(schema_), StrCat(folder_, "/framegate/", schema_.Hex().substr(0, 16), ".sock"));
}

TEST_F(SocketPathTest, DoesNotTrustARuntimeDirectoryThatOthersMayEnter) {
  chmod(folder_.c_str(), 0755);
  setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  EXPECT_THAT(*SocketPath(schema_), HasSubstr(StrCat("/tmp/framegate-", geteuid(), "/")));
}

TEST_F(SocketPathTest, ALongPathIsAClearError) {
  setenv("FRAMEGATE_SOCKET", StrCat("/tmp/", std::string(100, 'x')).c_str(), 1);
  absl::Status status = SocketPath(schema_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most 100"));
}

TEST_F(SocketPathTest, MakesAPrivateDirectory) {
  std::string socket = folder_ + "/new/daemon.sock";
  ASSERT_TRUE(PrepareSocketDirectory(socket).ok());
  struct stat info;
  ASSERT_EQ(stat((folder_ + "/new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(PrepareSocketDirectory(socket).ok());
}

TEST_F(SocketPathTest, RefusesADirectoryThatOthersMayWrite) {
  chmod(folder_.c_str(), 0777);
  absl::Status status = PrepareSocketDirectory(folder_ + "/daemon.sock");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("chmod go-w"));
}

TEST_F(SocketPathTest, RefusesALinkInPlaceOfTheDirectory) {
  ASSERT_EQ(symlink(folder_.c_str(), (folder_ + "/link").c_str()), 0);
  EXPECT_EQ(PrepareSocketDirectory(folder_ + "/link/daemon.sock").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SocketPathTest, AMissingParentIsUnavailable) {
  EXPECT_EQ(PrepareSocketDirectory(folder_ + "/a/b/daemon.sock").code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace framegate
