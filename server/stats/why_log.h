// The last translations that entries were there for: what `framegate why` tells. Thread-safe.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/stats/report.h"

namespace framegate::server {

// "a.b.f" and "a.b.f+12" (a continuation) are of the names f, b.f and a.b.f; everything is of the name "".
bool IsOfName(std::string_view unit, std::string_view function);

class WhyLog {
 public:
  static constexpr size_t kMost = 1000;

  // The oldest goes where there are more than kMost.
  void Add(WhyReport report) ABSL_LOCKS_EXCLUDED(mutex_);

  // The newest first, at most `limit`: those of units of this name, qualified or not ("forward", "Block.forward"); all where it is empty.
  std::vector<WhyReport> Find(std::string_view function, size_t limit) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  std::deque<WhyReport> reports_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace framegate::server
