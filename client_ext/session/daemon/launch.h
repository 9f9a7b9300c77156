// Starting `framegated`. No Python; blocking; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client_ext/transport/socket.h"

namespace framegate::client {

// What is started and where it is to listen.
struct Launch {
  std::string program;  // absolute path; empty: there is none
  std::string socket;
  std::vector<std::string> environment;  // NAME=value, all that the daemon gets
};

// The part of this process's environment that a daemon may see: where its files are, its own settings, sanitizers'. Never what decides
// semantics: that comes with each request. REQUIRES: nobody changes the environment meanwhile.
std::vector<std::string> DaemonEnvironment();

// Starts a daemon unless another process is doing so, and returns once one accepts connections. One process at a time does it, under the
// start lock; the others wait for it. FailedPrecondition: there is no program, or the socket's directory is not ours; Unavailable: it ended
// with the text; DeadlineExceeded, Cancelled: of `patience`.
absl::Status StartDaemon(const Launch& launch, const Patience& patience);

// Starts one and does not wait. A superfluous one finds the live lock taken and exits. Statuses as above, without the last two.
absl::Status LaunchDaemon(const Launch& launch);

}  // namespace framegate::client
