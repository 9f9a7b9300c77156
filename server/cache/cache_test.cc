#include "server/cache/cache.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/testing/fakes.h"

namespace framegate::server {
namespace {

using ::testing::ElementsAre;

class CacheTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(); }

  void Start() {
    cache_.reset();
    settings_.cache_dir = folder_.path() + "/cache";
    cache_ = std::make_unique<Cache>(settings_, FakePrograms(), &stats_);
  }

  void Restart() {
    cache_->Flush(absl::Now() + absl::Seconds(5));
    Start();
  }

  std::vector<std::string> Programs(const Found& found) {
    std::vector<std::string> programs;
    for (const EntryPtr& entry : found.entries)
      programs.push_back(entry->program);
    return programs;
  }

  TemporaryFolder folder_;
  Settings settings_;
  Stats stats_;
  std::unique_ptr<Cache> cache_;
  CacheKey key_ = KeyNamed("f");
};

TEST_F(CacheTest, FindsNothingInAnEmptyCache) {
  Found found = cache_->Find(key_, nullptr, 0, 4);
  EXPECT_TRUE(found.entries.empty());
  EXPECT_EQ(found.candidates, 0u);
}

TEST_F(CacheTest, GivesAllOfAFew) {
  cache_->Put(key_, StoredOf("1"));
  cache_->Put(key_, StoredOf("2"));
  EXPECT_THAT(Programs(cache_->Find(key_, nullptr, 0, 4)), ElementsAre("2", "1"));
  EXPECT_TRUE(cache_->Find(KeyNamed("g"), nullptr, 0, 4).entries.empty());
}

TEST_F(CacheTest, WithFactsOnlyWhatPassesComesBack) {
  for (const char* program : {"1", "2", "1 2", "3"})
    cache_->Put(key_, StoredOf(program));
  model::Summary facts = SummaryOf({1, 2});
  EXPECT_THAT(Programs(cache_->Find(key_, &facts, 0, 4)), ElementsAre("1 2", "2", "1"));
  EXPECT_EQ(cache_->Find(key_, &facts, 0, 1).entries.size(), 1u);
}

TEST_F(CacheTest, TheReadSetIsWhatAllCandidatesLookAt) {
  for (int i = 1; i <= 6; ++i)
    cache_->Put(key_, StoredOf(StrCat(i)));
  Found found = cache_->Find(key_, nullptr, 0, 4);
  EXPECT_THAT(Programs(found), ElementsAre("6", "5", "4", "3"));
  EXPECT_EQ(found.candidates, 6u);
  guards::ReadSet read_set;
  ASSERT_TRUE(Decode(cache_->ReadSetOf(key_), &read_set).ok());
  EXPECT_EQ(read_set.subjects.size(), 6u);
  EXPECT_EQ(found.horizon, 0u);
}

TEST_F(CacheTest, WhatIsUsedComesFirst) {
  for (const char* program : {"1", "2", "3"})
    cache_->Put(key_, StoredOf(program));
  model::Summary facts = SummaryOf({1});
  cache_->Find(key_, &facts, 0, 4);
  EXPECT_THAT(Programs(cache_->Find(key_, nullptr, 0, 4)), ElementsAre("1", "3", "2"));
}

TEST_F(CacheTest, TheSameContentIsKeptOnce) {
  EntryPtr first = cache_->Put(key_, StoredOf("1"));
  EXPECT_EQ(cache_->Put(key_, StoredOf("1")), first);
  EXPECT_EQ(cache_->Find(key_, nullptr, 0, 4).candidates, 1u);
}

TEST_F(CacheTest, NothingUpToTheHorizonIsGivenAgain) {
  cache_->Put(key_, StoredOf("1"));
  uint64_t horizon = cache_->Find(key_, nullptr, 0, 4).horizon;
  EXPECT_TRUE(cache_->Find(key_, nullptr, horizon, 4).entries.empty());
  cache_->Put(key_, StoredOf("2"));
  EXPECT_THAT(Programs(cache_->Find(key_, nullptr, horizon, 4)), ElementsAre("2"));
}

