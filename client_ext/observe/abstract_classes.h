// What abstract classes say of others. It may run Python code of the standard library, so checks never ask. GIL held; no exception is
// raised.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>
#include <optional>

#include "model/constant.h"

namespace framegate::client {

// Asking this class about instances and subclasses runs nothing but C code and the standard library's hooks: of abstract classes also what
// those derived from it and registered with it say counts.
bool HasPlainChecks(PyTypeObject* type);

// Asks each (class, abstract class, answer), by symbol. The count of registrations for which they hold; nothing where some do not.
std::optional<uint64_t> RegistrationsWhere(const model::Constant& answers);

}  // namespace framegate::client
