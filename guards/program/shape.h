// Which registers an instruction reads and writes, by its row. Thread-safe: pure functions.
#pragma once

#include "absl/container/inlined_vector.h"
#include "guards/program/program.h"

namespace framegate::guards {

struct Registers {
  absl::InlinedVector<uint16_t, 2> reads_objects;
  absl::InlinedVector<uint16_t, 2> reads_words;
  int writes_object = -1;
  int writes_word = -1;
};

// REQUIRES: IsKnownOp(in.op).
Registers RegistersOf(const Instruction& in);

}  // namespace framegate::guards
