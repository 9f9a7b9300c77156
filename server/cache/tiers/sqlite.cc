// Entries in one SQLite file, <cache_dir>/entries-1.db (the number is the container's version:
// another one is another file). Reads use one connection under a mutex, from whatever thread asks;
// writes go to the one writer thread (store_writer.h), which has a connection of its own. In WAL
// mode neither waits for the other. A record is used only if its checksum, schema and whole key
// material are right.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/strings.h"
#include "server/cache/store_file.h"
#include "server/cache/store_writer.h"
#include "server/cache/tier.h"

namespace framegate::server {
namespace {

class SqliteTier : public Tier {
 public:
  SqliteTier(const Settings& settings, Stats* stats)
      : path_(settings.cache_dir + "/entries-1.db"), stats_(stats), health_(path_, settings.store == "ro", stats) {
    bool read_only = settings.store == "ro";
    if (settings.store == "off") {
      health_.TurnOff("off");
      return;
    }
    absl::MutexLock lock(&mutex_);
    Fault fault = OpenStore(path_, read_only, &database_, &lock_);
    if (fault == Fault::kNone)
      fault = PrepareAll();
    if (fault != Fault::kNone)
      health_.Take(fault == Fault::kCorrupt ? fault : Fault::kUnusable, "open", path_);
    else if (!read_only)
      writer_ = std::make_unique<StoreWriter>(path_, settings.store_bytes, &health_, stats);
  }

  ~SqliteTier() override {
    writer_.reset();
    absl::MutexLock lock(&mutex_);
    for (Statement* statement : {&find_, &read_, &list_})
      statement->Finalize();
    database_.Close();
    if (lock_ >= 0)
      close(lock_);
  }

  std::vector<EntryPtr> Load(const CacheKey& key, const absl::flat_hash_set<Hash128>& known) override {
    if (!health_.CanRead())
      return {};
    absl::MutexLock lock(&mutex_);
    std::vector<std::pair<int64_t, Hash128>> rows;
    find_.Bind(1, BytesOf(key.hash));
    while (find_.Step()) {
      Hash128 content = HashFromBytes(find_.Bytes(1));
      if (!known.contains(content))
        rows.push_back({find_.Number(0), content});
    }
    health_.Take(find_.Finish(), "find", database_.Error());
    std::vector<EntryPtr> entries;
    for (const auto& [id, content] : rows)
      if (EntryPtr entry = Read(key, id, content))
        entries.push_back(std::move(entry));
    std::stable_sort(entries.begin(), entries.end(), [](const EntryPtr& a, const EntryPtr& b) { return a->used_ms > b->used_ms; });
    stats_->Add(Metric::kStoreReads, entries.size());
    return entries;
  }

  EntryPtr Put(const CacheKey& key, const EntryPtr& entry) override {
    if (writer_ != nullptr)
      writer_->Put(key, entry);
    return entry;
  }

  void Touch(const CacheKey& key, const EntryPtr& entry) override {
    if (writer_ != nullptr)
      writer_->Touch(entry, key.hash);
  }

  ClearReport Clear() override { return writer_ == nullptr ? ClearReport{} : writer_->Clear(); }

  void Flush(absl::Time deadline) override {
    if (writer_ != nullptr && !writer_->Flush(deadline))
      spdlog::warn("the store {} did not take everything in time", path_);
  }

  ListReport List(size_t limit) override {
    ListReport list;
    if (!health_.CanRead())
      return list;
    Flush(absl::Now() + absl::Seconds(1));
    absl::MutexLock lock(&mutex_);
    list.total = static_cast<uint64_t>(database_.Number("SELECT count(*) FROM entries"));
    list_.Bind(1, static_cast<int64_t>(limit));
    while (list_.Step()) {
      model::KeyMaterial material;
      if (!Decode(list_.Bytes(1), &material).ok())
        material.python = "of another build";
      list.entries.push_back({HashFromBytes(list_.Bytes(0)).Hex(), std::string(list_.Bytes(2)), material.python, material.torch,
                              std::string(list_.Bytes(3)), static_cast<uint64_t>(list_.Number(4)), static_cast<uint64_t>(list_.Number(5)),
                              list_.Number(6), list_.Number(7), std::string(list_.Bytes(1))});
    }
    health_.Take(list_.Finish(), "list", database_.Error());
    return list;
  }

