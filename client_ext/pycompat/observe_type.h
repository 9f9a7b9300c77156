// Types where versions differ: their dicts and version tags. GIL held; borrowed.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>

namespace framegate::pycompat {

// The type's own dict; null for a type that is not ready.
inline PyObject* TypeDict(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030C0000
  PyObject* dict = PyType_GetDict(type);  // the type keeps it alive
  Py_XDECREF(dict);
  return dict;
#else
  return type->tp_dict;
#endif
}

// A number that no other state of any type has had; 0 where the type has none at the moment.
inline uint32_t VersionTag(const PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030D0000
  return type->tp_version_tag;
#else
  return (type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG) != 0 ? type->tp_version_tag : 0;
#endif
}

// The same, given one where it can be.
inline uint32_t AssuredVersionTag(PyTypeObject* type, PyObject* any_name) {
  if (VersionTag(type) == 0)
    _PyType_Lookup(type, any_name);  // a lookup assigns one, in all versions
  return VersionTag(type);
}

}  // namespace framegate::pycompat
