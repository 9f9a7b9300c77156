// Pooling.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
Outcome MaxPool(const Call&) { return Unknown(); }
Outcome AdaptiveAveragePool(const Call&) { return Unknown(); }
}  // namespace framegate::translator::meta::rules
