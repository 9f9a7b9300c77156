// The store under everything that can happen to a file: a killed writer, bytes that changed, no
// room, no right to write.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/cache/cache.h"
#include "server/cache/database.h"
#include "server/cache/store_file.h"
#include "server/testing/fakes.h"

namespace framegate::server {
namespace {

using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.cache_dir = folder_.path() + "/cache";
    file_ = settings_.cache_dir + "/entries-1.db";
  }

  std::unique_ptr<Tier> Open() { return MakeSqliteTier(settings_, &stats_); }

  static void Flush(Tier* tier) { tier->Flush(absl::Now() + absl::Seconds(10)); }

  void Fill(int count) {
    std::unique_ptr<Tier> tier = Open();
    for (int i = 0; i < count; ++i)
      tier->Put(KeyNamed(StrCat("key", i)), StoredOf("1", StrCat("entry", i, std::string(2000, 'x'))));
    Flush(tier.get());
  }

  int CountFound(Tier* tier, int count) {
    int found = 0;
    for (int i = 0; i < count; ++i)
      found += static_cast<int>(tier->Load(KeyNamed(StrCat("key", i)), {}).size());
    return found;
  }

  void Execute(const char* sql) {
    Database database;
    ASSERT_EQ(database.Open(file_, Database::Mode::kReadWrite), Fault::kNone);
    EXPECT_EQ(database.Execute(sql), Fault::kNone) << database.Error();
  }

  void Overwrite(off_t from, const std::string& bytes) {
    int fd = open(file_.c_str(), O_WRONLY);
    ASSERT_EQ(pwrite(fd, bytes.data(), bytes.size(), from), static_cast<ssize_t>(bytes.size()));
    close(fd);
  }

  TemporaryFolder folder_;
  Settings settings_;
  Stats stats_;
  std::string file_;
};

TEST_F(StoreTest, ALookupComparesTheWholeKey) {
  Fill(1);
  std::unique_ptr<Tier> tier = Open();
  CacheKey forged = KeyNamed("key0");
  forged.material += "x";
  EXPECT_TRUE(tier->Load(forged, {}).empty());
  EXPECT_EQ(stats_.Get(Metric::kRecordsQuarantined), 1u);
}

TEST_F(StoreTest, AChangedRecordIsAMissIsSetAsideAndIsFilledAgain) {
  for (const char* change :
       {"UPDATE entries SET bytes=x'00'", "UPDATE entries SET bytes=substr(bytes,2)", "UPDATE entries SET material=x'00'",
        "UPDATE entries SET schema=zeroblob(16)", "UPDATE entries SET checksum=zeroblob(16)", "UPDATE entries SET checksum=''"}) {
    Fill(1);
    Execute(change);
    uint64_t before = stats_.Get(Metric::kRecordsQuarantined);
    std::unique_ptr<Tier> tier = Open();
    EXPECT_EQ(CountFound(tier.get(), 1), 0) << change;
    EXPECT_EQ(stats_.Get(Metric::kRecordsQuarantined), before + 1) << change;
    Flush(tier.get());
    EXPECT_EQ(CountFound(tier.get(), 1), 0);
    EXPECT_EQ(stats_.Get(Metric::kRecordsQuarantined), before + 1) << "it is looked at once";
    tier->Put(KeyNamed("key0"), StoredOf("1"));
    Flush(tier.get());
    EXPECT_EQ(CountFound(tier.get(), 1), 1) << change;
    tier->Clear();
  }
}

TEST_F(StoreTest, AFileThatIsNoDatabaseIsReplaced) {
  Fill(3);
  Overwrite(0, std::string(4096, 'g'));
  std::unique_ptr<Tier> tier = Open();
  EXPECT_EQ(CountFound(tier.get(), 3), 0);
  EXPECT_EQ(tier->Report().state, "ok");
  tier->Put(KeyNamed("key0"), StoredOf("1"));
  Flush(tier.get());
  EXPECT_EQ(CountFound(tier.get(), 3), 1);
  EXPECT_EQ(access((file_ + ".damaged").c_str(), F_OK), 0);
}

