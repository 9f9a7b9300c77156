// The file of the SQLite tier: where it is, what is in it, and what becomes of one that is damaged.
// Entries of all builds share one file; a key holds its build's schema hash, so builds do not see
// each other's. StoreHealth is thread-safe; OpenStore is for one thread at a time.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/cache/database.h"
#include "server/stats/stats.h"

namespace framegate::server {

// Whether the store is used, and why not. The first fault of a kind is logged, all are counted.
class StoreHealth {
 public:
  StoreHealth(std::string path, bool read_only, Stats* stats) : path_(std::move(path)), read_only_(read_only), stats_(stats) {}

  // What `fault` means from now on: corrupt and unusable end all use of the file in this process;
  // full and read-only end writing for a minute.
  void Take(Fault fault, std::string_view doing, std::string_view detail) ABSL_LOCKS_EXCLUDED(mutex_);
  void TurnOff(std::string why) ABSL_LOCKS_EXCLUDED(mutex_);
  // "ok", or why not.
  std::string State() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool CanRead() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool CanWrite(absl::Time now) const ABSL_LOCKS_EXCLUDED(mutex_);
  // A write went through.
  void Wrote() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::string path_;
  const bool read_only_;
  Stats* const stats_;
  mutable absl::Mutex mutex_;
  bool readable_ ABSL_GUARDED_BY(mutex_) = true;
  absl::Time write_again_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string state_ ABSL_GUARDED_BY(mutex_) = "ok";
};

// Opens the store for the first time in this process: makes its directory and tables. A file that
// is no database, or that an earlier process found damaged, is moved to "<path>.damaged" first,
// unless another daemon uses it. `lock` receives a descriptor that must stay open as long as the
// file is used; the caller closes it.
Fault OpenStore(const std::string& path, bool read_only, Database* database, int* lock);

// "<path>.broken": there as long as the file waits to be moved away.
std::string BrokenMark(const std::string& path);

}  // namespace framegate::server
