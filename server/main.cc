// framegated: the daemon. Reads its settings, tells who started it when it listens, and serves
// until there is a reason to end.
//
// Threads: this one runs Daemon::Run (accepting); one waits for signals; gRPC's move bytes; the
// store has a writer and the engine a heart; translations have threads of their own while there are
// any. It never forks.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "base/strings.h"
#include "proto/wire/contract.h"
#include "server/engine/doors.h"
#include "server/engine/strikes.h"
#include "server/log.h"
#include "server/service/daemon.h"
#include "server/settings.h"

namespace framegate::server {
namespace {

struct CommandLine {
  std::vector<std::string> flags = std::vector<std::string>(SettingRows().size());
  int ready_fd = -1;
};

// What is wrong with the command line, or --help, ends the process here.
CommandLine ReadCommandLine(int argc, char** argv) {
  CommandLine line;
  CLI::App app("framegated " FRAMEGATE_BUILD ": translates Python frames once for all processes of a user");
  const std::vector<SettingRow>& rows = SettingRows();
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string flag(rows[i].flag);
    std::string doc = StrCat(rows[i].doc, " [", rows[i].variable, "]");
    if (rows[i].is_switch)
      app.add_flag_callback(
          flag, [&line, i] { line.flags[i] = "yes"; }, doc);
    else
      app.add_option(flag, line.flags[i], doc);
  }
  app.add_option("--ready-fd", line.ready_fd, "descriptor that is told \"ready\", \"busy\" or an error, and closed");
  app.set_version_flag("--version", FRAMEGATE_BUILD);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit(app.exit(error));
  }
  return line;
}

void TellStarter(int fd, const std::string& text) {
  if (fd < 0)
    return;
  (void)!write(fd, text.data(), text.size());
  close(fd);
}

void SetLimits() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // Code of users is in memory: it belongs in no core file.
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // When memory runs out it shall be us and not the training job.
  if (int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    (void)!write(fd, "500", 3);
    close(fd);
  }
  // One heap for each of many threads would cost more than it gives.
  mallopt(M_ARENA_MAX, 2);
  umask(077);
  signal(SIGPIPE, SIG_IGN);
  (void)!chdir("/");
}

// REQUIRES: `signals` are blocked in all threads. The second one ends the process as it is.
void StopOnSignal(sigset_t signals, Daemon* daemon) {
  int number = 0;
  sigwait(&signals, &number);
  daemon->Stop(StrCat("signal ", sigabbrev_np(number)));
  sigwait(&signals, &number);
  _exit(1);
}

void MakeDirectories(const std::string& directory) {
  for (size_t slash = directory.find('/', 1); slash != std::string::npos; slash = directory.find('/', slash + 1))
    mkdir(directory.substr(0, slash).c_str(), 0700);
  mkdir(directory.c_str(), 0700);
}

int Serve(const Settings& settings, int ready_fd) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Start(settings, RealDoors());
  if (!daemon.ok()) {
    bool busy = daemon.status().code() == absl::StatusCode::kAlreadyExists;
    std::string text(daemon.status().message());
    spdlog::log(busy ? spdlog::level::info : spdlog::level::err, "not started: {}", text);
    fprintf(stderr, "framegated: %s\n", text.c_str());
    TellStarter(ready_fd, busy ? wire::kBusy : text);
    return busy ? 0 : 1;
  }
  TellStarter(ready_fd, wire::kReady);
  std::thread(StopOnSignal, signals, daemon->get()).detach();
  (*daemon)->Run();
  spdlog::shutdown();
  // No destructors: what mattered is flushed, and a translation that computes would hold us up.
  _exit(0);
}

int Main(int argc, char** argv) {
  CommandLine line = ReadCommandLine(argc, argv);
  absl::StatusOr<Settings> settings = ReadSettings(line.flags);
  if (!settings.ok()) {
    std::string text(settings.status().message());
    fprintf(stderr, "framegated: %s\n", text.c_str());
    TellStarter(line.ready_fd, text);
    return 2;
  }
  SetLimits();
  MakeDirectories(settings->cache_dir);
  if (absl::Status status = OpenLog(*settings); !status.ok())
    spdlog::warn("{}", std::string(status.message()));
  HandleCrashes(open(settings->log_file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  return Serve(*settings, line.ready_fd);
}

}  // namespace
}  // namespace framegate::server

int main(int argc, char** argv) {
  return framegate::server::Main(argc, argv);
}
