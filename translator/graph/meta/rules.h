// The rules that rows of operators.def name. A row without a body fails to link; a body without a
// row fails to compile.
#pragma once

#include "translator/graph/meta/call.h"

namespace framegate::translator::meta::rules {

#define FRAMEGATE_OPERATOR(rule, places, names, parameters, traits) Outcome rule(const Call& call);
#include "translator/graph/meta/operators.def"
#undef FRAMEGATE_OPERATOR

}  // namespace framegate::translator::meta::rules
