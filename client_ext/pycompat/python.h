// CPython's headers, public and internal, in the order and with the one change that C++ needs. Sources that touch the interpreter's
// insides include this before anything else.
#pragma once

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>

// With it pycore_atomic.h of 3.11 and 3.12 asks for names of <stdatomic.h> that C++ does not have; without it, it uses GCC's builtins on
// the same layout.
#undef HAVE_STD_ATOMIC

#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_pystate.h>
