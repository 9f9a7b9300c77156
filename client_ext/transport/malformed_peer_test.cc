// Peers that are no gRPC server, or a bad one: hand-made bytes on the other end of the socket.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

#include "gtest/gtest.h"
#include "client_ext/transport/channel.h"
#include "tests/support/grpc_echo_service.h"

namespace framegate::client {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;

// Accepts one connection, waits for its first bytes, says `answer`, and hangs up or stays silent.
class RawPeer {
 public:
  RawPeer(std::string answer, bool hang_up) {
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, folder_.path().c_str());
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this, answer = std::move(answer), hang_up] {
      int connection = accept(listener_, nullptr, nullptr);
      char buffer[65536];
      if (recv(connection, buffer, sizeof buffer, 0) > 0)
        send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      if (hang_up)
        shutdown(connection, SHUT_WR);
      while (recv(connection, buffer, sizeof buffer, 0) > 0) {
      }
      close(connection);
    });
  }

  ~RawPeer() {
    thread_.join();
    close(listener_);
  }

  std::string path() const { return folder_.path(); }

 private:
  SocketFolder folder_;
  int listener_;
  std::thread thread_;
};

std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, const std::string& payload) {
  std::string frame;
  for (int shift : {16, 8, 0})
    frame.push_back(static_cast<char>(payload.size() >> shift));
  frame.push_back(static_cast<char>(type));
  frame.push_back(static_cast<char>(flags));
  for (int shift : {24, 16, 8, 0})
    frame.push_back(static_cast<char>(stream >> shift));
  return frame + payload;
}

std::string Literal(const std::string& name, const std::string& value) {
  std::string field(1, 0);
  field.append(1, static_cast<char>(name.size())).append(name);
  return field.append(1, static_cast<char>(value.size())).append(value);
}

constexpr uint8_t kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kGoAway = 7;
constexpr uint8_t kEndStream = 1, kEndHeaders = 4;

std::string Hello() {
  return Frame(kSettings, 0, 0, "");
}

std::string Response(const std::string& status = "200") {
  return Frame(kHeaders, kEndHeaders, 1, Literal(":status", status) + Literal("content-type", "application/grpc"));
}

std::string Message(const std::string& text) {
  return Frame(kData, 0, 1, MessagePrefix(text.size()) + text);
}

std::string Trailers(const std::string& status) {
  return Frame(kHeaders, kEndHeaders | kEndStream, 1, Literal("grpc-status", status));
}

struct Heard {
  std::vector<std::string> messages;
  absl::Status status;
};

Heard Listen(const std::string& answer, bool hang_up = false) {
  RawPeer peer(answer, hang_up);
  Heard heard;
  auto channel = Channel::Connect(peer.path(), {.request = 1000, .reply = 1000}, {.quiet = milliseconds(2000)});
  EXPECT_TRUE(channel.ok()) << channel.status();
  Call call(channel->get(), "/test/Echo", std::nullopt);
  EXPECT_TRUE(call.Send("hello", false).ok());
  while (true) {
    auto reply = call.Receive({.quiet = milliseconds(50)});
    if (reply.ok() && *reply) {
      heard.messages.push_back(**reply);
      continue;
    }
    heard.status = reply.status();
    return heard;
  }
}

TEST(MalformedPeer, WellFormedBytesAreUnderstood) {
  Heard heard = Listen(Hello() + Response() + Message("one") + Message("") + Trailers("0"));
  EXPECT_TRUE(heard.status.ok()) << heard.status;
  EXPECT_EQ(heard.messages, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(Listen(Hello() + Response() + Trailers("8")).status.code(), StatusCode::kResourceExhausted);
}

TEST(MalformedPeer, NotHttp2) {
  EXPECT_EQ(Listen("HTTP/1.1 400 Bad Request\r\n\r\n and more text than a frame").status.code(), StatusCode::kInternal);
  EXPECT_EQ(Listen("").status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Listen("", true).status.code(), StatusCode::kUnavailable);
}

TEST(MalformedPeer, DeathInMidStream) {
  EXPECT_EQ(Listen(Hello() + Response(), true).status.code(), StatusCode::kUnavailable);
  Heard heard = Listen(Hello() + Response() + Message("whole") + Frame(kData, 0, 1, MessagePrefix(9) + "half"), true);
  EXPECT_EQ(heard.messages, std::vector<std::string>{"whole"});
  EXPECT_EQ(heard.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Listen((Hello() + Response()).substr(0, 15), true).status.code(), StatusCode::kUnavailable);
}

TEST(MalformedPeer, BadMessages) {
  std::string compressed = MessagePrefix(3) + "abc";
  compressed[0] = 1;
  EXPECT_EQ(Listen(Hello() + Response() + Frame(kData, 0, 1, compressed)).status.code(), StatusCode::kInternal);
  EXPECT_EQ(Listen(Hello() + Response() + Frame(kData, 0, 1, MessagePrefix(1 << 30))).status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Listen(Hello() + Response() + Frame(kData, 0, 1, MessagePrefix(9) + "half") + Trailers("0")).status.code(),
            StatusCode::kInternal);
}

TEST(MalformedPeer, BadEnds) {
  EXPECT_EQ(Listen(Hello() + Response() + Trailers("abc")).status.code(), StatusCode::kInternal);
  EXPECT_EQ(Listen(Hello() + Response() + Trailers("17")).status.code(), StatusCode::kInternal);
  EXPECT_EQ(Listen(Hello() + Response() + Frame(kData, kEndStream, 1, MessagePrefix(1) + "x")).status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Listen(Hello() + Response("503") + Frame(kData, kEndStream, 1, "")).status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Listen(Hello() + Frame(kReset, 0, 1, std::string("\0\0\0\7", 4))).status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Listen(Hello() + Frame(kReset, 0, 1, std::string("\0\0\0\2", 4))).status.code(), StatusCode::kInternal);
  EXPECT_EQ(Listen(Hello() + Frame(kGoAway, 0, 0, std::string(8, 0))).status.code(), StatusCode::kUnavailable);
}

TEST(MalformedPeer, NoiseNeitherHangsNorCrashes) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::string noise = Hello() + Response() + Message("x") + Trailers("0");
    for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
      noise[random() % noise.size()] = static_cast<char>(random());
    Listen(noise.substr(0, random() % (noise.size() + 1)), random() % 2 == 0).status.IgnoreError();
  }
}

}  // namespace
}  // namespace framegate::client
