#include "translator/pyver/decode.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/strings.h"
#include "translator/pyver/raw_table.h"
#include "translator/pyver/tables.h"

namespace framegate::translator {

namespace {

using model::CodeImage;
using model::ConstantKind;
using model::PyVersion;

constexpr int kMaxExtended = 3;

class Decoder {
 public:
  explicit Decoder(std::shared_ptr<const CodeImage> image)
      : image_(*image), table_(RawTableOf(image->version)), extended_(RawNumber(image->version, "EXTENDED_ARG")) {
    out_.image = std::move(image);
  }

  absl::StatusOr<DecodedCode> Run() && {
    RETURN_IF_ERROR(CheckShape());
    uint32_t units = static_cast<uint32_t>(image_.units());
    out_.instructions.reserve(units / 2);
    out_.index_of_unit.resize(units);
    while (unit_ < units)
      RETURN_IF_ERROR(DecodeOne());
    for (Instruction& instruction : out_.instructions)
      RETURN_IF_ERROR(ResolveJump(&instruction));
    RETURN_IF_ERROR(CheckEnd());
    RETURN_IF_ERROR(ResolveHandlers());
    ASSIGN_OR_RETURN(out_.spans, DecodeLineTable(image_.linetable, image_.firstlineno, units));
    ResolveLines();
    return std::move(out_);
  }

 private:
  struct Raw {
    uint8_t number = 0;
    uint32_t oparg = 0;
  };

  absl::Status Bad(std::string_view what, uint32_t unit) const {
    return absl::InvalidArgumentError(StrCat("decode ", image_.qualname, ": ", what, " at unit ", unit));
  }

  absl::Status CheckShape() const {
    if (image_.code.empty() || image_.code.size() % 2 != 0)
      return Bad("no whole number of units", 0);
    if (image_.units() > kMaxUnits)
      return absl::ResourceExhaustedError(StrCat("decode ", image_.qualname, ": more than ", kMaxUnits, " units"));
    if (image_.localspluskinds.size() != image_.nlocalsplus())
      return Bad("names and kinds of slots differ in number", 0);
    return absl::OkStatus();
  }

  // The next instruction with its EXTENDED_ARG prefixes; caches are not skipped.
  absl::Status ReadRaw(Raw* raw) {
    uint32_t first = unit_;
    raw->oparg = 0;
    for (int prefixes = 0; prefixes <= kMaxExtended; ++prefixes) {
      if (unit_ >= image_.units())
        return Bad("the code ends inside an instruction", first);
      raw->number = static_cast<uint8_t>(image_.code[2 * unit_]);
      raw->oparg = raw->oparg << 8 | static_cast<uint8_t>(image_.code[2 * unit_ + 1]);
      ++unit_;
      if (raw->number != extended_)
        return absl::OkStatus();
    }
    return Bad("too many EXTENDED_ARG", first);
  }

  absl::Status SkipCaches(uint8_t number) {
    for (int i = 0; i < table_[number].caches; ++i, ++unit_) {
      if (unit_ >= image_.units())
        return Bad("the code ends inside a cache", unit_);
      if (image_.code[2 * unit_] != 0 || image_.code[2 * unit_ + 1] != 0)
        return Bad("a cache is not zero", unit_);
    }
    return absl::OkStatus();
  }

  // KW_NAMES and PRECALL in front of CALL; *raw becomes the CALL and *names the constant or -1.
  absl::Status JoinCall(Raw* raw, int32_t* names) {
    bool precall = false;
    Raw before;
    while (table_[raw->number].reading == Reading::kPrefix) {
      before = *raw;
      if (table_[raw->number].name == "KW_NAMES") {
        if (*names >= 0 || precall || before.oparg >= image_.consts.size())
          return Bad("a stray KW_NAMES", unit_);
        *names = static_cast<int32_t>(before.oparg);
      } else {
        if (precall)
          return Bad("a stray PRECALL", unit_);
        precall = true;
        RETURN_IF_ERROR(SkipCaches(before.number));
      }
      RETURN_IF_ERROR(ReadRaw(raw));
    }
    bool call = table_[raw->number].reading == Reading::kCall;
    bool joined = call && precall == (image_.version == PyVersion::k311) && (!precall || before.oparg == raw->oparg);
    if ((call || precall || *names >= 0) && !joined)
      return Bad("KW_NAMES, PRECALL and CALL do not belong together", unit_);
    return *names >= 0 ? CheckKeywords(*names, raw->oparg) : absl::OkStatus();
  }

  absl::Status CheckKeywords(int32_t names, uint32_t arguments) {
    const model::Constant& tuple = image_.consts[static_cast<size_t>(names)];
    bool fine = tuple.kind == ConstantKind::kTuple && tuple.items.size() <= arguments;
    if (fine && keywords_.insert(names).second)  // once, however many calls share it
      fine = std::all_of(tuple.items.begin(), tuple.items.end(), [](const model::Constant& item) { return item.is_str(); });
    return fine ? absl::OkStatus() : Bad("keywords that are no tuple of names", unit_);
  }

