// Which of several entries a call will take, guessed from its arguments: their types, small values and sizes. A guess costs a few
// nanoseconds and is confirmed by the entry's own checks; with it the cost of a call does not grow with the number of entries. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <array>
#include <cstdint>

#include "client_ext/observe/live_unit.h"

namespace framegate::client {

struct Installed;

// A number that is equal for calls that look alike. Runs no Python code.
uint64_t LooksOf(const LiveFrame& frame);

// Remembers which entry fitted last for calls that look alike. Borrowed entries: forget them all when one goes.
class Predictor {
 public:
  Installed* Guess(uint64_t looks) const {
    const Seen& seen = table_[looks % table_.size()];
    return seen.looks == looks ? seen.entry : nullptr;
  }

  void Learn(uint64_t looks, Installed* entry) { table_[looks % table_.size()] = {looks, entry}; }

 private:
  struct Seen {
    uint64_t looks = 0;
    Installed* entry = nullptr;
  };

  std::array<Seen, 61> table_{};
};

}  // namespace framegate::client
