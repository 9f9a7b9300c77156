// From a received entry to one that is installed: verified, linked, its graph compiled by the region's back-end, checked on the very frames
// it is for. GIL held; runs Python code of back-ends and filters, so no region may be live.
#pragma once

#include "client_ext/pycompat/python.h"

#include <chrono>
#include <memory>

#include "client_ext/capture/handles.h"
#include "client_ext/dispatch/site.h"

namespace framegate::client {

enum class Tried : uint8_t {
  kInstalled,
  kDoesNotFit,  // its checks fail on these frames: somebody else's entry
  kRefused,     // must not or cannot be used here; counted
  kRaised,      // an exception is set that the user asked for
};

struct Trial {
  Tried tried = Tried::kRefused;
  std::shared_ptr<Installed> entry;
  std::chrono::nanoseconds backend{0};  // time that the back-end took
};

// `handles` are those of the translation that made the entry, null for a stored one. On kInstalled the entry is in the site, its checks
// have just passed and KeptObjects() holds what they keep.
Trial Install(Site& site, std::shared_ptr<const model::Entry> entry, const LiveUnit& live, const HandleTable* handles);

}  // namespace framegate::client
