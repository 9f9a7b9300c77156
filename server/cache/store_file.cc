#include "server/cache/store_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <spdlog/spdlog.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "absl/time/clock.h"
#include "base/strings.h"

namespace framegate::server {
namespace {

constexpr absl::Duration kWritePause = absl::Minutes(1);

// Values under a page's size share pages; larger ones overflow in whole pages.
constexpr char kSetUp[] =
    "PRAGMA page_size=16384;"
    "PRAGMA auto_vacuum=INCREMENTAL;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA journal_size_limit=16777216;"
    "CREATE TABLE IF NOT EXISTS entries("
    " id INTEGER PRIMARY KEY, key BLOB NOT NULL, content BLOB NOT NULL, schema BLOB NOT NULL, "
    "material BLOB NOT NULL,"
    " bytes BLOB NOT NULL, checksum BLOB NOT NULL, unit TEXT NOT NULL, summary TEXT NOT NULL,"
    " created INTEGER NOT NULL, used INTEGER NOT NULL, hits INTEGER NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS by_key ON entries(key, content);"
    "CREATE INDEX IF NOT EXISTS by_use ON entries(used);"
    "CREATE TABLE IF NOT EXISTS quarantine("
    " id INTEGER PRIMARY KEY, reason TEXT NOT NULL, at INTEGER NOT NULL, key BLOB, content BLOB, "
    "material BLOB, bytes BLOB);";

bool MakeDirectories(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST)
      return false;
  return true;
}

// Memory-mapped WAL needs shared memory that a network does not give.
bool IsOnNetwork(int fd) {
  struct statfs info;
  if (fstatfs(fd, &info) != 0)
    return false;
  constexpr unsigned kCifs = 0xff534d42, kSmb2 = 0xfe534d42;
  unsigned type = static_cast<unsigned>(info.f_type);
  return type == NFS_SUPER_MAGIC || type == SMB_SUPER_MAGIC || type == kCifs || type == kSmb2;
}

Fault SetUp(const std::string& path, bool read_only, Database* database) {
  Fault fault = database->Open(path, read_only ? Database::Mode::kReadOnly : Database::Mode::kReadWrite);
  if (fault == Fault::kNone && !read_only && !database->IsReadOnly())
    fault = database->Execute(kSetUp);
  // Reads the file's head and schema, in each mode.
  if (fault == Fault::kNone)
    fault = database->Execute(
        "SELECT id, content FROM entries WHERE key=x'' UNION ALL SELECT used, unit FROM entries "
        "WHERE id=0");
  if (fault != Fault::kNone)
    database->Close();
  return fault;
}

void SetAside(const std::string& path) {
  spdlog::warn("the store {0} is damaged; it is kept as {0}.damaged, and a new one is begun", path);
  rename(path.c_str(), (path + ".damaged").c_str());
  unlink((path + "-wal").c_str());
  unlink((path + "-shm").c_str());
  unlink(BrokenMark(path).c_str());
}

}  // namespace

std::string BrokenMark(const std::string& path) {
  return path + ".broken";
}

Fault OpenStore(const std::string& path, bool read_only, Database* database, int* lock) {
  *lock = -1;
  if (!read_only) {
    if (!MakeDirectories(path))
      return Fault::kUnusable;
    // Held shared by whoever uses the file; moving it away takes it alone.
    *lock = open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*lock >= 0 && IsOnNetwork(*lock))
      return Fault::kUnusable;
  }
  bool alone = *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0;
  if (alone && access(BrokenMark(path).c_str(), F_OK) == 0)
    SetAside(path);
  Fault fault = SetUp(path, read_only, database);
  // Two daemons that begin one file at the same moment: SQLite does not wait while the journal's
  // mode changes.
  for (int attempt = 0; fault == Fault::kBusy && attempt < 5; ++attempt) {
    absl::SleepFor(absl::Milliseconds(20));
    fault = SetUp(path, read_only, database);
  }
  if (fault == Fault::kCorrupt && alone) {
    SetAside(path);
    fault = SetUp(path, read_only, database);
  }
  if (*lock >= 0)
    flock(*lock, LOCK_SH | LOCK_NB);
  return fault;
}

void StoreHealth::Take(Fault fault, std::string_view doing, std::string_view detail) {
  if (fault == Fault::kNone || fault == Fault::kBusy)
    return;
  stats_->Add(Metric::kStoreFaults);
  absl::MutexLock lock(&mutex_);
  bool first = state_ == "ok";
  if (fault == Fault::kCorrupt || fault == Fault::kUnusable) {
    readable_ = false;
    state_ = StrCat(fault == Fault::kCorrupt ? "damaged" : "cannot be used", " (", doing, ": ", detail, ")");
    if (fault == Fault::kCorrupt && !read_only_)
      if (FILE* mark = fopen(BrokenMark(path_).c_str(), "we"))
        fclose(mark);
  } else {
    write_again_ = absl::Now() + kWritePause;
    state_ = StrCat(fault == Fault::kFull ? "cannot be written" : "read-only", " (", doing, ": ", detail, ")");
  }
  if (first)
    spdlog::warn(
        "the store {}: {}. Entries are kept in memory until it works again; see `framegate "
        "status`",
        path_, state_);
}

void StoreHealth::TurnOff(std::string why) {
  absl::MutexLock lock(&mutex_);
  readable_ = false;
  state_ = std::move(why);
}

std::string StoreHealth::State() const {
  absl::MutexLock lock(&mutex_);
  return state_;
}

bool StoreHealth::CanRead() const {
  absl::MutexLock lock(&mutex_);
  return readable_;
}

bool StoreHealth::CanWrite(absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  return readable_ && now >= write_again_;
}

void StoreHealth::Wrote() {
  absl::MutexLock lock(&mutex_);
  if (readable_ && state_ != "ok") {
    spdlog::info("the store {} works again", path_);
    state_ = "ok";
  }
}

}  // namespace framegate::server
