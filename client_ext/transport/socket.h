// A connected Unix stream socket: reads and writes at once what is possible, waits with poll(). Knows no protocol and no Python.
// Owns its descriptor (close-on-exec). Not thread-safe. In a forked child the descriptor is closed at once, by a handler, so that the
// daemon sees the parent's end; there a socket may only be destroyed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace framegate::client {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

// How long a wait may last, and who may end it early.
struct Patience {
  std::chrono::milliseconds quiet{std::chrono::milliseconds::max()};  // without a byte in either direction
  std::chrono::milliseconds starved{0};   // `quiet` is stretched up to this while the peer is runnable but gets no processor
  TimePoint deadline = TimePoint::max();  // in all
  bool (*interrupted)() = nullptr;        // called when a signal interrupts the wait; true ends it with Cancelled
};

class Socket {
 public:
  // The peer must run under our effective user. Unavailable: nobody listens there; PermissionDenied: somebody else's socket;
  // InvalidArgument: the path does not fit into an address; DeadlineExceeded: the listener's queue stays full.
  static absl::StatusOr<Socket> Connect(const std::string& path, const Patience& patience);

  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // Bytes read; 0: nothing is there now. Unavailable: the peer has closed, or the connection is lost.
  absl::StatusOr<size_t> Read(char* buffer, size_t size);
  // Bytes written; 0: nothing fits now.
  absl::StatusOr<size_t> Write(std::string_view bytes);
  // Until there is something to read, or room to write where `to_write`. `since` is when the last byte passed.
  // DeadlineExceeded, Cancelled.
  absl::Status Wait(bool to_write, TimePoint since, const Patience& patience);

  pid_t peer() const { return peer_; }

  pid_t owner() const { return owner_; }

 private:
  explicit Socket(int descriptor);

  int descriptor_;
  pid_t owner_;  // the process that opened it
  pid_t peer_ = 0;
};

}  // namespace framegate::client
