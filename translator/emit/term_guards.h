// What a translation took its symbolic numbers to be, as guards.
#pragma once

#include "translator/values/session.h"

namespace framegate::translator {

void AddTermGuards(Session& s, guards::GuardSet* set);

}  // namespace framegate::translator
