// Entries of four big-endian base-64 numbers: start, length, target, depth * 2 + lasti. Bit 7 marks the first byte of an entry, bit 6 a
// byte that is followed by more of the same number.
#include "base/strings.h"
#include "translator/pyver/tables.h"

namespace framegate::translator {

namespace {

constexpr uint8_t kStart = 0x80;
constexpr uint8_t kMore = 0x40;

bool ReadNumber(std::string_view* bytes, bool start, uint32_t* number) {
  uint64_t value = 0;
  for (int count = 0; count < 6 && !bytes->empty(); ++count) {
    uint8_t byte = static_cast<uint8_t>(bytes->front());
    if (((byte & kStart) != 0) != (start && count == 0))
      return false;
    bytes->remove_prefix(1);
    value = value << 6 | (byte & 63);
    if ((byte & kMore) == 0) {
      *number = static_cast<uint32_t>(value);
      return value <= INT32_MAX;
    }
  }
  return false;
}

void WriteNumber(uint32_t number, uint8_t mark, std::string* out) {
  int shift = 30;
  while (shift > 0 && number >> shift == 0)
    shift -= 6;
  for (; shift >= 0; shift -= 6) {
    out->push_back(static_cast<char>(mark | (shift > 0 ? kMore : 0) | (number >> shift & 63)));
    mark = 0;
  }
}

}  // namespace

absl::StatusOr<std::vector<ExceptionRange>> DecodeExceptionTable(std::string_view bytes, uint32_t units) {
  std::vector<ExceptionRange> ranges;
  uint32_t end = 0;
  while (!bytes.empty()) {
    ExceptionRange range;
    uint32_t length = 0, depth_lasti = 0;
    if (!ReadNumber(&bytes, true, &range.first) || !ReadNumber(&bytes, false, &length) || !ReadNumber(&bytes, false, &range.target) ||
        !ReadNumber(&bytes, false, &depth_lasti))
      return absl::InvalidArgumentError(StrCat("exception table: malformed entry ", ranges.size()));
    range.last = range.first + length;
    range.depth = depth_lasti >> 1;
    range.lasti = (depth_lasti & 1) != 0;
    if (length == 0 || range.first < end || range.last > units || range.target >= units)
      return absl::InvalidArgumentError(StrCat("exception table: entry ", ranges.size(), " is empty, out of order or out of the code"));
    end = range.last;
    ranges.push_back(range);
  }
  return ranges;
}

std::string EncodeExceptionTable(const std::vector<ExceptionRange>& ranges) {
  std::string out;
  for (const ExceptionRange& range : ranges) {
    WriteNumber(range.first, kStart, &out);
    WriteNumber(range.last - range.first, 0, &out);
    WriteNumber(range.target, 0, &out);
    WriteNumber(range.depth << 1 | (range.lasti ? 1 : 0), 0, &out);
  }
  return out;
}

}  // namespace framegate::translator
