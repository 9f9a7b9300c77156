// Calm: no dict of the process was changed. Told in the time of one change of a dict, however many dicts there are. GIL held.
#pragma once

#include "client_ext/observe/live_unit.h"

namespace framegate::client {

// A number that stays the same while no dict of the process is made or changed, but for the dict of keyword arguments that the frame at
// hand was made with; 0 where that cannot be told. Runs no Python code.
uint64_t CalmPeriod(const LiveFrame& frame) noexcept;

}  // namespace framegate::client