TEST_F(StoreTest, AFileOfAnotherSchemaIsReplaced) {
  Fill(1);
  Execute("DROP TABLE entries; CREATE TABLE entries(a)");
  EXPECT_EQ(Open()->Report().state, "ok");
}

TEST_F(StoreTest, PagesDamagedInUseEndItAndTheNextDaemonBeginsAnew) {
  Fill(40);
  {
    std::unique_ptr<Tier> tier = Open();
    struct stat info;
    ASSERT_EQ(stat(file_.c_str(), &info), 0);
    for (off_t page = 1; page < info.st_size / 16384; ++page)
      Overwrite(page * 16384, std::string(64, '\xff'));
    EXPECT_LT(CountFound(tier.get(), 40), 40);
    EXPECT_THAT(tier->Report().state, HasSubstr("damaged"));
    tier->Put(KeyNamed("new"), StoredOf("1"));
    Flush(tier.get());
  }
  std::unique_ptr<Tier> tier = Open();
  EXPECT_EQ(tier->Report().state, "ok");
  tier->Put(KeyNamed("new"), StoredOf("1"));
  Flush(tier.get());
  EXPECT_EQ(tier->Load(KeyNamed("new"), {}).size(), 1u);
}

// Each byte of head and first pages, one at a time: a miss or a right answer, never a crash and
// never a wrong entry.
TEST_F(StoreTest, NoChangedByteGivesAWrongEntry) {
  Fill(4);
  std::ifstream in(file_, std::ios::binary);
  std::string good((std::istreambuf_iterator<char>(in)), {});
  for (size_t at = 0; at < good.size(); at += good.size() / 60 + 1) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    (void)!system(StrCat("rm -f ", file_, "*").c_str());
    std::ofstream(file_, std::ios::binary) << bad;
    std::unique_ptr<Tier> tier = Open();
    for (int i = 0; i < 4; ++i)
      for (const EntryPtr& entry : tier->Load(KeyNamed(StrCat("key", i)), {}))
        EXPECT_EQ(entry->content, StoredOf("1", StrCat("entry", i, std::string(2000, 'x')))->content);
  }
}

TEST_F(StoreTest, WhatWasFlushedSurvivesKill9) {
  for (int round = 0; round < 5; ++round) {
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
      Stats stats;
      std::unique_ptr<Tier> tier = MakeSqliteTier(settings_, &stats);
      for (int i = 0;; ++i) {
        tier->Put(KeyNamed(StrCat("key", i)), StoredOf("1", StrCat("entry", i, std::string(2000, 'x'))));
        if (i % 7 == 0) {
          Flush(tier.get());
          (void)!write(channel[1], &i, sizeof i);
        }
      }
    }
    close(channel[1]);
    int flushed = -1, last = -1;
    for (int i = 0; i < 5 + round * 3 && read(channel[0], &last, sizeof last) == sizeof last; ++i)
      flushed = last;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(channel[0], &last, sizeof last) == sizeof last)
      flushed = last;
    close(channel[0]);
    ASSERT_GT(flushed, 0);
    std::unique_ptr<Tier> tier = Open();
    EXPECT_EQ(CountFound(tier.get(), flushed + 1), flushed + 1);
    EXPECT_EQ(tier->Report().state, "ok");
  }
}

