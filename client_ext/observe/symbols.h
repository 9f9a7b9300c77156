// Objects by name and names of objects, through sys.modules, module dicts and type dicts alone: nothing is imported, no Python code runs,
// no exception is raised. A symbol is module:qualified.name; `module:` is the module itself. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string>
#include <string_view>

namespace framegate::client {

// A loaded module: borrowed from sys.modules, or, for a submodule that is only an attribute, from its parent's dict. Null where not loaded.
PyObject* FindModule(std::string_view name) noexcept;
// Borrowed; null where there is none.
PyObject* FindSymbol(std::string_view symbol) noexcept;
// The symbol that gives this very object; false where none does. Of functions, builtins that are not bound, C descriptors, types, modules.
bool SymbolOf(PyObject* object, std::string* symbol);

// (module, qualname) of a type. `__mp_main__` counts as `__main__`; a class that calls itself a builtin one and is not has an empty module.
bool NameOfType(PyTypeObject* type, std::string* module, std::string* qualname);
// Whether that is module:qualname.
bool TypeIsNamed(PyTypeObject* type, std::string_view name);

// Text of a str object in UTF-8, lone surrogates passed through. False for other objects.
bool TextOf(PyObject* object, std::string* text);
// The text of an ASCII str, not copied. False for other objects.
bool AsciiOf(PyObject* object, std::string_view* text);

}  // namespace framegate::client
