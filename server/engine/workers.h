// Threads that translate. A translation often waits for its client, so threads and processors are
// counted apart: any number of translations up to `most_tasks` may be begun, each on its own thread
// with a large stack, but only `at_once` of them compute at the same time. A thread lives as long
// as there are tasks; an idle daemon has none. Thread-safe. The destructor waits for all tasks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace framegate::server {

class Workers {
 public:
  // 0 for `at_once`: as many as processors.
  Workers(uint64_t at_once, uint64_t most_tasks);
  ~Workers();

  // False, and nothing happens, when `most_tasks` are at work or waiting. The task holds a turn
  // while it runs.
  bool Run(std::function<void()> task) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives the turn away while a task waits for somebody else. REQUIRES: called from a task.
  void GiveTurn() ABSL_LOCKS_EXCLUDED(mutex_);
  void TakeTurn() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static void* Enter(void* self);
  void Work() ABSL_LOCKS_EXCLUDED(mutex_);

  const uint64_t most_tasks_;
  absl::Mutex mutex_;
  uint64_t turns_ ABSL_GUARDED_BY(mutex_);        // free ones
  uint64_t threads_ ABSL_GUARDED_BY(mutex_) = 0;  // alive
  uint64_t tasks_ ABSL_GUARDED_BY(mutex_) = 0;    // queued or running
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace framegate::server
