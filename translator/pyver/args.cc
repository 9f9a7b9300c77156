// Bodies of readings.def: each Read beside the Write that undoes it.
#include <iterator>

#include "translator/pyver/raw_table.h"

namespace framegate::translator {

namespace {

using model::CodeImage;

constexpr char kCellKinds = static_cast<char>(0x40 | 0x80);

bool IsCell(const CodeImage& image, uint32_t slot) {
  return (image.localspluskinds[slot] & kCellKinds) != 0;
}

const char* ReadBelow(uint32_t oparg, size_t bound, const char* what, Instruction* out) {
  if (oparg >= bound)
    return what;
  out->arg = static_cast<int32_t>(oparg);
  return nullptr;
}

constexpr char kNoName[] = "a name index is out of range";
constexpr char kNoConst[] = "a constant index is out of range";
constexpr char kNoSlot[] = "a slot is out of range";
constexpr char kBadArg[] = "an argument has no meaning";

const char* ReadNever(const CodeImage&, uint32_t, Meanings*) {
  return "an opcode that compilers do not emit";
}

uint32_t WriteNever(const Instruction&, const Instruction*) {
  return 0;
}

const char* ReadPrefix(const CodeImage&, uint32_t, Meanings*) {
  return "a prefix stands alone";
}

uint32_t WritePrefix(const Instruction&, const Instruction*) {
  return 0;
}

const char* ReadNone(const CodeImage&, uint32_t oparg, Meanings*) {
  return oparg == 0 ? nullptr : kBadArg;
}

uint32_t WriteNone(const Instruction&, const Instruction*) {
  return 0;
}

const char* ReadCount(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, INT32_MAX, kBadArg, &out->first);
}

uint32_t WriteCount(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg);
}

const char* ReadName(const CodeImage& image, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, image.names.size(), kNoName, &out->first);
}

constexpr auto WriteName = WriteCount;

const char* ReadConst(const CodeImage& image, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, image.consts.size(), kNoConst, &out->first);
}

constexpr auto WriteConst = WriteCount;

const char* ReadSlot(const CodeImage& image, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, image.nlocalsplus(), kNoSlot, &out->first);
}

constexpr auto WriteSlot = WriteCount;

const char* ReadCellSlot(const CodeImage& image, uint32_t oparg, Meanings* out) {
  if (const char* wrong = ReadSlot(image, oparg, out))
    return wrong;
  return IsCell(image, oparg) ? nullptr : "a slot is no cell or free variable";
}

constexpr auto WriteCellSlot = WriteCount;

const char* ReadSlotOrCell(const CodeImage& image, uint32_t oparg, Meanings* out) {
  if (const char* wrong = ReadSlot(image, oparg, out))
    return wrong;
  if (IsCell(image, oparg))
    out->first.op = Op::kLoadClosure;
  return nullptr;
}

constexpr auto WriteSlotOrCell = WriteCount;

// The row of meanings.def has the first meaning; the raw name ends with the second.
const char* ReadTwoSlots(const CodeImage& image, uint32_t oparg, Meanings* out) {
  out->two = true;
  const RawOp& raw = RawTableOf(image.version)[out->first.raw];
  out->second.op = raw.name.ends_with("STORE_FAST") ? Op::kStoreFast : Op::kLoadFast;
  for (auto [part, slot] : {std::pair{&out->first, oparg >> 4}, std::pair{&out->second, oparg & 15}}) {
    if (const char* wrong = ReadBelow(slot, image.nlocalsplus(), kNoSlot, part))
      return wrong;
    if (part->op == Op::kLoadFast && IsCell(image, slot))
      part->op = Op::kLoadClosure;
  }
  return nullptr;
}

uint32_t WriteTwoSlots(const Instruction& first, const Instruction* second) {
  return static_cast<uint32_t>(first.arg << 4 | second->arg);
}

const char* ReadConstReturn(const CodeImage& image, uint32_t oparg, Meanings* out) {
  out->two = true;
  out->second.op = Op::kReturnValue;
  return ReadConst(image, oparg, out);
}

constexpr auto WriteConstReturn = WriteCount;

const char* ReadGlobal(const CodeImage& image, uint32_t oparg, Meanings* out) {
  out->first.arg2 = oparg & 1;
  return ReadName(image, oparg >> 1, out);
}

