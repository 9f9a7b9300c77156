#include "client_ext/drive/levels.h"

#include <utility>

#include "client_ext/dispatch/code_extra.h"
#include "client_ext/drive/enter.h"
#include "client_ext/pycompat/exceptions.h"

namespace framegate::client {

namespace {

struct Descent {
  PyThreadState* thread;
  const Pending* pending;
  size_t count;
  absl::FunctionRef<void()> action;
  bool* ran;
  size_t at = 0;
};

// What the next call of `descend` goes on with; set just before the frame that makes it is entered.
thread_local Descent* next_descent = nullptr;
PyObject* descend = nullptr;

bool GoDown(Descent& descent);

PyObject* Descend(PyObject*, PyObject*) {
  Descent* descent = std::exchange(next_descent, nullptr);
  if (descent == nullptr) {
    PyErr_SetString(PyExc_SystemError, "framegate: this is called by waiting frames only");
    return nullptr;
  }
  return GoDown(*descent) ? Py_NewRef(Py_None) : nullptr;
}

PyMethodDef definition = {"descend", Descend, METH_NOARGS, nullptr};

// A copy of the frame, standing at its instruction, that calls `descend` there.
bool EnterLevel(Descent& descent, const Pending::Frame& frame, PyObject* const* cells) {
  auto* code = reinterpret_cast<PyCodeObject*>(frame.code.get());
  PyCodeObject* copy = CodeExtra::CallingAt(code, frame.offset);
  if (copy == nullptr)
    return false;
  std::vector<PyObject*> own(cells, cells + frame.slots + frame.depth);
  for (PyObject* cell : own)
    Py_XINCREF(cell);
  own.resize(own.size() + 2);
  own[own.size() - (pycompat::kNullBelowCallable ? 1 : 2)] = Py_NewRef(descend);
  next_descent = &descent;
  PyObject* done =
      EnterFrame(descent.thread,
                 {.function = frame.function.get(), .code = copy, .cells = own.data(), .depth = frame.depth + 2, .offset = frame.offset});
  next_descent = nullptr;
  if (done != nullptr) {
    Py_DECREF(done);
    return true;
  }
  PyObject* raised = pycompat::TakeRaised();
  pycompat::DropTracebackEntry(raised, copy);
  pycompat::SetRaised(raised);
  return false;
}

bool GoDown(Descent& descent) {
  if (descent.at < descent.count) {
    const Pending::Frame& frame = descent.pending->frames()[descent.at++];
    return EnterLevel(descent, frame, descent.pending->cells() + frame.begin);
  }
  *descent.ran = true;
  descent.action();
  return true;
}

}  // namespace

bool InitLevels() {
  descend = PyCFunction_New(&definition, nullptr);
  return descend != nullptr;
}

bool RunBelow(PyThreadState* thread, const Pending& pending, size_t count, absl::FunctionRef<void()> action, bool* ran) {
  *ran = false;
  Descent descent{thread, &pending, count, action, ran};
  return GoDown(descent);
}

}  // namespace framegate::client
