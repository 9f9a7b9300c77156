#include "client_ext/observe/symbols.h"

#include "client_ext/pycompat/observe_instance.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"

#include "base/strings.h"
#include "client_ext/observe/names.h"

namespace framegate::client {

namespace {

using pycompat::Items;
using pycompat::ItemsOf;
using pycompat::Lookup;

constexpr const char* kModules[] = {
#define FRAMEGATE_SYMBOL_MODULE(module) module,
#include "client_ext/observe/symbol_modules.def"
#undef FRAMEGATE_SYMBOL_MODULE
};

struct TypeAlias {
  const char *name, *module, *in_module;
};

constexpr TypeAlias kTypeAliases[] = {
#define FRAMEGATE_TYPE_ALIAS(name, module, in_module) {name, module, in_module},
#include "client_ext/observe/type_aliases.def"
#undef FRAMEGATE_TYPE_ALIAS
};

// The value under a name that is given as text; null where there is none.
PyObject* Find(PyObject* dict, std::string_view name) noexcept {
  if (dict == nullptr || !PyDict_Check(dict))
    return nullptr;
  PyObject* key = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogatepass");
  if (key == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  PyObject* value = nullptr;
  uint16_t hint = 0;
  const bool found = PyObject_Hash(key) != -1 && pycompat::FindName(ItemsOf(dict), key, &hint, &value) == Lookup::kFound;
  Py_DECREF(key);
  return found ? value : nullptr;
}

PyObject* FindIn(PyObject* owner, std::string_view name) noexcept {
  if (PyType_Check(owner))
    return Find(pycompat::TypeDict(reinterpret_cast<PyTypeObject*>(owner)), name);
  if (PyModule_Check(owner))
    return Find(PyModule_GetDict(owner), name);
  PyObject* key = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogatepass");
  PyObject* value = nullptr;
  uint16_t hint = 0;
  const bool found = key != nullptr && PyObject_Hash(key) != -1 &&
                     pycompat::FindName(pycompat::InstanceItems(owner), key, &hint, &value) == Lookup::kFound;
  Py_XDECREF(key);
  PyErr_Clear();
  return found ? value : nullptr;
}

// From `owner` along a.b.c.
PyObject* Walk(PyObject* owner, std::string_view path) noexcept {
  while (owner != nullptr && !path.empty()) {
    const size_t end = std::min(path.find('.'), path.size());
    owner = FindIn(owner, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (owner != nullptr && (PyObject_TypeCheck(owner, &PyStaticMethod_Type) || Py_IS_TYPE(owner, &PyClassMethod_Type)))  // its function
    return reinterpret_cast<pycompat::MethodWrapper*>(owner)->callable;
  return owner;
}

bool Gives(std::string_view module, std::string_view qualname, PyObject* object, std::string* symbol) {
  PyObject* found = FindModule(module);
  if (found == nullptr || qualname.empty() || Walk(found, qualname) != object)
    return false;
  *symbol = StrCat(module, ":", qualname);
  return true;
}

// As an attribute of a type, under its own name or where another module holds it.
bool TypeGives(std::string_view module, std::string_view qualname, std::string_view name, PyObject* object, std::string* symbol) {
  if (Gives(module, StrCat(qualname, ".", name), object, symbol))
    return true;
  for (const TypeAlias& alias : kTypeAliases)
    if (module == "builtins" && qualname == alias.name)
      return Gives(alias.module, StrCat(alias.in_module, ".", name), object, symbol);
  return false;
}

std::string Text(PyObject* object) {
  std::string text;
  TextOf(object, &text);
  return text == "__mp_main__" ? "__main__" : text;
}

// pybind11 keeps the record of a function where others keep what it is bound to: in a capsule, or since 3.0 in a type of its own.
bool IsRecordOfPybind11(PyObject* self) {
  return PyCapsule_CheckExact(self) ||
         std::string_view(Py_TYPE(self)->tp_name).find("pybind11_detail_function_record_") != std::string_view::npos;
}

bool SymbolOfBuiltin(PyObject* object, std::string* symbol) {
  PyObject* self = reinterpret_cast<PyCFunctionObject*>(object)->m_self;  // of static methods too
  if (self != nullptr && !PyModule_Check(self) && !PyType_Check(self) && !IsRecordOfPybind11(self))
    return false;  // bound: its type and self say what it is
  const std::string_view name = reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name;
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(object)->m_module;
  if (module != nullptr && PyUnicode_Check(module) && Gives(Text(module), name, object, symbol))
    return true;
  for (const char* candidate : kModules)
    if (Gives(candidate, name, object, symbol))
      return true;
  if (Gives("torch._C", StrCat("_VariableFunctionsClass.", name), object, symbol))
    return true;
  if (self == nullptr || !PyType_Check(self))
    return false;
  std::string type_module, qualname;
  if (!NameOfType(reinterpret_cast<PyTypeObject*>(self), &type_module, &qualname))
    return false;
  return TypeGives(type_module, qualname, name, object, symbol);
}

bool SymbolOfDescriptor(PyObject* object, std::string* symbol) {
  std::string module, qualname, name;
  const auto* descriptor = reinterpret_cast<PyDescrObject*>(object);
  if (!NameOfType(descriptor->d_type, &module, &qualname) || !TextOf(descriptor->d_name, &name))
    return false;
  return TypeGives(module, qualname, name, object, symbol);
}

bool SymbolOfModule(PyObject* object, std::string* symbol) {
  std::string name;
  PyObject* dict = PyModule_GetDict(object);
  PyObject* given = Find(dict, "__name__");
  if (given == nullptr || !TextOf(given, &name) || FindModule(name) != object)
    return false;
  *symbol = name + ":";
  return true;
}

// torch.ops.<namespace>.<name>[.<overload>]: an object that its namespace, or its packet, keeps under its name.
bool SymbolOfOperator(PyObject* object, std::string* symbol) {
  constexpr std::string_view kPrefix = "torch._ops.";
  PyTypeObject* type = Py_TYPE(object);
  if (!TypeIsNamed(type, "torch._ops:OpOverload") && !TypeIsNamed(type, "torch._ops:OpOverloadPacket"))
    return false;
  const std::string module = Text(FindIn(object, "__module__"));
  return module.starts_with(kPrefix) &&
         Gives(StrCat("torch.ops.", module.substr(kPrefix.size())), Text(FindIn(object, "__name__")), object, symbol);
}

bool IsCDescriptor(PyObject* object) {
  return Py_IS_TYPE(object, &PyMethodDescr_Type) || Py_IS_TYPE(object, &PyWrapperDescr_Type) || Py_IS_TYPE(object, &PyGetSetDescr_Type) ||
         Py_IS_TYPE(object, &PyMemberDescr_Type) || Py_IS_TYPE(object, &PyClassMethodDescr_Type);
}

}  // namespace

PyObject* FindModule(std::string_view name) noexcept {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* module = Find(modules, name);
  if (module == nullptr && name == "__main__")
    module = Find(modules, "__mp_main__");
  if (module == nullptr) {
    const size_t dot = name.rfind('.');
    PyObject* parent = dot == std::string_view::npos ? nullptr : FindModule(name.substr(0, dot));
    module = parent == nullptr ? nullptr : FindIn(parent, name.substr(dot + 1));
  }
  return module != nullptr && PyModule_Check(module) ? module : nullptr;
}

PyObject* FindSymbol(std::string_view symbol) noexcept {
  const size_t colon = std::min(symbol.find(':'), symbol.size());
  return Walk(FindModule(symbol.substr(0, colon)), symbol.substr(std::min(colon + 1, symbol.size())));
}

bool SymbolOf(PyObject* object, std::string* symbol) {
  if (PyCFunction_Check(object))
    return SymbolOfBuiltin(object, symbol);
  if (PyFunction_Check(object)) {
    const auto* function = reinterpret_cast<PyFunctionObject*>(object);
    if (function->func_module == nullptr)
      return false;
    const std::string module = Text(function->func_module), qualname = Text(function->func_qualname);
    // torch._dynamo wraps some functions of torch where users find them, and only there.
    return Gives(module, qualname, object, symbol) || (module.starts_with("torch.") && Gives("torch", qualname, object, symbol));
  }
  if (PyType_Check(object)) {
    std::string module, qualname;
    return NameOfType(reinterpret_cast<PyTypeObject*>(object), &module, &qualname) && Gives(module, qualname, object, symbol);
  }
  if (IsCDescriptor(object))
    return SymbolOfDescriptor(object, symbol);
  if (PyModule_Check(object))
    return SymbolOfModule(object, symbol);
  return SymbolOfOperator(object, symbol);
}

bool NameOfType(PyTypeObject* type, std::string* module, std::string* qualname) {
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) {
    const std::string_view name = type->tp_name;
    const size_t dot = name.rfind('.');
    *module = dot == std::string_view::npos ? "builtins" : std::string(name.substr(0, dot));
    *qualname = std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
    return true;
  }
  PyObject *dict = pycompat::TypeDict(type), *value = nullptr;
  uint16_t hint = 0;
  if (dict == nullptr || pycompat::FindName(ItemsOf(dict), GetNames().module, &hint, &value) != Lookup::kFound || !TextOf(value, module) ||
      !TextOf(reinterpret_cast<PyHeapTypeObject*>(type)->ht_qualname, qualname))
    return false;
  if (*module == "__mp_main__")
    *module = "__main__";
  // Others rely on what instances of builtin types can never do.
  if (*module == "builtins" && FindSymbol(StrCat("builtins:", *qualname)) != reinterpret_cast<PyObject*>(type))
    module->clear();
  return true;
}

bool TypeIsNamed(PyTypeObject* type, std::string_view name) {
  std::string module, qualname;
  return NameOfType(type, &module, &qualname) && name.size() == module.size() + 1 + qualname.size() && name.starts_with(module) &&
         name[module.size()] == ':' && name.ends_with(qualname);
}

bool AsciiOf(PyObject* object, std::string_view* text) {
  if (!PyUnicode_Check(object) || !PyUnicode_IS_COMPACT_ASCII(object))
    return false;
  *text = {static_cast<const char*>(PyUnicode_DATA(object)), static_cast<size_t>(PyUnicode_GET_LENGTH(object))};
  return true;
}

bool TextOf(PyObject* object, std::string* text) {
  if (object == nullptr || !PyUnicode_Check(object))
    return false;
  if (std::string_view ascii; AsciiOf(object, &ascii)) {
    *text = std::string(ascii);
    return true;
  }
  PyObject* bytes = PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass");
  if (bytes == nullptr) {
    PyErr_Clear();
    return false;
  }
  text->assign(PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
  Py_DECREF(bytes);
  return true;
}

}  // namespace framegate::client
