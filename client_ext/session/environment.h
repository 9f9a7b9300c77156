// What this process is to a daemon: which Python it runs, where the daemon's program and socket are. GIL held; attributes of sys are read.
#pragma once

#include <string>

#include "base/status.h"
#include "client_ext/session/daemon/daemon.h"

namespace framegate::client {

// Implementation, exact version, bytecode magic, ABI, and the flags that change what code does. Part of every key.
const std::string& PythonIdentity();

// From FRAMEGATE_DAEMON ("off", or the absolute path of framegated), FRAMEGATE_SOCKET and the places where pip puts scripts.
// InvalidArgument: a variable says something impossible.
absl::StatusOr<Daemon::Options> DaemonOptions();

}  // namespace framegate::client
