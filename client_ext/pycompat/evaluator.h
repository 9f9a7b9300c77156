// The interpreter's evaluator: which one is installed, and calling it so that a hooked call costs a program no more recursion depth than
// an unhooked one. GIL held.
#pragma once

#include "client_ext/pycompat/frame.h"

namespace framegate::pycompat {

using Evaluator = _PyFrameEvalFunction;

// Never null; _PyEval_EvalFrameDefault where no hook is installed.
Evaluator InstalledEvaluator(PyThreadState* thread);
void InstallEvaluator(PyThreadState* thread, Evaluator evaluator);

// `evaluator` on the frame. From 3.12 on an evaluation entered from C counts against a limit for C recursion that an inlined call does not
// touch, so it is given back here; where the C stack really is nearly used up, RecursionError is raised in its place.
PyObject* Evaluate(Evaluator evaluator, PyThreadState* thread, Frame* frame, int throwflag);

// Whether a trace or profile function, or a tool that watches lines or instructions, sees what this thread runs.
inline bool IsTraced(const PyThreadState* thread) {
#if PY_VERSION_HEX >= 0x030C0000
  const auto& tools = thread->interp->monitors.tools;
  constexpr int kLine = 5, kInstruction = 6;  // sys.monitoring's numbers; the macros are in a header that C++ cannot read on 3.12
  return thread->c_tracefunc != nullptr || thread->c_profilefunc != nullptr || (tools[kLine] | tools[kInstruction]) != 0;
#else
  return thread->c_tracefunc != nullptr || thread->c_profilefunc != nullptr;
#endif
}

}  // namespace framegate::pycompat
