// The way to the daemon: idle connections, the first start, and what happens after a fault. No Python.
//
// A daemon that was never there, or that ended in order, is started and waited for. After a fault nothing waits any more than a
// millisecond: at the breaker's times a hello is sent and its answer is looked for at the next opportunity, and a daemon that is gone is
// started in the background.
//
// One thread at a time (the session calls it under the GIL, and gives the GIL up inside `blocking`). In a forked child what the parent had
// is forgotten at the first call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client_ext/session/daemon/breaker.h"
#include "client_ext/session/daemon/launch.h"
#include "client_ext/transport/daemon_calls.h"

namespace framegate::client {

struct Connection {
  std::unique_ptr<Channel> channel;
  ServerFacts server;
};

class Daemon {
 public:
  struct Options {
    bool off = false;
    Launch launch;
    bool (*interrupted)() = nullptr;  // called within `blocking`
    // Runs what waits; other threads may use this object meanwhile.
    std::function<void(const std::function<void()>&)> blocking = [](const std::function<void()>& wait) { wait(); };
  };

  explicit Daemon(Options options) : options_(std::move(options)) {}

  // A connection that has said hello, for one call. Unavailable: off, not there, or in the time after a fault; FailedPrecondition: of
  // another build, or cannot be started; DeadlineExceeded: it does not answer (this is a fault); Cancelled: a signal handler raised.
  absl::StatusOr<std::unique_ptr<Connection>> Acquire(const ClientFacts& client);

  // After a call that went well, or whose error was the daemon's answer.
  void Release(std::unique_ptr<Connection> connection);
  // After a call that did not: decides whether it was a fault of the daemon, and returns `why`; as Unavailable if the connection is lost.
  absl::Status Drop(std::unique_ptr<Connection> connection, absl::Status why);

  // Never asked, by the user's wish.
  bool off() const { return options_.off; }

  // How long a call waits for a daemon that is silent.
  Patience patience() const;

 private:
  struct Probe;

  void ForgetParent();
  std::unique_ptr<Connection> TakeIdle();
  absl::StatusOr<std::unique_ptr<Connection>> Begin(const ClientFacts& client);
  absl::StatusOr<std::unique_ptr<Connection>> ProbeOnce(const ClientFacts& client);
  absl::Status StartProbe(const ClientFacts& client);
  absl::Status Fault(absl::Status why);
  absl::Status AfterFault() const;

  Options options_;
  pid_t owner_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::shared_ptr<Probe> probe_;
  Breaker breaker_;
};

}  // namespace framegate::client
