// The gate for what an entry would run here: new code, forward, graph, plans. Nothing of it runs before this accepts it. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <vector>

#include "base/status.h"
#include "client_ext/observe/live_unit.h"
#include "model/entry.h"

namespace framegate::client {

// `kept`: the slots that the entry's checks fill. InvalidArgument or ResourceExhausted for what must not run on these frames.
absl::Status VerifyEntry(const model::Entry& entry, const std::vector<uint32_t>& kept, const LiveUnit& live, bool continuation);

}  // namespace framegate::client
