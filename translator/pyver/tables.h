// The two compressed tables of a code object, as CPython 3.11 to 3.13 lay them out: exceptions and locations. For decoder,
// encoder and assembler. Thread-safe: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "translator/pyver/decode.h"

namespace framegate::translator {

// In code units.
struct ExceptionRange {
  uint32_t first = 0;
  uint32_t last = 0;  // past the end
  uint32_t target = 0;
  uint32_t depth = 0;
  bool lasti = false;
};

// InvalidArgument on malformed bytes, empty ranges, ranges out of order or beyond `units`.
absl::StatusOr<std::vector<ExceptionRange>> DecodeExceptionTable(std::string_view bytes, uint32_t units);
std::string EncodeExceptionTable(const std::vector<ExceptionRange>& ranges);

// Runs that cover all `units`; InvalidArgument on malformed bytes or another number of units.
absl::StatusOr<std::vector<SpanRun>> DecodeLineTable(std::string_view bytes, int32_t first_line, uint32_t units);
std::string EncodeLineTable(const std::vector<SpanRun>& runs, int32_t first_line, uint32_t units);

}  // namespace framegate::translator
