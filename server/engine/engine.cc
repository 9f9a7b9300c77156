#include "server/engine/engine.h"

#include <spdlog/spdlog.h>

#include "absl/time/clock.h"
#include "base/strings.h"
#include "proto/wire/contract.h"
#include "server/engine/explain.h"

namespace framegate::server {
namespace {

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

// A status that says something about this attempt, not about the unit.
bool IsAboutTheStream(const absl::Status& status) {
  return status.code() == absl::StatusCode::kCancelled || status.code() == absl::StatusCode::kUnavailable;
}

absl::Status Draining() {
  return absl::UnavailableError("the daemon is shutting down");
}

}  // namespace

Engine::Engine(const Settings& settings, Doors doors, Cache* cache, Stats* stats)
    : settings_(settings),
      doors_(std::move(doors)),
      cache_(cache),
      stats_(stats),
      strikes_(settings.cache_dir),
      beats_(absl::Milliseconds(wire::kBeatMs)),
      workers_(settings.translate_threads, settings.translate_queue) {}

Engine::~Engine() {
  Drain(absl::InfinitePast());
}

std::shared_ptr<Ticket> Engine::Open(OpenRequest open, std::shared_ptr<Caller> caller) {
  stats_->Add(Metric::kTranslateRequests);
  auto ticket = std::make_shared<Ticket>(std::move(open), std::move(caller), settings_, &workers_, stats_);
  bool leads = false;
  {
    absl::MutexLock lock(&mutex_);
    if (!draining_) {
      auto [flight, is_new] = flights_.try_emplace(ticket->key().hash);
      leads = is_new;
      if (is_new)
        flight->second.leader = ticket;
      else
        flight->second.waiters.push_back(ticket);
    } else {
      ticket->Finish(Outcome::Stream(Draining()));
      return ticket;
    }
  }
  beats_.Add(ticket);
  if (leads)
    Launch(ticket);
  return ticket;
}

void Engine::Launch(std::shared_ptr<Ticket> leader) {
  while (leader != nullptr && !workers_.Run([this, leader] { Launch(Settle(leader, Serve(leader.get()))); }))
    leader = Settle(leader, {.stream = absl::ResourceExhaustedError("too many translations at once; see the setting translate_queue")});
}

Engine::Result Engine::Serve(Ticket* ticket) {
  if (ticket->IsFinished())
    return {.stream = absl::CancelledError("the client is gone")};
  if (absl::Status status = Decode(ticket->open().summary, &ticket->known()); !status.ok())
    return {.stream = absl::InvalidArgumentError(StrCat("summary: ", Text(status)))};
  Found found = cache_->Find(ticket->key(), &ticket->known(), ticket->open().horizon, 1);
  if (!found.entries.empty())
    return {.entry = found.entries[0], .shared = true};
  // They came between the client's lookup and this request. What a client tells at first need not be what a program asks for.
  if (found.newer > 0)
    return {.news = true};
  if (strikes_.IsRefused(ticket->key().hash)) {
    stats_->Add(Metric::kUnitsQuarantined);
    return {.failure = absl::InternalError("translating this unit crashed the daemon before; it is "
                                           "refused until the daemon is updated")};
  }
  return Translate(ticket);
}

Engine::Result Engine::Translate(Ticket* ticket) {
  const OpenRequest& open = ticket->open();
  CodeImages images;
  for (const std::string& bytes : open.code) {
    auto image = std::make_shared<model::CodeImage>();
    if (absl::Status status = Decode(bytes, image.get()); !status.ok())
      return {.stream = absl::InvalidArgumentError(StrCat("code: ", Text(status)))};
    images.push_back(std::move(image));
  }
  translator::Request request{.unit = open.material.unit, .config = open.material.config, .summary = &ticket->known()};
  ticket->Begin();
  Strikes::Scope scope(&strikes_, ticket->key().hash);
  absl::StatusOr<model::Entry> entry = doors_.translate(request, images, *ticket);
  ticket->KeepLearnt();
  stats_->Add(Metric::kTranslateMicros, static_cast<uint64_t>(std::max<int64_t>(0, absl::ToInt64Microseconds(ticket->Spent()))));
  absl::Status status = entry.ok() ? CheckItself(*entry, ticket) : entry.status();
  const std::string name = NameOf(open.material.unit, RootOf(open.material.unit).get());
  if (!status.ok()) {
    if (IsAboutTheStream(status))
      return {.stream = status};
    spdlog::warn("{}: no entry: {}", name, Text(status));
    return {.failure = status};
  }
  stats_->Add(Metric::kInstructions, entry->instructions);
  EntryPtr stored = MakeStored(*entry, name, absl::ToUnixMillis(absl::Now()));
  spdlog::info("{}: {} in {} us, {} bytes", name, stored->summary, absl::ToInt64Microseconds(ticket->Spent()), stored->bytes.size());
  if (entry->local)
    return {.entry = std::move(stored), .local = true};
  return {.entry = cache_->Put(ticket->key(), std::move(stored))};
}

absl::Status Engine::CheckItself(const model::Entry& entry, Ticket* ticket) {
  absl::StatusOr<bool> passes = doors_.programs.judge(ticket->known())(entry.program);
  if (passes.ok() && *passes)
    return absl::OkStatus();
  stats_->Add(Metric::kSelfCheckFailed);
  return absl::InternalError(
      StrCat("the new entry's own checks fail on what it was made from", passes.ok() ? "" : StrCat(": ", Text(passes.status()))));
}

Outcome Engine::Result::ToOutcome(uint64_t horizon, bool waited) const {
  if (entry != nullptr)
    return Outcome::Entry(entry->bytes, shared || waited, horizon);
  if (news)
    return Outcome::News();
  return failure.ok() ? Outcome::Stream(stream) : Outcome::Failure(failure);
}

bool Engine::Fits(const Result& result, const Ticket& leader, const Ticket& waiter) {
  // What went wrong with the leader's stream, and what holds for its process alone, says nothing
  // about others.
  if (result.local || (result.entry == nullptr && result.failure.ok()))
    return false;
  if (result.entry != nullptr && result.entry->sequence <= waiter.open().horizon)
    return false;
  if (leader.digest() == waiter.digest())
    return true;
  model::Summary summary;
  if (result.entry == nullptr || !Decode(waiter.open().summary, &summary).ok())
    return false;
  absl::StatusOr<bool> passes = doors_.programs.judge(summary)(result.entry->program);
  return passes.ok() && *passes;
}

std::shared_ptr<Ticket> Engine::Settle(const std::shared_ptr<Ticket>& leader, const Result& result) {
  CountEnd(result);
  leader->Finish(result.ToOutcome(cache_->Newest(), /*waited=*/false));
  Explain(leader.get(), result);
  std::vector<std::shared_ptr<Ticket>> left_over;
  const Hash128 key = leader->key().hash;
  while (true) {
    std::vector<std::shared_ptr<Ticket>> waiters;
    {
      absl::MutexLock lock(&mutex_);
      Flight& flight = flights_[key];
      waiters = std::move(flight.waiters);
      flight.waiters.clear();
      if (waiters.empty() && left_over.empty()) {
        flights_.erase(key);
        return nullptr;
      }
      if (waiters.empty()) {
        flight.leader = left_over[0];
        flight.waiters.assign(left_over.begin() + 1, left_over.end());
        return flight.leader;
      }
    }
    for (std::shared_ptr<Ticket>& waiter : waiters) {
      if (waiter->IsFinished())
        continue;
      if (!Fits(result, *leader, *waiter)) {
        left_over.push_back(std::move(waiter));
        continue;
      }
      stats_->Add(Metric::kTranslationsShared);
      waiter->Finish(result.ToOutcome(cache_->Newest(), /*waited=*/true));
    }
  }
}

void Engine::CountEnd(const Result& result) {
  if (result.entry != nullptr) {
    stats_->Add(result.shared ? Metric::kTranslationsShared : Metric::kTranslations);
    stats_->Add(Metric::kLocalEntries, result.local ? 1 : 0);
  } else if (!result.news) {
    stats_->Add(result.failure.ok() ? Metric::kTranslationsCancelled : Metric::kTranslationsFailed);
  }
}

void Engine::Drain(absl::Time deadline) {
  std::vector<std::shared_ptr<Ticket>> left_over;
  {
    absl::MutexLock lock(&mutex_);
    draining_ = true;
    auto is_over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return flights_.empty(); };
    mutex_.AwaitWithDeadline(absl::Condition(&is_over), deadline);
    for (const auto& [key, flight] : flights_) {
      left_over.push_back(flight.leader);
      left_over.insert(left_over.end(), flight.waiters.begin(), flight.waiters.end());
    }
  }
  for (const std::shared_ptr<Ticket>& ticket : left_over)
    ticket->Finish(Outcome::Stream(Draining()));
}

}  // namespace framegate::server