  TierReport Report() override {
    TierReport report{.name = "sqlite", .state = health_.State()};
    if (!health_.CanRead())
      return report;
    absl::MutexLock lock(&mutex_);
    report.entries = static_cast<uint64_t>(database_.Number("SELECT count(*) FROM entries"));
    report.bytes = static_cast<uint64_t>(database_.Number("PRAGMA page_count") * database_.Number("PRAGMA page_size"));
    return report;
  }

  bool IsDurable() const override { return writer_ != nullptr && health_.CanWrite(absl::Now()); }

 private:
  Fault PrepareAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Fault fault = find_.Prepare(&database_, "SELECT id, content FROM entries WHERE key=?1");
    if (fault == Fault::kNone)
      fault = read_.Prepare(&database_,
                            "SELECT schema, material, bytes, checksum, unit, created, used, hits "
                            "FROM entries WHERE id=?1");
    if (fault == Fault::kNone)
      fault = list_.Prepare(&database_,
                            "SELECT key, material, unit, summary, length(bytes), hits, created, "
                            "used FROM entries ORDER BY used DESC LIMIT ?1");
    return fault;
  }

  // Null where the record fails a check: it is set aside, and its entry will be translated again.
  EntryPtr Read(const CacheKey& key, int64_t id, const Hash128& content) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    read_.Bind(1, id);
    EntryPtr entry;
    std::string problem;
    if (read_.Step()) {
      std::string_view schema = read_.Bytes(0), material = read_.Bytes(1), bytes = read_.Bytes(2);
      if (BytesOf(ChecksumOf(content, schema, material, bytes)) != read_.Bytes(3) || HashBytes(bytes) != content)
        problem = "the checksum does not fit";
      else if (schema != BytesOf(model::SchemaHash()))
        problem = "it was written under another schema";
      else if (material != key.material)
        problem = "its key material is another's";
      else
        entry = Revive(std::string(bytes), &problem);
    }
    health_.Take(read_.Finish(), "read", database_.Error());
    if (!problem.empty()) {
      stats_->Add(Metric::kRecordsQuarantined);
      spdlog::warn("store {}: record {} of key {} is set aside: {}", path_, id, key.hash.Hex(), problem);
      if (writer_ != nullptr)
        writer_->Quarantine(id, problem);
    }
    return entry;
  }

  // From the current row of read_.
  EntryPtr Revive(std::string bytes, std::string* problem) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    absl::StatusOr<EntryPtr> entry = StoredFromBytes(std::move(bytes), std::string(read_.Bytes(4)), read_.Number(5));
    if (!entry.ok()) {
      *problem = std::string(entry.status().message());
      return nullptr;
    }
    (*entry)->used_ms = read_.Number(6);
    (*entry)->hits = static_cast<uint64_t>(read_.Number(7));
    return *std::move(entry);
  }

  const std::string path_;
  Stats* const stats_;
  StoreHealth health_;
  int lock_ = -1;
  absl::Mutex mutex_;
  Database database_ ABSL_GUARDED_BY(mutex_);
  Statement find_ ABSL_GUARDED_BY(mutex_), read_ ABSL_GUARDED_BY(mutex_), list_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<StoreWriter> writer_;  // null where nothing is written
};

}  // namespace

std::unique_ptr<Tier> MakeSqliteTier(const Settings& settings, Stats* stats) {
  return std::make_unique<SqliteTier>(settings, stats);
}

}  // namespace framegate::server
