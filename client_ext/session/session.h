// What the client asks of the daemon: entries it has for a unit, or a new one. Owns the connection; starts the daemon where none answers.
// GIL held on entry and exit, released while waiting. One connection per thread that needs one; a forked child reconnects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client_ext/capture/handles.h"
#include "client_ext/observe/live_unit.h"
#include "client_ext/region/stats.h"
#include "model/entry.h"

namespace framegate::client {

// Counters of what crossed the wire; added to stats().
struct Traffic {
  uint64_t lookups = 0;
  uint64_t round_trips = 0;
  uint64_t client_queries = 0;
  uint64_t translations = 0;  // run for us: 0 after a Translate whose entry was made for somebody else
};

// Stored entries that may fit, best first (at most 4); none is an answer. Unavailable or DeadlineExceeded: no daemon, or a fault;
// FailedPrecondition: a daemon of another build; Cancelled: a signal handler raised, the exception is set.
absl::StatusOr<std::vector<std::shared_ptr<const model::Entry>>> Lookup(const model::Unit& unit, const model::Config& config,
                                                                        const LiveUnit& live, Traffic* traffic);

// What the client knows of entries for a unit before it asks for a translation.
struct Known {
  std::vector<MissRecord> misses;  // of installed entries: for `framegate why`
  bool whatever_comes = false;     // others' entries do not matter any more: no news
};

// A translation for these very objects; null where entries have come since the last Lookup, which may have one of them. Statuses as above;
// InvalidArgument, ResourceExhausted, Internal: the daemon refused this unit. An entry made for somebody else may not fit these objects:
// then ask again, and another one comes. `handles`, empty before, names the objects the entry may speak of (CheckProgram::Link); it keeps
// them alive.
absl::StatusOr<std::shared_ptr<const model::Entry>> Translate(const model::Unit& unit, const model::Config& config, const LiveUnit& live,
                                                              HandleTable& handles, const Known& known, Traffic* traffic);

}  // namespace framegate::client
