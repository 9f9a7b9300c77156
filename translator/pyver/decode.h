// Instructions of CPython 3.11, 3.12 and 3.13 as meanings (translator/ops/opcodes.def), with the exception table and lines resolved.
// A decoded code object is immutable and may be shared between threads. Nothing is lost: encode.h writes the same code object back.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "model/code_image.h"

namespace framegate::translator {

enum class Op : uint16_t {
#define FRAMEGATE_OP(number, name, family, args, doc) k##name = number,
#include "translator/ops/opcodes.def"
#undef FRAMEGATE_OP
};
std::string_view EnumText(Op op);

inline constexpr uint32_t kNoIndex = UINT32_MAX;

struct Instruction {
  Op op = Op::kNop;
  int32_t arg = 0;
  int32_t arg2 = 0;
  uint32_t offset = 0;          // code units, of the first prefix (EXTENDED_ARG, KW_NAMES, PRECALL)
  uint32_t next = 0;            // code units, of the instruction after it (caches skipped)
  uint32_t target = kNoIndex;   // index of the instruction a jump goes to
  uint32_t handler = kNoIndex;  // index into DecodedCode::handlers
  int32_t line = 0;             // absolute by the image's firstlineno; -1 where there is none
  uint8_t raw = 0;              // opcode number it was read from (CALL, where joined with KW_NAMES and PRECALL)
  bool second = false;          // the second meaning of one raw instruction
};

// A place in the source; -1 where unknown. Lines are absolute, columns are UTF-8 bytes.
struct Span {
  int32_t line = -1;
  int32_t end_line = -1;
  int32_t col = -1;
  int32_t end_col = -1;

  bool operator==(const Span&) const = default;
};

// Consecutive units of one location.
struct SpanRun {
  uint32_t first = 0;  // unit
  Span span;
};

// One entry of the exception table: two entries may be alike.
struct Handler {
  uint32_t target = 0;  // instruction index
  uint32_t depth = 0;
  bool lasti = false;
};

struct DecodedCode {
  std::shared_ptr<const model::CodeImage> image;
  std::vector<Instruction> instructions;
  std::vector<Handler> handlers;
  std::vector<uint32_t> index_of_unit;  // per code unit: index of the first instruction that covers it
  std::vector<SpanRun> spans;           // ascending, the first at unit 0

  // REQUIRES: unit < image->units().
  const Span& SpanAt(uint32_t unit) const;
};

// InvalidArgument for anything a real compiler cannot produce: unknown opcodes, jumps into caches or out of the code, name, constant or
// slot numbers out of range, a bad exception or line table, an end that falls through; ResourceExhausted over kMaxUnits. Never crashes on
// any bytes; time and memory are linear in them. Stack depth is not looked at.
inline constexpr size_t kMaxUnits = size_t{1} << 22;
absl::StatusOr<DecodedCode> Decode(std::shared_ptr<const model::CodeImage> image);

}  // namespace framegate::translator
