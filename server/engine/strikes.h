// Units that crashed the daemon. A table in a small mapped file counts, per key, how often a
// translation of it ended in a fatal signal; the signal's handler itself writes it, for the thread
// that crashed and no other, so a daemon that is killed from outside strikes nobody. After two
// strikes the unit is refused. The file belongs to one build (its name holds the schema hash), so a
// new build tries again. Thread-safe. One per process that has crash handling; owned by the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/hash.h"

namespace framegate::server {

inline constexpr uint32_t kMostStrikes = 2;

class Strikes {
 public:
  // Where the file cannot be mapped, nothing is remembered and nobody refused.
  explicit Strikes(const std::string& cache_dir);
  ~Strikes();

  bool IsRefused(const Hash128& key) const;

  // While it lives, a crash of this thread is a strike against `key`.
  class Scope {
   public:
    Scope(Strikes* strikes, const Hash128& key);
    ~Scope();
  };

 private:
  struct Row;
  Row* rows_ = nullptr;  // in the mapped file
};

// A stack of its own for this thread's signal handlers, as long as it lives.
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();

 private:
  std::unique_ptr<char[]> stack_;
};

// Handles the signals that mean a bug: counts the strike, writes the signal and a backtrace to
// `log_fd`, and dies of the signal. Call once, in main.
void HandleCrashes(int log_fd);

}  // namespace framegate::server