TEST_F(CacheTest, SurvivesARestart) {
  for (const char* program : {"1", "2"})
    cache_->Put(key_, StoredOf(program));
  Restart();
  Found found = cache_->Find(key_, nullptr, 0, 4);
  EXPECT_THAT(Programs(found), ::testing::UnorderedElementsAre("1", "2"));
  EXPECT_EQ(stats_.Get(Metric::kStoreReads), 2u);
  cache_->Find(key_, nullptr, 0, 4);
  EXPECT_EQ(stats_.Get(Metric::kStoreReads), 2u);
}

TEST_F(CacheTest, HitsSurviveARestart) {
  cache_->Put(key_, StoredOf("1"));
  cache_->Find(key_, nullptr, 0, 4);
  cache_->Find(key_, nullptr, 0, 4);
  Restart();
  ListReport list = cache_->List(10);
  ASSERT_EQ(list.total, 1u);
  EXPECT_EQ(list.entries[0].hits, 2u);
  EXPECT_EQ(list.entries[0].python, "cpython 3.11");
}

TEST_F(CacheTest, ClearForgetsEverywhere) {
  for (const char* program : {"1", "2"})
    cache_->Put(key_, StoredOf(program));
  cache_->Flush(absl::Now() + absl::Seconds(5));
  EXPECT_EQ(cache_->Clear().entries, 2u);
  EXPECT_TRUE(cache_->Find(key_, nullptr, 0, 4).entries.empty());
  Restart();
  EXPECT_TRUE(cache_->Find(key_, nullptr, 0, 4).entries.empty());
  EXPECT_EQ(cache_->List(10).total, 0u);
}

TEST_F(CacheTest, MemoryDropsTheKeysUsedLongestAgoAndTheStoreGivesThemBack) {
  settings_.memory_bytes = 4000;
  Start();
  for (int i = 0; i < 20; ++i)
    cache_->Put(KeyNamed(StrCat("key", i)), StoredOf("1", std::string(500, 'x')));
  EXPECT_LE(stats_.Get(Metric::kBytesInMemory), 4000u);
  cache_->Flush(absl::Now() + absl::Seconds(5));
  EXPECT_EQ(cache_->Find(KeyNamed("key0"), nullptr, 0, 4).entries.size(), 1u);
  EXPECT_EQ(stats_.Get(Metric::kStoreReads), 1u);
}

TEST_F(CacheTest, AKeyHasALimit) {
  for (size_t i = 0; i < kMaxEntriesPerKey + 10; ++i)
    cache_->Put(key_, StoredOf("1", StrCat(i)));
  model::Summary facts = SummaryOf({1});
  EXPECT_EQ(cache_->Find(key_, &facts, 0, 4).candidates, kMaxEntriesPerKey);
}

TEST_F(CacheTest, AnotherDaemonsEntriesAreFoundOnAMiss) {
  cache_->Put(key_, StoredOf("1"));
  Cache other(settings_, FakePrograms(), &stats_);
  other.Put(key_, StoredOf("2"));
  other.Flush(absl::Now() + absl::Seconds(5));
  model::Summary facts = SummaryOf({2});
  EXPECT_THAT(Programs(cache_->Find(key_, &facts, 0, 4)), ElementsAre("2"));
}

TEST_F(CacheTest, WithoutAStoreItIsNotDurable) {
  EXPECT_TRUE(cache_->IsDurable());
  settings_.store = "off";
  Start();
  EXPECT_FALSE(cache_->IsDurable());
  cache_->Put(key_, StoredOf("1"));
  EXPECT_EQ(cache_->Find(key_, nullptr, 0, 4).entries.size(), 1u);
}

}  // namespace
}  // namespace framegate::server
