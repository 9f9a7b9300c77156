#include "client_ext/observe/abstract_classes.h"

#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

using model::Constant;
using pycompat::Ref;

namespace {

constexpr int kMaxNesting = 32;

bool HasPlainChecks(PyTypeObject* type, int depth);

// A function of collections.abc and its like, whose hooks look at classes and no further.
bool IsOfStandardLibrary(PyObject* function) {
  std::string module;
  return TextOf(reinterpret_cast<PyFunctionObject*>(function)->func_module, &module) &&
         (module == "collections.abc" || module == "numbers" || module == "typing");
}

// All classes of a list or set, which may hold weak references to them.
bool ArePlain(PyObject* classes, int depth) {
  const Ref items = Ref::Steal(classes == nullptr ? nullptr : PySequence_List(classes));
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject* item = PyList_GET_ITEM(items.get(), i);
    item = PyWeakref_Check(item) ? PyWeakref_GET_OBJECT(item) : item;
    if (item != Py_None && (!PyType_Check(item) || !HasPlainChecks(reinterpret_cast<PyTypeObject*>(item), depth + 1)))
      return false;
  }
  PyErr_Clear();
  return static_cast<bool>(items);
}

bool HasPlainChecks(PyTypeObject* type, int depth) {
  if (Py_TYPE(type) == &PyType_Type)
    return true;
  std::string module, qualname;
  if (!NameOfType(Py_TYPE(type), &module, &qualname) || module != "abc" || qualname != "ABCMeta")
    return false;
  if (!NameOfType(type, &module, &qualname))
    return false;
  if (module == "collections.abc" || module == "numbers" || module == "typing")
    return true;
  const Ref name = Ref::Steal(PyUnicode_InternFromString("__subclasshook__"));
  PyObject* hook = name ? _PyType_Lookup(type, name.get()) : nullptr;
  PyObject* function =
      hook != nullptr && Py_IS_TYPE(hook, &PyClassMethod_Type) ? reinterpret_cast<pycompat::MethodWrapper*>(hook)->callable : nullptr;
  if (hook == nullptr || (function != nullptr && PyFunction_Check(function) && !IsOfStandardLibrary(function)) || depth > kMaxNesting)
    return false;
  PyObject* object = reinterpret_cast<PyObject*>(type);
  const Ref derived = Ref::Steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyType_Type), "__subclasses__", "O", object));
  PyObject* dump = FindSymbol("_abc:_get_dump");
  const Ref known = Ref::Steal(dump == nullptr ? nullptr : PyObject_CallOneArg(dump, object));
  PyErr_Clear();
  return derived && known && PyTuple_Check(known.get()) && ArePlain(derived.get(), depth) &&
         ArePlain(PyTuple_GET_ITEM(known.get(), 0), depth);
}

// Whether one (class, abstract class, answer) holds.
bool Holds(const Constant& said) {
  if (said.items.size() != 3 || !said.items[0].is_str() || !said.items[1].is_str() || !said.items[2].is_bool())
    return false;
  PyObject *type = FindSymbol(said.items[0].text), *base = FindSymbol(said.items[1].text);
  if (type == nullptr || base == nullptr || !PyType_Check(type) || !PyType_Check(base) ||
      !HasPlainChecks(reinterpret_cast<PyTypeObject*>(base), 0))
    return false;
  const int answer = PyObject_IsSubclass(type, base);
  PyErr_Clear();
  return answer >= 0 && (answer == 1) == said.items[2].is_true();
}

}  // namespace

bool HasPlainChecks(PyTypeObject* type) {
  return HasPlainChecks(type, 0);
}

std::optional<uint64_t> RegistrationsWhere(const Constant& answers) {
  const uint64_t* counter = pycompat::AbcCounter();
  for (const Constant& said : answers.items)
    if (counter == nullptr || !Holds(said))
      return std::nullopt;
  return counter == nullptr ? std::nullopt : std::optional(*counter);
}

}  // namespace framegate::client
