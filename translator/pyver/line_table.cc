// The location table: entries of one to eight units each. The first byte has bit 7 set, the form in bits 3 to 6 and the number of units
// less one in bits 0 to 2. Further numbers are little-endian base 64 (bit 6: more follows); signed ones carry their sign in bit 0.
#include <algorithm>

#include "base/strings.h"
#include "translator/pyver/tables.h"

namespace framegate::translator {

namespace {

constexpr uint8_t kStart = 0x80;
constexpr uint8_t kMore = 0x40;
constexpr int kOneLine = 10;  // 10 to 12: line advanced by form - 10, both columns a byte each; below it, columns of one byte in all
constexpr int kNoColumns = 13;
constexpr int kLong = 14;
constexpr int kNone = 15;
constexpr uint32_t kMaxRun = 8;
constexpr int64_t kMaxLine = (int64_t{1} << 30) - 1;  // so that a signed difference has its code

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }

  bool failed() const { return failed_; }

  uint32_t Byte(bool start = false) {
    if (bytes_.empty() || ((static_cast<uint8_t>(bytes_.front()) & kStart) != 0) != start)
      return Fail();
    uint8_t byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  uint32_t Number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 36; shift += 6) {
      uint32_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 63) << shift;
      if ((byte & kMore) == 0)
        return value <= INT32_MAX ? static_cast<uint32_t>(value) : Fail();
    }
    return Fail();
  }

  int32_t Signed() {
    uint32_t raw = Number();
    int32_t half = static_cast<int32_t>(raw >> 1);
    return (raw & 1) != 0 ? -half : half;
  }

 private:
  uint32_t Fail() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }

  std::string_view bytes_;
  bool failed_ = false;
};

// Advances *line; the entry's span.
Span ReadSpan(Reader* reader, int form, int64_t* line) {
  Span span;
  if (form == kNone)
    return span;
  if (form >= kNoColumns)
    *line += reader->Signed();
  else if (form >= kOneLine)
    *line += form - kOneLine;
  span.line = span.end_line = static_cast<int32_t>(*line);
  if (form == kNoColumns)
    return span;
  if (form == kLong) {
    span.end_line = static_cast<int32_t>(std::min<int64_t>(*line + reader->Number(), kMaxLine));
    span.col = static_cast<int32_t>(reader->Number()) - 1;
    span.end_col = static_cast<int32_t>(reader->Number()) - 1;
  } else if (form >= kOneLine) {
    span.col = static_cast<int32_t>(reader->Byte());
    span.end_col = static_cast<int32_t>(reader->Byte());
  } else {
    int32_t byte = static_cast<int32_t>(reader->Byte());
    span.col = form << 3 | byte >> 4;
    span.end_col = span.col + (byte & 15);
  }
  return span;
}

void WriteNumber(uint32_t number, std::string* out) {
  for (; number >= 64; number >>= 6)
    out->push_back(static_cast<char>(kMore | (number & 63)));
  out->push_back(static_cast<char>(number));
}

void WriteSigned(int32_t number, std::string* out) {
  WriteNumber(number < 0 ? static_cast<uint32_t>(-number) << 1 | 1 : static_cast<uint32_t>(number) << 1, out);
}

void WriteEntry(const Span& span, uint32_t units, int32_t* line, std::string* out) {
  auto start = [&](int form) { out->push_back(static_cast<char>(kStart | form << 3 | static_cast<int>(units - 1))); };
  if (span.line < 0)
    return start(kNone);
  int32_t delta = span.line - *line;
  *line = span.line;
  bool one_line = span.end_line == span.line;
  if (one_line && span.col < 0 && span.end_col < 0) {
    start(kNoColumns);
    return WriteSigned(delta, out);
  }
  one_line = one_line && span.col >= 0 && span.end_col >= 0;
  int32_t width = span.end_col - span.col;
  if (one_line && delta == 0 && span.col < 80 && width >= 0 && width < 16) {
    start(span.col >> 3);
    out->push_back(static_cast<char>((span.col & 7) << 4 | width));
  } else if (one_line && delta >= 0 && delta < 3 && span.col < 128 && span.end_col < 128) {
    start(kOneLine + delta);
    out->push_back(static_cast<char>(span.col));
    out->push_back(static_cast<char>(span.end_col));
  } else {
    start(kLong);
    WriteSigned(delta, out);
    WriteNumber(static_cast<uint32_t>(span.end_line - span.line), out);
    WriteNumber(static_cast<uint32_t>(span.col + 1), out);
    WriteNumber(static_cast<uint32_t>(span.end_col + 1), out);
  }
}

}  // namespace

absl::StatusOr<std::vector<SpanRun>> DecodeLineTable(std::string_view bytes, int32_t first_line, uint32_t units) {
  std::vector<SpanRun> runs;
  Reader reader(bytes);
  int64_t line = first_line;
  uint32_t unit = 0;
  while (!reader.done()) {
    uint32_t start = reader.Byte(true);
    Span span = ReadSpan(&reader, static_cast<int>(start >> 3 & 15), &line);
    if (reader.failed() || line < 0 || line > kMaxLine)
      return absl::InvalidArgumentError(StrCat("line table: malformed entry at unit ", unit));
    if (runs.empty() || !(runs.back().span == span))
      runs.push_back({unit, span});
    unit += (start & 7) + 1;
    if (unit > units)
      break;
  }
  if (unit != units || reader.failed())
    return absl::InvalidArgumentError(StrCat("line table: covers ", unit, " of ", units, " units"));
  return runs;
}

std::string EncodeLineTable(const std::vector<SpanRun>& runs, int32_t first_line, uint32_t units) {
  std::string out;
  int32_t line = first_line;
  for (size_t i = 0; i < runs.size(); ++i) {
    uint32_t end = i + 1 < runs.size() ? runs[i + 1].first : units;
    for (uint32_t unit = runs[i].first; unit < end; unit += kMaxRun)
      WriteEntry(runs[i].span, std::min(end - unit, kMaxRun), &line, &out);
  }
  return out;
}

}  // namespace framegate::translator
