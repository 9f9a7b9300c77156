// Entries in memory. A map of keys, each with its entries in order of use, and a list of keys in
// order of use. One mutex guards all; it is held for pointer work only. Entries are shared, so one
// that is evicted lives on in the streams that send it.
#include <list>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/strings.h"
#include "server/cache/tier.h"

namespace framegate::server {
namespace {

class MemoryTier : public Tier {
 public:
  MemoryTier(uint64_t limit, Stats* stats) : limit_(limit), stats_(stats) {}

  std::vector<EntryPtr> Load(const CacheKey& key, const absl::flat_hash_set<Hash128>& known) override {
    absl::MutexLock lock(&mutex_);
    auto found = keys_.find(key.hash);
    if (found == keys_.end() || found->second.material != key.material)
      return {};
    recent_.splice(recent_.begin(), recent_, found->second.place);
    std::vector<EntryPtr> entries = found->second.entries;
    std::erase_if(entries, [&](const EntryPtr& entry) { return known.contains(entry->content); });
    return entries;
  }

  EntryPtr Put(const CacheKey& key, const EntryPtr& entry) override {
    absl::MutexLock lock(&mutex_);
    auto [found, is_new] = keys_.try_emplace(key.hash);
    KeyEntries& list = found->second;
    if (is_new) {
      recent_.push_front(key.hash);
      list.place = recent_.begin();
      list.material = key.material;
    } else if (list.material != key.material) {
      return entry;  // a collision of hashes: the key that came first stays, this one is not held
                     // in memory
    }
    for (const EntryPtr& held : list.entries)
      if (held->content == entry->content)
        return held;
    auto place =
        std::find_if(list.entries.begin(), list.entries.end(), [&](const EntryPtr& held) { return held->used_ms <= entry->used_ms; });
    list.entries.insert(place, entry);
    bytes_ += entry->size();
    ++count_;
    if (list.entries.size() > kMaxEntriesPerKey)
      DropLeastUseful(&list);
    Shrink();
    Publish();
    return entry;
  }

  void Touch(const CacheKey& key, const EntryPtr& entry) override {
    absl::MutexLock lock(&mutex_);
    auto found = keys_.find(key.hash);
    if (found == keys_.end())
      return;
    std::vector<EntryPtr>& entries = found->second.entries;
    auto place = std::find(entries.begin(), entries.end(), entry);
    if (place != entries.end())
      std::rotate(entries.begin(), place, place + 1);
  }

  ClearReport Clear() override {
    absl::MutexLock lock(&mutex_);
    ClearReport cleared{.entries = count_, .bytes = bytes_};
    keys_.clear();
    recent_.clear();
    count_ = bytes_ = 0;
    Publish();
    return cleared;
  }

  void Flush(absl::Time) override {}

  ListReport List(size_t limit) override {
    absl::MutexLock lock(&mutex_);
    ListReport list{.total = count_};
    for (const Hash128& hash : recent_) {
      const KeyEntries& key = keys_[hash];
      model::KeyMaterial material;
      if (!Decode(key.material, &material).ok())
        continue;
      for (const EntryPtr& entry : key.entries) {
        if (list.entries.size() == limit)
          return list;
        list.entries.push_back({hash.Hex(), entry->unit, material.python, material.torch, entry->summary, entry->bytes.size(), entry->hits,
                                entry->created_ms, entry->used_ms, key.material});
      }
    }
    return list;
  }

  TierReport Report() override {
    absl::MutexLock lock(&mutex_);
    return {"memory", "ok", count_, bytes_};
  }

  bool IsDurable() const override { return false; }

 private:
  struct KeyEntries {
    std::string material;
    std::vector<EntryPtr> entries;  // most recently used first
    std::list<Hash128>::iterator place;
  };

  // The one with the fewest hits among the last few: old alone is not useless.
  void DropLeastUseful(KeyEntries* list) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    size_t least = list->entries.size() - 1;
    for (size_t i = least; i + 16 > list->entries.size() && i-- > 0;)
      if (list->entries[i]->hits < list->entries[least]->hits)
        least = i;
    bytes_ -= list->entries[least]->size();
    --count_;
    list->entries.erase(list->entries.begin() + static_cast<ptrdiff_t>(least));
  }

  void Shrink() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    while (bytes_ > limit_ && recent_.size() > 1) {
      auto oldest = keys_.find(recent_.back());
      for (const EntryPtr& entry : oldest->second.entries)
        bytes_ -= entry->size();
      count_ -= oldest->second.entries.size();
      keys_.erase(oldest);
      recent_.pop_back();
    }
    // One key alone is too large. Its newest entry stays, so that the stream that made it finds it.
    while (bytes_ > limit_ && count_ > 1)
      DropLeastUseful(&keys_[recent_.front()]);
  }

  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    stats_->Set(Metric::kEntriesInMemory, count_);
    stats_->Set(Metric::kBytesInMemory, bytes_);
  }

  const uint64_t limit_;
  Stats* const stats_;
  absl::Mutex mutex_;
  absl::flat_hash_map<Hash128, KeyEntries> keys_ ABSL_GUARDED_BY(mutex_);
  std::list<Hash128> recent_ ABSL_GUARDED_BY(mutex_);
  uint64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::unique_ptr<Tier> MakeMemoryTier(const Settings& settings, Stats* stats) {
  return std::make_unique<MemoryTier>(settings.memory_bytes, stats);
}

}  // namespace framegate::server
