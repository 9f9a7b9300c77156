// What an opcode number of one CPython version means: the generated tables (opcodes_3_*.def) joined with meanings.def at compile time,
// and how arguments are read and written (readings.def, args.cc). For decoder, encoder and assembler. Thread-safe: constants, pure
// functions.
#pragma once

#include <array>
#include <string_view>

#include "model/code_image.h"
#include "translator/pyver/decode.h"

namespace framegate::translator {

enum class Reading : uint8_t {
#define FRAMEGATE_READING(name, direction, skip, doc) k##name,
#include "translator/pyver/readings.def"
#undef FRAMEGATE_READING
};

struct RawOp {
  std::string_view name;  // empty: no such opcode
  Op op = Op::kNop;
  Reading reading = Reading::kNever;
  uint8_t caches = 0;
};

using RawTable = std::array<RawOp, 256>;
const RawTable& RawTableOf(model::PyVersion version);

// REQUIRES: the version has an opcode of that name.
uint8_t RawNumber(model::PyVersion version, std::string_view name);

// The meanings of one raw instruction; its jump distance is left in first.arg.
struct Meanings {
  Instruction first;
  Instruction second;
  bool two = false;
};

struct ReadingRow {
  // Null, or what is wrong with the argument. `out->first.op` is set before.
  const char* (*read)(const model::CodeImage& image, uint32_t oparg, Meanings* out);
  // The inverse; `second` is null where there is one meaning. For a jump `first.arg` is the distance.
  uint32_t (*write)(const Instruction& first, const Instruction* second);
  int8_t direction;
  uint8_t skip;
};

const ReadingRow& RowOf(Reading reading);

}  // namespace framegate::translator
