// The text form of programs; see program.h. Operands are printed in place, so pools have no text of their own.

#include "base/strings.h"
#include "base/text.h"
#include "guards/program/builder.h"

namespace framegate::guards {

namespace {

using model::Constant;
using model::ConstantKind;
using text::Node;

template <typename T>
std::string Fields(const T& value) {
  std::string out;
  text::Printer(&out, -1).Put(value);
  return out;
}

std::string PrintConstant(const Constant& value) {
  switch (value.kind) {
    case ConstantKind::kNone:
    case ConstantKind::kFalse:
    case ConstantKind::kTrue:
    case ConstantKind::kEllipsis:
    case ConstantKind::kNotImplemented:
      return std::string(model::EnumText(value.kind));
    case ConstantKind::kInt:
      return StrCat(value.integer);
    case ConstantKind::kStr:
      return text::Quote(value.text);
    case ConstantKind::kBigInt:
    case ConstantKind::kFloat:
    case ConstantKind::kComplex:
    case ConstantKind::kBytes:
    case ConstantKind::kTuple:
    case ConstantKind::kFrozenset:
    case ConstantKind::kSlice:
    case ConstantKind::kCode:
    case ConstantKind::kDtype:
    case ConstantKind::kDevice:
    case ConstantKind::kLayout:
    case ConstantKind::kMemoryFormat:
    case ConstantKind::kRange:
    case ConstantKind::kSize:
    case ConstantKind::kMember:
      return Fields(value);
  }
  return "None";
}

std::string PrintStep(const Program& p, const Instruction& in) {
  const model::Step step = StepOf(in.op);
  std::string out = StrCat(in.sub & kOptional ? "try o" : "take o", in.a, " ", model::EnumText(step));
  if (!model::IsRoot(step))
    out += StrCat(" o", in.b);
  const uint32_t operand = model::IsRoot(step) ? in.imm() : in.c;
  switch (model::OperandOf(step)) {
    case model::StepOperand::kNone:
      return out;
    case model::StepOperand::kIndex:
      return StrCat(out, " ", operand);
    case model::StepOperand::kPair:
      return StrCat(out, " ", model::FrameOf(operand), " ", model::IndexOf(operand));
    case model::StepOperand::kKey:
      return StrCat(out, " ", PrintConstant(p.constants[operand]));
  }
  return out;
}

std::string PrintFact(const Program& p, const Instruction& in) {
  const model::Fact fact = FactOf(in.op);
  if (in.sub & kUnknown)
    return StrCat("lacks o", in.a, " ", model::EnumText(fact));
  std::string out = StrCat("is o", in.a, " ", model::EnumText(fact), " ");
  switch (model::ShapeOf(fact)) {
    case model::FactShape::kWord:
      return StrCat(out, in.sub & kPooled ? p.numbers[in.imm()] : in.imm());
    case model::FactShape::kConstant:
      return out + PrintConstant(p.constants[in.imm()]);
    case model::FactShape::kTensor:
      return out + Fields(p.tensors[in.imm()]);
    case model::FactShape::kHash:
      return out + p.hashes[in.imm()].Hex();
  }
  return out;
}

std::string PrintOwn(const Program& p, const Instruction& in) {
  const CheckOp op = static_cast<CheckOp>(in.op);
  const std::string_view text = EnumText(op);
  switch (ShapeOf(op)) {
    case OperandShape::kNone:
      return std::string(text);
    case OperandShape::kO:
      return StrCat(text, " o", in.a);
    case OperandShape::kOO:
      return StrCat(text, " o", in.a, " o", in.b);
    case OperandShape::kOType:
      return StrCat(text, " o", in.a, " ", text::Quote(p.types[in.imm()]));
    case OperandShape::kOHandle:
      return StrCat(text, " o", in.a, " ", p.numbers[in.imm()]);
    case OperandShape::kPart:
      return StrCat(text, " ", model::EnumText(static_cast<model::AmbientPart>(in.sub)), " ", PrintConstant(p.constants[in.imm()]));
    case OperandShape::kSlot:
    case OperandShape::kBody:
      return StrCat(text, " o", in.a, " ", in.imm());
    case OperandShape::kWord:
      return StrCat(text, " w", in.a, " ", static_cast<int64_t>(p.numbers[in.imm()]));
    case OperandShape::kDim:
      return StrCat(text, " w", in.a, " o", in.b, " ", in.c);
    case OperandShape::kWFact:
      return StrCat(text, " w", in.a, " o", in.b, " ", model::EnumText(static_cast<model::Fact>(in.sub)));
    case OperandShape::kWO:
      return StrCat(text, " w", in.a, " o", in.b);
    case OperandShape::kWWW:
      return StrCat(text, " w", in.a, " w", in.b, " w", in.c);
    case OperandShape::kW:
      return StrCat(text, " w", in.a);
  }
  return "";
}

// Reads the items of one line. The first mistake is kept; reading goes on with zeros.
class LineReader {
 public:
  LineReader(const Node& line, int number) : line_(line), number_(number) {
    if (!line.is_list || line.items.empty())
      Fail("an instruction in parentheses");
  }

