// Generators that are alive across a break, as if they had run to where they wait.
#include <vector>

#include "client_ext/drive/enter.h"
#include "client_ext/link/helpers.h"
#include "client_ext/pycompat/generator.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// One that was just created: the function's code entered at its start makes it. What its arguments would be does not matter yet.
PyObject* NewGenerator(PyObject* function) {
  auto* code = reinterpret_cast<PyCodeObject*>(reinterpret_cast<PyFunctionObject*>(function)->func_code);
  std::vector<PyObject*> cells(static_cast<size_t>(code->co_nlocalsplus));
  return EnterFrame(PyThreadState_Get(), {.function = function, .code = code, .cells = cells.data()});
}

}  // namespace

PyObject* HelperkGeneratorRestate(PyObject* const* args, Py_ssize_t count) {
  const Py_ssize_t offset = count < 2 ? -1 : PyLong_AsSsize_t(args[1]);
  if (PyErr_Occurred())
    return nullptr;
  pycompat::Frame* frame = count < 2 ? nullptr : pycompat::SuspendedFrame(args[0]);
  PyCodeObject* code = frame == nullptr ? nullptr : pycompat::CodeOf(frame);
  const Py_ssize_t depth = code == nullptr ? -1 : count - 2 - code->co_nlocalsplus;
  if (code == nullptr || (offset >= 0 && (offset + 1 >= Py_SIZE(code) || depth < 0 || depth > code->co_stacksize))) {
    PyErr_Format(PyExc_SystemError, "framegate: generator_restate was given what is no generator's state: %R, offset %zd, %zd values",
                 count < 1 ? Py_None : args[0], offset, count);
    return nullptr;
  }
  if (offset < 0) {
    pycompat::Unstart(args[0]);
    return PyObject_CallMethod(args[0], "close", nullptr);  // of one that was not started: nothing of it runs
  }
  std::vector<PyObject*> cells;
  for (Py_ssize_t i = 2; i < count; ++i)
    cells.push_back(args[i] == NullSentinel() ? nullptr : Py_NewRef(args[i]));
  pycompat::DropStack(args[0]);
  pycompat::Suspend(args[0], static_cast<uint32_t>(offset), cells.data(), static_cast<uint32_t>(depth));
  return Py_NewRef(Py_None);
}

PyObject* HelperkGeneratorSuspended(PyObject* const* args, Py_ssize_t count) {
  constexpr int kGenerators = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  auto* function = count < 2 || !PyFunction_Check(args[0]) ? nullptr : reinterpret_cast<PyFunctionObject*>(args[0]);
  auto* code = function == nullptr ? nullptr : reinterpret_cast<PyCodeObject*>(function->func_code);
  const Py_ssize_t offset = code == nullptr ? -1 : PyLong_AsSsize_t(args[1]);
  const Py_ssize_t depth = code == nullptr ? -1 : offset == -1 ? 0 : count - 2 - code->co_nlocalsplus;
  if (PyErr_Occurred())
    return nullptr;
  if (offset < -1 || offset + 1 >= Py_SIZE(code) || depth < 0 || depth > code->co_stacksize || !(code->co_flags & kGenerators)) {
    PyErr_SetString(PyExc_SystemError, "framegate: generator_suspended was given what is no generator's state");
    return nullptr;
  }
  PyObject* generator = NewGenerator(args[0]);
  if (generator == nullptr)
    return nullptr;
  if (offset == -1) {
    const Ref closed = Ref::Steal(PyObject_CallMethod(generator, PyAsyncGen_CheckExact(generator) ? "aclose" : "close", nullptr));
    if (!closed)
      Py_CLEAR(generator);
    return generator;
  }
  std::vector<PyObject*> cells;
  for (Py_ssize_t i = 2; i < count; ++i)
    cells.push_back(args[i] == NullSentinel() ? nullptr : Py_NewRef(args[i]));
  if (offset == 0)
    pycompat::SetSlots(generator, cells.data());
  else
    pycompat::Suspend(generator, static_cast<uint32_t>(offset), cells.data(), static_cast<uint32_t>(depth));
  return generator;
}

}  // namespace framegate::client
