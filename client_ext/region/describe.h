// A region's entries as Python sees them (framegate/_framegate.pyi, EntryInfo). GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

struct Region;

// A new list, or null with an exception set.
PyObject* DescribeEntries(const Region& region);

}  // namespace framegate::client
