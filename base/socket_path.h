// Where client and daemon meet: the path of the daemon's socket and the directory it lies in. Both
// sides must compute the same. Reads the environment; thread-safe as long as nobody changes it
// meanwhile.
#pragma once

#include <string>

#include "base/hash.h"
#include "base/status.h"

namespace framegate {

// Longest path; leaves room in sockaddr_un for the temporary name under which the daemon binds.
inline constexpr size_t kMaxSocketPath = 100;

// FRAMEGATE_SOCKET where it is set; else <directory>/<first 16 hex digits of schema>.sock, where
// directory is $XDG_RUNTIME_DIR/framegate if that variable names a directory of ours that is 0700,
// and /tmp/framegate-<uid> otherwise. Made absolute. InvalidArgument for a path that is too long.
absl::StatusOr<std::string> SocketPath(const Hash128& schema);

// Makes the socket's directory (0700) where it is missing. FailedPrecondition, with the directory
// and what to do, where it is not one that only we (or root) may write; Unavailable where it cannot
// be made.
absl::Status PrepareSocketDirectory(const std::string& socket_path);

// "<socket>.lock": held (flock) by the daemon for as long as it lives, never removed.
std::string LiveLockPath(const std::string& socket_path);
// "<socket>.start": a client holds it (fcntl, which a forked child does not inherit) while it
// starts a daemon.
std::string StartLockPath(const std::string& socket_path);

}  // namespace framegate
