// Small steps over Python's API for slow_table.cc: attributes, calls and conversions that give nothing, and leave no exception, where they
// fail. GIL held.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "client_ext/pycompat/ref.h"

namespace framegate::client {

using pycompat::Ref;

// A loaded module's attribute by "module:name.name"; null where a part is missing. Never imports.
Ref FindSymbol(const char* symbol);

Ref Attribute(PyObject* object, const char* name);
// FindSymbol(symbol)(arguments...); the arguments are borrowed.
Ref CallSymbol(const char* symbol, std::initializer_list<PyObject*> arguments = {});
Ref CallMethod(PyObject* object, const char* name);

bool IsTrue(const Ref& object);
int64_t IntOf(const Ref& object, int64_t otherwise);
// str(object), "" where null.
std::string StrOf(const Ref& object);

}  // namespace framegate::client
