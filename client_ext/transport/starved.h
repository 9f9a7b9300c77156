// Is a silent peer at fault, or does it wait for a processor? Reads /proc; no state. Thread-safe.
#pragma once

#include <sys/types.h>

namespace framegate::client {

// True while a thread of the process is runnable. False where it cannot be seen.
bool IsRunnable(pid_t process);

}  // namespace framegate::client