TEST_F(StoreTest, AFullDiskIsOneWarningAndReadingGoesOn) {
  Fill(3);
  signal(SIGXFSZ, SIG_IGN);
  std::unique_ptr<Tier> tier = Open();
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit none = before;
  none.rlim_cur = 1024;
  setrlimit(RLIMIT_FSIZE, &none);
  for (int i = 0; i < 3; ++i) {
    tier->Put(KeyNamed(StrCat("new", i)), StoredOf("1", std::string(30000, 'y')));
    Flush(tier.get());
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(tier->Report().state, HasSubstr("cannot be written"));
  EXPECT_FALSE(tier->IsDurable());
  EXPECT_EQ(CountFound(tier.get(), 3), 3);
  EXPECT_EQ(stats_.Get(Metric::kStoreFaults), 1u) << "it is not tried again at once";
  EXPECT_EQ(stats_.Get(Metric::kStoreDropped), 3u);
  tier.reset();
  EXPECT_EQ(CountFound(Open().get(), 3), 3);
}

// As another user, since root may write everything.
TEST_F(StoreTest, AFileThatMayNotBeWrittenIsNoFault) {
  Fill(3);
  if (geteuid() == 0) {
    chmod(folder_.path().c_str(), 0755);
    chmod(settings_.cache_dir.c_str(), 0755);
    ASSERT_EQ(seteuid(65534), 0);
  } else {
    chmod(settings_.cache_dir.c_str(), 0555);
    chmod(file_.c_str(), 0444);
  }
  {
    std::unique_ptr<Tier> tier = Open();
    EXPECT_NE(tier->Report().state, "ok");
    tier->Put(KeyNamed("new"), StoredOf("1"));
    Flush(tier.get());
    EXPECT_FALSE(tier->IsDurable());
  }
  if (geteuid() == 65534) {
    ASSERT_EQ(seteuid(0), 0);
  }
  chmod(settings_.cache_dir.c_str(), 0755);
}

TEST_F(StoreTest, ADirectoryThatCannotBeMadeIsNoFault) {
  std::ofstream(folder_.path() + "/cache") << "a file";
  std::unique_ptr<Tier> tier = Open();
  EXPECT_THAT(tier->Report().state, HasSubstr("cannot be used"));
  tier->Put(KeyNamed("key0"), StoredOf("1"));
  EXPECT_EQ(CountFound(tier.get(), 1), 0);
}

TEST_F(StoreTest, ReadOnlyModeReadsAndWritesNothing) {
  Fill(2);
  settings_.store = "ro";
  std::unique_ptr<Tier> tier = Open();
  EXPECT_EQ(CountFound(tier.get(), 2), 2);
  tier->Put(KeyNamed("new"), StoredOf("1"));
  Flush(tier.get());
  EXPECT_TRUE(tier->Load(KeyNamed("new"), {}).empty());
  EXPECT_EQ(tier->Report().state, "ok");
  EXPECT_FALSE(tier->IsDurable());
}

TEST_F(StoreTest, TheLeastUsedGoWhenItIsTooLarge) {
  settings_.store_bytes = 1 << 20;
  std::unique_ptr<Tier> tier = Open();
  for (int i = 0; i < 400; ++i) {
    EntryPtr entry = StoredOf("1", StrCat(i, std::string(10000, 'x')));
    entry->used_ms = i;
    tier->Put(KeyNamed(StrCat("key", i)), entry);
    if (i % 50 == 49)
      Flush(tier.get());
  }
  EXPECT_LE(tier->Report().bytes, 2u << 20);
  EXPECT_GT(stats_.Get(Metric::kEvictions), 100u);
  EXPECT_TRUE(tier->Load(KeyNamed("key0"), {}).empty());
  EXPECT_EQ(tier->Load(KeyNamed("key399"), {}).size(), 1u);
}

TEST_F(StoreTest, ManyThreadsPutAndLoad) {
  std::unique_ptr<Tier> tier = Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        tier->Put(KeyNamed(StrCat("key", i)), StoredOf("1", StrCat(t)));
        tier->Load(KeyNamed(StrCat("key", i / 2)), {});
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  Flush(tier.get());
  EXPECT_EQ(CountFound(tier.get(), 100), 400);
}

}  // namespace
}  // namespace framegate::server
