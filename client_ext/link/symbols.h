// Objects by name, through sys.modules and dicts alone: never importing, never running Python code. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string_view>

namespace framegate::client {

// The object that `module:qualified.name` names, unbound where a type holds it; `module` alone and `module:` name the module. A new
// reference, or null with LookupError set. `__mp_main__` and `__main__` are one module.
PyObject* NewSymbolReference(std::string_view symbol);

}  // namespace framegate::client
