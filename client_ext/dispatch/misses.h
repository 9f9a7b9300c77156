// Why no installed entry fitted. GIL held; no Python code runs.
#pragma once

#include "client_ext/dispatch/site.h"

namespace framegate::client {

// Evaluates every installed entry again and records for each what kept it from fitting. Sizes and numbers that differ are noted in the
// site: they become symbolic in what is translated next. Gives the number of records.
size_t RecordMisses(Site& site, const LiveUnit& live);

}  // namespace framegate::client
