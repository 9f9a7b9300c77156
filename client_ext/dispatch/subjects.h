// Subjects of an entry on the frames at hand: the live object, the path as people read it. GIL held; no Python code runs.
#pragma once

#include "client_ext/pycompat/python.h"

#include <string>
#include <vector>

#include "client_ext/observe/live_unit.h"
#include "guards/program/program.h"
#include "model/entry.h"

namespace framegate::client {

// Names of localsplus slots, frame by frame, for SubjectPath.
std::vector<std::vector<std::string>> SlotNames(const LiveUnit& live);

// Borrowed; null where the steps do not lead to an object.
PyObject* FindSubject(const std::vector<model::SubjectNode>& subjects, model::SubjectId id, const LiveUnit& live);

// Whether the subject's tensor passes `check`.
bool TensorPasses(const std::vector<model::SubjectNode>& subjects, model::SubjectId id, const guards::TensorCheck& check,
                  const LiveUnit& live);

}  // namespace framegate::client
