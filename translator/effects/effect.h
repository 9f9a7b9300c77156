// An effect: something new code must do besides the graph, in the order the program did it. Targets are real objects, or made ones for
// effects that have a result. Value types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/entry.h"

namespace framegate::translator {

struct Value;

struct Effect {
  model::Helper helper = model::Helper::kSetAttrGeneric;
  std::vector<Value*> args;
  bool has_result = false;  // its value is a ResidualValue
};

}  // namespace framegate::translator
