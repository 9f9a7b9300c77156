#include "client_ext/drive/act.h"

#include <utility>

#include "client_ext/dispatch/code_extra.h"
#include "client_ext/drive/enter.h"
#include "client_ext/drive/levels.h"
#include "client_ext/pycompat/exceptions.h"
#include "client_ext/pycompat/frame.h"

namespace framegate::client {

namespace {

using model::BreakKind;
using model::Resume;
using pycompat::Ref;

// Runs the innermost frame's code, as it stands, with another code object in its place. The pending frame keeps its own cells.
PyObject* RunCopy(PyThreadState* thread, Pending* pending, PyCodeObject* code, PyObject* exception) {
  std::vector<PyObject*> cells(pending->top_cells(), pending->top_cells() + pending->top_count());
  for (PyObject* cell : cells)
    Py_XINCREF(cell);
  return EnterFrame(thread, {.function = pending->top().function.get(),
                             .code = code,
                             .cells = cells.data(),
                             .depth = pending->top().depth,
                             .offset = pending->top().offset,
                             .exception = exception});
}

void TakeError(PyThreadState* thread, Pending* pending) {
  pending->exception = Ref::Steal(pycompat::TakeRaised());
  RaiseInTop(thread, pending);
}

void RunInstruction(PyThreadState* thread, Pending* pending) {
  const model::PendingFrame& row = *pending->top().row;
  PyCodeObject* patched = CodeExtra::StoppingAt(pending->top_code(), row.next, row.pushes);
  if (patched == nullptr)
    return TakeError(thread, pending);
  Ref results;
  const auto run = [&] {
    results = Ref::Steal(RunCopy(thread, pending, patched, nullptr));
    if (!results)
      pending->exception = Ref::Steal(pycompat::TakeRaised());
  };
  bool ran = false;
  if (!RunBelow(thread, *pending, pending->frames().size() - 1, run, &ran) && !pending->exception)
    return TakeError(thread, pending);
  PyErr_Clear();
  if (pending->exception)
    return;
  pending->Shrink(pending->top().depth - row.pops);
  for (uint32_t i = 0; i < row.pushes; ++i)
    pending->Push(Py_XNewRef(PyTuple_GET_ITEM(results.get(), static_cast<Py_ssize_t>(i))));
  pending->top().offset = row.next;
}

// A conditional jump: `truth` of the value on top.
void Jump(Pending* pending, bool truth) {
  const model::PendingFrame& row = *pending->top().row;
  const bool jumps = truth == row.jump_if;
  if (!jumps || !row.keep_on_jump)
    Py_DECREF(pending->Pop());
  pending->top().offset = jumps ? row.jump : row.next;
}

void RunTruth(PyThreadState* thread, Pending* pending) {
  const int truth = PyObject_IsTrue(pending->peek());
  if (truth < 0)
    return TakeError(thread, pending);
  Jump(pending, truth == 1);
}

void EndLoop(Pending* pending) {
  Py_DECREF(pending->Pop());
  pending->top().offset = pending->top().row->jump;
}

void RunNext(PyThreadState* thread, Pending* pending) {
  PyObject* iterator = pending->peek();
  PyObject* item = nullptr;
  if (iterator != nullptr && PyIter_Check(iterator))
    item = PyIter_Next(iterator);
  else
    PyErr_SetString(PyExc_SystemError, "framegate: a loop over something that is no iterator");
  if (item == nullptr && PyErr_Occurred())
    return TakeError(thread, pending);
  if (item == nullptr)
    return EndLoop(pending);
  pending->Push(item);
  pending->top().offset = pending->top().row->next;
}

// What __bool__ or __len__ (its name says which) gave, as a truth; -1 with the exception set that the interpreter would raise.
int TruthOfResult(PyObject* value, PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__len__") != 0) {
    if (PyBool_Check(value))
      return value == Py_True;
    PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s", Py_TYPE(value)->tp_name);
    return -1;
  }
  const Ref index = Ref::Steal(PyNumber_Index(value));
  if (!index)
    return -1;
  const Py_ssize_t length = PyNumber_AsSsize_t(index.get(), PyExc_OverflowError);
  if (length < 0 && !PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
  return length < 0 ? -1 : length > 0;
}

bool IsInverted(PyCodeObject* code, uint32_t offset) {
  return pycompat::OpargAt(code, offset) != 0;
}

// Pushes the truth that `truth` is, inverted or not. False where it is an error.
bool PushTruth(Pending* pending, int truth, bool invert) {
  if (truth >= 0)
    pending->Push(PyBool_FromLong((truth == 1) != invert));
  return truth >= 0;
}

// False with an exception set.
bool TakeValue(Pending* pending, Ref value, PyObject* name) {
  const model::PendingFrame& row = *pending->top().row;
  switch (row.resume) {
    case Resume::kInnermost:
    case Resume::kPush:
    case Resume::kNext:
    case Resume::kOperand:
      pending->Push(value.release());
      return true;
    case Resume::kDiscard:
    case Resume::kReturnSelf:
      return true;
    case Resume::kInit:
      if (value.get() == Py_None)
        return true;
      PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'", Py_TYPE(value.get())->tp_name);
      return false;
    case Resume::kNot:
    case Resume::kBool:
      return PushTruth(pending, TruthOfResult(value.get(), name), row.resume == Resume::kNot);
    case Resume::kContains:
      return PushTruth(pending, PyObject_IsTrue(value.get()), IsInverted(pending->top_code(), row.offset));
    case Resume::kGetIter:
      if (PyIter_Check(value.get())) {
        pending->Push(value.release());
        return true;
      }
      PyErr_Format(PyExc_TypeError, "iter() returned non-iterator of type '%.100s'", Py_TYPE(value.get())->tp_name);
      return false;
    case Resume::kTruth:
      break;
  }
  return false;
}

}  // namespace

void RaiseInTop(PyThreadState* thread, Pending* pending) {
  PyCodeObject* copy = CodeExtra::WithoutHandlers(pending->top_code());
  PyObject* result = copy == nullptr ? nullptr : RunCopy(thread, pending, copy, pending->exception.get());
  Py_XDECREF(result);
  pending->exception = Ref::Steal(pycompat::TakeRaised());
}

void ActOnBreak(PyThreadState* thread, Pending* pending) {
  switch (pending->plan().kind) {
    case BreakKind::kInstruction:
      return RunInstruction(thread, pending);
    case BreakKind::kTruth:
      return RunTruth(thread, pending);
    case BreakKind::kRaise:
      return pending->plan().traced ? void() : RaiseInTop(thread, pending);
    case BreakKind::kNext:
      return RunNext(thread, pending);
    case BreakKind::kGoOn:
      return;
  }
}

void DeliverValue(PyThreadState* thread, Pending* pending, PyObject* given, PyObject* name) {
  Ref value = Ref::Steal(given);
  const model::PendingFrame& row = *pending->top().row;
  pending->top().waits = false;
  if (row.resume == Resume::kTruth) {
    const int truth = TruthOfResult(value.get(), name);
    if (truth < 0)
      return TakeError(thread, pending);
    pending->top().offset = (truth == 1) == row.jump_if ? row.jump : row.next;
    return;
  }
  if (!TakeValue(pending, std::move(value), name))
    return TakeError(thread, pending);
  pending->top().offset = row.next;
}

bool Unwind(PyThreadState* thread, Pending* pending, bool raised_here) {
  for (; !pending->empty(); raised_here = false) {
    Pending::Frame& frame = pending->top();
    if (!raised_here) {
      frame.waits = false;
      if (frame.row->resume == Resume::kNext && PyErr_GivenExceptionMatches(pending->exception.get(), PyExc_StopIteration)) {
        pending->exception.reset();
        EndLoop(pending);
        return true;
      }
      RaiseInTop(thread, pending);
    }
    pycompat::Handler handler;
    if (!pycompat::FindHandler(pending->top_code(), frame.offset, &handler)) {
      pending->DropTop();
      continue;
    }
    pending->Shrink(handler.depth);
    if (handler.lasti)
      pending->Push(PyLong_FromUnsignedLong(frame.offset));
    pending->Push(pending->exception.release());
    frame.offset = handler.target;
    return true;
  }
  return false;
}

}  // namespace framegate::client
