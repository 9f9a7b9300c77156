// One program for each kind of instruction the assembler has.
#include <cstdio>
#include <string>
#include <vector>

#include "base/strings.h"
#include "translator/emit/assembler.h"
#include "translator/oracle/oracle.h"

namespace framegate::translator::oracle {

namespace {

using model::Constant;
using model::ConstantKind;

// Parameters p0.. get the values of `arguments` (a Python tuple); two more slots follow. The call gives what the Python expression
// `expected` gives, or raises an exception of that type.
struct Program {
  const char* name;
  uint32_t parameters;
  const char* arguments;
  const char* expected;
  void (*write)(Assembler& a, uint32_t free_slot);
};

void LoadParameters(Assembler& a, uint32_t count) {
  for (uint32_t slot = 0; slot < count; ++slot)
    a.LoadFast(slot);
}

void WriteManyConstants(Assembler& a, uint32_t) {
  for (int64_t i = 0; i < 700; ++i)
    a.LoadConst(Constant::Int(i));
  a.BuildTuple(700);
}

void WriteManyStores(Assembler& a, uint32_t) {
  for (int i = 0; i < 300; ++i)
    a.LoadFast(0);
  a.BuildList(300);
  a.UnpackSequence(300);
  for (int i = 0; i < 299; ++i)
    a.PopTop();
}

void WriteAllConstants(Assembler& a, uint32_t) {
  a.LoadConst(Constant::None());
  a.LoadConst(Constant::Bool(true));
  a.LoadConst(Constant::Of(ConstantKind::kEllipsis));
  a.LoadConst(Constant::Int(1));
  a.LoadConst(Constant::Float(1));
  a.LoadConst(Constant::Str("it's \"text\""));
  a.LoadConst(Constant::Tuple({Constant::Int(1), Constant::Tuple({})}));
  a.LoadConst(Constant::Int(1));
  a.BuildTuple(8);
}

constexpr Program kPrograms[] = {
    {"parameter", 1, "(5,)", "5", [](Assembler& a, uint32_t) { a.LoadFast(0); }},
    {"store", 1, "(5,)", "(5, 5)",
     [](Assembler& a, uint32_t slot) {
       a.LoadFast(0);
       a.StoreFast(slot);
       a.LoadFast(slot);
       a.LoadFast(0);
       a.BuildTuple(2);
     }},
    {"delete", 1, "(5,)", "5",
     [](Assembler& a, uint32_t slot) {
       a.LoadFast(0);
       a.StoreFast(slot);
       a.DeleteFast(slot);
       a.LoadFast(0);
     }},
    {"constants", 0, "()", "(None, True, ..., 1, 1.0, 'it\\'s \"text\"', (1, ()), 1)", WriteAllConstants},
    {"extended arguments", 0, "()", "tuple(range(700))", WriteManyConstants},
    {"long unpacking", 1, "(3,)", "3", WriteManyStores},
    {"global", 0, "()", "len", [](Assembler& a, uint32_t) { a.LoadGlobal("len"); }},
    {"attribute", 1, "(2 + 3j,)", "3.0",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.LoadAttr("imag");
     }},
    {"pop", 2, "(1, 2)", "1",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.PopTop();
     }},
    {"copy", 2, "(1, 2)", "(1, 2, 1)",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.Copy(2);
       a.BuildTuple(3);
     }},
    {"swap", 3, "(1, 2, 3)", "(3, 2, 1)",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 3);
       a.Swap(3);
       a.BuildTuple(3);
     }},
    {"list", 2, "(1, 2)", "[1, 2]",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BuildList(2);
     }},
    {"set", 2, "(1, 2)", "{1, 2}",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BuildSet(2);
     }},
    {"map", 4, "('a', 1, 'b', 2)", "{'a': 1, 'b': 2}",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 4);
       a.BuildMap(2);
     }},
    {"slice of two", 2, "(1, 2)", "slice(1, 2)",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BuildSlice(2);
     }},
    {"slice of three", 3, "(1, 2, 3)", "slice(1, 2, 3)",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 3);
       a.BuildSlice(3);
     }},
    {"unpack", 1, "([1, 2, 3],)", "(3, 2, 1)",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.UnpackSequence(3);
       a.BuildTuple(3);
     }},
    {"add", 2, "(3, 4)", "7",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BinaryOp(0);
     }},
    {"power", 2, "(3, 4)", "81",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BinaryOp(8);
     }},
    {"in-place add", 2, "([1], (2,))", "[1, 2]",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BinaryOp(13);
     }},
    {"negative", 1, "(3,)", "-3",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.UnaryOp('-');
     }},
    {"invert", 1, "(3,)", "-4",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.UnaryOp('~');
     }},
    {"not", 1, "([],)", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.UnaryOp('!');
     }},
    {"not of a full list", 1, "([0],)", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 1);
       a.UnaryOp('!');
     }},
    {"less", 2, "(3, 4)", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(0);
     }},
    {"less or equal", 2, "(4, 4)", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(1);
     }},
    {"equal", 2, "(3, 4)", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(2);
     }},
    {"not equal", 2, "(3, 4)", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(3);
     }},
    {"greater", 2, "(3, 4)", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(4);
     }},
    {"greater or equal", 2, "(3, 4)", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.CompareOp(5);
     }},
    {"is", 2, "(3, 3)", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.IsOp(false);
     }},
    {"is not", 2, "(3, 3)", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.IsOp(true);
     }},
    {"in", 2, "(3, [3])", "True",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.ContainsOp(false);
     }},
    {"not in", 2, "(3, [3])", "False",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.ContainsOp(true);
     }},
    {"subscript", 2, "({'k': 9}, 'k')", "9",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BinarySubscr();
     }},
    {"failing subscript", 2, "({}, 'k')", "KeyError",
     [](Assembler& a, uint32_t) {
       LoadParameters(a, 2);
       a.BinarySubscr();
     }},
    {"call of a slot", 2, "(len, [1, 2])", "2",
     [](Assembler& a, uint32_t) {
       a.BeginCall(0);
       a.LoadFast(1);
       a.Call(1);
     }},
    {"call of nothing", 1, "(dict,)", "{}",
     [](Assembler& a, uint32_t) {
       a.BeginCall(0);
       a.Call(0);
     }},
    {"call of a global", 1, "([1, 2],)", "2",
     [](Assembler& a, uint32_t) {
       a.BeginCallGlobal("len");
       a.LoadFast(0);
       a.Call(1);
     }},
    {"method", 2, "('a-b', '-')", "['a', 'b']",
     [](Assembler& a, uint32_t) {
       a.LoadFast(0);
       a.BeginMethod("split");
       a.LoadFast(1);
       a.Call(1);
     }},
    {"keywords", 3, "(dict, 1, 2)", "{'a': 1, 'b': 2}",
     [](Assembler& a, uint32_t) {
       a.BeginCall(0);
       a.LoadFast(1);
       a.LoadFast(2);
       a.CallKw(2, {"a", "b"});
     }},
    {"method with keywords", 2, "('a-b', '-')", "['a', 'b']",
     [](Assembler& a, uint32_t) {
       a.LoadFast(0);
       a.BeginMethod("split");
       a.LoadFast(1);
       a.CallKw(1, {"sep"});
     }},
    {"nested calls", 3, "(max, min, 7)", "7",
     [](Assembler& a, uint32_t) {
       a.BeginCall(0);
       a.LoadFast(2);
       a.BeginCall(1);
       a.LoadFast(2);
       a.LoadConst(Constant::Int(9));
       a.Call(2);
       a.Call(2);
     }},
};

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes)
    out.append({kDigits[byte >> 4], kDigits[byte & 15]});
  return out;
}

