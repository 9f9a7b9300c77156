#include "client_ext/pycompat/evaluator.h"

#include <pthread.h>

namespace framegate::pycompat {

namespace {

// Enough for what an evaluation calls before it can notice; a hooked frame takes about 600 bytes.
constexpr uintptr_t kReserve = 192 * 1024;

// The lowest address the thread's C stack may reach, plus the reserve; 1 where it is not known.
uintptr_t StackFloor() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 1;
  void* low = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0 && size > 2 * kReserve;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<uintptr_t>(low) + kReserve : 1;
}

bool StackIsLow() {
  static thread_local uintptr_t floor __attribute__((tls_model("initial-exec"))) = 0;
  if (floor == 0) [[unlikely]]
    floor = StackFloor();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < floor;
}

}  // namespace

Evaluator InstalledEvaluator(PyThreadState* thread) {
  return _PyInterpreterState_GetEvalFrameFunc(thread->interp);
}

void InstallEvaluator(PyThreadState* thread, Evaluator evaluator) {
  _PyInterpreterState_SetEvalFrameFunc(thread->interp, evaluator);
}

PyObject* Evaluate(Evaluator evaluator, PyThreadState* thread, Frame* frame, int throwflag) {
  if (StackIsLow()) [[unlikely]] {
    if (!throwflag)
      PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded");
    return evaluator(thread, frame, 1);
  }
#if PY_VERSION_HEX >= 0x030C0000
  constexpr int kUnits = 2;  // PY_EVAL_C_STACK_UNITS
  thread->c_recursion_remaining += kUnits;
  PyObject* result = evaluator(thread, frame, throwflag);
  thread->c_recursion_remaining -= kUnits;
  return result;
#else
  return evaluator(thread, frame, throwflag);
#endif
}

}  // namespace framegate::pycompat
