#include "client_ext/session/gil.h"

#include <utility>

namespace framegate::client {

namespace {

// This thread's state while it waits; null while it has the GIL.
thread_local PyThreadState* waiting = nullptr;

}  // namespace

void WithoutGil(const std::function<void()>& wait) {
  waiting = PyEval_SaveThread();
  wait();
  PyEval_RestoreThread(std::exchange(waiting, nullptr));
}

bool SignalRaised() {
  PyEval_RestoreThread(std::exchange(waiting, nullptr));
  const bool raised = PyErr_CheckSignals() != 0;
  waiting = PyEval_SaveThread();
  return raised;
}

}  // namespace framegate::client
