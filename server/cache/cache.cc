#include "server/cache/cache.h"

#include <spdlog/spdlog.h>

#include "base/strings.h"

namespace framegate::server {

Cache::Cache(const Settings& settings, ProgramReader reader, Stats* stats) : reader_(std::move(reader)), stats_(stats) {
#define FRAMEGATE_TIER(number, name, text, factory, doc) tiers_.push_back(factory(settings, stats));
#include "server/cache/tiers.def"
#undef FRAMEGATE_TIER
}

Found Cache::Find(const CacheKey& key, const model::Summary* facts, uint64_t horizon, size_t most) {
  Found found;
  for (bool deep : {false, true}) {
    found.horizon = Newest();
    std::vector<EntryPtr> candidates = Candidates(key, deep);
    found.candidates = candidates.size();
    for (const EntryPtr& entry : candidates)
      found.horizon = std::max(found.horizon, entry->sequence);
    std::erase_if(candidates, [&](const EntryPtr& entry) { return entry->sequence <= horizon; });
    found.newer = candidates.size();
    if (facts != nullptr) {
      found.entries = Passing(candidates, *facts, most);
    } else {
      if (candidates.size() > most) {
        candidates.resize(most);
        found.horizon = 0;  // the others were not shown to the client
      }
      found.entries = std::move(candidates);
    }
    // A nearer tier may hold fewer entries of the key than a farther one, so only a hit ends the
    // search.
    if (!found.entries.empty())
      break;
  }
  Touch(key, found.entries);
  return found;
}

std::vector<EntryPtr> Cache::Candidates(const CacheKey& key, bool deep) {
  std::vector<EntryPtr> entries = tiers_[0]->Load(key, {});
  if (!deep)
    return entries;
  absl::flat_hash_set<Hash128> known;
  for (const EntryPtr& entry : entries)
    known.insert(entry->content);
  bool filled = false;
  for (size_t i = 1; i < tiers_.size(); ++i) {
    for (const EntryPtr& entry : tiers_[i]->Load(key, known)) {
      known.insert(entry->content);
      Admit(key, entry, /*to_all=*/false);
      filled = true;
    }
  }
  return filled ? tiers_[0]->Load(key, {}) : entries;
}

std::vector<EntryPtr> Cache::Passing(const std::vector<EntryPtr>& candidates, const model::Summary& facts, size_t most) {
  std::vector<EntryPtr> passing;
  if (candidates.empty())
    return passing;
  const ProgramReader::Judge judge = reader_.judge(facts);
  for (const EntryPtr& entry : candidates) {
    stats_->Add(Metric::kCandidatesChecked);
    absl::StatusOr<bool> passes = judge(entry->program);
    if (!passes.ok())
      spdlog::error("check program of a stored entry of {} cannot be run: {}", entry->unit, std::string(passes.status().message()));
    else if (*passes)
      passing.push_back(entry);
    if (passing.size() == most)
      break;
  }
  return passing;
}

std::string Cache::ReadSetOf(const CacheKey& key) {
  std::vector<EntryPtr> candidates = Candidates(key, /*deep=*/false);
  absl::MutexLock lock(&mutex_);
  Union& united = unions_[key.hash];
  uint64_t newest = united.upto;
  for (const EntryPtr& entry : candidates) {
    if (entry->sequence <= united.upto)
      continue;
    newest = std::max(newest, entry->sequence);
    absl::StatusOr<guards::ReadSet> read_set = reader_.read_set(entry->program);
    if (read_set.ok())
      united.read_set = guards::Union(united.read_set, *read_set);
  }
  united.upto = newest;
  return Encode(united.read_set);
}

EntryPtr Cache::Put(const CacheKey& key, EntryPtr entry) {
  return Admit(key, std::move(entry), /*to_all=*/true);
}

EntryPtr Cache::Admit(const CacheKey& key, EntryPtr entry, bool to_all) {
  EntryPtr kept;
  {
    absl::MutexLock lock(&mutex_);
    // Numbered before it can be seen, published as the newest only after: whoever reads Newest()
    // finds everything up to it.
    entry->sequence = sequence_.load(std::memory_order_relaxed) + 1;
    kept = tiers_[0]->Put(key, entry);
    if (kept == entry)
      sequence_.store(entry->sequence, std::memory_order_release);
  }
  if (to_all && kept == entry)
    for (size_t i = 1; i < tiers_.size(); ++i)
      tiers_[i]->Put(key, entry);
  return kept;
}

void Cache::Touch(const CacheKey& key, const std::vector<EntryPtr>& entries) {
  int64_t now = absl::ToUnixMillis(absl::Now());
  // Backwards, so that their order among themselves stays.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    (*entry)->used_ms = now;
    (*entry)->hits.fetch_add(1, std::memory_order_relaxed);
    for (const std::unique_ptr<Tier>& tier : tiers_)
      tier->Touch(key, *entry);
  }
}

ClearReport Cache::Clear() {
  ClearReport most;
  for (const std::unique_ptr<Tier>& tier : tiers_) {
    ClearReport cleared = tier->Clear();
    // Tiers hold the same entries: the fullest one tells how many there were.
    if (cleared.entries > most.entries)
      most = cleared;
  }
  absl::MutexLock lock(&mutex_);
  unions_.clear();
  return most;
}

ListReport Cache::List(size_t limit) {
  // The farthest tier that has anything knows most.
  ListReport list;
  for (const std::unique_ptr<Tier>& tier : tiers_)
    if (ListReport more = tier->List(limit); more.total > 0 && more.total >= list.total)
      list = std::move(more);
  return list;
}

std::vector<TierReport> Cache::Report() {
  std::vector<TierReport> reports;
  for (const std::unique_ptr<Tier>& tier : tiers_)
    reports.push_back(tier->Report());
  return reports;
}

void Cache::Flush(absl::Time deadline) {
  for (const std::unique_ptr<Tier>& tier : tiers_)
    tier->Flush(deadline);
}

bool Cache::IsDurable() {
  for (const std::unique_ptr<Tier>& tier : tiers_)
    if (tier->IsDurable())
      return true;
  return false;
}

}  // namespace framegate::server
