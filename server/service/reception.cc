#include "server/service/reception.h"

#include <errno.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/time/clock.h"
#include "base/strings.h"

namespace framegate::server {
namespace {

// Where the kernel has no watch left for us, the socket is looked at this often.
constexpr absl::Duration kLookInterval = absl::Seconds(10);

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, std::max<size_t>(1, path.rfind('/')));
}

}  // namespace

Reception::Reception(const Settings& settings, const ListeningSocket* socket, Stats* stats, std::function<void(int fd)> welcome)
    : socket_(socket),
      stats_(stats),
      welcome_(std::move(welcome)),
      most_connections_(settings.connections),
      idle_limit_(absl::Seconds(settings.idle_seconds)) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  changes_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (changes_ >= 0 && inotify_add_watch(changes_, DirectoryOf(socket->path()).c_str(),
                                         IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF) < 0) {
    close(changes_);
    changes_ = -1;
  }
}

Reception::~Reception() {
  for (int fd : {wake_, changes_})
    if (fd >= 0)
      close(fd);
}

void Reception::Stop(std::string reason) {
  {
    absl::MutexLock lock(&mutex_);
    if (stop_reason_.empty())
      stop_reason_ = std::move(reason);
  }
  uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

std::string Reception::StopReason() {
  absl::MutexLock lock(&mutex_);
  return stop_reason_;
}

std::string Reception::Wait() {
  Idle idle(idle_limit_, absl::Now());
  while (true) {
    idle.SetBusy(!connections_.empty(), absl::Now());
    absl::Duration left = idle.Left(absl::Now());
    if (left == absl::ZeroDuration())
      return StrCat("nobody was connected for ", absl::FormatDuration(idle_limit_));
    // An end that was not seen must not keep the daemon for ever.
    if (!connections_.empty() && idle_limit_ > absl::ZeroDuration())
      left = idle_limit_;
    if (changes_ < 0)
      left = std::min(left, kLookInterval);
    if (WaitForEvents(left) == 0)
      Recount();
    if (std::string reason = StopReason(); !reason.empty())
      return reason;
    if (IsSocketGone())
      return "its socket file is gone";
  }
}

int Reception::WaitForEvents(absl::Duration time) {
  // Rounded up, so that it is over when we wake.
  int timeout = time == absl::InfiniteDuration() ? -1 : static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(time) + 1, 1 << 30));
  std::vector<pollfd> polled = {{socket_->fd(), POLLIN, 0}, {wake_, POLLIN, 0}, {changes_, POLLIN, 0}};
  const size_t own = polled.size();
  for (const auto& [fd, inode] : connections_)
    polled.push_back({fd, POLLRDHUP, 0});
  int count = poll(polled.data(), polled.size(), timeout);
  // Who leaves goes first: a new connection may get its number.
  for (size_t i = own; i < polled.size(); ++i)
    if (polled[i].revents != 0)
      Leave(polled[i].fd);
  if (polled[0].revents != 0)
    Accept();
  return count;
}

bool Reception::IsSocketGone() {
  char events[4096];
  bool changed = changes_ < 0;
  while (changes_ >= 0 && read(changes_, events, sizeof events) > 0)
    changed = true;
  return changed && !socket_->IsInPlace();
}

void Reception::Accept() {
  while (true) {
    int fd = accept4(socket_->fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      Admit(fd);
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED)
      continue;
    if (errno != EAGAIN) {
      // Out of descriptors or memory. The connection stays in the queue: do not spin on it.
      spdlog::warn("cannot accept a connection: {}", strerror(errno));
      absl::SleepFor(absl::Milliseconds(20));
    }
    return;
  }
}

void Reception::Admit(int fd) {
  uid_t user = 0;
  struct stat info;
  if (connections_.size() >= most_connections_)
    Recount();
  if (!PeerUser(fd, &user) || (user != geteuid() && user != 0)) {
    spdlog::warn("a connection of user {} is refused: this daemon serves user {}", user, geteuid());
  } else if (connections_.size() >= most_connections_) {
    spdlog::warn("a connection is refused: {} are open; see the setting connections", connections_.size());
  } else if (fstat(fd, &info) != 0) {
    spdlog::warn("a connection is refused: {}", strerror(errno));
  } else {
    connections_[fd] = info.st_ino;
    stats_->Add(Metric::kConnectionsAccepted);
    stats_->Set(Metric::kConnections, connections_.size());
    welcome_(fd);
    return;
  }
  stats_->Add(Metric::kConnectionsRefused);
  close(fd);
}

void Reception::Leave(int fd) {
  connections_.erase(fd);
  stats_->Set(Metric::kConnections, connections_.size());
}

void Reception::Recount() {
  absl::erase_if(connections_, [](const auto& connection) {
    struct stat info;
    return fstat(connection.first, &info) != 0 || info.st_ino != connection.second;
  });
  stats_->Set(Metric::kConnections, connections_.size());
}

}  // namespace framegate::server
