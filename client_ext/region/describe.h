// A region's entries as Python sees them (framegate/_framegate.pyi, EntryInfo). GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

struct Region;

// A new list, or null with an exception set.
PyObject* DescribeEntries(const Region& region);
// (the texts of the parts of entry `id`, a part a line; its new code or None). KeyError where there is none.
PyObject* PrintEntry(const Region& region, PyObject* id);

}  // namespace framegate::client
