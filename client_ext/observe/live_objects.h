// For tests: an interpreter in the test's process, objects made by snippets of Python, a unit of one frame over them.
#pragma once

#include "client_ext/pycompat/python.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client_ext/observe/live_unit.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

// Runs the interpreter for all tests of a binary.
class Interpreter : public testing::Environment {
 public:
  void SetUp() override {
    if (!Py_IsInitialized())
      Py_InitializeEx(0);
  }
};

inline testing::Environment* const interpreter = testing::AddGlobalTestEnvironment(new Interpreter);

// A namespace in which snippets run. What they name `x` is slot 0 of the unit's frame, what they name `y` slot 1.
class LiveObjects {
 public:
  explicit LiveObjects(const std::string& code) : globals_(pycompat::Ref::Steal(PyDict_New())) {
    PyDict_SetItemString(globals_.get(), "__builtins__", PyEval_GetBuiltins());
    Run(code);
  }

  void Run(const std::string& code) {
    const auto done = pycompat::Ref::Steal(PyRun_String(code.c_str(), Py_file_input, globals_.get(), globals_.get()));
    if (!done)
      PyErr_Print();
    EXPECT_TRUE(done) << code;
  }

  // Borrowed; null where there is no such name.
  PyObject* operator[](const char* name) const { return PyDict_GetItemString(globals_.get(), name); }

  PyObject* globals() const { return globals_.get(); }

  const std::vector<LiveFrame>& Frames() {
    slots_ = {(*this)["x"], (*this)["y"]};
    frames_ = {{.function = (*this)["f"],
                .globals = globals_.get(),
                .builtins = PyEval_GetBuiltins(),
                .slots = slots_.data(),
                .slot_count = static_cast<uint32_t>(slots_.size())}};
    if (PyObject* f = (*this)["f"]; f != nullptr && PyFunction_Check(f))
      frames_[0].code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(f));
    return frames_;
  }

 private:
  pycompat::Ref globals_;
  std::vector<PyObject*> slots_;
  std::vector<LiveFrame> frames_;
};

}  // namespace framegate::client
