#include "server/engine/strikes.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace framegate::server {
namespace {

constexpr size_t kRows = 256;
constexpr size_t kStackBytes = 64 << 10;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The handler's eyes: plain data, readable at any moment.
thread_local void* current_rows = nullptr;
thread_local Hash128 current_key;
void (*strike)(void* rows, const Hash128& key) = nullptr;
int crash_log = -1;

void WriteText(const char* text) {
  (void)!write(crash_log, text, strlen(text));
}

void OnCrash(int number) {
  if (current_rows != nullptr)
    strike(current_rows, current_key);
  if (crash_log >= 0) {
    WriteText("framegated crashed: ");
    WriteText(sigabbrev_np(number));
    WriteText(current_rows != nullptr ? " while translating\n" : "\n");
    void* frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), crash_log);
  }
  // SA_RESETHAND has put the default back: this ends the process as the signal would have.
  raise(number);
}

}  // namespace

// The file is an array of these. A crash may tear one; a torn one refuses a unit that does not
// exist.
struct Strikes::Row {
  Hash128 key;
  uint32_t strikes;

  // Async-signal-safe: memory only.
  static void Strike(void* table, const Hash128& key) {
    Row* rows = static_cast<Row*>(table);
    Row* row = &rows[kRows - 1];
    for (size_t i = kRows; i-- > 0;)
      if (rows[i].strikes == 0 || memcmp(&rows[i].key, &key, sizeof key) == 0)
        row = &rows[i];
    if (memcmp(&row->key, &key, sizeof key) != 0)
      row->strikes = 0;
    row->key = key;
    ++row->strikes;
  }
};

Strikes::Strikes(const std::string& cache_dir) {
  std::string path = cache_dir + "/crashes";
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return;
  struct stat info;
  if (fstat(fd, &info) == 0 && (info.st_size == static_cast<off_t>(kRows * sizeof(Row)) || ftruncate(fd, kRows * sizeof(Row)) == 0)) {
    void* mapped = mmap(nullptr, kRows * sizeof(Row), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED)
      rows_ = static_cast<Row*>(mapped);
  }
  close(fd);
}

Strikes::~Strikes() {
  if (rows_ != nullptr)
    munmap(rows_, kRows * sizeof(Row));
}

bool Strikes::IsRefused(const Hash128& key) const {
  for (size_t i = 0; rows_ != nullptr && i < kRows; ++i)
    if (rows_[i].key == key && rows_[i].strikes >= kMostStrikes)
      return true;
  return false;
}

Strikes::Scope::Scope(Strikes* strikes, const Hash128& key) {
  current_key = key;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  strike = Row::Strike;
  current_rows = strikes->rows_;
}

Strikes::Scope::~Scope() {
  current_rows = nullptr;
}

CrashStack::CrashStack() : stack_(std::make_unique<char[]>(kStackBytes)) {
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
}

CrashStack::~CrashStack() {
  stack_t off{};
  off.ss_flags = SS_DISABLE;
  sigaltstack(&off, nullptr);
}

void HandleCrashes(int log_fd) {
  crash_log = log_fd;
  void* frames[1];
  backtrace(frames, 1);  // loads what it needs now: the handler must not

  struct sigaction action {};

  action.sa_handler = OnCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (int number : kSignals)
    sigaction(number, &action, nullptr);
}

}  // namespace framegate::server
