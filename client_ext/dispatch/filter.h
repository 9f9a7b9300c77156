// Guard filters: which guards of an entry a user wants to keep. GIL held; runs the user's Python code.
#pragma once

#include "client_ext/pycompat/python.h"

#include <optional>
#include <string>

#include "client_ext/observe/live_unit.h"
#include "model/entry.h"

namespace framegate::client {

// A guard as filters and Region.entries() see it: a new dict, or null with an exception set. `live` null: without values.
PyObject* NewGuardInfo(const model::Entry& entry, const model::GuardNote& note, const std::vector<std::vector<std::string>>& slot_names,
                       const LiveUnit* live);

// The entry's program without the guards that `filter` drops; nullopt with an exception set.
std::optional<std::string> Filtered(PyObject* filter, const model::Entry& entry, const LiveUnit& live);

}  // namespace framegate::client
