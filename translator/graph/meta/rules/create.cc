// New tensors from sizes and numbers.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
Outcome Arange(const Call&) { return Unknown(); }
}  // namespace framegate::translator::meta::rules
