#include "client_ext/transport/channel.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/grpc_echo_service.h"

namespace framegate::client {
namespace {

using std::chrono::milliseconds;

Patience Within(int ms) {
  return {.deadline = Clock::now() + milliseconds(ms)};
}

std::unique_ptr<Channel> Open(const GrpcEchoServer& server, Channel::Limits limits = {}) {
  auto channel = Channel::Connect(server.path(), limits, Within(2000));
  EXPECT_TRUE(channel.ok()) << channel.status();
  return channel.ok() ? *std::move(channel) : nullptr;
}

std::string Pattern(size_t size) {
  std::string text(size, 0);
  for (size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

TEST(Channel, UnaryCalls) {
  GrpcEchoServer server;
  auto channel = Open(server);
  for (const std::string& text : {std::string("x"), std::string(), Pattern(100'000)}) {
    auto reply = channel->Unary("/test/One", text, milliseconds(5000), Within(5000));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(*reply, text);
    EXPECT_TRUE(channel->Usable());
  }
  EXPECT_EQ(channel->peer(), getpid());
}

TEST(Channel, AThousandPingPongsOnOneStream) {
  GrpcEchoServer server;
  auto channel = Open(server);
  Call call(channel.get(), "/test/Echo", std::nullopt);
  for (int i = 0; i < 1000; ++i) {
    std::string text = std::to_string(i);
    ASSERT_TRUE(call.Send(text, i == 999).ok());
    auto reply = call.Receive(Within(5000));
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(**reply, text);
  }
  auto end = call.Receive(Within(5000));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_FALSE(end->has_value());
}

TEST(Channel, BigMessagesBothWays) {
  GrpcEchoServer server;
  auto channel = Open(server, {.request = 16 << 20, .reply = 16 << 20});
  std::string text = Pattern(10 << 20);
  for (int i = 0; i < 3; ++i) {
    auto reply = channel->Unary("/test/One", text, milliseconds(20'000), Within(20'000));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_TRUE(*reply == text);
  }
}

TEST(Channel, ServerStatus) {
  GrpcEchoServer server;
  auto channel = Open(server);
  auto failed = channel->Unary("/test/Fail", "x", milliseconds(5000), Within(5000));
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(failed.status().message(), "50 % of \xc3\xa4\n");
  // Cancelled is ours alone.
  auto cancelled = channel->Unary("/test/Cancelled", "x", milliseconds(5000), Within(5000));
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kUnavailable);
  // An unknown method of a known kind of server, and the connection is as good as before.
  EXPECT_TRUE(channel->Unary("/test/One", "x", milliseconds(5000), Within(5000)).ok());
}

TEST(Channel, SlowServerAndQuietTime) {
  GrpcEchoServer server;
  auto channel = Open(server);
  Call call(channel.get(), "/test/Slow", std::nullopt);
  ASSERT_TRUE(call.Send("a", false).ok());
  int waits = 0;
  while (true) {
    auto reply = call.Receive({.quiet = milliseconds(40)});
    if (reply.ok()) {
      EXPECT_EQ(**reply, "a");
      break;
    }
    ASSERT_EQ(reply.status().code(), absl::StatusCode::kDeadlineExceeded) << reply.status();
    ASSERT_LT(++waits, 1000);
  }
  EXPECT_GE(waits, 1);
}

TEST(Channel, ASilentServerCostsTheDeadlineAndIsToldThatWeLeft) {
  GrpcEchoServer server;
  auto channel = Open(server);
  TimePoint start = Clock::now();
  auto reply = channel->Unary("/test/Silent", "x", milliseconds(60'000), {.quiet = milliseconds(120)});
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_GE(Clock::now() - start, milliseconds(120));
  EXPECT_TRUE(channel->Unary("/test/One", "x", milliseconds(5000), Within(5000)).ok());
  for (int i = 0; i < 500 && server.service().cancelled == 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(server.service().cancelled, 1);
}

TEST(Channel, TheServerEndsAStreamBeforeTheClientHas) {
  GrpcEchoServer server;
  auto channel = Open(server);
  for (int i = 0; i < 3; ++i) {
    Call call(channel.get(), "/test/One", std::nullopt);
    ASSERT_TRUE(call.Send("x", false).ok());
    ASSERT_EQ(**call.Receive(Within(5000)), "x");
    auto end = call.Receive(Within(5000));
    ASSERT_TRUE(end.ok()) << end.status();
    EXPECT_FALSE(end->has_value());
  }
}

TEST(Channel, SizeLimits) {
  GrpcEchoServer server;
  auto channel = Open(server, {.request = 1000, .reply = 500});
  EXPECT_EQ(channel->Unary("/test/One", Pattern(1001), milliseconds(5000), Within(5000)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(channel->Unary("/test/One", Pattern(501), milliseconds(5000), Within(5000)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(channel->Unary("/test/One", Pattern(500), milliseconds(5000), Within(5000)).ok());
}

TEST(Channel, ServerStopsInMidStream) {
  GrpcEchoServer server;
  auto channel = Open(server);
  {
    Call call(channel.get(), "/test/Echo", std::nullopt);
    ASSERT_TRUE(call.Send("x", false).ok());
    ASSERT_EQ(**call.Receive(Within(5000)), "x");
    std::thread stopper([&] { server.Stop(); });
    auto reply = call.Receive(Within(5000));
    EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable) << reply.status();
    stopper.join();
  }
  EXPECT_FALSE(channel->Usable());
  EXPECT_EQ(channel->Unary("/test/One", "x", milliseconds(1000), Within(1000)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Channel::Connect(server.path(), {}, Within(1000)).status().code(), absl::StatusCode::kUnavailable);
}

TEST(Channel, AForkedChildCanOnlyDropIt) {
  GrpcEchoServer server;
  auto channel = Open(server);
  ASSERT_TRUE(channel->Unary("/test/One", "x", milliseconds(5000), Within(5000)).ok());
  pid_t child = fork();
  if (child == 0) {
    bool fine = !channel->Usable() && absl::IsUnavailable(channel->Unary("/test/One", "x", milliseconds(100), Within(100)).status());
    channel.reset();
    _exit(fine ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(channel->Unary("/test/One", "y", milliseconds(5000), Within(5000)).ok());
}

std::atomic<int> interruptions{0};

bool StopAtThird() {
  return ++interruptions >= 3;
}

TEST(Channel, SignalsInterruptTheWait) {
  GrpcEchoServer server;
  auto channel = Open(server);

  struct sigaction action {
  }, before{};

  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  pthread_t self = pthread_self();
  std::atomic<bool> done = false;
  std::thread poker([&] {
    while (!done) {
      std::this_thread::sleep_for(milliseconds(10));
      pthread_kill(self, SIGUSR1);
    }
  });
  Patience patience = Within(20'000);
  patience.interrupted = StopAtThird;
  auto reply = channel->Unary("/test/Silent", "x", milliseconds(20'000), patience);
  done = true;
  poker.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(interruptions, 3);
}

TEST(Channel, PathsThatDoNotFit) {
  EXPECT_EQ(Channel::Connect(std::string(200, 'x'), {}, Within(100)).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Channel::Connect("/nowhere/at/all", {}, Within(100)).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace framegate::client
