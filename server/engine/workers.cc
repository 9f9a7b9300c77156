#include "server/engine/workers.h"

#include <malloc.h>
#include <pthread.h>
#include <spdlog/spdlog.h>

#include <thread>

#include "server/engine/strikes.h"

namespace framegate::server {
namespace {

// Address space, not memory: the interpreter recurses with the depth of inlined calls.
constexpr size_t kStackBytes = 256 << 20;
// Beyond it tasks wait in the queue: each thread may be waiting for a client.
constexpr uint64_t kMostThreads = 64;

// What a large translation has freed lies between what stays: it goes back to the system while nobody waits.
void ReleaseFreed() {
  constexpr size_t kMostFree = 32 << 20;
  if (mallinfo2().fordblks > kMostFree)
    malloc_trim(0);
}

}  // namespace

Workers::Workers(uint64_t at_once, uint64_t most_tasks)
    : most_tasks_(most_tasks), turns_(at_once != 0 ? at_once : std::max(1u, std::thread::hardware_concurrency())) {}

Workers::~Workers() {
  absl::MutexLock lock(&mutex_);
  auto over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return threads_ == 0; };
  mutex_.Await(absl::Condition(&over));
}

bool Workers::Run(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (tasks_ >= most_tasks_)
    return false;
  ++tasks_;
  queue_.push_back(std::move(task));
  if (threads_ >= kMostThreads)
    return true;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, Enter, this);
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    ++threads_;
  } else if (threads_ == 0) {
    spdlog::error("cannot start a thread: {}", strerror(error));
    queue_.pop_back();
    --tasks_;
    return false;
  }
  return true;
}

void* Workers::Enter(void* self) {
  CrashStack stack;  // so that an overflow of this thread's own stack is caught as well
  static_cast<Workers*>(self)->Work();
  ReleaseFreed();
  return nullptr;
}

void Workers::Work() {
  absl::MutexLock lock(&mutex_);
  while (!queue_.empty()) {
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    auto has_turn = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return turns_ > 0; };
    mutex_.Await(absl::Condition(&has_turn));
    --turns_;
    mutex_.Unlock();
    task();
    task = nullptr;  // what it holds goes before others run
    mutex_.Lock();
    ++turns_;
    --tasks_;
  }
  --threads_;
}

void Workers::GiveTurn() {
  absl::MutexLock lock(&mutex_);
  ++turns_;
}

void Workers::TakeTurn() {
  absl::MutexLock lock(&mutex_);
  auto has_turn = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return turns_ > 0; };
  mutex_.Await(absl::Condition(&has_turn));
  --turns_;
}

}  // namespace framegate::server
