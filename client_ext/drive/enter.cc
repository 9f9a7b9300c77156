#include "client_ext/drive/enter.h"

#include <opcode.h>

#include <array>
#include <bit>

#include "client_ext/hook/hook.h"
#include "client_ext/pycompat/code.h"
#include "client_ext/pycompat/exceptions.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// Stubs by the size of their frame, 2^n words; made when first needed.
constexpr size_t kSmallest = 5, kLargest = 24;
std::array<PyObject*, kLargest + 1> stubs{};
PyCodeObject* nothing = nullptr;       // returns None
pycompat::Evaluator around = nullptr;  // the evaluator to put back once the stub's frame is taken

// A function that returns None, in a frame of at least `words`.
PyObject* NewStub(int words) {
  const char code[] = {static_cast<char>(RESUME), 0, static_cast<char>(LOAD_CONST), 0, static_cast<char>(RETURN_VALUE), 0};
  const Ref bytes = Ref::Steal(PyBytes_FromStringAndSize(code, sizeof code)), consts = Ref::Steal(PyTuple_Pack(1, Py_None)),
            empty = Ref::Steal(PyTuple_New(0)), name = Ref::Steal(PyUnicode_InternFromString("<framegate>")),
            none = Ref::Steal(PyBytes_FromString("")), globals = Ref::Steal(PyDict_New());
  if (!bytes || !consts || !empty || !name || !none || !globals)
    return nullptr;
  pycompat::PlainCode parts;
  parts.flags = CO_OPTIMIZED | CO_NEWLOCALS;
  parts.stacksize = words;
  parts.code = bytes.get();
  parts.consts = consts.get();
  parts.names = parts.locals = empty.get();
  parts.filename = parts.name = parts.qualname = name.get();
  parts.firstlineno = 1;
  parts.linetable = parts.exceptiontable = none.get();
  const Ref made = Ref::Steal(reinterpret_cast<PyObject*>(pycompat::NewPlainCode(parts)));
  return made ? PyFunction_New(made.get(), globals.get()) : nullptr;
}

PyObject* StubFor(const PyCodeObject* code) {
  const auto words = static_cast<unsigned>(pycompat::FrameSize(code));
  const size_t size = std::max<size_t>(kSmallest, static_cast<size_t>(std::bit_width(words)));
  if (size > kLargest) {
    PyErr_NoMemory();
    return nullptr;
  }
  if (stubs[size] == nullptr)
    stubs[size] = NewStub(1 << size);
  return stubs[size];
}

}  // namespace

bool InitStubs() {
  const Ref stub = Ref::Steal(NewStub(1));
  if (!stub)
    return false;
  nothing = reinterpret_cast<PyCodeObject*>(Py_NewRef(reinterpret_cast<PyFunctionObject*>(stub.get())->func_code));
  return true;
}

void DropCells(const Entering& entering) {
  const int count = entering.code->co_nlocalsplus + static_cast<int>(entering.depth);
  for (int i = 0; i < count; ++i)
    Py_XDECREF(entering.cells[i]);
}

PyObject* EnterFrame(PyThreadState* thread, const Entering& entering) {
  PyObject* stub = StubFor(entering.code);
  PyObject* result = nullptr;
  bool taken = false;
  if (stub != nullptr) {
    // Ours alone must see this frame: whatever is installed is set aside until then.
    const pycompat::Evaluator outer = around;
    around = pycompat::InstalledEvaluator(thread);
    if (around != EvaluateHooked)
      pycompat::InstallEvaluator(thread, EvaluateHooked);
    this_thread.entering = &entering;
    result = PyObject_CallNoArgs(stub);
    taken = this_thread.entering != &entering;
    if (!taken) {  // no memory for the frame, or the recursion limit
      this_thread.entering = nullptr;
      pycompat::InstallEvaluator(thread, around);
    }
    around = outer;
  }
  if (!taken) {
    DropCells(entering);
    Py_CLEAR(result);
  }
  return result;
}

PyObject* TakeStubFrame(PyThreadState* thread, pycompat::Frame* frame) {
  const Entering& wanted = *this_thread.entering;
  this_thread.entering = nullptr;
  if (around != EvaluateHooked)
    pycompat::InstallEvaluator(thread, around);
  PyCodeObject* stub = pycompat::CodeOf(frame);
  pycompat::ReplaceFunction(frame, wanted.function);
  pycompat::PutCode(frame, reinterpret_cast<PyCodeObject*>(Py_NewRef(reinterpret_cast<PyObject*>(wanted.code))));
  Py_DECREF(reinterpret_cast<PyObject*>(stub));
  const int count = wanted.code->co_nlocalsplus + static_cast<int>(wanted.depth);
  std::copy_n(wanted.cells, count, pycompat::SlotsOf(frame));
  frame->stacktop = count;
  if (wanted.exception == nullptr) {
    pycompat::PlaceAt(frame, wanted.offset);
    return pycompat::Evaluate(_PyEval_EvalFrameDefault, thread, frame, 0);
  }
  pycompat::SetRaised(Py_NewRef(wanted.exception));
  pycompat::PlaceRaising(frame, wanted.offset);
  return pycompat::Evaluate(_PyEval_EvalFrameDefault, thread, frame, 1);
}

bool DisposeOfFrame(PyThreadState* thread, pycompat::Frame* frame) {
  if (!pycompat::kEvaluatorClearsFrames)
    return true;
  PyObject* raised = pycompat::TakeRaised();
  pycompat::SwapCode(thread, frame, nothing, 0);
  const Ref result = Ref::Steal(pycompat::Evaluate(_PyEval_EvalFrameDefault, thread, frame, 0));
  if (raised != nullptr && result)
    pycompat::SetRaised(raised);
  else
    Py_XDECREF(raised);
  return bool(result);
}

}  // namespace framegate::client
