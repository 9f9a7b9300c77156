// The management calls from the caller's side, for the command line. They work between any two
// builds. Blocking; thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "server/stats/report.h"

namespace framegate::server {

class DaemonCalls {
 public:
  // Connects lazily; never starts a daemon.
  explicit DaemonCalls(const std::string& socket);
  ~DaemonCalls();

  // NotFound: no daemon serves the socket. Others: what the call ended with.
  absl::StatusOr<DaemonReport> Stats();
  absl::StatusOr<ListReport> List(uint32_t limit);
  absl::StatusOr<std::vector<WhyReport>> Why(const std::string& function, uint32_t limit);
  absl::StatusOr<std::vector<GuardsReport>> Guards(const std::string& function, uint32_t limit);
  absl::StatusOr<ClearReport> Clear();
  // The process that will end.
  absl::StatusOr<uint64_t> Shutdown(const std::string& reason);

 private:
  struct Connection;
  template <typename Request, typename Reply, typename Method>
  absl::StatusOr<Reply> Call(Method method, const Request& request);

  const std::string socket_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace framegate::server
