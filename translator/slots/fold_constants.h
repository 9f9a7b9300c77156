// Pure calls whose answer on constants is known without asking the client. Thread-safe: pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/constant.h"

namespace framegate::translator {

// What `symbol` (module:qualified.name of model/pure_calls.def) gives; nullopt where it is not for here: it would raise, or is not of plain
// constants.
std::optional<model::Constant> FoldConstants(std::string_view symbol, std::span<const model::Constant* const> args);

}  // namespace framegate::translator
