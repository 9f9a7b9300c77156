// When a daemon that nobody uses may end. Times are given, so that tests have a clock of their own.
// Thread-compatible.
#pragma once

#include "absl/time/time.h"

namespace framegate::server {

class Idle {
 public:
  // Zero: never.
  Idle(absl::Duration limit, absl::Time now) : limit_(limit), since_(now) {}

  void SetBusy(bool busy, absl::Time now) {
    if (busy_ && !busy)
      since_ = now;
    busy_ = busy;
  }

  // How long until it is due; zero: now; infinite: not as things are.
  absl::Duration Left(absl::Time now) const {
    if (busy_ || limit_ == absl::ZeroDuration())
      return absl::InfiniteDuration();
    return std::max(absl::ZeroDuration(), since_ + limit_ - now);
  }

 private:
  const absl::Duration limit_;
  absl::Time since_;
  bool busy_ = false;
};

}  // namespace framegate::server
