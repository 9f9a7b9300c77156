// Normalization.
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
Outcome LayerNorm(const Call&) { return Unknown(); }
Outcome BatchNorm(const Call&) { return Unknown(); }
}  // namespace framegate::translator::meta::rules
