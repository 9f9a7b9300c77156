// What runs: an installed entry or the original. The slow way, from a miss to an installed entry, is behind Resolve. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>

#include "client_ext/dispatch/site.h"

namespace framegate::client {

enum class Way : uint8_t {
  kEntry,     // `entry`, with what its checks keep in KeptObjects()
  kOriginal,  // the original, and what it calls may be compiled
  kQuiet,     // the original, and nothing it calls can be compiled
  kRaise,     // an exception is set, one that the user asked for or a signal handler's
};

struct Resolution {
  Way way = Way::kOriginal;
  Installed* entry = nullptr;
};

// No stance or option makes a miss on the site more than a call of the original.
bool IsUnasked(const Site& site);

// REQUIRES: no installed entry of the site fits the unit at hand (Site::Find). May run Python code: back-ends, filters, callbacks; no
// region is live meanwhile. `frames` stay valid for as long as whoever calls holds them.
Resolution ResolveMiss(PyThreadState* thread, std::shared_ptr<Site> site, const LiveUnit& live);

// How an installed entry runs.
inline Way WayOf(const Installed& entry) {
  return entry.code ? Way::kEntry : entry.quiet ? Way::kQuiet : Way::kOriginal;
}

}  // namespace framegate::client
