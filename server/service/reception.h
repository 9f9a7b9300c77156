// Accepts connections, checks who they are, and hands them to gRPC; knows how many are open and
// when the daemon's socket is gone. One thread runs Wait; it sleeps in poll and wakes for nothing
// but events, and once when idle time is over.
//
// gRPC owns an accepted descriptor, closes it when it likes and does not say so. Three ways of
// watching it, two of them wrong: a duplicate keeps gRPC's own epoll registration alive after its
// close, and calls hang; an epoll of ours forgets the descriptor at that same close, before the
// hang-up is seen. poll holds the socket for the length of the call only, and sees it. What is
// closed while we are not in poll is found by comparing what a number stands for (Recount).
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
  Reception(const Settings& settings, const ListeningSocket* socket, Stats* stats, std::function<void(int fd)> welcome);
  ~Reception();

  // Serves until there is a reason to end, and returns it. Called once.
  std::string Wait();
  // Makes Wait return. Thread-safe.
  void Stop(std::string reason) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
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

  int wake_ = -1;                                // eventfd
  int changes_ = -1;                             // inotify on the socket's directory
  absl::flat_hash_map<int, ino_t> connections_;  // descriptors and what they were; Wait's thread alone

  absl::Mutex mutex_;
  std::string stop_reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace framegate::server
