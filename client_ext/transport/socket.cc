#include "client_ext/transport/socket.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "client_ext/transport/starved.h"

namespace framegate::client {

namespace {

// Descriptors that a forked child closes. Lock-free, because a child may be born while any thread is here; a process with more
// connections than places leaves the rest to the child's exit.
class OpenDescriptors {
 public:
  static void Add(int descriptor) {
    static const int installed = pthread_atfork(nullptr, nullptr, CloseAll);
    (void)installed;
    for (std::atomic<int>& place : places) {
      int free = kFree;
      if (place.compare_exchange_strong(free, descriptor))
        return;
    }
  }

  static void Remove(int descriptor) {
    for (std::atomic<int>& place : places) {
      int held = descriptor;
      if (place.compare_exchange_strong(held, kFree))
        return;
    }
  }

 private:
  static constexpr int kFree = 0;  // no socket of ours is descriptor 0: see Connect

  static void CloseAll() {
    for (std::atomic<int>& place : places)
      if (int descriptor = place.exchange(kFree); descriptor != kFree)
        ::close(descriptor);
  }

  static inline std::array<std::atomic<int>, 64> places{};
};

absl::Status Lost(std::string_view what, int error) {
  return absl::UnavailableError(StrCat(what, ": ", std::strerror(error)));
}

absl::Status CannotConnect(const std::string& path, int error) {
  std::string text = StrCat("connect ", path, ": ", std::strerror(error));
  if (error == EACCES || error == EPERM)
    return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

// How often a starved peer is looked at again.
constexpr std::chrono::milliseconds kStarvedLook{20};

// Milliseconds for poll(): -1 for ever; rounded up, so that a wait does not end just before its deadline and then spin.
int PollTimeout(TimePoint until) {
  if (until == TimePoint::max())
    return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return left < 0 ? 0 : left > 1'000'000 ? 1'000'000 : static_cast<int>(left);
}

TimePoint EndOf(TimePoint since, const Patience& patience) {
  if (patience.quiet == std::chrono::milliseconds::max())
    return patience.deadline;
  return std::min(patience.deadline, since + patience.quiet);
}

// The peer as the kernel saw it when it began to listen.
absl::StatusOr<pid_t> CheckPeer(int descriptor, const std::string& path) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return Lost("SO_PEERCRED", errno);
  if (peer.uid != geteuid())
    return absl::PermissionDeniedError(StrCat(path, " belongs to user ", peer.uid, ", not to ", geteuid()));
  return peer.pid;
}

}  // namespace

absl::StatusOr<Socket> Socket::Connect(const std::string& path, const Patience& patience) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return absl::InvalidArgumentError(StrCat("socket path of ", path.size(), " bytes, at most ", sizeof address.sun_path - 1, ": ", path));
  std::memcpy(address.sun_path, path.data(), path.size());
  int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor <= 0) {  // 0 where the program has closed its standard input: not a place for us
    if (descriptor == 0)
      ::close(descriptor);
    return Lost("socket", descriptor == 0 ? EBADF : errno);
  }
  Socket connected(descriptor);
  TimePoint end = EndOf(Clock::now(), patience);
  while (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EAGAIN && errno != EINTR)
      return CannotConnect(path, errno);
    // EAGAIN: the listener's queue is full. There is no event to wait for.
    if (errno == EINTR && patience.interrupted && patience.interrupted())
      return absl::CancelledError("connect: interrupted");
    if (Clock::now() >= end)
      return absl::DeadlineExceededError(StrCat("connect ", path, ": the daemon does not accept"));
    ::poll(nullptr, 0, 1);
  }
  ASSIGN_OR_RETURN(connected.peer_, CheckPeer(descriptor, path));
  return connected;
}

Socket::Socket(int descriptor) : descriptor_(descriptor), owner_(getpid()) {
  OpenDescriptors::Add(descriptor);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), owner_(other.owner_), peer_(other.peer_) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(owner_, other.owner_);
  std::swap(peer_, other.peer_);
  return *this;
}

Socket::~Socket() {
  // In a child the number may be somebody else's by now.
  if (descriptor_ < 0 || owner_ != getpid())
    return;
  OpenDescriptors::Remove(descriptor_);
  ::close(descriptor_);
}

absl::StatusOr<size_t> Socket::Read(char* buffer, size_t size) {
  ssize_t got;
  do
    got = ::recv(descriptor_, buffer, size, 0);
  while (got < 0 && errno == EINTR);
  if (got > 0)
    return static_cast<size_t>(got);
  if (got == 0)
    return absl::UnavailableError("the daemon closed the connection");
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return 0;
  return Lost("read", errno);
}

absl::StatusOr<size_t> Socket::Write(std::string_view bytes) {
  ssize_t put;
  do
    put = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  while (put < 0 && errno == EINTR);
  if (put >= 0)
    return static_cast<size_t>(put);
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return 0;
  return Lost("write", errno);
}

absl::Status Socket::Wait(bool to_write, TimePoint since, const Patience& patience) {
  TimePoint end = EndOf(since, patience);
  while (true) {
    pollfd wanted{.fd = descriptor_, .events = static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), .revents = 0};
    int ready = ::poll(&wanted, 1, PollTimeout(end));
    if (ready > 0)
      return absl::OkStatus();  // an error or a hang-up is found by the read that follows
    if (ready < 0 && errno != EINTR)
      return Lost("poll", errno);
    if (ready < 0 && patience.interrupted && patience.interrupted())
      return absl::CancelledError("interrupted by a signal");
    if (TimePoint now = Clock::now(); ready == 0 && now >= end) {
      bool excused = now < patience.deadline && now - since < patience.starved && IsRunnable(peer_);
      if (!excused)
        return absl::DeadlineExceededError("the daemon does not answer");
      end = std::min(patience.deadline, now + kStarvedLook);
    }
  }
}

}  // namespace framegate::client
