// Counters of this process and the records of its misses. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>
#include <string>
#include <vector>

namespace framegate::client {

enum class Counter : uint8_t {
#define FRAMEGATE_COUNTER(name, key) name,
#include "client_ext/region/counters.def"
#undef FRAMEGATE_COUNTER
};

void Count(Counter counter, uint64_t by = 1);

// Why a call found no entry: one installed entry, and what kept it from fitting. Text only: a record keeps no value alive.
struct MissRecord {
  std::string code, entry, subject, expected, actual;
  int32_t line = 0;  // of the user's code that made the check; 0: none did
};

// The oldest go where there are too many.
void AddMiss(MissRecord record);

// The last `count` records.
std::vector<MissRecord> LastMisses(size_t count);

// New references, or null with an exception set.
PyObject* StatsDict();
PyObject* MissList();
// The last `count` records.
PyObject* MissList(size_t count);
void ResetStats();

}  // namespace framegate::client
