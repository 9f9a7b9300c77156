#include "server/cache/store_writer.h"

#include "absl/time/clock.h"
#include "base/strings.h"
#include "model/entry.h"
#include "server/cache/tier.h"

namespace framegate::server {
namespace {

constexpr size_t kGroup = 32;
constexpr absl::Duration kGroupTime = absl::Milliseconds(5);
constexpr absl::Duration kTouchTime = absl::Seconds(30);
constexpr size_t kMaxQueued = 1024;
constexpr size_t kMaxQueuedBytes = 64 << 20;
constexpr int kAttempts = 3;

}  // namespace

Hash128 ChecksumOf(const Hash128& content, std::string_view schema, std::string_view material, std::string_view bytes) {
  // Each part hashed by itself: no copy of a large entry, and no shifting of bytes between parts.
  return HashBytes(StrCat(BytesOf(content), schema, BytesOf(HashBytes(material)), BytesOf(HashBytes(bytes))));
}

StoreWriter::StoreWriter(std::string path, uint64_t limit, StoreHealth* health, Stats* stats)
    : path_(std::move(path)), limit_(limit), health_(health), stats_(stats), thread_([this] { Run(); }) {}

StoreWriter::~StoreWriter() {
  {
    absl::MutexLock lock(&mutex_);
    ends_ = true;
  }
  thread_.join();
}

void StoreWriter::Put(const CacheKey& key, const EntryPtr& entry) {
  absl::MutexLock lock(&mutex_);
  if (queued_.writes.size() >= kMaxQueued || queued_bytes_ + entry->size() > kMaxQueuedBytes || !health_->CanWrite(absl::Now())) {
    stats_->Add(Metric::kStoreDropped);
    return;
  }
  if (queued_.writes.empty())
    first_queued_ = absl::Now();
  queued_.writes.push_back({key, entry});
  queued_bytes_ += entry->size();
  queued_.number = ++asked_;
}

void StoreWriter::Touch(const EntryPtr& entry, const Hash128& key) {
  absl::MutexLock lock(&mutex_);
  if (queued_.touched.empty())
    first_touched_ = absl::Now();
  queued_.touched.try_emplace(entry->content, entry, key);
}

void StoreWriter::Quarantine(int64_t id, std::string reason) {
  absl::MutexLock lock(&mutex_);
  if (queued_.bad.size() >= kMaxQueued)
    return;
  queued_.bad.push_back({id, std::move(reason)});
  queued_.number = ++asked_;
  hurry_ = true;
}

ClearReport StoreWriter::Clear() {
  absl::MutexLock lock(&mutex_);
  // What is queued was asked for before: it goes as well.
  queued_.writes.clear();
  queued_.touched.clear();
  queued_bytes_ = 0;
  queued_.clear = true;
  queued_.number = ++asked_;
  hurry_ = true;
  uint64_t number = asked_;
  auto done = [this, number]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return committed_ >= number; };
  mutex_.Await(absl::Condition(&done));
  return cleared_;
}

bool StoreWriter::Flush(absl::Time deadline) {
  absl::MutexLock lock(&mutex_);
  queued_.number = ++asked_;
  hurry_ = true;
  uint64_t number = asked_;
  auto done = [this, number]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return committed_ >= number; };
  return mutex_.AwaitWithDeadline(absl::Condition(&done), deadline);
}

bool StoreWriter::IsDue() const {
  return ends_ || hurry_ || queued_.writes.size() >= kGroup;
}

