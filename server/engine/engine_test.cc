#include "server/engine/engine.h"

#include <signal.h>

#include <atomic>
#include <limits>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/testing/fakes.h"

namespace framegate::server {
namespace {

using ::testing::HasSubstr;

// A client: answers each round of questions by `answers`, keeps what came.
class Client : public Caller {
 public:
  void SendQuestions(std::string bytes) override {
    absl::MutexLock lock(&mutex_);
    questions_.push_back(std::move(bytes));
  }

  void SendBeat() override {
    absl::MutexLock lock(&mutex_);
    ++beats_;
  }

  void Finish(Outcome outcome) override {
    absl::MutexLock lock(&mutex_);
    EXPECT_FALSE(outcome_.has_value());
    outcome_ = std::move(outcome);
  }

  const Outcome& Await() {
    absl::MutexLock lock(&mutex_);
    auto is_over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return outcome_.has_value(); };
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&is_over), absl::Seconds(10)));
    return *outcome_;
  }

  bool AwaitQuestions(size_t count = 1) {
    absl::MutexLock lock(&mutex_);
    auto came = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return questions_.size() >= count; };
    return mutex_.AwaitWithTimeout(absl::Condition(&came), absl::Seconds(10));
  }

  bool AwaitBeats(int count) {
    absl::MutexLock lock(&mutex_);
    auto came = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return beats_ >= count; };
    return mutex_.AwaitWithTimeout(absl::Condition(&came), absl::Seconds(10));
  }

  bool is_over() {
    absl::MutexLock lock(&mutex_);
    return outcome_.has_value();
  }

  int beats() {
    absl::MutexLock lock(&mutex_);
    return beats_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::string> questions_ ABSL_GUARDED_BY(mutex_);
  int beats_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<Outcome> outcome_ ABSL_GUARDED_BY(mutex_);
};

model::Questions OneFact(model::Handle handle) {
  return {.items = {{.kind = model::QuestionKind::kFact, .object = handle, .fact = model::Fact::kLength}}};
}

std::string Answered(model::Handle handle) {
  model::Answers answers;
  answers.items.push_back({.fact = model::FactValue{.fact = model::Fact::kLength, .word = 3}});
  answers.records.push_back({.handle = handle});
  return Encode(answers);
}

class EngineTest : public ::testing::Test {
 protected:
  using TranslateFunction = std::function<absl::StatusOr<model::Entry>(translator::Request, const CodeImages&, translator::Asker&)>;

  void Start(TranslateFunction translate) {
    engine_.reset();
    settings_.cache_dir = folder_.path();
    settings_.store = "off";
    cache_ = std::make_unique<Cache>(settings_, FakePrograms(), &stats_);
    Doors doors{.translate =
                    [this, translate](translator::Request request, const CodeImages& images, translator::Asker& asker) {
                      ++translations_;
                      return translate(std::move(request), images, asker);
                    },
                .code = NoCode,
                .programs = FakePrograms()};
    engine_ = std::make_unique<Engine>(settings_, std::move(doors), cache_.get(), &stats_);
  }

  std::shared_ptr<Ticket> Open(const std::shared_ptr<Client>& client, std::vector<model::Handle> handles, uint64_t horizon = 0,
                               std::string unit = "f") {
    return engine_->Open({.material = MaterialOf(unit), .summary = Encode(SummaryOf(handles)), .horizon = horizon}, client);
  }

  std::string ProgramOf(const Outcome& outcome) {
    model::Entry entry;
    EXPECT_TRUE(Decode(outcome.entry, &entry).ok());
    return entry.program;
  }

  TemporaryFolder folder_;
  Settings settings_;
  Stats stats_;
  std::atomic<int> translations_ = 0;
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, TranslatesAndKeepsTheEntry) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker&) { return EntryOf("1"); });
  auto client = std::make_shared<Client>();
  Open(client, {1});
  EXPECT_EQ(ProgramOf(client->Await()), "1");
  EXPECT_FALSE(client->Await().shared);
  EXPECT_EQ(cache_->Find(KeyNamed("f"), nullptr, 0, 4).entries.size(), 1u);

  auto second = std::make_shared<Client>();
  Open(second, {1, 2});
  EXPECT_TRUE(second->Await().shared);
  EXPECT_EQ(translations_, 1);
}

