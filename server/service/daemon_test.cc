// The life of the daemon: its place in the file system, when it ends, and what it does on the way
// out.
#include "server/service/daemon.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "base/socket_path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/service/calls.h"
#include "server/service/idle.h"
#include "server/service/test_daemon.h"

namespace framegate::server {
namespace {

using ::testing::HasSubstr;

// A connection without gRPC.
int ConnectRaw(const std::string& path) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

bool Eventually(const std::function<bool()>& holds) {
  absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (!holds() && absl::Now() < deadline)
    absl::SleepFor(absl::Milliseconds(1));
  return holds();
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

TEST(DaemonTest, ItsPlaceIsPrivate) {
  TestDaemon test;
  test.settings.socket = test.folder.path() + "/new/d.sock";
  ASSERT_TRUE(test.Start().ok());
  struct stat info;
  ASSERT_EQ(lstat(test.settings.socket.c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(lstat((test.folder.path() + "/new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(lstat((test.settings.cache_dir + "/entries-1.db").c_str(), &info), 0);
}

TEST(DaemonTest, APlaceThatOthersMayWriteIsRefused) {
  TestDaemon test;
  chmod(test.folder.path().c_str(), 0777);
  absl::Status status = test.Start();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("others may write"));
}

TEST(DaemonTest, ThereIsOneDaemonForASocket) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  Settings settings = test.settings;
  absl::Status status = Daemon::Start(settings, {.programs = FakePrograms()}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr(StrCat("pid ", getpid())));
  EXPECT_TRUE(DaemonCalls(settings.socket).Stats().ok());
}

TEST(DaemonTest, AStaleSocketIsReplaced) {
  TestDaemon test;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, test.settings.socket.c_str(), test.settings.socket.size() + 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(fd);
  ASSERT_TRUE(test.Start().ok());
  EXPECT_TRUE(DaemonCalls(test.settings.socket).Stats().ok());
}

TEST(DaemonTest, AnIdleDaemonEnds) {
  TestDaemon test;
  test.settings.idle_seconds = 0.05;
  ASSERT_TRUE(test.Start().ok());
  ASSERT_TRUE(test.EndsWithin(absl::Seconds(10)));
  test.Join();
  EXPECT_THAT(test.reason, HasSubstr("nobody was connected"));
  EXPECT_NE(access(test.settings.socket.c_str(), F_OK), 0);
  EXPECT_THAT(ReadFile(LiveLockPath(test.settings.socket)), HasSubstr("nobody was connected"));
}

TEST(DaemonTest, AConnectedClientKeepsItAlive) {
  TestDaemon test;
  test.settings.idle_seconds = 0.05;
  ASSERT_TRUE(test.Start().ok());
  int fd = ConnectRaw(test.settings.socket);
  ASSERT_GE(fd, 0);
  EXPECT_FALSE(test.EndsWithin(absl::Milliseconds(300)));
  close(fd);
  EXPECT_TRUE(test.EndsWithin(absl::Seconds(10)));
}

TEST(DaemonTest, IdleTimeCountsFromTheLastClient) {
  absl::Time start = absl::UnixEpoch();
  Idle idle(absl::Minutes(10), start);
  EXPECT_EQ(idle.Left(start), absl::Minutes(10));
  EXPECT_EQ(idle.Left(start + absl::Minutes(9)), absl::Minutes(1));
  idle.SetBusy(true, start + absl::Minutes(9));
  EXPECT_EQ(idle.Left(start + absl::Hours(9)), absl::InfiniteDuration());
  idle.SetBusy(false, start + absl::Hours(9));
  idle.SetBusy(false, start + absl::Hours(9) + absl::Minutes(1));
  EXPECT_EQ(idle.Left(start + absl::Hours(9) + absl::Minutes(4)), absl::Minutes(6));
  EXPECT_EQ(idle.Left(start + absl::Hours(10)), absl::ZeroDuration());
  EXPECT_EQ(Idle(absl::ZeroDuration(), start).Left(start + absl::Hours(99)), absl::InfiniteDuration());
}

TEST(DaemonTest, ItEndsWhenItsSocketIsGone) {
  for (const char* how : {"rm", "replace", "move"}) {
    TestDaemon test;
    ASSERT_TRUE(test.Start().ok());
    std::string word = how;
    if (word == "rm") {
      unlink(test.settings.socket.c_str());
    } else if (word == "replace") {
      std::ofstream(test.folder.path() + "/other") << "x";
      rename((test.folder.path() + "/other").c_str(), test.settings.socket.c_str());
    } else {
      rename(test.settings.socket.c_str(), (test.folder.path() + "/moved").c_str());
    }
    ASSERT_TRUE(test.EndsWithin(absl::Seconds(10))) << how;
    test.Join();
    EXPECT_EQ(test.reason, "its socket file is gone");
    if (word == "replace") {
      EXPECT_EQ(ReadFile(test.settings.socket), "x") << "what others put there stays";
    }
  }
}

TEST(DaemonTest, OtherFilesInItsDirectoryAreNoMatter) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  for (int i = 0; i < 10; ++i) {
    std::ofstream(test.folder.path() + "/file") << i;
    unlink((test.folder.path() + "/file").c_str());
  }
  EXPECT_FALSE(test.EndsWithin(absl::Milliseconds(50)));
}

TEST(DaemonTest, GarbageAndHangUpsAreCounted) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  std::vector<int> fds;
  for (int i = 0; i < 20; ++i)
    fds.push_back(ConnectRaw(test.settings.socket));
  EXPECT_TRUE(Eventually([&] { return test.daemon->stats().Get(Metric::kConnections) == 20; }));
  for (int fd : fds) {
    std::string garbage(100, 'g');
    EXPECT_EQ(write(fd, garbage.data(), garbage.size()), 100);
  }
  // The server closes them, and we learn of it.
  char byte;
  for (int fd : fds) {
    while (read(fd, &byte, 1) > 0) {
    }
    close(fd);
  }
  EXPECT_TRUE(Eventually([&] { return test.daemon->stats().Get(Metric::kConnections) == 0; }));
  EXPECT_TRUE(DaemonCalls(test.settings.socket).Stats().ok());
}

TEST(DaemonTest, ConnectionsHaveALimit) {
  TestDaemon test;
  test.settings.connections = 2;
  ASSERT_TRUE(test.Start().ok());
  int a = ConnectRaw(test.settings.socket), b = ConnectRaw(test.settings.socket), c = ConnectRaw(test.settings.socket);
  char byte;
  EXPECT_EQ(read(c, &byte, 1), 0);
  EXPECT_EQ(test.daemon->stats().Get(Metric::kConnectionsRefused), 1u);
  close(a);
  close(b);
  close(c);
  EXPECT_TRUE(Eventually([&] { return test.daemon->stats().Get(Metric::kConnections) == 0; }));
}

TEST(DaemonTest, ShutdownFinishesWhatIsInFlight) {
  TestDaemon test;
  absl::Notification go;
  test.translate = [&](const translator::Request&, const CodeImages&, translator::Asker&) {
    go.WaitForNotification();
    return EntryOf("1");
  };
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  grpc::ClientContext context;
  auto call = stub->Translate(&context);
  v1::TranslateRequest open;
  open.mutable_open()->set_key_material(Encode(MaterialOf("f")));
  open.mutable_open()->set_summary(Encode(SummaryOf({1})));
  call->Write(open);
  ASSERT_TRUE(Eventually([&] { return test.translations == 1; }));
  EXPECT_EQ(*DaemonCalls(test.settings.socket).Shutdown("a test"), static_cast<uint64_t>(getpid()));
  ASSERT_TRUE(Eventually([&] { return access(test.settings.socket.c_str(), F_OK) != 0; }));
  go.Notify();
  v1::TranslateReply reply;
  while (call->Read(&reply) && reply.has_beat()) {
  }
  EXPECT_TRUE(reply.has_entry());
  EXPECT_TRUE(call->Finish().ok());
  EXPECT_TRUE(test.EndsWithin(absl::Seconds(10)));
  EXPECT_EQ(test.reason, "asked to: a test");
  test.Join();
  EXPECT_EQ(DaemonCalls(test.settings.socket).Stats().status().code(), absl::StatusCode::kNotFound);
}

TEST(DaemonTest, DrainingDoesNotWaitForEver) {
  TestDaemon test;
  test.settings.drain_seconds = 0.05;
  test.translate = [](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask({.items = {{.kind = model::QuestionKind::kFact, .object = 1}}}).status());
    return EntryOf("1");
  };
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  grpc::ClientContext context;
  auto call = stub->Translate(&context);
  v1::TranslateRequest open;
  open.mutable_open()->set_key_material(Encode(MaterialOf("f")));
  open.mutable_open()->set_summary(Encode(SummaryOf({1})));
  call->Write(open);
  v1::TranslateReply reply;
  while (call->Read(&reply) && !reply.has_questions()) {
  }
  test.daemon->Stop("a test");
  while (call->Read(&reply)) {
  }
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(test.EndsWithin(absl::Seconds(10)));
}

}  // namespace
}  // namespace framegate::server