bool StoreWriter::Take(Batch* batch) {
  absl::MutexLock lock(&mutex_);
  auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return IsDue() || !queued_.writes.empty() || !queued_.touched.empty(); };
  mutex_.Await(absl::Condition(&has_work));
  absl::Time due = absl::Now();
  // Counters alone are in no hurry, and wait for entries.
  auto has_more = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return IsDue() || !queued_.writes.empty(); };
  if (queued_.writes.empty()) {
    mutex_.AwaitWithDeadline(absl::Condition(&has_more), first_touched_ + kTouchTime);
    due = absl::Now();
  }
  if (!queued_.writes.empty())
    due = first_queued_ + kGroupTime;
  auto is_due = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return IsDue(); };
  mutex_.AwaitWithDeadline(absl::Condition(&is_due), due);
  bool ended = ends_ && queued_.writes.empty() && queued_.touched.empty() && queued_.bad.empty() && committed_ == asked_;
  uint64_t number = queued_.number;
  *batch = std::move(queued_);
  queued_ = {};
  queued_.number = number;
  queued_bytes_ = 0;
  hurry_ = false;
  return !ended;
}

void StoreWriter::Run() {
  Batch batch;
  while (Take(&batch)) {
    Commit(&batch);
    absl::MutexLock lock(&mutex_);
    committed_ = std::max(committed_, batch.number);
  }
  if (database_.is_open())
    database_.Execute("PRAGMA wal_checkpoint(PASSIVE)");
}

bool StoreWriter::EnsureOpen() {
  if (database_.is_open())
    return true;
  Fault fault = database_.Open(path_, Database::Mode::kReadWrite);
  if (fault == Fault::kNone)
    fault = database_.Execute("PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=16777216;");
  if (fault == Fault::kNone && database_.IsReadOnly())
    fault = Fault::kReadOnly;
  if (fault == Fault::kNone)
    fault = PrepareAll();
  if (fault == Fault::kNone)
    return true;
  health_->Take(fault, "open for writing", database_.Error());
  for (Statement* statement : {&insert_, &touch_, &copy_bad_, &remove_, &trim_bad_, &count_key_, &trim_key_, &evict_})
    statement->Finalize();
  database_.Close();
  return false;
}

void StoreWriter::Commit(Batch* batch) {
  if (batch->clear) {
    absl::MutexLock lock(&mutex_);
    cleared_ = {};
  }
  if (batch->writes.empty() && batch->touched.empty() && batch->bad.empty() && !batch->clear)
    return;
  if (!health_->CanWrite(absl::Now()) || !EnsureOpen()) {
    stats_->Add(Metric::kStoreDropped, batch->writes.size());
    return;
  }
  Fault fault = Fault::kBusy;
  for (int attempt = 0; fault == Fault::kBusy && attempt < kAttempts; ++attempt) {
    fault = database_.Execute("BEGIN IMMEDIATE");
    if (fault == Fault::kNone)
      fault = Apply(batch);
    if (fault == Fault::kNone)
      fault = database_.Execute("COMMIT");
    std::string error = database_.Error();
    if (fault != Fault::kNone) {
      database_.Execute("ROLLBACK");
      health_->Take(fault, "write", error);
    }
  }
  if (fault == Fault::kNone) {
    stats_->Add(Metric::kStoreWrites, batch->writes.size());
    health_->Wrote();
  } else {
    stats_->Add(Metric::kStoreDropped, batch->writes.size());
  }
}

Fault StoreWriter::Apply(Batch* batch) {
  if (batch->clear) {
    ClearReport report{.entries = static_cast<uint64_t>(database_.Number("SELECT count(*) FROM entries")),
                       .bytes = static_cast<uint64_t>(database_.Number("SELECT sum(length(bytes)) FROM entries"))};
    if (Fault fault = database_.Execute("DELETE FROM entries; DELETE FROM quarantine; PRAGMA incremental_vacuum"); fault != Fault::kNone)
      return fault;
    absl::MutexLock lock(&mutex_);
    cleared_ = report;
  }
  for (const BadRecord& bad : batch->bad)
    if (Fault fault = SetAside(bad); fault != Fault::kNone)
      return fault;
  for (const Write& write : batch->writes)
    if (Fault fault = Insert(write); fault != Fault::kNone)
      return fault;
  for (const auto& [content, touched] : batch->touched)
    if (Fault fault = UpdateCounters(touched.first, touched.second); fault != Fault::kNone)
      return fault;
  return Evict();
}

}  // namespace framegate::server
