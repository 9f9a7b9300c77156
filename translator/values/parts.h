// What a value is made of. Pure.
#pragma once

#include <functional>

#include "translator/values/value.h"

namespace framegate::translator {

// Calls `visit` with each value that `value`, a made one, holds; null ones too.
void VisitParts(V value, const std::function<void(V)>& visit);

// The value is, or holds at any depth, a result of the graph. Real objects count as they were when the unit began.
bool HoldsGraphResult(V value);

// An entry of a traceback that an exception made in the frame gets with it; null: it has others, or none.
ObjectValue* EntryOf(V traceback);

}  // namespace framegate::translator
