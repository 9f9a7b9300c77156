// What the code at hand is likely to look at next, read off its instructions: it goes along with a question that is asked anyhow. Changes
// nothing but how many questions there are.
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

// Adds what is not known yet, a few dozen questions at most.
void Foresee(Interp& in, std::vector<model::Question>* questions);

}  // namespace framegate::translator