uint32_t WriteGlobal(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg << 1 | first.arg2);
}

const char* ReadAttr(const CodeImage& image, uint32_t oparg, Meanings* out) {
  if (oparg & 1)
    out->first.op = Op::kLoadMethod;
  return ReadName(image, oparg >> 1, out);
}

uint32_t WriteAttr(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg << 1) | (first.op == Op::kLoadMethod);
}

const char* ReadSuperAttr(const CodeImage& image, uint32_t oparg, Meanings* out) {
  out->first.arg2 = oparg & 3;
  return ReadName(image, oparg >> 2, out);
}

uint32_t WriteSuperAttr(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg << 2 | first.arg2);
}

constexpr uint32_t kComparisons = 6;
// The specializer's hint beside the operator, by operator: bits for unordered 1, less 2, greater 4, equal 8.
constexpr uint8_t kCompareMask[kComparisons] = {2, 2 | 8, 8, 1 | 2 | 4, 4, 4 | 8};

const char* ReadCompare11(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, kComparisons, kBadArg, &out->first);
}

constexpr auto WriteCompare11 = WriteCount;

const char* ReadCompare12(const CodeImage&, uint32_t oparg, Meanings* out) {
  if (const char* wrong = ReadBelow(oparg >> 4, kComparisons, kBadArg, &out->first))
    return wrong;
  return (oparg & 15) == kCompareMask[oparg >> 4] ? nullptr : kBadArg;
}

uint32_t WriteCompare12(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg << 4) | kCompareMask[first.arg];
}

const char* ReadCompare13(const CodeImage&, uint32_t oparg, Meanings* out) {
  if (const char* wrong = ReadBelow(oparg >> 5, kComparisons, kBadArg, &out->first))
    return wrong;
  out->first.arg2 = oparg >> 4 & 1;
  return (oparg & 15) == kCompareMask[oparg >> 5] ? nullptr : kBadArg;
}

uint32_t WriteCompare13(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg << 5 | first.arg2 << 4) | kCompareMask[first.arg];
}

const char* ReadBinary(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, 26, kBadArg, &out->first);
}

constexpr auto WriteBinary = WriteCount;

const char* ReadFlag(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, 2, kBadArg, &out->first);
}

constexpr auto WriteFlag = WriteCount;

const char* ReadSliceParts(const CodeImage&, uint32_t oparg, Meanings* out) {
  return oparg < 2 ? kBadArg : ReadBelow(oparg, 4, kBadArg, &out->first);
}

constexpr auto WriteSliceParts = WriteCount;

const char* ReadUnpackEx(const CodeImage&, uint32_t oparg, Meanings* out) {
  out->first.arg2 = static_cast<int32_t>(oparg >> 8);
  return ReadBelow(oparg & 0xff, 256, kBadArg, &out->first);
}

uint32_t WriteUnpackEx(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg2 << 8 | first.arg);
}

const char* ReadFormatValue(const CodeImage&, uint32_t oparg, Meanings* out) {
  out->first.arg2 = oparg >> 2 & 1;
  return oparg > 7 ? kBadArg : ReadBelow(oparg & 3, 4, kBadArg, &out->first);
}

uint32_t WriteFormatValue(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg2 << 2 | first.arg);
}

const char* ReadFormatSpec(const CodeImage&, uint32_t oparg, Meanings* out) {
  out->first.arg2 = 1;
  return oparg == 0 ? nullptr : kBadArg;
}

constexpr auto WriteFormatSpec = WriteNone;

const char* ReadConversion(const CodeImage&, uint32_t oparg, Meanings* out) {
  return oparg < 1 ? kBadArg : ReadBelow(oparg, 4, kBadArg, &out->first);
}

constexpr auto WriteConversion = WriteCount;

const char* ReadFunctionFlags(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, 16, kBadArg, &out->first);
}

constexpr auto WriteFunctionFlags = WriteCount;

const char* ReadOneFunctionFlag(const CodeImage&, uint32_t oparg, Meanings* out) {
  return oparg == 0 || (oparg & (oparg - 1)) != 0 ? kBadArg : ReadBelow(oparg, 16, kBadArg, &out->first);
}

