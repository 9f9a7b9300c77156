#include "client_ext/session/daemon/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/socket_path.h"
#include "base/strings.h"
#include "proto/wire/contract.h"

namespace framegate::client {

namespace {

constexpr int kReadyDescriptor = 3;
constexpr size_t kMostText = 4096;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}

  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }

  int get() const { return number_; }

 private:
  int number_;
};

absl::Status Failed(std::string_view what, int error) {
  return absl::UnavailableError(StrCat(what, ": ", std::strerror(error)));
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// One posix_spawn, run by a process in between.
struct Spawning {
  const char* program;
  char** arguments;
  char** environment;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = 0;

  Spawning(const char* path, char** argv, char** envp, int ready) : program(path), arguments(argv), environment(envp) {
    posix_spawn_file_actions_init(&actions);
    if (ready >= 0)
      posix_spawn_file_actions_adddup2(&actions, ready, kReadyDescriptor);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);
    // A descriptor that stays open in a daemon keeps somebody's pipe alive for hours.
    posix_spawn_file_actions_addclosefrom_np(&actions, ready >= 0 ? kReadyDescriptor + 1 : kReadyDescriptor);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  static int Run(void* data) {
    auto* self = static_cast<Spawning*>(data);
    pid_t process = 0;
    self->error = posix_spawn(&process, self->program, &self->actions, &self->attributes, self->arguments, self->environment);
    _exit(0);
  }
};

// The daemon must not be a child of the user's process: it would turn up in its os.wait(). So a process in between, which shares our memory
// while we stand still, as vfork's does, spawns it and ends; it has no exit signal, so neither SIGCHLD nor a plain wait() sees it.
absl::Status SpawnDetached(Spawning& spawning) {
  constexpr size_t kStack = 256 << 10;
  std::unique_ptr<char[]> stack(new char[kStack]);
  char* top = stack.get() + kStack - reinterpret_cast<uintptr_t>(stack.get() + kStack) % 16;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // a handler must not run in that process: it would change our memory
  pid_t between = clone(Spawning::Run, top, CLONE_VM | CLONE_VFORK, &spawning);
  int error = errno;
  if (between >= 0)
    while (waitpid(between, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (between < 0)
    return Failed("clone", error);
  return spawning.error == 0 ? absl::OkStatus() : Failed(spawning.program, spawning.error);
}

// Starts the program. `ready`: the descriptor it may say "ready" on, out of the way of 0 to 3; -1: none.
absl::Status Spawn(const Launch& launch, int ready) {
  if (launch.program.empty())
    return absl::FailedPreconditionError("no framegated was found; set FRAMEGATE_DAEMON to its path");
  RETURN_IF_ERROR(PrepareSocketDirectory(launch.socket));
  std::vector<std::string> arguments = {launch.program, "--socket", launch.socket};
  if (ready >= 0)
    arguments.insert(arguments.end(), {"--ready-fd", StrCat(kReadyDescriptor)});
  std::vector<std::string> environment = launch.environment;
  std::vector<char*> argv = Pointers(arguments);
  std::vector<char*> envp = Pointers(environment);
  Spawning spawning(launch.program.c_str(), argv.data(), envp.data(), ready);
  return SpawnDetached(spawning);
}

// The same; what it says can be read from the result.
absl::StatusOr<Descriptor> SpawnWithPipe(const Launch& launch) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Failed("pipe", errno);
  Descriptor reader(ends[0]);
  Descriptor low(ends[1]);
  Descriptor writer(fcntl(low.get(), F_DUPFD_CLOEXEC, kReadyDescriptor + 1));
  if (writer.get() < 0)
    return Failed("pipe", errno);
  RETURN_IF_ERROR(Spawn(launch, writer.get()));
  return reader;
}

absl::Status Pause(int descriptor, std::chrono::milliseconds most, const Patience& patience) {
  pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
  auto left = std::chrono::ceil<std::chrono::milliseconds>(patience.deadline - Clock::now());
  if (left.count() <= 0)
    return absl::DeadlineExceededError("the daemon does not start in time");
  int ready = ::poll(&wanted, descriptor < 0 ? 0 : 1, static_cast<int>(std::min(left, most).count()));
  if (ready < 0 && errno == EINTR && patience.interrupted && patience.interrupted())
    return absl::CancelledError("interrupted by a signal");
  return absl::OkStatus();
}

// Waits for "ready" (true) or "busy" (false).
absl::StatusOr<bool> AwaitReady(const Launch& launch, const Descriptor& reader, const Patience& patience) {
  std::string text;
  while (text != wire::kReady && text != wire::kBusy) {
    RETURN_IF_ERROR(Pause(reader.get(), std::chrono::milliseconds(1000), patience));
    pollfd wanted{.fd = reader.get(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, 0) <= 0)
      continue;
    char buffer[512];
    ssize_t size = ::read(reader.get(), buffer, sizeof buffer);
    if (size <= 0 || text.size() > kMostText)
      return absl::UnavailableError(StrCat(launch.program, " did not start: ", text.empty() ? "it ended without a word" : text));
    text.append(buffer, static_cast<size_t>(size));
  }
  return text == wire::kReady;
}

// Whether somebody listens, be it with a full queue.
bool Answers(const Launch& launch) {
  return !absl::IsUnavailable(Socket::Connect(launch.socket, {.deadline = Clock::now()}).status());
}

// A fcntl lock belongs to the process, so threads of one process need a turn of their own first. The holder is named by process: in a child
// that was forked meanwhile the name is its parent's and counts as free.
std::atomic<pid_t> starting{0};

class Turn {
 public:
  static bool Take() {
    pid_t holder = starting.load();
    return holder != getpid() && starting.compare_exchange_strong(holder, getpid());
  }

  Turn() = default;

  ~Turn() { starting.store(0); }

  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

bool Lock(int descriptor) {
  struct flock whole {};

  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_SETLK, &whole) == 0;
}

absl::Status StartUnderLock(const Launch& launch, const Patience& patience) {
  Turn turn;
  RETURN_IF_ERROR(PrepareSocketDirectory(launch.socket));
  Descriptor lock(::open(StartLockPath(launch.socket).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0)
    return Failed(StartLockPath(launch.socket), errno);
  while (!Lock(lock.get())) {
    if (Answers(launch))
      return absl::OkStatus();
    RETURN_IF_ERROR(Pause(-1, std::chrono::milliseconds(5), patience));
  }
  while (!Answers(launch)) {
    ASSIGN_OR_RETURN(Descriptor reader, SpawnWithPipe(launch));
    ASSIGN_OR_RETURN(bool ready, AwaitReady(launch, reader, patience));
    if (ready)
      return absl::OkStatus();
    // Another one holds the place and does not answer: it is about to, or it is on its way out.
    RETURN_IF_ERROR(Pause(-1, std::chrono::milliseconds(50), patience));
  }
  return absl::OkStatus();
}

bool MaySee(std::string_view name) {
  static constexpr std::string_view kAllowed[] = {"HOME",         "USER",         "LOGNAME",         "PATH",           "LANG",
                                                  "LC_ALL",       "TZ",           "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "LD_LIBRARY_PATH",
                                                  "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"};
  if (name == "FRAMEGATE_DAEMON" || name == "FRAMEGATE_SOCKET")
    return false;  // the first is ours, the second is given as a flag
  return name.starts_with("FRAMEGATE_") || std::find(std::begin(kAllowed), std::end(kAllowed), name) != std::end(kAllowed);
}

}  // namespace

std::vector<std::string> DaemonEnvironment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable; ++variable) {
    std::string_view text(*variable);
    if (MaySee(text.substr(0, text.find('='))))
      environment.emplace_back(text);
  }
  return environment;
}

absl::Status StartDaemon(const Launch& launch, const Patience& patience) {
  while (!Turn::Take()) {
    RETURN_IF_ERROR(Pause(-1, std::chrono::milliseconds(5), patience));
    if (Answers(launch))
      return absl::OkStatus();
  }
  return StartUnderLock(launch, patience);
}

absl::Status LaunchDaemon(const Launch& launch) {
  return Spawn(launch, -1);
}

}  // namespace framegate::client
