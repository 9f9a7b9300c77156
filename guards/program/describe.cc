// What people read of checks and facts.

#include <cstdio>
#include <utility>

#include "base/strings.h"
#include "guards/program/program.h"

namespace framegate::guards {

namespace {

// Torch's name of a dtype, as its messages have it: torch.float32 is Float.
std::string_view ScalarName(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"torch.float32", "Float"},
                                                                             {"torch.float64", "Double"},
                                                                             {"torch.float16", "Half"},
                                                                             {"torch.bfloat16", "BFloat16"},
                                                                             {"torch.int64", "Long"},
                                                                             {"torch.int32", "Int"},
                                                                             {"torch.int16", "Short"},
                                                                             {"torch.int8", "Char"},
                                                                             {"torch.uint8", "Byte"},
                                                                             {"torch.bool", "Bool"},
                                                                             {"torch.complex64", "ComplexFloat"},
                                                                             {"torch.complex128", "ComplexDouble"},
                                                                             {"torch.complex32", "ComplexHalf"}};
  for (const auto& [name, scalar] : kNames)
    if (name == dtype)
      return scalar;
  return dtype;
}

std::string Numbers(const std::vector<int64_t>& values, const std::vector<uint32_t>& free) {
  std::vector<std::string> texts;
  for (int64_t value : values)
    texts.push_back(StrCat(value));
  for (uint32_t dimension : free)
    if (dimension < texts.size())
      texts[dimension] = "any";
  return StrCat("[", StrJoin(texts, ", "), "]");
}

std::string ReprTensor(const TensorCheck& check) {
  const model::TensorFacts& facts = check.facts;
  std::string out = StrCat(ScalarName(facts.dtype), " tensor, size=", Numbers(facts.sizes, check.free_sizes),
                           ", stride=", Numbers(facts.strides, check.free_strides), ", device=", facts.device,
                           ", requires_grad=", facts.requires_grad ? "True" : "False");
  if (facts.layout != "torch.strided")
    out += StrCat(", layout=", facts.layout);
  if (facts.is_inference)
    out += ", inference";
  if (check.parts & kLeafPart)
    out += facts.is_leaf ? ", leaf" : ", no leaf";
  if (check.parts & kGradPart)
    out += facts.has_grad ? ", with grad" : ", without grad";
  if (check.parts & kOffsetPart)
    out += StrCat(", storage_offset=", facts.storage_offset);
  if (!facts.dynamic_dims.empty())
    out += StrCat(", marked dynamic=", Numbers(facts.dynamic_dims, {}));
  if (!facts.static_dims.empty())
    out += StrCat(", marked static=", Numbers(facts.static_dims, {}));
  char keys[32];
  std::snprintf(keys, sizeof keys, ", keys=%llx", static_cast<unsigned long long>(facts.keys));
  return out + keys;
}

std::string ExpectedFact(const Program& program, const Instruction& in) {
  model::FactValue value{.fact = FactOf(in.op), .known = !(in.sub & kUnknown)};
  if (!value.known)
    return Repr(value);
  switch (model::ShapeOf(value.fact)) {
    case model::FactShape::kWord:
      value.word = in.sub & kPooled ? program.numbers[in.imm()] : in.imm();
      break;
    case model::FactShape::kConstant:
      value.constant = program.constants[in.imm()];
      break;
    case model::FactShape::kTensor:
      return ReprTensor(program.tensors[in.imm()]);
    case model::FactShape::kHash:
      value.hash = program.hashes[in.imm()];
      break;
  }
  return Repr(value);
}

std::string Infix(const Program& program, uint16_t word, uint32_t before, int depth);

// The instruction before `before` that wrote the word.
const Instruction* WriterOf(const Program& program, uint16_t word, uint32_t before, uint32_t* at) {
  for (uint32_t i = before; i-- > 0;) {
    const Instruction& in = program.instructions[i];
    const OperandShape shape = IsFactOp(in.op) || IsStepOp(in.op) ? OperandShape::kNone : ShapeOf(static_cast<CheckOp>(in.op));
    const bool writes = shape == OperandShape::kWord || shape == OperandShape::kDim || shape == OperandShape::kWFact ||
                        shape == OperandShape::kWO || shape == OperandShape::kWWW;
    if (writes && in.a == word) {
      *at = i;
      return &in;
    }
  }
  return nullptr;
}