TEST_F(EngineTest, QuestionsGoToTheClientAndAnswersCount) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    ASSIGN_OR_RETURN(model::Answers answers, asker.Ask(OneFact(7)));
    EXPECT_EQ(answers.items[0].fact->word, 3u);
    return EntryOf("1 7");  // passes only with what the answers taught
  });
  auto client = std::make_shared<Client>();
  auto ticket = Open(client, {1});
  ASSERT_TRUE(client->AwaitQuestions());
  ticket->Answer(Answered(7));
  EXPECT_EQ(ProgramOf(client->Await()), "1 7");
}

TEST_F(EngineTest, ManyAtOnceAreOneTranslation) {
  absl::Notification go;
  Start([&](const translator::Request&, const CodeImages&, translator::Asker&) {
    go.WaitForNotification();
    return EntryOf("1 99", "needs what only the leader was asked");
  });
  std::vector<std::shared_ptr<Client>> clients;
  std::vector<std::shared_ptr<Ticket>> tickets;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_shared<Client>());
    tickets.push_back(Open(clients.back(), {1, 99}));
  }
  EXPECT_TRUE(clients[0]->AwaitBeats(2));
  EXPECT_TRUE(clients[63]->AwaitBeats(2));
  go.Notify();
  int shared = 0;
  for (const auto& client : clients) {
    EXPECT_EQ(client->Await().entry, clients[0]->Await().entry);
    shared += client->Await().shared ? 1 : 0;
  }
  EXPECT_EQ(translations_, 1);
  EXPECT_EQ(shared, 63);
}

TEST_F(EngineTest, WaitersWithOtherFactsAreCheckedAndTheRestIsTranslated) {
  absl::Notification go;
  Start([&](const translator::Request& request, const CodeImages&, translator::Asker&) {
    go.WaitForNotification();
    return EntryOf(StrCat(request.summary->records[0].handle));
  });
  std::vector<std::shared_ptr<Client>> clients;
  std::vector<std::shared_ptr<Ticket>> tickets;
  const std::vector<std::vector<model::Handle>> facts{{1}, {5, 1}, {2}, {2}, {3}};
  for (const std::vector<model::Handle>& handles : facts) {
    clients.push_back(std::make_shared<Client>());
    tickets.push_back(Open(clients.back(), handles));
  }
  go.Notify();
  EXPECT_EQ(ProgramOf(clients[0]->Await()), "1");
  EXPECT_EQ(ProgramOf(clients[1]->Await()), "1");
  for (size_t i : {2, 3, 4})
    ASSERT_TRUE(clients[i]->Await().news);
  const uint64_t looked_up_to = cache_->Newest();
  auto again = [&](size_t i, uint64_t horizon) {
    clients[i] = std::make_shared<Client>();
    Open(clients[i], facts[i], horizon);
    return clients[i]->Await();
  };
  EXPECT_EQ(ProgramOf(again(2, looked_up_to)), "2");
  EXPECT_EQ(ProgramOf(again(3, looked_up_to)), "2");
  EXPECT_TRUE(again(4, looked_up_to).news);
  EXPECT_EQ(ProgramOf(again(4, cache_->Newest())), "3");
  EXPECT_EQ(translations_, 3);
}

TEST_F(EngineTest, AnEntryThatCameAfterTheLookupIsNews) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(7)).status());
    return EntryOf("7");  // on a fact that no client tells at first
  });
  auto a = std::make_shared<Client>(), late = std::make_shared<Client>(), determined = std::make_shared<Client>();
  auto ticket = Open(a, {1});
  ASSERT_TRUE(a->AwaitQuestions());
  ticket->Answer(Answered(7));
  EXPECT_EQ(ProgramOf(a->Await()), "7");
  Open(late, {1, 2});
  EXPECT_TRUE(late->Await().news);
  auto other = Open(determined, {1, 2}, std::numeric_limits<uint64_t>::max());
  ASSERT_TRUE(determined->AwaitQuestions());
  other->Answer(Answered(7));
  EXPECT_FALSE(determined->Await().news);
  EXPECT_EQ(translations_, 2);
}

