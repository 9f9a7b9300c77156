#include "client_ext/transport/starved.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace framegate::client {
namespace {

bool Becomes(pid_t process, bool runnable) {
  for (int i = 0; i < 500; ++i) {
    if (IsRunnable(process) == runnable)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Starved, TellsBusyFromStoppedFromSleepingFromDead) {
  pid_t child = fork();
  if (child == 0)
    while (std::chrono::steady_clock::now().time_since_epoch().count() != 0) {
    }
  EXPECT_TRUE(Becomes(child, true));
  kill(child, SIGSTOP);
  EXPECT_TRUE(Becomes(child, false));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(IsRunnable(child));
  child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_TRUE(Becomes(child, false));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Starved, TheLookingThreadDoesNotCount) {
  EXPECT_FALSE(IsRunnable(getpid()));
}

}  // namespace
}  // namespace framegate::client
