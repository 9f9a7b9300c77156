// The helpers of model/helpers.def as Python callables, and the sentinel for empty slots. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string_view>

namespace framegate::client {

// False with an exception set.
bool InitHelpers();

// Borrowed; null for a name that no row has.
PyObject* FindHelper(std::string_view name);

// Stands for NULL among values. Borrowed; always alive.
PyObject* NullSentinel();

// Bodies: one per row, called with as many arguments as the row says. A new reference, or null with an exception set.
#define FRAMEGATE_HELPER(number, name, text, arguments, doc) PyObject* Helper##name(PyObject* const* args, Py_ssize_t count);
#include "model/helpers.def"
#undef FRAMEGATE_HELPER

}  // namespace framegate::client
