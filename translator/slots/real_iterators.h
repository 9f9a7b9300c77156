// The next item of a real iterator (IteratorForm::kReal); value null where it has ended.
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

Outcome NextReal(Interp& in, IteratorValue* iterator);

}  // namespace framegate::translator
