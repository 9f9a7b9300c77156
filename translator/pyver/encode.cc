#include "translator/pyver/encode.h"

#include "base/strings.h"
#include "translator/pyver/raw_table.h"
#include "translator/pyver/tables.h"

namespace framegate::translator {

namespace {

using model::CodeImage;
using model::PyVersion;

uint32_t Prefixes(uint32_t oparg) {
  return (oparg > 0xff) + (oparg > 0xffff) + (oparg > 0xffffff);
}

class Encoder {
 public:
  explicit Encoder(const DecodedCode& code) : code_(code), version_(code.image->version), table_(RawTableOf(version_)) {}

  absl::StatusOr<CodeImage> Run() {
    for (size_t i = 0; i < code_.instructions.size(); ++i)
      if (!code_.instructions[i].second)
        RETURN_IF_ERROR(EncodeOne(i));
    CodeImage image = *code_.image;
    image.code = std::move(out_);
    image.exceptiontable = EncodeExceptionTable(Ranges());
    image.linetable = EncodeLineTable(code_.spans, image.firstlineno, static_cast<uint32_t>(image.units()));
    return image;
  }

 private:
  struct Raw {
    uint8_t number;
    uint32_t oparg;
  };

  void Append(Raw raw, uint32_t prefixes) {
    for (; prefixes > 0; --prefixes)
      AppendUnit(extended_, raw.oparg >> 8 * prefixes);
    AppendUnit(raw.number, raw.oparg);
    out_.append(2 * size_t{table_[raw.number].caches}, '\0');
  }

  void AppendUnit(uint8_t opcode, uint32_t oparg) {
    out_.push_back(static_cast<char>(opcode));
    out_.push_back(static_cast<char>(oparg & 0xff));
  }

  // The units that a jump crosses.
  uint32_t Distance(const Instruction& jump, const ReadingRow& row) const {
    uint32_t target = code_.instructions[jump.target - row.skip].offset;
    return row.direction > 0 ? target - jump.next : jump.next - target;
  }

  absl::Status EncodeOne(size_t index) {
    Instruction first = code_.instructions[index];
    bool two = index + 1 < code_.instructions.size() && code_.instructions[index + 1].second;
    const ReadingRow& row = RowOf(table_[first.raw].reading);
    if (row.direction != 0)
      first.arg = static_cast<int32_t>(Distance(first, row));
    Raw last{first.raw, row.write(first, two ? &code_.instructions[index + 1] : nullptr)};
    if (table_[first.raw].reading == Reading::kCall) {
      if (first.arg2 >= 0)
        AppendShort({RawNumber(version_, "KW_NAMES"), static_cast<uint32_t>(first.arg2)});
      if (version_ == PyVersion::k311)
        AppendShort({RawNumber(version_, "PRECALL"), last.oparg});
    }
    // Its prefixes are what is left of its units: code that CPython's compiler did not write may have more of them than it needs.
    size_t units = first.next - out_.size() / 2;
    size_t prefixes = units - 1 - table_[first.raw].caches;
    if (prefixes > 3 || prefixes < Prefixes(last.oparg))
      return absl::InternalError(
          StrCat("encode ", code_.image->qualname, ": ", table_[first.raw].name, " does not fit at unit ", first.offset));
    Append(last, static_cast<uint32_t>(prefixes));
    return absl::OkStatus();
  }

  void AppendShort(Raw raw) { Append(raw, Prefixes(raw.oparg)); }

  std::vector<ExceptionRange> Ranges() const {
    std::vector<ExceptionRange> ranges(code_.handlers.size());
    for (const Instruction& instruction : code_.instructions) {
      if (instruction.handler == kNoIndex)
        continue;
      ExceptionRange& range = ranges[instruction.handler];
      if (range.last == 0) {
        const Handler& handler = code_.handlers[instruction.handler];
        range = {instruction.offset, 0, code_.instructions[handler.target].offset, handler.depth, handler.lasti};
      }
      range.last = instruction.next;
    }
    return ranges;
  }

  const DecodedCode& code_;
  const PyVersion version_;
  const RawTable& table_;
  const uint8_t extended_ = RawNumber(version_, "EXTENDED_ARG");
  std::string out_;
};

}  // namespace

absl::StatusOr<CodeImage> EncodeCode(const DecodedCode& code) {
  return Encoder(code).Run();
}

}  // namespace framegate::translator
