#include "client_ext/session/daemon/daemon.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_daemon.h"

namespace framegate::client {
namespace {

using std::chrono::milliseconds;

Daemon::Options At(const std::string& socket) {
  Daemon::Options options;
  options.launch.socket = socket;
  return options;
}

FakeDaemon::Answer Kind(const std::string&, int, const std::string& message) {
  return FakeDaemon::Welcome(message);
}

milliseconds TimeOf(const std::function<void()>& work) {
  TimePoint start = Clock::now();
  work();
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

TEST(Daemon, OneHelloServesManyCalls) {
  FakeDaemon fake(Kind);
  Daemon daemon(At(fake.path()));
  for (int i = 0; i < 3; ++i) {
    auto connection = daemon.Acquire({});
    ASSERT_TRUE(connection.ok()) << connection.status();
    EXPECT_EQ((*connection)->server.build, "fake");
    daemon.Release(*std::move(connection));
  }
  EXPECT_EQ(fake.hellos, 1);
}

TEST(Daemon, Off) {
  FakeDaemon fake(Kind);
  Daemon::Options options = At(fake.path());
  options.off = true;
  EXPECT_EQ(Daemon(options).Acquire({}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(fake.hellos, 0);
}

TEST(Daemon, AnotherBuildIsAskedOnceAndNotAgainAtOnce) {
  FakeDaemon fake(
      [](auto, auto, auto) { return FakeDaemon::Answer{.status = grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "builds differ")}; });
  Daemon daemon(At(fake.path()));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(daemon.Acquire({}).status(), absl::FailedPreconditionError("builds differ"));
  EXPECT_EQ(fake.hellos, 1);
}

TEST(Daemon, ASilentDaemonCostsOnceAndIsFoundWhenItWakes) {
  std::atomic<bool> awake = false;
  FakeDaemon fake([&](auto, auto, auto message) { return awake ? FakeDaemon::Welcome(message) : FakeDaemon::Answer{.end = false}; });
  Daemon daemon(At(fake.path()));
  milliseconds first = TimeOf([&] { EXPECT_EQ(daemon.Acquire({}).status().code(), absl::StatusCode::kDeadlineExceeded); });
  EXPECT_GE(first, milliseconds(120));
  EXPECT_LT(first, milliseconds(1500));
  milliseconds waited{0};
  for (int i = 0; i < 70; ++i) {
    waited += TimeOf([&] { EXPECT_EQ(daemon.Acquire({}).status().code(), absl::StatusCode::kUnavailable); });
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(fake.hellos, 2);  // the probe after 0.5 s
  EXPECT_LT(waited, milliseconds(500));
  awake = true;
  TimePoint end = Clock::now() + milliseconds(15'000);
  absl::StatusOr<std::unique_ptr<Connection>> connection = absl::UnavailableError("");
  while (!connection.ok() && Clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(20));
    connection = daemon.Acquire({});
  }
  ASSERT_TRUE(connection.ok()) << connection.status();
  daemon.Release(*std::move(connection));
  EXPECT_TRUE(daemon.Acquire({}).ok());
}

TEST(Daemon, AnswersThatAreErrorsAreNoFaults) {
  FakeDaemon fake([](const std::string& method, int, const std::string& message) {
    return method == "Hello" ? FakeDaemon::Welcome(message)
                             : FakeDaemon::Answer{.status = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too much")};
  });
  Daemon daemon(At(fake.path()));
  for (int i = 0; i < 3; ++i) {
    auto connection = daemon.Acquire({});
    ASSERT_TRUE(connection.ok()) << connection.status();
    absl::Status status = FindEntries(*(*connection)->channel, "key", std::nullopt, daemon.patience()).status();
    EXPECT_EQ(daemon.Drop(*std::move(connection), status), absl::ResourceExhaustedError("too much"));
  }
  EXPECT_EQ(fake.hellos, 1);
}

TEST(Daemon, AForkedChildMakesItsOwnConnection) {
  FakeDaemon fake(Kind);
  Daemon daemon(At(fake.path()));
  daemon.Release(*daemon.Acquire({}));
  pid_t child = fork();
  if (child == 0) {
    auto connection = daemon.Acquire({});
    bool fine = connection.ok() && (*connection)->channel->owned_by_this_process();
    _exit(fine ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fake.hellos, 2);
  EXPECT_TRUE(daemon.Acquire({}).ok());
  EXPECT_EQ(fake.hellos, 2);
}

// A program in a folder of its own that stands for framegated.
class Program {
 public:
  explicit Program(const std::string& body) {
    char pattern[] = "/tmp/framegate-test-XXXXXX";
    folder_ = mkdtemp(pattern);
    std::ofstream(path()) << "#!" << FRAMEGATE_PYTHON << "\nimport os, socket, sys, time\n"
                          << "path = sys.argv[sys.argv.index('--socket') + 1]\n"
                          << "def say(text):\n    os.write(int(sys.argv[sys.argv.index('--ready-fd') + 1]), text)\n"
                          << "def listen():\n    s = socket.socket(socket.AF_UNIX)\n    s.bind(path)\n    s.listen(5)\n    return s\n"
                          << body;
    chmod(path().c_str(), 0700);
  }

  ~Program() {
    for (const char* name : {"/framegated", "/s", "/s.start", "/log"})
      unlink((folder_ + name).c_str());
    rmdir(folder_.c_str());
  }

  std::string path() const { return folder_ + "/framegated"; }

  Launch launch() const { return {.program = path(), .socket = folder_ + "/s", .environment = {"SEEN=1"}}; }

  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/log").rdbuf();
    return text.str();
  }

 private:
  std::string folder_;
};

Patience Budget(int ms = 20'000) {
  return {.deadline = Clock::now() + milliseconds(ms)};
}

TEST(Launch, StartsDetachedWithNothingOfOurs) {
  setenv("NOT_FOR_DAEMONS", "1", 1);
  Program program(R"(
s = listen()
fds = [int(f) for f in os.listdir('/proc/self/fd') if int(f) > 3 and os.path.exists('/proc/self/fd/' + f)]
seen = '%s %s %s %s' % (sorted(os.environ), fds == [s.fileno()], os.getsid(0) == os.getpid(), os.getcwd())
open(os.path.dirname(path) + '/log', 'w').write(seen)
say(b'ready\n')
time.sleep(0.5)
)");
  absl::Status status = StartDaemon(program.launch(), Budget());
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(program.log(), testing::MatchesRegex(R"(\[.*'SEEN'.*\] True True /)"));
  EXPECT_THAT(program.log(), testing::Not(testing::HasSubstr("NOT_FOR")));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "it is our child";
  EXPECT_EQ(errno, ECHILD);
}

TEST(Launch, TellsWhyItDidNotStart) {
  Program refuses("say(b'no room on the disk')");
  absl::Status status = StartDaemon(refuses.launch(), Budget());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("no room on the disk"));
  Program ends("");
  EXPECT_EQ(StartDaemon(ends.launch(), Budget()).code(), absl::StatusCode::kUnavailable);
  Program hangs("time.sleep(2)");
  EXPECT_EQ(StartDaemon(hangs.launch(), Budget(150)).code(), absl::StatusCode::kDeadlineExceeded);
  Launch nothing = ends.launch();
  nothing.program = "/nowhere/framegated";
  EXPECT_EQ(StartDaemon(nothing, Budget()).code(), absl::StatusCode::kUnavailable);
  nothing.program = "";
  EXPECT_EQ(StartDaemon(nothing, Budget()).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Launch, WaitsForAPlaceThatIsBusy) {
  // The first one finds the place taken by one that is on its way out; the second one gets it.
  Program program(R"(
log = os.path.dirname(path) + '/log'
open(log, 'a').write('x')
if os.path.getsize(log) == 1:
    say(b'busy\n')
else:
    listen_on = listen()
    say(b'ready\n')
    time.sleep(0.3)
)");
  absl::Status status = StartDaemon(program.launch(), Budget());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.log(), "xx");
}

TEST(Launch, ManyStartersStartOne) {
  Program program(R"(
open(os.path.dirname(path) + '/log', 'a').write('x')
time.sleep(0.05)
s = listen()
say(b'ready\n')
time.sleep(3)
)");
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    pid_t child = fork();
    if (child == 0) {
      std::atomic<int> fine = 0;
      std::vector<std::thread> threads;
      for (int j = 0; j < 3; ++j)
        threads.emplace_back([&] { fine += StartDaemon(program.launch(), Budget()).ok(); });
      for (std::thread& thread : threads)
        thread.join();
      _exit(fine == 3 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(program.log(), "x");
}

}  // namespace
}  // namespace framegate::client