TEST_F(EngineTest, WhenTheLeaderDiesAWaiterGoesOn) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto leader = std::make_shared<Client>(), waiter = std::make_shared<Client>();
  auto first = Open(leader, {1}), second = Open(waiter, {1});
  ASSERT_TRUE(leader->AwaitQuestions());
  first->Finish(Outcome::Stream(absl::CancelledError("gone")));
  ASSERT_TRUE(waiter->AwaitQuestions());
  second->Answer(Answered(1));
  EXPECT_EQ(ProgramOf(waiter->Await()), "1");
  EXPECT_EQ(leader->Await().stream.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(translations_, 2);
}

TEST_F(EngineTest, ALeaderThatDoesNotAnswerHoldsNobodyUp) {
  settings_.answer_seconds = 0.05;
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto leader = std::make_shared<Client>(), waiter = std::make_shared<Client>();
  auto first = Open(leader, {1}), second = Open(waiter, {1});
  ASSERT_TRUE(waiter->AwaitQuestions());
  second->Answer(Answered(1));
  EXPECT_EQ(ProgramOf(waiter->Await()), "1");
  EXPECT_THAT(std::string(leader->Await().stream.message()), HasSubstr("answer_seconds"));
}

TEST_F(EngineTest, NobodyGetsAnEntryOfAnotherProcess) {
  absl::Notification go;
  Start([&](const translator::Request&, const CodeImages&, translator::Asker&) {
    go.WaitForNotification();
    model::Entry entry = EntryOf("1");
    entry.local = true;
    return entry;
  });
  auto a = std::make_shared<Client>(), b = std::make_shared<Client>();
  auto first = Open(a, {1}), second = Open(b, {1});
  go.Notify();
  EXPECT_FALSE(a->Await().shared);
  EXPECT_FALSE(b->Await().shared);
  EXPECT_EQ(translations_, 2);
  EXPECT_TRUE(cache_->Find(KeyNamed("f"), nullptr, 0, 4).entries.empty());
}

TEST_F(EngineTest, AnEntryThatFailsItsOwnCheckIsRefused) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker&) { return EntryOf("2"); });
  auto client = std::make_shared<Client>();
  Open(client, {1});
  EXPECT_EQ(client->Await().failure.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(stats_.Get(Metric::kSelfCheckFailed), 1u);
  EXPECT_TRUE(cache_->Find(KeyNamed("f"), nullptr, 0, 4).entries.empty());
}

TEST_F(EngineTest, AFailureIsTheSameForAllWithTheSameFacts) {
  absl::Notification go;
  Start([&](const translator::Request&, const CodeImages&, translator::Asker&) -> absl::StatusOr<model::Entry> {
    go.WaitForNotification();
    return absl::InternalError("a bug");
  });
  auto a = std::make_shared<Client>(), b = std::make_shared<Client>();
  auto first = Open(a, {1}), second = Open(b, {1});
  go.Notify();
  EXPECT_EQ(a->Await().failure.message(), "a bug");
  EXPECT_EQ(b->Await().failure.message(), "a bug");
  EXPECT_EQ(translations_, 1);
}

TEST_F(EngineTest, WhatAClientCouldNotUseIsNotGivenToItAgain) {
  Start([this](const translator::Request&, const CodeImages&, translator::Asker&) { return EntryOf("1", StrCat(translations_.load())); });
  auto a = std::make_shared<Client>(), b = std::make_shared<Client>(), c = std::make_shared<Client>();
  Open(a, {1});
  a->Await();
  Open(b, {1});
  ASSERT_TRUE(b->Await().shared);
  Open(c, {1}, b->Await().horizon);
  EXPECT_FALSE(c->Await().shared);
  EXPECT_NE(c->Await().entry, b->Await().entry);
}

TEST_F(EngineTest, MalformedParts) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto a = std::make_shared<Client>(), b = std::make_shared<Client>(), c = std::make_shared<Client>(), d = std::make_shared<Client>();
  engine_->Open({.material = MaterialOf("a"), .summary = "\xff\xff"}, a);
  EXPECT_EQ(a->Await().stream.code(), absl::StatusCode::kInvalidArgument);
  engine_->Open({.material = MaterialOf("b"), .summary = Encode(SummaryOf({1})), .code = {"\xff"}}, b);
  EXPECT_EQ(b->Await().stream.code(), absl::StatusCode::kInvalidArgument);
  auto ticket = Open(c, {1});
  ASSERT_TRUE(c->AwaitQuestions());
  ticket->Answer(Encode(model::Answers{}));  // none for the one question
  EXPECT_EQ(c->Await().stream.code(), absl::StatusCode::kInvalidArgument);
  auto early = Open(d, {1}, 0, "d");
  ASSERT_TRUE(d->AwaitQuestions());
  early->Answer(Answered(1));
  early->Answer(Answered(1));
  d->Await();
}

