// The daemon as a whole: store, engine, service, gRPC server and socket, made in this order and
// ended in the reverse one. Thread-compatible, but for Stop.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "server/engine/doors.h"
#include "server/settings.h"
#include "server/stats/stats.h"

namespace framegate::server {

class Daemon {
 public:
  // The socket is in place and calls are answered when this returns. Statuses as
  // ListeningSocket::Open.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Settings& settings, Doors doors);
  virtual ~Daemon() = default;

  // Serves until Stop, a Shutdown call, idle time or the loss of the socket; then drains: what is
  // in flight gets drain_seconds, the store is flushed. Returns why it ended. Called once.
  virtual std::string Run() = 0;
  // Thread-safe.
  virtual void Stop(std::string reason) = 0;
  virtual const Stats& stats() const = 0;
};

}  // namespace framegate::server