std::string Operation(const Program& program, const Instruction& in, uint32_t at, int depth) {
  const CheckOp op = static_cast<CheckOp>(in.op);
  switch (ShapeOf(op)) {
    case OperandShape::kWord:
      return StrCat(static_cast<int64_t>(program.numbers[in.imm()]));
    case OperandShape::kDim:
      return StrCat("#", program.subjects[at], ".", EnumText(op), "(", in.c, ")");
    case OperandShape::kWFact:
      return StrCat("#", program.subjects[at], ".", model::EnumText(static_cast<model::Fact>(in.sub)));
    case OperandShape::kWO:
      return StrCat("#", program.subjects[at], ".", EnumText(op));
    case OperandShape::kWWW:
      return StrCat(EnumText(op), "(", Infix(program, in.b, at, depth + 1), ", ", Infix(program, in.c, at, depth + 1), ")");
    case OperandShape::kNone:
    case OperandShape::kO:
    case OperandShape::kOO:
    case OperandShape::kOType:
    case OperandShape::kOHandle:
    case OperandShape::kPart:
    case OperandShape::kSlot:
    case OperandShape::kBody:
    case OperandShape::kW:
      break;
  }
  return "?";
}

std::string Infix(const Program& program, uint16_t word, uint32_t before, int depth) {
  uint32_t at = 0;
  const Instruction* in = depth < 16 ? WriterOf(program, word, before, &at) : nullptr;
  return in ? Operation(program, *in, at, depth) : "...";
}

std::string ExpectedOwn(const Program& program, const Instruction& in, uint32_t at) {
  const CheckOp op = static_cast<CheckOp>(in.op);
  switch (ShapeOf(op)) {
    case OperandShape::kOType:
      return StrCat(op == CheckOp::kCheckSubclass ? "a subclass of " : "", TypeRepr(program.types[in.imm()]));
    case OperandShape::kPart:
      return model::Repr(program.constants[in.imm()]);
    case OperandShape::kOO:
      return StrCat(op == CheckOp::kCheckSame ? "the object of o" : "another object than o", in.b);
    case OperandShape::kO:
      return op == CheckOp::kCheckAbsent ? "absent" : op == CheckOp::kCheckPresent ? "present" : "an object of its own";
    case OperandShape::kOHandle:
      return "the object that was met";
    case OperandShape::kW:
      return Infix(program, in.a, at, 0);
    case OperandShape::kDim:
    case OperandShape::kWFact:
    case OperandShape::kWO:
    case OperandShape::kWWW:
      return "a number of 64 bits";
    case OperandShape::kNone:
    case OperandShape::kSlot:
    case OperandShape::kBody:
    case OperandShape::kWord:
      return "";
  }
  return "";
}

}  // namespace

std::string TypeRepr(std::string_view name) {
  const size_t colon = name.find(':');
  const std::string_view module = name.substr(0, colon), rest = colon == std::string_view::npos ? "" : name.substr(colon + 1);
  return module == "builtins" ? std::string(rest) : StrCat(module, ".", rest);
}

std::string Repr(const model::TensorFacts& facts) {
  return ReprTensor({.facts = facts});
}

namespace {

// Flags by name: all that are set, or all that count (program.h).
std::string ReprTypeFlags(uint64_t word) {
  std::string text;
  const uint64_t counted = word >> 32 == 0 ? word & UINT32_MAX : word >> 32;
  const auto add = [&](uint64_t flag, std::string_view name) {
    if ((counted & flag) != 0)
      text += StrCat(text.empty() ? "" : ", ", (word & flag) != 0 ? "" : "no ", name);
  };
#define FRAMEGATE_TYPE_FLAG(bit, name, flag_text, doc) add(uint64_t{1} << bit, flag_text);
#include "model/type_flags.def"
#undef FRAMEGATE_TYPE_FLAG
  return StrCat("a class that is: ", text);
}

}  // namespace

std::string Repr(const model::FactValue& value) {
  if (!value.known)
    return StrCat("no ", model::EnumText(value.fact));
  switch (model::ShapeOf(value.fact)) {
    case model::FactShape::kWord:
      return value.fact == model::Fact::kTypeFlags ? ReprTypeFlags(value.word) : StrCat(value.word);
    case model::FactShape::kConstant:
      return model::Repr(value.constant);
    case model::FactShape::kTensor:
      return value.tensor ? Repr(*value.tensor) : "no tensor";
    case model::FactShape::kHash:
      return StrCat("code ", value.hash.Hex().substr(0, 12));
  }
  return "";
}

std::string Shorten(std::string text) {
  if (text.size() <= kMaxRepr)
    return text;
  size_t end = kMaxRepr - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)  // not inside a character of UTF-8
    --end;
  text.resize(end);
  return text + "...";
}

std::string Expectation(const Program& program, uint32_t instruction) {
  const Instruction& in = program.instructions[instruction];
  if (IsStepOp(in.op))
    return "present";
  return Shorten(IsFactOp(in.op) ? ExpectedFact(program, in) : ExpectedOwn(program, in, instruction));
}

}  // namespace framegate::guards