TEST_F(EngineTest, BudgetsOfTimeAndSize) {
  settings_.translate_bytes = 10;
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto a = std::make_shared<Client>();
  auto ticket = Open(a, {1});
  ASSERT_TRUE(a->AwaitQuestions());
  ticket->Answer(Answered(1));
  EXPECT_EQ(a->Await().failure.code(), absl::StatusCode::kResourceExhausted);

  settings_.translate_seconds = 0.001;
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    absl::SleepFor(absl::Milliseconds(5));
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto b = std::make_shared<Client>();
  Open(b, {1});
  EXPECT_EQ(b->Await().failure.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(EngineTest, TooManyTranslationsAreRefused) {
  settings_.translate_queue = 2;
  absl::Notification go;
  Start([&](const translator::Request&, const CodeImages&, translator::Asker&) {
    go.WaitForNotification();
    return EntryOf("1");
  });
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_shared<Client>());
    Open(clients.back(), {1}, 0, StrCat("unit", i));
  }
  EXPECT_EQ(clients[2]->Await().stream.code(), absl::StatusCode::kResourceExhausted);
  go.Notify();
  EXPECT_TRUE(clients[0]->Await().stream.ok());
}

// Clients that think long about an answer take no turn from others.
TEST_F(EngineTest, WaitingForAClientIsNotWork) {
  settings_.translate_threads = 1;
  Start([](const translator::Request& request, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    if (request.summary->records[0].handle == 1)
      RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("");
  });
  auto slow = std::make_shared<Client>(), fast = std::make_shared<Client>();
  auto ticket = Open(slow, {1}, 0, "slow");
  ASSERT_TRUE(slow->AwaitQuestions());
  Open(fast, {2}, 0, "fast");
  EXPECT_TRUE(fast->Await().stream.ok());
  EXPECT_FALSE(slow->is_over());
  EXPECT_EQ(slow->beats(), 0) << "it is the client's turn to speak";
  ticket->Answer(Answered(1));
  slow->Await();
}

TEST_F(EngineTest, DrainingEndsWhatIsLeftAndRefusesMore) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(1)).status());
    return EntryOf("1");
  });
  auto slow = std::make_shared<Client>(), late = std::make_shared<Client>();
  auto ticket = Open(slow, {1});
  ASSERT_TRUE(slow->AwaitQuestions());
  engine_->Drain(absl::Now() + absl::Milliseconds(20));
  EXPECT_EQ(slow->Await().stream.code(), absl::StatusCode::kUnavailable);
  Open(late, {1});
  EXPECT_EQ(late->Await().stream.code(), absl::StatusCode::kUnavailable);
}

TEST_F(EngineTest, DrainingWaitsForWhatIsAlmostDone) {
  Start([](const translator::Request&, const CodeImages&, translator::Asker&) {
    absl::SleepFor(absl::Milliseconds(30));
    return EntryOf("1");
  });
  auto client = std::make_shared<Client>();
  Open(client, {1});
  engine_->Drain(absl::Now() + absl::Seconds(10));
  EXPECT_EQ(ProgramOf(client->Await()), "1");
}

TEST_F(EngineTest, AUnitThatCrashedTwiceIsRefused) {
  settings_.cache_dir = folder_.path();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EXIT(
        {
          HandleCrashes(-1);
          Start([](const translator::Request&, const CodeImages&, translator::Asker&) -> absl::StatusOr<model::Entry> {
            raise(SIGSEGV);
            return absl::InternalError("unreachable");
          });
          auto client = std::make_shared<Client>();
          Open(client, {1});
          client->Await();
        },
        ::testing::KilledBySignal(SIGSEGV), "");
  }
  Start([](const translator::Request&, const CodeImages&, translator::Asker&) { return EntryOf(""); });
  auto client = std::make_shared<Client>(), other = std::make_shared<Client>();
  Open(client, {1});
  EXPECT_THAT(std::string(client->Await().failure.message()), HasSubstr("crashed the daemon"));
  Open(other, {1}, 0, "g");
  EXPECT_TRUE(other->Await().failure.ok());
}

}  // namespace
}  // namespace framegate::server