  std::string_view Word() {
    const Node& node = Next();
    if (node.is_list || node.quoted || node.atom.empty())
      Fail("a word");
    return node.atom;
  }

  std::string Quoted() {
    const Node& node = Next();
    if (!node.quoted)
      Fail("a quoted string");
    return node.atom;
  }

  uint16_t Register(char kind) {
    const std::string_view word = Word();
    uint16_t number = 0;
    if (word.empty() || word[0] != kind || !ParseInteger(word.substr(1), &number))
      Fail(StrCat("a register of kind ", kind));
    return number;
  }

  template <typename T>
  T Number() {
    T value{};
    if (!ParseInteger(Word(), &value))
      Fail("a number in range");
    return value;
  }

  template <typename E>
  E Enum() {
    E value{};
    if (!EnumFromText(Word(), &value))
      Fail("a known word");
    return value;
  }

  Constant ReadConstant() {
    const Node& node = Peek();
    if (node.quoted)
      return Constant::Str(Quoted());
    if (node.is_list)
      return ReadFields<Constant>();
    if (Constant value; EnumFromText(node.atom, &value.kind)) {
      Next();
      return value;
    }
    return Constant::Int(Number<int64_t>());
  }

  template <typename T>
  T ReadFields() {
    T value;
    const Node& node = Next();
    text::Reader reader(node);
    if (node.is_list)
      T::VisitFields(reader, value);
    if (!node.is_list || !reader.Finish().ok())
      Fail("a list of fields");
    return value;
  }

  model::SubjectId Subject() {
    if (at_ >= line_.items.size())
      return model::kNoSubject;
    const std::string_view word = Word();
    model::SubjectId id = model::kNoSubject;
    if (word.empty() || word[0] != '#' || !ParseInteger(word.substr(1), &id))
      Fail("a subject as #number");
    return id;
  }

  void Fail(std::string_view expected) {
    if (status_.ok())
      status_ = absl::InvalidArgumentError(StrCat("program: line ", number_, ": expected ", expected));
  }

  absl::Status Finish() {
    if (at_ < line_.items.size())
      Fail("the line's end");
    return status_;
  }

 private:
  const Node& Peek() {
    static const Node kNone;
    return at_ < line_.items.size() ? line_.items[at_] : kNone;
  }

  const Node& Next() {
    const Node& node = Peek();
    ++at_;
    return node;
  }

