// The one thread that writes to the store. Work is queued and committed in groups: what comes
// within 5 ms, at most 32 entries, is one transaction. Nobody waits for a commit but Flush and
// Clear. Thread-safe. Owned by the SQLite tier; `health` and `stats` outlive it. The destructor
// commits what is queued.
#pragma once

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/cache/store_file.h"
#include "server/cache/stored_entry.h"
#include "server/stats/report.h"

namespace framegate::server {

// Covers everything a read relies on, in the order of the columns.
Hash128 ChecksumOf(const Hash128& content, std::string_view schema, std::string_view material, std::string_view bytes);

class StoreWriter {
 public:
  StoreWriter(std::string path, uint64_t limit, StoreHealth* health, Stats* stats);
  ~StoreWriter();

  // Dropped, and counted, when too much is queued or the store cannot be written.
  void Put(const CacheKey& key, const EntryPtr& entry) ABSL_LOCKS_EXCLUDED(mutex_);
  // Counters are written now and then, together.
  void Touch(const EntryPtr& entry, const Hash128& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Moves a record that failed a check to the table of such records, which keeps the newest 16.
  void Quarantine(int64_t id, std::string reason) ABSL_LOCKS_EXCLUDED(mutex_);
  ClearReport Clear() ABSL_LOCKS_EXCLUDED(mutex_);
  // Everything queued before is committed, counters too, when this returns true.
  bool Flush(absl::Time deadline) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Write {
    CacheKey key;
    EntryPtr entry;
  };

  struct BadRecord {
    int64_t id;
    std::string reason;
  };

  struct Batch {
    std::vector<Write> writes;
    std::vector<BadRecord> bad;
    absl::flat_hash_map<Hash128, std::pair<EntryPtr, Hash128>> touched;  // by content: entry, key
    bool clear = false;
    uint64_t number = 0;  // of the last request in it
  };

  void Run();
  // Waits for work; false when there is none left and the writer shall end.
  bool Take(Batch* batch) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Commit(Batch* batch);
  Fault Apply(Batch* batch);
  Fault Insert(const Write& write);
  Fault UpdateCounters(const EntryPtr& entry, const Hash128& key);
  Fault SetAside(const BadRecord& bad);
  Fault Evict();
  Fault TrimKey(const Hash128& key);
  Fault PrepareAll();
  bool EnsureOpen();

  const std::string path_;
  const uint64_t limit_;
  StoreHealth* const health_;
  Stats* const stats_;

  absl::Mutex mutex_;
  Batch queued_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time first_queued_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Time first_touched_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  uint64_t asked_ ABSL_GUARDED_BY(mutex_) = 0;      // requests so far
  uint64_t committed_ ABSL_GUARDED_BY(mutex_) = 0;  // requests that are done with
  bool hurry_ ABSL_GUARDED_BY(mutex_) = false;      // somebody waits
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  ClearReport cleared_ ABSL_GUARDED_BY(mutex_);

  // Of the writing thread alone.
  Database database_;
  Statement insert_, touch_, copy_bad_, remove_, trim_bad_, count_key_, trim_key_, evict_;
  std::thread thread_;
};

}  // namespace framegate::server
