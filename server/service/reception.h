// Accepts connections, checks who they are, and hands them to gRPC; knows how many are open and
// when the daemon's socket is gone. One thread runs Wait; it sleeps in epoll and wakes for nothing
// but events, and once when idle time is over.
//
// gRPC owns an accepted descriptor and does not say when it closes it. A duplicate would tell, but
// gRPC relies on close() to end its own epoll registration, which a duplicate keeps alive. So the
// descriptor itself is watched for the peer's hang-up, and since gRPC may close it before that is
// seen, a connection counts as long as its number still is the socket it was.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "server/service/idle.h"
#include "server/service/socket.h"
#include "server/settings.h"
#include "server/stats/stats.h"

namespace framegate::server {

class Reception {
 public:
  // `welcome` takes over a connected, nonblocking descriptor. The socket and stats outlive this
  // object.
  Reception(const Settings& settings, const ListeningSocket* socket, Stats* stats,
            std::function<void(int fd)> welcome);
  ~Reception();

  // Serves until there is a reason to end, and returns it. Called once.
  std::string Wait();
  // Makes Wait return. Thread-safe.
  void Stop(std::string reason) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Watch(int fd, uint32_t events);
  // Serves one wake-up; how many events there were.
  int WaitForEvents(absl::Duration time);
  void Accept();
  void Admit(int fd);
  void Leave(int fd);
  // Drops connections whose end was not seen.
  void Recount();
  bool IsSocketGone();
  std::string StopReason() ABSL_LOCKS_EXCLUDED(mutex_);

  const ListeningSocket* const socket_;
  Stats* const stats_;
  const std::function<void(int)> welcome_;
  const uint64_t most_connections_;
  const absl::Duration idle_limit_;

  int epoll_ = -1;
  int wake_ = -1;     // eventfd
  int changes_ = -1;  // inotify on the socket's directory
  absl::flat_hash_map<int, ino_t>
      connections_;  // descriptors and what they were; Wait's thread alone

  absl::Mutex mutex_;
  std::string stop_reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace framegate::server
