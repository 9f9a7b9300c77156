// A graph node's arguments are what its call was given: what the program does to its lists and dicts afterwards is nothing to the graph.
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

// The arguments with copies in place of lists and dicts, however deep in tuples. Tensors stay as they are.
Args Frozen(Session& s, Args args);

}  // namespace framegate::translator