constexpr auto WriteOneFunctionFlag = WriteCount;

struct Intrinsic {
  uint8_t operands;
  uint8_t number;
  uint8_t first_minor;
  Op op;
};

constexpr Intrinsic kIntrinsics[] = {
#define FRAMEGATE_INTRINSIC(operands, number, first_minor, name, op) {operands, number, first_minor, Op::k##op},
#include "translator/pyver/intrinsics.def"
#undef FRAMEGATE_INTRINSIC
};

const char* ReadIntrinsic(const CodeImage& image, uint8_t operands, uint32_t oparg, Instruction* out) {
  for (const Intrinsic& row : kIntrinsics) {
    if (row.operands == operands && row.number == oparg && static_cast<uint8_t>(image.version) >= row.first_minor) {
      out->op = row.op;
      out->arg = row.op == Op::kIntrinsic1 || row.op == Op::kIntrinsic2 ? row.number : 0;
      return nullptr;
    }
  }
  return "an unknown intrinsic";
}

uint32_t WriteIntrinsic(uint8_t operands, const Instruction& first) {
  for (const Intrinsic& row : kIntrinsics)
    if (row.operands == operands && row.op == first.op && (first.arg == 0 || row.number == first.arg))
      return row.number;
  return 0;
}

const char* ReadIntrinsic1(const CodeImage& image, uint32_t oparg, Meanings* out) {
  return ReadIntrinsic(image, 1, oparg, &out->first);
}

uint32_t WriteIntrinsic1(const Instruction& first, const Instruction*) {
  return WriteIntrinsic(1, first);
}

const char* ReadIntrinsic2(const CodeImage& image, uint32_t oparg, Meanings* out) {
  return ReadIntrinsic(image, 2, oparg, &out->first);
}

uint32_t WriteIntrinsic2(const Instruction& first, const Instruction*) {
  return WriteIntrinsic(2, first);
}

const char* ReadCall(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, INT32_MAX, kBadArg, &out->first);
}

constexpr auto WriteCall = WriteCount;

const char* ReadResume(const CodeImage& image, uint32_t oparg, Meanings* out) {
  out->first.arg = oparg & 3;
  out->first.arg2 = static_cast<int32_t>(oparg >> 2);
  return oparg >> 2 <= (image.version == model::PyVersion::k313 ? 1u : 0u) ? nullptr : kBadArg;
}

uint32_t WriteResume(const Instruction& first, const Instruction*) {
  return static_cast<uint32_t>(first.arg2 << 2 | first.arg);
}

// Free variables are the last slots.
const char* ReadFreeCount(const CodeImage& image, uint32_t oparg, Meanings* out) {
  auto free_at = [&](size_t from_end) { return (static_cast<uint8_t>(image.localspluskinds[image.nlocalsplus() - from_end]) & 0x80) != 0; };
  bool fine = oparg > 0 && oparg <= image.nlocalsplus() && free_at(oparg) && (oparg == image.nlocalsplus() || !free_at(oparg + 1));
  return fine ? ReadBelow(oparg, INT32_MAX, kBadArg, &out->first) : "COPY_FREE_VARS of another number of free variables";
}

constexpr auto WriteFreeCount = WriteCount;

const char* ReadUpToTwo(const CodeImage&, uint32_t oparg, Meanings* out) {
  return ReadBelow(oparg, 3, kBadArg, &out->first);
}

constexpr auto WriteUpToTwo = WriteCount;

constexpr auto ReadForward = ReadCount;
constexpr auto WriteForward = WriteCount;
constexpr auto ReadBackward = ReadCount;
constexpr auto WriteBackward = WriteCount;
constexpr auto ReadForIter12 = ReadCount;
constexpr auto WriteForIter12 = WriteCount;
constexpr auto ReadForIter13 = ReadCount;
constexpr auto WriteForIter13 = WriteCount;

constexpr ReadingRow kRows[] = {
#define FRAMEGATE_READING(name, direction, skip, doc) {Read##name, Write##name, direction, skip},
#include "translator/pyver/readings.def"
#undef FRAMEGATE_READING
};

}  // namespace

const ReadingRow& RowOf(Reading reading) {
  return kRows[static_cast<size_t>(reading)];
}

}  // namespace framegate::translator
