// Binding an entry's address-free references to live objects. GIL held; nothing is imported, no Python code runs.
#pragma once

#include "client_ext/pycompat/ref.h"

#include "base/status.h"
#include "client_ext/dispatch/site.h"

namespace framegate::client {

struct LinkContext {
  Region* region = nullptr;
  bool continuation = false;  // drive then hands its state on instead of running it
  const LiveUnit* live = nullptr;
  pycompat::Ref graph;  // what new code calls for the graph; null where the entry has none
};

// Fills in code, links and globals of `installed`, whose entry and checks are set. REQUIRES: the entry's code is verified.
// NotFound: a reference is not there in this process; InvalidArgument: links or kept slots do not fit the code.
absl::Status Link(const LinkContext& context, Installed* installed);

}  // namespace framegate::client
