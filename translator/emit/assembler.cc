#include "translator/emit/assembler.h"

#include <algorithm>

#include "base/strings.h"
#include "translator/pyver/raw_table.h"
#include "translator/pyver/tables.h"

namespace framegate::translator {

namespace {

using model::PyVersion;

// The client's verifier refuses more.
constexpr size_t kMaxNewUnits = size_t{1} << 20;
constexpr size_t kMaxTableSize = size_t{1} << 16;

void AppendUnit(uint8_t opcode, uint32_t oparg, uint32_t origin, model::NewCode* out) {
  out->image.code.push_back(static_cast<char>(opcode));
  out->image.code.push_back(static_cast<char>(oparg & 0xff));
  out->origins.push_back(origin);
}

}  // namespace

Assembler::Assembler(PyVersion version) : version_(version) {}

void Assembler::SetOrigin(uint32_t unit_offset) {
  origin_ = unit_offset;
}

void Assembler::Emit(std::string_view name, Instruction instruction, uint32_t pops, uint32_t pushes) {
  uint8_t number = RawNumber(version_, name);
  const RawOp& raw = RawTableOf(version_)[number];
  lines_.push_back({number, RowOf(raw.reading).write(instruction, nullptr), origin_});
  underflow_ = underflow_ || pops > depth_;
  depth_ = depth_ - std::min<uint64_t>(pops, depth_) + pushes;
  max_depth_ = std::max(max_depth_, depth_);
}

void Assembler::Emit(std::string_view name, uint32_t arg, uint32_t pops, uint32_t pushes) {
  Emit(name, {.arg = static_cast<int32_t>(arg)}, pops, pushes);
}

void Assembler::LoadFast(uint32_t slot) {
  Emit("LOAD_FAST", slot, 0, 1);
}

void Assembler::StoreFast(uint32_t slot) {
  Emit("STORE_FAST", slot, 1, 0);
}

void Assembler::DeleteFast(uint32_t slot) {
  Emit("DELETE_FAST", slot, 0, 0);
}

void Assembler::LoadConst(const model::Constant& constant) {
  Emit("LOAD_CONST", ConstIndex(constant), 0, 1);
}

void Assembler::LoadGlobal(std::string name) {
  Emit("LOAD_GLOBAL", NameIndex(std::move(name)), 0, 1);
}

void Assembler::LoadAttr(std::string name) {
  Emit("LOAD_ATTR", NameIndex(std::move(name)), 1, 1);
}

void Assembler::PopTop() {
  Emit("POP_TOP", 0, 1, 0);
}

void Assembler::Copy(uint32_t depth) {
  Emit("COPY", depth, depth, depth + 1);
}

void Assembler::Swap(uint32_t depth) {
  Emit("SWAP", depth, depth, depth);
}

void Assembler::BuildTuple(uint32_t count) {
  Emit("BUILD_TUPLE", count, count, 1);
}

void Assembler::BuildList(uint32_t count) {
  Emit("BUILD_LIST", count, count, 1);
}

void Assembler::BuildSet(uint32_t count) {
  Emit("BUILD_SET", count, count, 1);
}

void Assembler::BuildMap(uint32_t pairs) {
  Emit("BUILD_MAP", pairs, 2 * pairs, 1);
}

void Assembler::BuildSlice(uint32_t parts) {
  Emit("BUILD_SLICE", parts, parts, 1);
}

void Assembler::UnpackSequence(uint32_t count) {
  Emit("UNPACK_SEQUENCE", count, 1, count);
}

void Assembler::BinaryOp(int32_t nb_number) {
  Emit("BINARY_OP", static_cast<uint32_t>(nb_number), 2, 1);
}

void Assembler::UnaryOp(char op) {
  if (op == '!' && version_ == PyVersion::k313)  // its UNARY_NOT takes nothing but a bool
    Emit("TO_BOOL", 0, 1, 1);
  Emit(op == '-' ? "UNARY_NEGATIVE" : op == '~' ? "UNARY_INVERT" : "UNARY_NOT", 0, 1, 1);
}

void Assembler::CompareOp(int32_t op) {
  Emit("COMPARE_OP", static_cast<uint32_t>(op), 2, 1);
}

void Assembler::IsOp(bool invert) {
  Emit("IS_OP", invert, 2, 1);
}

void Assembler::ContainsOp(bool invert) {
  Emit("CONTAINS_OP", invert, 2, 1);
}

void Assembler::BinarySubscr() {
  Emit("BINARY_SUBSCR", 0, 2, 1);
}

void Assembler::Intrinsic(uint8_t operands, uint32_t number) {
  Emit(operands == 1 ? "CALL_INTRINSIC_1" : "CALL_INTRINSIC_2", number, operands, 1);
}

void Assembler::BeginCall(uint32_t callable_slot) {
  bool null_last = version_ == PyVersion::k313;
  if (!null_last)
    Emit("PUSH_NULL", 0, 0, 1);
  LoadFast(callable_slot);
  if (null_last)
    Emit("PUSH_NULL", 0, 0, 1);
}

void Assembler::BeginCallGlobal(std::string name) {
  Emit("LOAD_GLOBAL", {.arg = static_cast<int32_t>(NameIndex(std::move(name))), .arg2 = 1}, 0, 2);
}

void Assembler::BeginMethod(std::string name) {
  Instruction method{.op = Op::kLoadMethod, .arg = static_cast<int32_t>(NameIndex(std::move(name)))};
  Emit(version_ == PyVersion::k311 ? "LOAD_METHOD" : "LOAD_ATTR", method, 1, 2);
}

void Assembler::EmitCall(uint32_t arguments) {
  if (version_ == PyVersion::k311)
    lines_.push_back({RawNumber(version_, "PRECALL"), arguments, origin_});
  Emit("CALL", arguments, arguments + 2, 1);
}

void Assembler::Call(uint32_t arguments) {
  EmitCall(arguments);
}

void Assembler::CallKw(uint32_t arguments, std::vector<std::string> keywords) {
  if (keywords.empty())
    return EmitCall(arguments);
  std::vector<model::Constant> items;
  for (std::string& keyword : keywords)
    items.push_back(model::Constant::Str(std::move(keyword)));
  model::Constant names = model::Constant::Tuple(std::move(items));
  if (version_ == PyVersion::k313) {
    LoadConst(names);
    Emit("CALL_KW", arguments, arguments + 3, 1);
    return;
  }
  lines_.push_back({RawNumber(version_, "KW_NAMES"), ConstIndex(names), origin_});
  EmitCall(arguments);
}

void Assembler::Return() {
  Emit("RETURN_VALUE", 0, 1, 0);
}

uint32_t Assembler::ConstIndex(const model::Constant& constant) {
  auto [found, added] = const_index_.try_emplace(Encode(constant), static_cast<uint32_t>(consts_.size()));
  if (added)
    consts_.push_back(constant);
  return found->second;
}

uint32_t Assembler::NameIndex(std::string name) {
  auto [found, added] = name_index_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (added)
    names_.push_back(std::move(name));
  return found->second;
}

absl::Status Assembler::CheckLimits(const Frame& frame) const {
  if (underflow_)
    return absl::InternalError(StrCat("new code of ", frame.qualname, " takes more from the stack than is there"));
  if (lines_.empty() || lines_.back().opcode != RawNumber(version_, "RETURN_VALUE"))
    return absl::InternalError(StrCat("new code of ", frame.qualname, " does not end with a return"));
  for (size_t size : {consts_.size(), names_.size(), frame.localsplusnames.size(), static_cast<size_t>(max_depth_)})
    if (size > kMaxTableSize)
      return absl::ResourceExhaustedError(StrCat("new code of ", frame.qualname, " needs a table of ", size, " rows"));
  return absl::OkStatus();
}

absl::StatusOr<model::NewCode> Assembler::Finish(const Frame& frame) && {
  RETURN_IF_ERROR(CheckLimits(frame));
  model::NewCode out;
  model::CodeImage& image = out.image;
  const RawTable& table = RawTableOf(version_);
  const uint8_t extended = RawNumber(version_, "EXTENDED_ARG");
  AppendUnit(RawNumber(version_, "RESUME"), 0, lines_.front().origin, &out);
  for (const Line& line : lines_) {
    for (int shift = 24; shift > 0; shift -= 8)
      if (line.oparg >> shift != 0)
        AppendUnit(extended, line.oparg >> shift, line.origin, &out);
    AppendUnit(line.opcode, line.oparg, line.origin, &out);
    for (int i = 0; i < table[line.opcode].caches; ++i)
      AppendUnit(0, 0, line.origin, &out);
  }
  if (image.units() > kMaxNewUnits)
    return absl::ResourceExhaustedError(StrCat("new code of ", frame.qualname, " needs ", image.units(), " units"));
  image.version = version_;
  image.name = frame.name;
  image.qualname = frame.qualname;
  image.filename = frame.filename;
  image.firstlineno = frame.firstlineno;
  image.argcount = frame.argcount;
  image.posonlyargcount = frame.posonlyargcount;
  image.kwonlyargcount = frame.kwonlyargcount;
  image.flags = frame.flags;
  image.stacksize = static_cast<uint32_t>(std::max<uint64_t>(max_depth_, 1));
  image.consts = std::move(consts_);
  image.names = std::move(names_);
  image.localsplusnames = frame.localsplusnames;
  image.localspluskinds.assign(frame.localsplusnames.size(), '\x20');
  image.linetable = EncodeLineTable({SpanRun{}}, frame.firstlineno, static_cast<uint32_t>(image.units()));
  return out;
}

}  // namespace framegate::translator
