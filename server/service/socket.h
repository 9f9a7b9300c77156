// The daemon's place: a lock that proves there is one daemon, and the listening socket. The lock
// file is never removed, the lock is held from before the socket is bound until the object dies, so
// whoever holds it may replace what lies at the socket's path. Thread-compatible.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"

namespace framegate::server {

class ListeningSocket {
 public:
  // Makes the directory, takes the lock, binds under a temporary name, listens, and renames: a
  // client never meets a socket that nobody listens to. AlreadyExists: another daemon holds the
  // lock. FailedPrecondition: the directory is not private. Unavailable: the system refused.
  static absl::StatusOr<ListeningSocket> Open(const std::string& path);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  int fd() const { return fd_; }

  const std::string& path() const { return path_; }

  // The socket at the path is the one we bound.
  bool IsInPlace() const;
  // Takes the socket out of sight and stops listening. The lock stays.
  void Withdraw();
  // A line in the lock file, for people: why there is no daemon.
  void NoteExit(const std::string& reason);

 private:
  ListeningSocket() = default;
  absl::Status TakeLock();
  absl::Status Bind();

  std::string path_;
  int lock_ = -1;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Process `pid` holds the lock of the daemon that serves `path`.
bool IsLockedBy(const std::string& path, uint64_t pid);

// The uid of the process at the other end of a connected Unix socket; false where the kernel does
// not say.
bool PeerUser(int fd, uid_t* user);

}  // namespace framegate::server
