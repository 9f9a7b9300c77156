// The statements of the store's writer: what each kind of work does to the tables. The thread and
// its queue are in store_writer.cc.
#include <spdlog/spdlog.h>

#include "absl/time/clock.h"
#include "server/cache/store_writer.h"
#include "server/cache/tier.h"

namespace framegate::server {
namespace {

constexpr int kEvictRounds = 16;

Fault RunOnce(Statement* statement) {
  statement->Step();
  return statement->Finish();
}

}  // namespace

Fault StoreWriter::PrepareAll() {
  struct {
    Statement* statement;
    const char* sql;
  } all[] = {
      {&insert_,
       "INSERT INTO entries(key, content, schema, material, bytes, checksum, unit, summary, "
       "created, used, hits)"
       " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11) ON CONFLICT(key, content) DO UPDATE SET "
       "used=max(used, excluded.used)"},
      {&touch_, "UPDATE entries SET used=max(used, ?3), hits=max(hits, ?4) WHERE key=?1 AND content=?2"},
      {&copy_bad_,
       "INSERT INTO quarantine(reason, at, key, content, material, bytes)"
       " SELECT ?2, ?3, key, content, material, bytes FROM entries WHERE id=?1"},
      {&remove_, "DELETE FROM entries WHERE id=?1"},
      {&trim_bad_, "DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM quarantine) - 16"},
      {&count_key_, "SELECT count(*) FROM entries WHERE key=?1"},
      {&trim_key_,
       "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE key=?1 ORDER BY hits, used "
       "LIMIT ?2)"},
      {&evict_, "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY used LIMIT 64)"},
  };

  for (const auto& [statement, sql] : all)
    if (Fault fault = statement->Prepare(&database_, sql); fault != Fault::kNone)
      return fault;
  return Fault::kNone;
}

Fault StoreWriter::Insert(const Write& write) {
  const StoredEntry& entry = *write.entry;
  Hash128 schema = model::SchemaHash();
  Hash128 checksum = ChecksumOf(entry.content, BytesOf(schema), write.key.material, entry.bytes);
  insert_.Bind(1, BytesOf(write.key.hash));
  insert_.Bind(2, BytesOf(entry.content));
  insert_.Bind(3, BytesOf(schema));
  insert_.Bind(4, write.key.material);
  insert_.Bind(5, entry.bytes);
  insert_.Bind(6, BytesOf(checksum));
  insert_.BindText(7, entry.unit);
  insert_.BindText(8, entry.summary);
  insert_.Bind(9, entry.created_ms);
  insert_.Bind(10, entry.used_ms.load());
  insert_.Bind(11, static_cast<int64_t>(entry.hits.load()));
  if (Fault fault = RunOnce(&insert_); fault != Fault::kNone)
    return fault;
  return TrimKey(write.key.hash);
}

Fault StoreWriter::TrimKey(const Hash128& key) {
  count_key_.Bind(1, BytesOf(key));
  int64_t count = count_key_.Step() ? count_key_.Number(0) : 0;
  if (Fault fault = count_key_.Finish(); fault != Fault::kNone || count <= static_cast<int64_t>(kMaxEntriesPerKey))
    return fault;
  trim_key_.Bind(1, BytesOf(key));
  trim_key_.Bind(2, count - static_cast<int64_t>(kMaxEntriesPerKey));
  stats_->Add(Metric::kEvictions, static_cast<uint64_t>(count) - kMaxEntriesPerKey);
  return RunOnce(&trim_key_);
}

Fault StoreWriter::UpdateCounters(const EntryPtr& entry, const Hash128& key) {
  touch_.Bind(1, BytesOf(key));
  touch_.Bind(2, BytesOf(entry->content));
  touch_.Bind(3, entry->used_ms.load());
  touch_.Bind(4, static_cast<int64_t>(entry->hits.load()));
  return RunOnce(&touch_);
}

Fault StoreWriter::SetAside(const BadRecord& bad) {
  copy_bad_.Bind(1, bad.id);
  copy_bad_.BindText(2, bad.reason);
  copy_bad_.Bind(3, absl::ToUnixMillis(absl::Now()));
  if (Fault fault = RunOnce(&copy_bad_); fault != Fault::kNone)
    return fault;
  remove_.Bind(1, bad.id);
  if (Fault fault = RunOnce(&remove_); fault != Fault::kNone)
    return fault;
  return RunOnce(&trim_bad_);
}

Fault StoreWriter::Evict() {
  for (int round = 0; round < kEvictRounds; ++round) {
    int64_t pages = database_.Number("PRAGMA page_count") - database_.Number("PRAGMA freelist_count");
    if (static_cast<uint64_t>(pages * database_.Number("PRAGMA page_size")) <= limit_)
      break;
    if (Fault fault = RunOnce(&evict_); fault != Fault::kNone)
      return fault;
    int removed = database_.Changes();
    if (removed == 0)
      break;
    stats_->Add(Metric::kEvictions, static_cast<uint64_t>(removed));
    spdlog::info("the store is over its size: {} entries that were not used for longest are removed", removed);
  }
  return Fault::kNone;
}

}  // namespace framegate::server