  const Node& line_;
  int number_;
  size_t at_ = 0;
  absl::Status status_;
};

void ParseStep(LineReader& line, bool optional, ProgramBuilder& builder) {
  const uint16_t to = line.Register('o');
  model::SubjectNode node{.step = line.Enum<model::Step>()};
  const uint16_t from = model::IsRoot(node.step) ? 0 : line.Register('o');
  switch (model::OperandOf(node.step)) {
    case model::StepOperand::kNone:
      break;
    case model::StepOperand::kIndex:
      node.index = line.Number<uint32_t>();
      break;
    case model::StepOperand::kPair: {
      const uint32_t frame = line.Number<uint16_t>();
      node.index = model::PairIndex(frame, line.Number<uint16_t>());
      break;
    }
    case model::StepOperand::kKey:
      node.key = line.ReadConstant();
      break;
  }
  if (!builder.AddStep(node, optional, from, to, line.Subject()).ok())
    line.Fail("an operand of 16 bits");
}

void ParseFact(LineReader& line, bool known, ProgramBuilder& builder) {
  const uint16_t object = line.Register('o');
  model::FactValue value{.fact = line.Enum<model::Fact>(), .known = known};
  TensorCheck check;
  if (known) {
    switch (model::ShapeOf(value.fact)) {
      case model::FactShape::kWord:
        value.word = line.Number<uint64_t>();
        break;
      case model::FactShape::kConstant:
        value.constant = line.ReadConstant();
        break;
      case model::FactShape::kTensor:
        check = line.ReadFields<TensorCheck>();
        value.tensor = check.facts;
        break;
      case model::FactShape::kHash:
        if (!Hash128::FromHex(line.Word(), &value.hash))
          line.Fail("32 hex digits");
        break;
    }
  }
  const model::SubjectId subject = line.Subject();
  if (value.tensor)
    builder.AddTensor(check, object, subject);
  else if (!builder.AddFact(value, object, subject).ok())
    line.Fail("a fact");
}

void ParseOwn(LineReader& line, CheckOp op, ProgramBuilder& builder) {
  Instruction in{.op = static_cast<uint8_t>(op)};
  switch (ShapeOf(op)) {
    case OperandShape::kNone:
      break;
    case OperandShape::kO:
      in.a = line.Register('o');
      break;
    case OperandShape::kOO:
      in.a = line.Register('o');
      in.b = line.Register('o');
      break;
    case OperandShape::kOType:
      in.a = line.Register('o');
      in.set_imm(builder.Type(line.Quoted()));
      break;
    case OperandShape::kOHandle:
      in.a = line.Register('o');
      in.set_imm(builder.Number(line.Number<uint64_t>()));
      break;
    case OperandShape::kPart:
      in.sub = static_cast<uint8_t>(line.Enum<model::AmbientPart>());
      in.set_imm(builder.Constant(line.ReadConstant()));
      break;
    case OperandShape::kSlot:
    case OperandShape::kBody:
      in.a = line.Register('o');
      in.set_imm(line.Number<uint32_t>());
      break;
    case OperandShape::kWord:
      in.a = line.Register('w');
      in.set_imm(builder.Number(static_cast<uint64_t>(line.Number<int64_t>())));
      break;
    case OperandShape::kDim:
      in.a = line.Register('w');
      in.b = line.Register('o');
      in.c = line.Number<uint16_t>();
      break;
    case OperandShape::kWFact:
      in.a = line.Register('w');
      in.b = line.Register('o');
      in.sub = static_cast<uint8_t>(line.Enum<model::Fact>());
      break;
    case OperandShape::kWO:
      in.a = line.Register('w');
      in.b = line.Register('o');
      break;
    case OperandShape::kWWW:
      in.a = line.Register('w');
      in.b = line.Register('w');
      in.c = line.Register('w');
      break;
    case OperandShape::kW:
      in.a = line.Register('w');
      break;
  }
  builder.Add(in, line.Subject());
}

absl::Status ParseLine(const Node& node, int number, ProgramBuilder& builder, Program* counts) {
  LineReader line(node, number);
  const std::string_view word = line.Word();
  if (word == "registers") {
    counts->objects = line.Number<uint32_t>();
    counts->words = line.Number<uint32_t>();
  } else if (word == "take" || word == "try") {
    ParseStep(line, word == "try", builder);
  } else if (word == "is" || word == "lacks") {
    ParseFact(line, word == "is", builder);
  } else if (CheckOp op; EnumFromText(word, &op)) {
    ParseOwn(line, op, builder);
  } else {
    line.Fail("an operation");
  }
  return line.Finish();
}

}  // namespace

std::string PrintProgram(const Program& program) {
  std::string out = StrCat("(registers ", program.objects, " ", program.words, ")\n");
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& in = program.instructions[i];
    out += StrCat("(", IsStepOp(in.op) ? PrintStep(program, in) : IsFactOp(in.op) ? PrintFact(program, in) : PrintOwn(program, in));
    if (program.subjects[i] != model::kNoSubject)
      out += StrCat(" #", program.subjects[i]);
    out += ")\n";
  }
  return out;
}

absl::StatusOr<Program> ParseProgram(std::string_view text) {
  ProgramBuilder builder;
  Program counts;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos)
      continue;
    ASSIGN_OR_RETURN(Node node, text::ParseNode(line));
    RETURN_IF_ERROR(ParseLine(node, number, builder, &counts));
  }
  Program program = builder.Take();
  program.objects = counts.objects;
  program.words = counts.words;
  return program;
}

}  // namespace framegate::guards
