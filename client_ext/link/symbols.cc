#include "client_ext/link/symbols.h"

#include <string>

#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

Ref Text(std::string_view text) {
  return Ref::Steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

Ref LoadedModule(std::string_view name) {
  PyObject* modules = PyImport_GetModuleDict();
  for (std::string_view known : {name, name == "__main__" ? std::string_view("__mp_main__") : std::string_view("__main__")}) {
    if (known != name && name != "__main__" && name != "__mp_main__")
      break;
    const Ref key = Text(known);
    if (PyObject* module = key ? PyDict_GetItemWithError(modules, key.get()) : nullptr; module != nullptr)
      return Ref::Share(module);
  }
  return {};
}

// What the object's own dict, or a type's MRO, holds under a name.
Ref FindMember(PyObject* object, std::string_view part) {
  const Ref name = Text(part);
  if (!name)
    return {};
  if (PyType_Check(object))
    return Ref::Share(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(object), name.get()));
  PyObject** dict = _PyObject_GetDictPtr(object);
  if (dict == nullptr || *dict == nullptr)
    return {};
  return Ref::Share(PyDict_GetItemWithError(*dict, name.get()));
}

}  // namespace

PyObject* NewSymbolReference(std::string_view symbol) {
  if (PyObject* known = FindSymbol(symbol))
    return Py_NewRef(known);
  const size_t colon = symbol.find(':');
  Ref object = LoadedModule(symbol.substr(0, colon));
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : symbol.substr(colon + 1);
  while (object && !rest.empty()) {
    const size_t dot = rest.find('.');
    object = FindMember(object.get(), rest.substr(0, dot));
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  if (!object && !PyErr_Occurred())
    PyErr_Format(PyExc_LookupError, "nothing loaded is named %s", std::string(symbol).c_str());
  return object.release();
}

}  // namespace framegate::client
