// The ambient fact, read: what torch's thread and process state makes of an operation. A value
// type.
#pragma once

#include <optional>
#include <string>

#include "model/constant.h"
#include "translator/graph/meta/dtype.h"

namespace framegate::translator::meta {

struct Ambient {
  bool grad = true;        // gradients are recorded
  bool inference = false;  // new tensors are inference tensors
  DType default_dtype = DType::kFloat32;
  std::string default_device = "cpu";
  std::optional<DType> autocast;  // the lower precision in force on the CPU
};

// None where the state is not one that rules know: function modes, functorch, dispatch modes,
// forward AD.
std::optional<Ambient> ReadAmbient(const model::Constant& fact);

}  // namespace framegate::translator::meta
