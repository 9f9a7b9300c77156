// The daemon's log: spdlog's default logger, written to one rotated file, and to standard error
// where asked for.
#pragma once

#include <string>

#include "base/status.h"
#include "server/settings.h"

namespace framegate::server {

// 8 MiB times 3 in settings.log_file; level info and above as settings.log_level says. Where the
// file cannot be written the log goes to standard error alone and the returned status tells why.
// Also routes gRPC's own errors here. Call once, before the first line.
absl::Status OpenLog(const Settings& settings);

}  // namespace framegate::server
