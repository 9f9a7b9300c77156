// The PEP 523 hook. Installed while a region is live in some thread, chained to whatever was installed before; otherwise not there, so that
// a program pays nothing. GIL held.
#pragma once

#include "client_ext/hook/thread.h"
#include "client_ext/pycompat/evaluator.h"

namespace framegate::client {

// Makes `region` (null: none) the calling thread's live one; gives the one before. The caller keeps `region` alive until it puts the old
// one back.
Region* SetLive(PyThreadState* thread, Region* region);

// The same for a scope.
class LiveScope {
 public:
  LiveScope(PyThreadState* thread, Region* region) : thread_(thread), before_(SetLive(thread, region)) {}

  ~LiveScope() { SetLive(thread_, before_); }

  LiveScope(const LiveScope&) = delete;
  LiveScope& operator=(const LiveScope&) = delete;

 private:
  PyThreadState* thread_;
  Region* before_;
};

// Runs the frame as it is: under the hook that was there before ours, or the default evaluator.
PyObject* RunFrameAsIs(PyThreadState* thread, pycompat::Frame* frame, int throwflag);

// The hook itself; drive installs it around the call of a stub whose frame it is to take.
PyObject* EvaluateHooked(PyThreadState* thread, pycompat::Frame* frame, int throwflag);

}  // namespace framegate::client
