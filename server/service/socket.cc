#include "server/service/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

#include "absl/time/clock.h"
#include "base/socket_path.h"
#include "base/strings.h"

namespace framegate::server {
namespace {

constexpr int kBacklog = 4096;

absl::Status Failed(std::string_view doing, const std::string& path) {
  return absl::UnavailableError(StrCat("cannot ", doing, " ", path, ": ", std::string_view(strerror(errno))));
}

// The lock file's text, up to a few hundred bytes.
std::string ReadText(int fd) {
  char text[256];
  ssize_t size = pread(fd, text, sizeof text, 0);
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
}

void WriteText(int fd, const std::string& text) {
  if (ftruncate(fd, 0) == 0)
    (void)!pwrite(fd, text.data(), text.size(), 0);
}

std::string Now() {
  return absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<ListeningSocket> ListeningSocket::Open(const std::string& path) {
  RETURN_IF_ERROR(PrepareSocketDirectory(path));
  ListeningSocket socket;
  socket.path_ = path;
  RETURN_IF_ERROR(socket.TakeLock());
  RETURN_IF_ERROR(socket.Bind());
  return socket;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  Withdraw();
  if (lock_ >= 0)
    close(lock_);
}

absl::Status ListeningSocket::TakeLock() {
  std::string path = LiveLockPath(path_);
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0)
    return Failed("open the lock", path);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return Failed("lock", path);
    return absl::AlreadyExistsError(StrCat("another daemon serves ", path_, " (", ReadText(lock_), ")"));
  }
  WriteText(lock_, StrCat("pid ", getpid(), ", started ", Now(), ", build " FRAMEGATE_BUILD));
  return absl::OkStatus();
}

absl::Status ListeningSocket::Bind() {
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0)
    return Failed("make a socket for", path_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // kMaxSocketPath leaves 7 bytes for this.
  std::string temporary = StrCat(path_, ".", getpid() % 1000000);
  if (temporary.size() >= sizeof address.sun_path)
    return absl::InvalidArgumentError(StrCat("the socket path ", path_, " is too long"));
  memcpy(address.sun_path, temporary.c_str(), temporary.size() + 1);
  unlink(temporary.c_str());
  mode_t before = umask(0177);
  int bound = bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(before);
  struct stat info;
  if (bound != 0 || listen(fd_, kBacklog) != 0 || lstat(temporary.c_str(), &info) != 0)
    return Failed("listen on", temporary);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  if (rename(temporary.c_str(), path_.c_str()) != 0)
    return Failed("put in place", path_);
  return absl::OkStatus();
}

bool ListeningSocket::IsInPlace() const {
  struct stat info;
  return fd_ >= 0 && lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

void ListeningSocket::Withdraw() {
  if (IsInPlace())
    unlink(path_.c_str());
  if (fd_ >= 0)
    close(fd_);
  fd_ = -1;
}

void ListeningSocket::NoteExit(const std::string& reason) {
  WriteText(lock_, StrCat("pid ", getpid(), " ended ", Now(), ": ", reason));
}

bool IsLockedBy(const std::string& path, uint64_t pid) {
  int fd = open(LiveLockPath(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return false;
  bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && ReadText(fd).starts_with(StrCat("pid ", pid, ","));
  close(fd);
  return held;
}

bool PeerUser(int fd, uid_t* user) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0 || size != sizeof credentials)
    return false;
  *user = credentials.uid;
  return true;
}

}  // namespace framegate::server
