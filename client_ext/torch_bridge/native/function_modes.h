// What of torch's ambient state is Python objects: the stack of function modes, the default device among them, and forward AD's level,
// which is a global of a Python module. GIL held; runs no Python code.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

namespace framegate::client {

// Modes but DeviceContext, and the device of the innermost DeviceContext as DevicePlace gives it; -1 where there is none.
void CountFunctionModes(int32_t* count, int32_t* device) noexcept;

// Types of the modes but DeviceContext, outermost first; borrowed.
std::vector<PyTypeObject*> FunctionModes();
// The type of the nth of these; null where there are not so many.
PyTypeObject* FunctionMode(size_t nth) noexcept;

// module:qualname. "" for a type that has none.
std::string NameOfType(PyTypeObject* type);
// NameOfType(type) == name, without allocating.
bool IsNamed(PyTypeObject* type, const std::string& name) noexcept;

// torch.autograd.forward_ad._current_level; -1 while that module is not loaded.
int32_t ForwardLevel() noexcept;

}  // namespace framegate::client
