// gRPC's wire protocol as a client: one HTTP/2 connection (libnghttp2) on one Unix socket, driven by the thread that calls; no other
// thread, no gRPC core, no Python. One call at a time: a unary call or a stream, each on a new HTTP/2 stream. Not thread-safe. In a forked
// child every operation is Unavailable and nothing is sent.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client_ext/transport/message_reader.h"
#include "client_ext/transport/socket.h"

struct nghttp2_session;

namespace framegate::client {

class Call;

class Channel {
 public:
  struct Limits {
    size_t request = 8 << 20;  // largest message sent and received, in bytes
    size_t reply = 16 << 20;
  };

  // Statuses of Socket::Connect. Says nothing to the peer yet: settings go out with the first call.
  static absl::StatusOr<std::unique_ptr<Channel>> Connect(const std::string& path, const Limits& limits, const Patience& patience);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // One request, one reply; `timeout` is told to the server. Statuses of Call::Receive; Internal: no reply, or several.
  absl::StatusOr<std::string> Unary(std::string_view method, std::string_view request, std::chrono::milliseconds timeout,
                                    const Patience& patience);

  // Whether another call may begin: reads what has come in the meantime (an end of file, a GOAWAY). REQUIRES: no call is open.
  bool Usable();

  // Whether the peer has said that it takes no more calls (GOAWAY): it ends in order.
  bool going_away() const { return going_away_; }

  // The process that listens.
  pid_t peer() const { return socket_.peer(); }

  bool owned_by_this_process() const { return socket_.owner() == getpid(); }

  void set_limits(const Limits& limits) { limits_ = limits; }

 private:
  friend class Call;
  friend struct Http2Callbacks;

  Channel(Socket socket, const Limits& limits);
  absl::Status Begin();
  // Writes and reads what is possible without waiting. Bytes moved.
  absl::StatusOr<size_t> Exchange();
  absl::StatusOr<size_t> WriteSome();
  absl::StatusOr<size_t> ReadSome();
  // Exchanges until something has moved. Statuses of Socket::Wait, or why the connection is lost.
  absl::Status Turn(const Patience& patience);

  Socket socket_;
  Limits limits_;
  nghttp2_session* session_ = nullptr;
  Call* call_ = nullptr;
  absl::Status lost_;  // why the connection is of no use any more
  bool going_away_ = false;
  std::string out_;  // bytes for the socket, from out_at_ on
  size_t out_at_ = 0;
  std::vector<char> in_;
  TimePoint moved_;  // when the last byte passed, or the wait began
};

// One call. Destroying an open one resets its stream, without waiting.
class Call {
 public:
  // A problem shows at the first Receive. `timeout`: told to the server, none if absent. REQUIRES: the channel has no other call.
  Call(Channel* channel, std::string_view method, std::optional<std::chrono::milliseconds> timeout);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Queues a message and writes what the socket takes; Receive writes the rest. `last`: none follows.
  // ResourceExhausted: over the limit, nothing was sent.
  absl::Status Send(std::string_view message, bool last);

  // The next message; none: the server ended the call with OK. Otherwise the server's status (Cancelled is told as Unavailable);
  // Unavailable: connection lost; Internal: the peer breaks the protocol; ResourceExhausted: a message over the limit;
  // DeadlineExceeded, Cancelled: of `patience`; after these two the call goes on, Receive may be called again.
  absl::StatusOr<std::optional<std::string>> Receive(const Patience& patience);

 private:
  friend class Channel;
  friend struct Http2Callbacks;

  void Open(std::string_view method, std::optional<std::chrono::milliseconds> timeout);
  absl::Status EndStatus() const;

  Channel* channel_;
  int32_t stream_ = -1;
  std::string outbox_;  // what HTTP/2 has not taken yet, from outbox_at_ on
  size_t outbox_at_ = 0;
  bool last_queued_ = false;
  MessageReader reader_;
  absl::Status failed_;  // found by us: the stream is of no use
  bool ended_ = false;   // the server's side has ended, or the stream was reset
  bool closed_ = false;  // both sides
  uint32_t reset_ = 0;
  std::string http_status_;
  std::string grpc_status_;
  std::string grpc_message_;
};

}  // namespace framegate::client
