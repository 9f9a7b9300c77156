// The TorchTable for a torch that no native module was compiled against: everything through Python's API and torch's builtins. A check that
// uses it allocates and may run code of torch, so this is a makeshift, but what it says is the same.
#pragma once

#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

// REQUIRES: torch is loaded.
const TorchTable* SlowTable();

}  // namespace framegate::client