  absl::Status DecodeOne() {
    uint32_t first = unit_;
    Raw raw;
    RETURN_IF_ERROR(ReadRaw(&raw));
    int32_t names = -1;
    RETURN_IF_ERROR(JoinCall(&raw, &names));
    const RawOp& opcode = table_[raw.number];
    if (opcode.name.empty())
      return Bad(StrCat("unknown opcode ", raw.number), first);
    RETURN_IF_ERROR(SkipCaches(raw.number));
    Meanings meanings;
    meanings.first.op = opcode.op;
    meanings.first.raw = raw.number;
    if (const char* wrong = RowOf(opcode.reading).read(image_, raw.oparg, &meanings))
      return Bad(StrCat(opcode.name, ": ", wrong), first);
    if (opcode.reading == Reading::kCall)
      meanings.first.arg2 = names;
    std::fill(out_.index_of_unit.begin() + first, out_.index_of_unit.begin() + unit_, static_cast<uint32_t>(out_.instructions.size()));
    meanings.first.offset = meanings.second.offset = first;
    meanings.first.next = meanings.second.next = unit_;
    out_.instructions.push_back(meanings.first);
    if (meanings.two) {
      meanings.second.raw = raw.number;
      meanings.second.second = true;
      out_.instructions.push_back(meanings.second);
    }
    return absl::OkStatus();
  }

  // The index of the instruction that starts at `unit`.
  absl::StatusOr<uint32_t> IndexAt(int64_t unit, uint32_t from) const {
    if (unit < 0 || unit >= static_cast<int64_t>(image_.units()))
      return Bad("a jump leaves the code", from);
    uint32_t index = out_.index_of_unit[static_cast<size_t>(unit)];
    if (out_.instructions[index].offset != unit)
      return Bad("a jump into an instruction", from);
    return index;
  }

  absl::Status ResolveJump(Instruction* instruction) {
    const ReadingRow& row = RowOf(table_[instruction->raw].reading);
    if (row.direction == 0)
      return absl::OkStatus();
    int64_t unit = int64_t{instruction->next} + int64_t{row.direction} * instruction->arg;
    ASSIGN_OR_RETURN(uint32_t index, IndexAt(unit, instruction->offset));
    static constexpr Op kSkipped[] = {Op::kEndFor, Op::kPopTop};
    for (int i = 0; i < row.skip; ++i, ++index)
      if (index + 1 >= out_.instructions.size() || out_.instructions[index].op != kSkipped[i])
        return Bad("FOR_ITER that does not end at END_FOR", instruction->offset);
    instruction->arg = 0;
    instruction->target = index;
    return absl::OkStatus();
  }

  absl::Status CheckEnd() const {
    Op last = out_.instructions.back().op;
    if (last == Op::kReturnValue || last == Op::kJump || last == Op::kRaiseVarargs || last == Op::kReraise)
      return absl::OkStatus();
    return Bad("the code falls through its end", out_.instructions.back().offset);
  }

  absl::Status ResolveHandlers() {
    ASSIGN_OR_RETURN(std::vector<ExceptionRange> ranges,
                     DecodeExceptionTable(image_.exceptiontable, static_cast<uint32_t>(image_.units())));
    for (const ExceptionRange& range : ranges) {
      ASSIGN_OR_RETURN(uint32_t target, IndexAt(range.target, range.first));
      ASSIGN_OR_RETURN(uint32_t index, IndexAt(range.first, range.first));
      if (range.depth > image_.stacksize)
        return Bad("a handler is deeper than the stack", range.first);
      uint32_t end = range.first;
      for (; index < out_.instructions.size() && out_.instructions[index].next <= range.last; ++index) {
        out_.instructions[index].handler = static_cast<uint32_t>(out_.handlers.size());
        end = out_.instructions[index].next;
      }
      if (end != range.last)
        return Bad("an exception range ends inside an instruction", range.last);
      out_.handlers.push_back({target, range.depth, range.lasti});
    }
    return absl::OkStatus();
  }

  // The line is that of the unit with the opcode itself, which is where an exception is raised.
  void ResolveLines() {
    size_t run = 0;
    for (Instruction& instruction : out_.instructions) {
      uint32_t unit = instruction.next - 1 - table_[instruction.raw].caches;
      while (run + 1 < out_.spans.size() && out_.spans[run + 1].first <= unit)
        ++run;
      instruction.line = out_.spans[run].span.line;
    }
  }

  const CodeImage& image_;
  const RawTable& table_;
  const uint8_t extended_;
  uint32_t unit_ = 0;
  absl::flat_hash_set<int32_t> keywords_;  // constants known to be names
  DecodedCode out_;
};

}  // namespace

std::string_view EnumText(Op op) {
  switch (op) {
#define FRAMEGATE_OP(number, name, family, args, doc) \
  case Op::k##name:                                   \
    return #name;
#include "translator/ops/opcodes.def"
#undef FRAMEGATE_OP
  }
  return {};
}

const Span& DecodedCode::SpanAt(uint32_t unit) const {
  auto after = std::upper_bound(spans.begin(), spans.end(), unit, [](uint32_t value, const SpanRun& run) { return value < run.first; });
  return std::prev(after)->span;
}

absl::StatusOr<DecodedCode> Decode(std::shared_ptr<const CodeImage> image) {
  return Decoder(std::move(image)).Run();
}

}  // namespace framegate::translator
