// Types found by name in loaded modules, kept once found. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

enum class KnownType : uint8_t {
#define FRAMEGATE_KNOWN_TYPE(name, module, text) name,
#include "client_ext/observe/known_types.def"
#undef FRAMEGATE_KNOWN_TYPE
};

// Borrowed; null while its module is not loaded.
PyTypeObject* FindKnownType(KnownType type) noexcept;
// Exactly of the type, or of a subclass.
bool IsInstance(PyObject* object, KnownType type) noexcept;

}  // namespace framegate::client
