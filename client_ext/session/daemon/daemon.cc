#include "client_ext/session/daemon/daemon.h"

#include <unistd.h>

#include <utility>

#include "base/strings.h"
#include "proto/wire/contract.h"

namespace framegate::client {

namespace {

using std::chrono::milliseconds;

// The first start is no fault: libraries come from a cold disk.
constexpr milliseconds kStart{5000};
// A daemon whose threads wait for a processor is slow, not dead.
constexpr milliseconds kStarved{2000};
// What a daemon after a fault may cost each time we look.
constexpr milliseconds kLook{1};
constexpr milliseconds kProbe{1000};
constexpr size_t kMostIdle = 8;

}  // namespace

// A hello under way to a daemon that was at fault.
struct Daemon::Probe {
  std::unique_ptr<Channel> channel;
  HelloCall hello;
  TimePoint since = Clock::now();

  Probe(std::unique_ptr<Channel> open, const ClientFacts& client) : channel(std::move(open)), hello(channel.get(), client) {}
};

Patience Daemon::patience() const {
  return {.quiet = milliseconds(wire::kFaultMs), .starved = kStarved, .interrupted = options_.interrupted};
}

void Daemon::ForgetParent() {
  if (owner_ == getpid())
    return;
  owner_ = getpid();
  idle_.clear();
  probe_.reset();
}

std::unique_ptr<Connection> Daemon::TakeIdle() {
  while (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->channel->Usable())
      return connection;
    // No farewell: it was killed. One that ended in order is started again like one that never was.
    if (!connection->channel->going_away())
      Fault(absl::UnavailableError("the daemon has gone away without a word")).IgnoreError();
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Connection>> Daemon::Acquire(const ClientFacts& client) {
  if (options_.off)
    return absl::UnavailableError("FRAMEGATE_DAEMON is off");
  ForgetParent();
  if (std::unique_ptr<Connection> connection = TakeIdle())
    return connection;
  if (!breaker_.closed())
    return ProbeOnce(client);
  absl::StatusOr<std::unique_ptr<Connection>> opened = Begin(client);
  if (opened.ok() || absl::IsCancelled(opened.status()))
    return opened;
  return Fault(opened.status());
}

absl::StatusOr<std::unique_ptr<Connection>> Daemon::Begin(const ClientFacts& client) {
  absl::StatusOr<std::unique_ptr<Connection>> result = absl::UnavailableError("");
  Options options = options_;  // this object may change while the lock is given up
  Patience wait = patience();
  options.blocking([&] {
    result = [&]() -> absl::StatusOr<std::unique_ptr<Connection>> {
      absl::StatusOr<std::unique_ptr<Channel>> channel = Channel::Connect(options.launch.socket, {}, wait);
      if (absl::IsUnavailable(channel.status())) {
        RETURN_IF_ERROR(StartDaemon(options.launch, {.deadline = Clock::now() + kStart, .interrupted = options.interrupted}));
        channel = Channel::Connect(options.launch.socket, {}, wait);
      }
      RETURN_IF_ERROR(channel.status());
      ASSIGN_OR_RETURN(ServerFacts server, HelloCall(channel->get(), client).Finish(wait));
      return std::make_unique<Connection>(Connection{*std::move(channel), std::move(server)});
    }();
  });
  return result;
}

absl::Status Daemon::AfterFault() const {
  if (absl::IsFailedPrecondition(breaker_.fault()))
    return breaker_.fault();
  return absl::UnavailableError(StrCat("after a fault: ", std::string(breaker_.fault().message())));
}

absl::Status Daemon::StartProbe(const ClientFacts& client) {
  absl::StatusOr<std::unique_ptr<Channel>> channel = Channel::Connect(options_.launch.socket, {}, {.quiet = milliseconds(0)});
  if (channel.ok()) {
    probe_ = std::make_shared<Probe>(*std::move(channel), client);
    return absl::OkStatus();
  }
  if (absl::IsUnavailable(channel.status()))
    LaunchDaemon(options_.launch).IgnoreError();  // found by the next attempt
  return channel.status();
}

absl::StatusOr<std::unique_ptr<Connection>> Daemon::ProbeOnce(const ClientFacts& client) {
  TimePoint now = Clock::now();
  if (probe_ && now - probe_->since > kProbe)
    probe_.reset();
  if (!probe_ && (!breaker_.TakeAttempt(now) || !StartProbe(client).ok()))
    return AfterFault();
  std::shared_ptr<Probe> probe = std::exchange(probe_, nullptr);  // another thread's miss must not look at the same call
  absl::StatusOr<ServerFacts> server = absl::UnavailableError("");
  options_.blocking([&] { server = probe->hello.Finish({.quiet = kLook, .interrupted = options_.interrupted}); });
  if (server.ok())
    return std::make_unique<Connection>(Connection{std::move(probe->channel), *std::move(server)});
  if (absl::IsDeadlineExceeded(server.status()))
    probe_ = std::move(probe);
  if (absl::IsCancelled(server.status()))
    return server.status();
  return AfterFault();
}

void Daemon::Release(std::unique_ptr<Connection> connection) {
  breaker_.Success(Clock::now());
  if (idle_.size() < kMostIdle && connection->channel->owned_by_this_process())
    idle_.push_back(std::move(connection));
}

absl::Status Daemon::Drop(std::unique_ptr<Connection> connection, absl::Status why) {
  if (absl::IsCancelled(why) || !connection->channel->owned_by_this_process())
    return why;
  if (absl::IsDeadlineExceeded(why))
    return Fault(std::move(why));
  if (connection->channel->Usable()) {  // the daemon lives and said no to this one call
    Release(std::move(connection));
    return why;
  }
  return connection->channel->going_away() ? why : Fault(std::move(why));
}

absl::Status Daemon::Fault(absl::Status why) {
  // A peer that speaks nonsense is as good as none; other codes would be taken for answers about the unit at hand.
  if (!absl::IsDeadlineExceeded(why) && !absl::IsFailedPrecondition(why))
    why = absl::UnavailableError(why.message());
  idle_.clear();
  breaker_.Fault(why, Clock::now());
  return why;
}

}  // namespace framegate::client
