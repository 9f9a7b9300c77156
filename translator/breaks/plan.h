// From the interpreter's frames at a break to the plan by which the client goes on. Pure.
#pragma once

#include <optional>

#include "translator/ops/interp.h"

namespace framegate::translator {

// Null where the break is at a place that no plan can express (the frame then runs as written).
std::optional<model::BreakPlan> MakePlan(Interp& in, model::BreakKind kind, const Refusal& refusal);

}  // namespace framegate::translator
