// A graph as Python sees it (what a back-end is given), and what a back-end returned as new code calls it. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>
#include <string>
#include <vector>

#include "guards/program/program.h"
#include "model/entry.h"

namespace framegate::client {

// Adds the types to the module; false with an exception set.
bool InitGraphTypes(PyObject* module);
bool InitGraphCallType();

// A new reference, or null with an exception set. REQUIRES: entry->graph. `slot_names` are those of the unit's frames, for paths.
PyObject* NewGraph(std::shared_ptr<const model::Entry> entry, std::string compile_id, std::vector<std::vector<std::string>> slot_names);

// A word of a condition: a number (kWordConst), the input at `left`, a size or an int (kWordSize), or what an operation gives for two words
// before it. The last word holds.
struct ConditionWord {
  guards::CheckOp op = guards::CheckOp::kWordConst;
  int64_t value = 0;
  uint32_t left = 0, right = 0;
};

using Condition = std::vector<ConditionWord>;

// What the back-end relies on beyond the entry's guards; from here on the graph takes no more.
std::vector<Condition> TakeConditions(PyObject* graph);

// What a graph may do besides computing, and what follows where it raises.
struct GraphManners {
  bool restores = false;                           // it switches the ambient state, which is put back
  bool draws = false;                              // random numbers, for an entry that retries
  const std::vector<uint32_t>* written = nullptr;  // inputs that it writes to, for an entry that retries; null: none
  const void* retry = nullptr;                     // the entry that runs again as written: this_thread.failed is set to it
};

// A callable that runs `compiled` with no region live. A new reference, or null with an exception set.
PyObject* NewGraphCall(PyObject* compiled, GraphManners manners = {});

}  // namespace framegate::client
