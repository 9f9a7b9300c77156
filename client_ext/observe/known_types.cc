#include "client_ext/observe/known_types.h"

#include "client_ext/observe/symbols.h"

namespace framegate::client {

namespace {

constexpr const char* kSymbols[] = {
#define FRAMEGATE_KNOWN_TYPE(name, module, text) module ":" text,
#include "client_ext/observe/known_types.def"
#undef FRAMEGATE_KNOWN_TYPE
};

}  // namespace

PyTypeObject* FindKnownType(KnownType type) noexcept {
  static PyTypeObject* found[std::size(kSymbols)] = {};
  PyTypeObject*& slot = found[static_cast<size_t>(type)];
  if (slot == nullptr) {
    PyObject* object = FindSymbol(kSymbols[static_cast<size_t>(type)]);
    if (object != nullptr && PyType_Check(object))
      slot = reinterpret_cast<PyTypeObject*>(Py_NewRef(object));
  }
  return slot;
}

bool IsInstance(PyObject* object, KnownType type) noexcept {
  PyTypeObject* known = FindKnownType(type);
  return known != nullptr && (Py_TYPE(object) == known || PyType_IsSubtype(Py_TYPE(object), known));
}

}  // namespace framegate::client
