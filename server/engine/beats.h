// The heart: one thread that, while anybody waits, tells every waiting client each 50 ms that the
// daemon is alive. It sleeps without a timer when nobody does. Thread-safe. Owned by the engine;
// tickets are held weakly.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace framegate::server {

class Ticket;

class Beats {
 public:
  explicit Beats(absl::Duration interval);
  ~Beats();

  void Add(const std::shared_ptr<Ticket>& ticket) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

  const absl::Duration interval_;
  absl::Mutex mutex_;
  std::vector<std::weak_ptr<Ticket>> tickets_ ABSL_GUARDED_BY(mutex_);
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace framegate::server
