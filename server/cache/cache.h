// The cache: guarded entries under keys, in tiers (tiers.def). Reads go from the nearest tier to
// the farthest and fill the nearer ones; writes go to all. One key has many entries; the check
// programs decide which of them fit a client's facts. Thread-safe: called from gRPC's threads and
// from workers at once. Owned by the daemon.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "guards/program/read_set.h"
#include "model/summary.h"
#include "server/cache/tier.h"

namespace framegate::server {

// What the cache asks of check programs; the real ones are guards::SummaryJudge and
// guards::ReadSetOf.
struct ProgramReader {
  using Judge = std::function<absl::StatusOr<bool>(std::string_view program)>;
  std::function<Judge(const model::Summary& facts)> judge;  // borrows the facts
  std::function<absl::StatusOr<guards::ReadSet>(std::string_view program)> read_set;
  // The first check that fails on the facts; nullopt: none does.
  using Explained = absl::StatusOr<std::optional<guards::Failure>>;
  std::function<Explained(const model::Summary& facts, std::string_view program)> explain;
};

struct Found {
  std::vector<EntryPtr> entries;  // best first
  size_t candidates = 0;          // under the key in all
  size_t newer = 0;               // of them, beyond the horizon that was asked about
  uint64_t horizon = 0;           // everything up to this sequence was considered
};

class Cache {
 public:
  Cache(const Settings& settings, ProgramReader reader, Stats* stats);

  // With facts, the entries that pass on them, at most `most`; without, the most recently used
  // ones. Entries up to sequence `horizon` are left out.
  Found Find(const CacheKey& key, const model::Summary* facts, uint64_t horizon, size_t most) ABSL_LOCKS_EXCLUDED(mutex_);

  // Encoded guards::ReadSet: what a client must tell for every entry of the key that is in the
  // nearest tier to be judged by its facts.
  std::string ReadSetOf(const CacheKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Entries of the key that are in the nearest tier, the last used first; looking is no use.
  std::vector<EntryPtr> Nearest(const CacheKey& key) ABSL_LOCKS_EXCLUDED(mutex_) { return Candidates(key, /*deep=*/false); }

  // The same of all tiers.
  std::vector<EntryPtr> All(const CacheKey& key) ABSL_LOCKS_EXCLUDED(mutex_) { return Candidates(key, /*deep=*/true); }

  // Keeps a new entry in all tiers and returns it; or the one of the same content that is there
  // already. REQUIRES: the entry is not local to a process.
  EntryPtr Put(const CacheKey& key, EntryPtr entry) ABSL_LOCKS_EXCLUDED(mutex_);

  ClearReport Clear() ABSL_LOCKS_EXCLUDED(mutex_);
  ListReport List(size_t limit);
  std::vector<TierReport> Report();
  void Flush(absl::Time deadline);
  // Some tier that works keeps entries beyond the daemon's life.
  bool IsDurable();

  // The sequence of the newest entry.
  uint64_t Newest() const { return sequence_.load(std::memory_order_acquire); }

 private:
  struct Union {
    guards::ReadSet read_set;
    uint64_t upto = 0;  // sequences that are in it
  };

  // Entries of the nearest tier; `deep` reads the farther ones as well and fills the nearest.
  std::vector<EntryPtr> Candidates(const CacheKey& key, bool deep) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<EntryPtr> Passing(const std::vector<EntryPtr>& candidates, const model::Summary& facts, size_t most);
  EntryPtr Admit(const CacheKey& key, EntryPtr entry, bool to_all) ABSL_LOCKS_EXCLUDED(mutex_);
  void Touch(const CacheKey& key, const std::vector<EntryPtr>& entries);

  const ProgramReader reader_;
  Stats* const stats_;
  std::vector<std::unique_ptr<Tier>> tiers_;  // fixed after construction
  std::atomic<uint64_t> sequence_{0};
  absl::Mutex mutex_;  // makes "look for the content, else number and keep" one step
  absl::flat_hash_map<Hash128, Union> unions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace framegate::server
