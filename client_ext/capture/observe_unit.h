// What is sent of a unit's objects: a summary as deep as the expansion policy of this folder says, or just what a read-set names.
// GIL held; runs no Python code.
#pragma once

#include <vector>

#include "client_ext/capture/handles.h"
#include "client_ext/observe/live_unit.h"
#include "guards/program/read_set.h"
#include "model/summary.h"

namespace framegate::client {

// Roots: every filled slot and stack cell, function, globals and builtins of each frame, the ambient state, known_symbols.def. `code` gets
// what is likely to be interpreted, borrowed.
model::Summary ObserveUnit(const LiveUnit& unit, HandleTable& handles, std::vector<PyCodeObject*>* code = nullptr);

// The facts and steps of `read_set` on these objects, for Lookup.
model::Summary ObserveReadSet(const guards::ReadSet& read_set, const LiveUnit& unit, HandleTable& handles);

}  // namespace framegate::client
