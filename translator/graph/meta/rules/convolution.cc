// Convolutions.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
Outcome Convolution(const Call&) { return Unknown(); }
}  // namespace framegate::translator::meta::rules
