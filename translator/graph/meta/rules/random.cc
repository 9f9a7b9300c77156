// Operators that draw random numbers.
#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
Outcome Dropout(const Call&) { return Unknown(); }
}  // namespace framegate::translator::meta::rules
