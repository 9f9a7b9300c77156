// When to try a daemon again that was at fault: not before 0.5 s have passed, doubling to 30 s with every further fault. Monotonic time.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/status.h"
#include "client_ext/transport/socket.h"

namespace framegate::client {

class Breaker {
 public:
  static constexpr std::chrono::milliseconds kFirst{500};
  static constexpr std::chrono::milliseconds kLast{30'000};

  // Nothing is wrong, as far as we know.
  bool closed() const { return fault_.ok(); }

  // After a fault: whether it is time for another attempt. It counts as begun: the next comes one delay later.
  bool TakeAttempt(TimePoint now) {
    if (now < next_)
      return false;
    Delay(now);
    return true;
  }

  void Fault(absl::Status why, TimePoint now) {
    fault_ = std::move(why);
    Delay(now);
  }

  // The delay starts again from its first value only after a while without faults: a daemon that dies at each translation
  // answers lookups in between.
  void Success(TimePoint now) {
    fault_ = absl::OkStatus();
    if (now - last_ > kLast)
      delay_ = std::chrono::milliseconds{0};
  }

  // What the last fault was; told to those who ask while the breaker is open.
  const absl::Status& fault() const { return fault_; }

 private:
  void Delay(TimePoint now) {
    delay_ = std::clamp(delay_ * 2, kFirst, kLast);
    next_ = now + delay_;
    last_ = now;
  }

  absl::Status fault_;
  std::chrono::milliseconds delay_{0};
  TimePoint next_{};
  TimePoint last_{};
};

}  // namespace framegate::client
