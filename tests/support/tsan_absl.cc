// Linked into tests under ThreadSanitizer only. Debian's absl was built without it, so the sanitizer does
// not see that absl::Mutex and absl::Notification order memory and reports races that are none. The
// definitions here come before the library's, tell the sanitizer, and call the library's own.
#include <dlfcn.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);

namespace {

// A member function of the library, by its mangled name (Debian calls its inline namespace debian3), as a
// plain function.
template <typename Result, typename... Arguments>
auto Library(const char* symbol) {
  return reinterpret_cast<Result (*)(Arguments...)>(dlsym(RTLD_NEXT, symbol));
}

}  // namespace

#define FRAMEGATE_ABSL_(name) "_ZN4absl7debian3" name

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static const auto library = Library<void, Mutex*>(FRAMEGATE_ABSL_("5Mutex4LockEv"));
  library(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static const auto library = Library<void, Mutex*>(FRAMEGATE_ABSL_("5Mutex6UnlockEv"));
  __tsan_release(this);
  library(this);
}

void Mutex::ReaderLock() {
  static const auto library = Library<void, Mutex*>(FRAMEGATE_ABSL_("5Mutex10ReaderLockEv"));
  library(this);
  __tsan_acquire(this);
}

void Mutex::ReaderUnlock() {
  static const auto library = Library<void, Mutex*>(FRAMEGATE_ABSL_("5Mutex12ReaderUnlockEv"));
  __tsan_release(this);
  library(this);
}

bool Mutex::TryLock() {
  static const auto library = Library<bool, Mutex*>(FRAMEGATE_ABSL_("5Mutex7TryLockEv"));
  const bool locked = library(this);
  if (locked) {
    __tsan_acquire(this);
  }
  return locked;
}

// Conditions are not left to the library, which evaluates those of one thread in another: there they look like races.
void Mutex::LockWhen(const Condition& condition) {
  Lock();
  Await(condition);
}

void Mutex::Await(const Condition& condition) {
  AwaitWithDeadline(condition, InfiniteFuture());
}

bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  return AwaitWithDeadline(condition, Now() + timeout);
}

bool Mutex::AwaitWithDeadline(const Condition& condition, Time deadline) {
  while (!condition.Eval()) {
    if (Now() >= deadline)
      return false;
    Unlock();
    SleepFor(Milliseconds(1));
    Lock();
  }
  return true;
}

void CondVar::Wait(Mutex* mutex) {
  static const auto library = Library<void, CondVar*, Mutex*>(FRAMEGATE_ABSL_("7CondVar4WaitEPNS0_5MutexE"));
  __tsan_release(mutex);
  library(this, mutex);
  __tsan_acquire(mutex);
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static const auto library =
      Library<bool, CondVar*, Mutex*, Duration>(FRAMEGATE_ABSL_("7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE"));
  __tsan_release(mutex);
  const bool expired = library(this, mutex, timeout);
  __tsan_acquire(mutex);
  return expired;
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static const auto library = Library<bool, CondVar*, Mutex*, Time>(FRAMEGATE_ABSL_("7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE"));
  __tsan_release(mutex);
  const bool expired = library(this, mutex, deadline);
  __tsan_acquire(mutex);
  return expired;
}

void Notification::Notify() {
  static const auto library = Library<void, Notification*>(FRAMEGATE_ABSL_("12Notification6NotifyEv"));
  __tsan_release(this);
  library(this);
}

void Notification::WaitForNotification() const {
  static const auto library = Library<void, const Notification*>("_ZNK4absl7debian312Notification19WaitForNotificationEv");
  library(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  static const auto library =
      Library<bool, const Notification*, Duration>("_ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE");
  const bool notified = library(this, timeout);
  __tsan_acquire(const_cast<Notification*>(this));
  return notified;
}

ABSL_NAMESPACE_END
}  // namespace absl
