#include "client_ext/hook/hook.h"

#include "client_ext/dispatch/run_frame.h"
#include "client_ext/drive/enter.h"

namespace framegate::client {

constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));

namespace {

using pycompat::Evaluator;

int live_threads = 0;
Evaluator previous = _PyEval_EvalFrameDefault;
// A hook that was put on top of ours and was still there when ours had nothing left to do. It goes on calling ours, which then only passes
// frames on; as long as it is the installed one, ours must not be installed on top of it again, or the two would call each other for ever.
Evaluator over_ours = nullptr;

void Install(PyThreadState* thread) {
  const Evaluator current = pycompat::InstalledEvaluator(thread);
  if (current == EvaluateHooked || current == over_ours)
    return;
  previous = current;
  over_ours = nullptr;
  pycompat::InstallEvaluator(thread, EvaluateHooked);
}

void Remove(PyThreadState* thread) {
  const Evaluator current = pycompat::InstalledEvaluator(thread);
  if (current == EvaluateHooked) {
    pycompat::InstallEvaluator(thread, previous);
    over_ours = nullptr;
  } else {
    over_ours = current == _PyEval_EvalFrameDefault ? nullptr : current;
  }
}

}  // namespace

Region* SetLive(PyThreadState* thread, Region* region) {
  Region* before = this_thread.live;
  this_thread.live = region;
  if (before == nullptr && region != nullptr) {
    if (live_threads++ == 0)
      Install(thread);
  } else if (before != nullptr && region == nullptr) {
    if (--live_threads == 0)
      Remove(thread);
  }
  return before;
}

PyObject* RunFrameAsIs(PyThreadState* thread, pycompat::Frame* frame, int throwflag) {
  return pycompat::Evaluate(previous, thread, frame, throwflag);
}

PyObject* EvaluateHooked(PyThreadState* thread, pycompat::Frame* frame, int throwflag) {
  if (this_thread.entering != nullptr) [[unlikely]]
    return TakeStubFrame(thread, frame);
  // A generator's frame comes by on every resume, and is not on top of the data stack: it is never a root.
  if (this_thread.live == nullptr || throwflag || !pycompat::OwnedByThread(frame) || !pycompat::AtFirstInstruction(frame))
    return RunFrameAsIs(thread, frame, throwflag);
  return RunRoot(thread, frame);
}

}  // namespace framegate::client
