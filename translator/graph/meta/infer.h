// Result metadata of torch operators from a table of rules, without torch. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/summary.h"

namespace framegate::translator {

struct MetaRequest {
  std::string symbol;                // module:qualified.name, or a bare tensor method name
  std::vector<model::Operand> args;  // tensors by their metadata, constants, sequences
  std::vector<std::pair<std::string, model::Operand>> kwargs;
  model::Constant ambient;  // the ambient fact in force: grad mode, autocast, default dtype and device
};

enum class MetaOutcome : uint8_t { kUnknown, kKnown, kRaises };

struct MetaResult {
  MetaOutcome outcome = MetaOutcome::kUnknown;  // kUnknown: no rule covers this call; kRaises:
                                                // eager raises from metadata alone
  model::Operand result;                        // tensors by metadata, sequences of them, constants
  std::optional<uint32_t> same_as;              // the result is this positional argument itself
  bool is_view = false;                         // some tensor of the result shares an argument's memory, as gradients see it
  bool may_raise_on_data = false;               // always true with kUnknown
  bool draws = false;                           // takes random numbers; always true with kUnknown
  bool may_refuse = false;                      // in place: autograd may not allow it, by what the argument is a view of
  bool mutates_first = false;                   // in place: the first argument's data change (trailing underscore, out=)
  Boxed<model::TensorFacts> first_after;        // with mutates_first: the first argument's metadata afterwards
};

MetaResult InferMeta(const MetaRequest& request);

}  // namespace framegate::translator
