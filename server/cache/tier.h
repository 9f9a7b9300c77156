// One level of the cache. A tier that misbehaves is silent: it answers with nothing, says why in
// State() and counts. It never fails a call and never makes one wait for a write. Thread-safe.
// Owned by the Cache; the settings and stats it was made with outlive it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "server/cache/stored_entry.h"
#include "server/settings.h"
#include "server/stats/report.h"
#include "server/stats/stats.h"

namespace framegate::server {

// Most entries under one key; beyond it the least useful go.
inline constexpr size_t kMaxEntriesPerKey = 4096;

class Tier {
 public:
  virtual ~Tier() = default;

  // The entries under `key` whose content is not in `known`, most recently used first. Only what
  // passed every check of integrity.
  virtual std::vector<EntryPtr> Load(const CacheKey& key, const absl::flat_hash_set<Hash128>& known) = 0;
  // Keeps the entry, now or soon. Returns what is kept: `entry`, or one of the same content that
  // was there already.
  virtual EntryPtr Put(const CacheKey& key, const EntryPtr& entry) = 0;
  // The entry was given to a client; its counters say how often and when.
  virtual void Touch(const CacheKey& key, const EntryPtr& entry) = 0;
  // Forgets everything; what it forgot.
  virtual ClearReport Clear() = 0;
  // Everything put before is kept when this returns, or the deadline has passed.
  virtual void Flush(absl::Time deadline) = 0;
  // At most `limit`, most recently used first.
  virtual ListReport List(size_t limit) = 0;
  virtual TierReport Report() = 0;
  // Whether entries outlive the daemon.
  virtual bool IsDurable() const = 0;
};

#define FRAMEGATE_TIER(number, name, text, factory, doc) std::unique_ptr<Tier> factory(const Settings& settings, Stats* stats);
#include "server/cache/tiers.def"
#undef FRAMEGATE_TIER

}  // namespace framegate::server