std::string Json(std::string_view text) {
  std::string out = "\"";
  for (char c : text)
    out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  return out + "\"";
}

std::string JsonList(const std::vector<std::string>& items) {
  std::vector<std::string> quoted;
  for (const std::string& item : items)
    quoted.push_back(Json(item));
  return StrCat("[", StrJoin(quoted, ", "), "]");
}

std::string Line(const Program& program, const model::CodeImage& image) {
  std::vector<std::string> constants;
  for (const Constant& constant : image.consts)
    constants.push_back(model::Repr(constant));
  return StrCat("{\"name\": ", Json(program.name), ", \"arguments\": ", Json(program.arguments), ", \"expected\": ", Json(program.expected),
                ", \"argcount\": ", image.argcount, ", \"stacksize\": ", image.stacksize, ", \"flags\": ", image.flags, ", \"code\": \"",
                Hex(image.code), "\", \"linetable\": \"", Hex(image.linetable), "\", \"constants\": ", JsonList(constants),
                ", \"names\": ", JsonList(image.names), ", \"varnames\": ", JsonList(image.localsplusnames), "}\n");
}

absl::StatusOr<model::NewCode> Assemble(const Program& program, model::PyVersion version) {
  constexpr uint32_t kOptimizedNewLocals = 3;
  Assembler assembler(version);
  assembler.SetOrigin(0);
  program.write(assembler, program.parameters);
  assembler.Return();
  Assembler::Frame frame{.name = program.name,
                         .qualname = program.name,
                         .filename = "<oracle>",
                         .firstlineno = 1,
                         .argcount = program.parameters,
                         .flags = kOptimizedNewLocals};
  for (uint32_t slot = 0; slot < program.parameters + 2; ++slot)
    frame.localsplusnames.push_back(StrCat("p", slot));
  return std::move(assembler).Finish(frame);
}

}  // namespace

absl::StatusOr<std::vector<model::NewCode>> AssembledPrograms(model::PyVersion version) {
  std::vector<model::NewCode> codes;
  for (const Program& program : kPrograms) {
    ASSIGN_OR_RETURN(codes.emplace_back(), Assemble(program, version));
  }
  return codes;
}

absl::Status Programs(model::PyVersion version) {
  for (const Program& program : kPrograms) {
    ASSIGN_OR_RETURN(model::NewCode code, Assemble(program, version));
    std::fputs(Line(program, code.image).c_str(), stdout);
  }
  return absl::OkStatus();
}

}  // namespace framegate::translator::oracle
