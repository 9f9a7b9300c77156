#include "client_ext/verify/bytecode.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/testing/fuzz_rounds.h"

namespace framegate::client {
namespace {

using model::Constant;
using model::NewCode;
using model::PyVersion;
using testing::HasSubstr;

struct Number {
  int number[3];
  uint32_t caches[3];
};

const std::map<std::string_view, Number>& Numbers() {
  static const std::map<std::string_view, Number> kNumbers = {
#define FRAMEGATE_ALLOWED_OP(name, rule, below, n311, c311, n312, c312, n313, c313) {#name, {{n311, n312, n313}, {c311, c312, c313}}},
#include "client_ext/verify/allowed_ops.def"
#undef FRAMEGATE_ALLOWED_OP
  };
  return kNumbers;
}

struct Unit {
  std::string_view name;  // empty: the bytes of an opcode number that no version allows
  uint32_t oparg = 0;
};

using Units = std::vector<Unit>;

void SetCode(const Units& units, NewCode* code) {
  size_t version = static_cast<size_t>(code->image.version) - 11;
  code->image.code.clear();
  for (const Unit& unit : units) {
    Number number = unit.name.empty() ? Number{{255, 255, 255}, {0, 0, 0}} : Numbers().at(unit.name);
    code->image.code.push_back(static_cast<char>(number.number[version]));
    code->image.code.push_back(static_cast<char>(unit.oparg));
    code->image.code.append(2 * size_t{number.caches[version]}, '\0');
  }
  code->origins.assign(code->image.units(), UINT32_MAX);
  code->image.linetable.clear();
  for (size_t left = code->image.units(); left > 0; left -= std::min<size_t>(left, 8))
    code->image.linetable.push_back(static_cast<char>(0xf7 + std::min<size_t>(left, 8)));
}

// f(a, b) with a link in slot 2 and an empty slot 3; constants None and ('k', 'l').
NewCode Code(PyVersion version, const Units& units) {
  NewCode code;
  code.image.version = version;
  code.image.argcount = 2;
  code.image.flags = 3;
  code.image.stacksize = 6;
  code.image.consts = {Constant::None(), Constant::Tuple({Constant::Str("k"), Constant::Str("l")}),
                       Constant::Tuple({Constant::Str("k"), Constant::Str("k")}), Constant::Str("T")};
  code.image.names = {"global", "attribute", "other"};
  code.image.localsplusnames = {"a", "b", "link", "free"};
  code.image.localspluskinds = "    ";
  SetCode(units, &code);
  return code;
}

ExpectedCode Expected(PyVersion version, bool forward = false) {
  ExpectedCode expected;
  expected.version = version;
  expected.argcount = 2;
  expected.slots = {SlotContent::kObject, SlotContent::kObject, SlotContent::kCallable};
  expected.origin_units = 10;
  if (forward) {
    expected.globals = {"global"};
    expected.attributes = {"attribute"};
  }
  return expected;
}

constexpr PyVersion kVersions[] = {PyVersion::k311, PyVersion::k312, PyVersion::k313};

// Between RESUME and a return of the top of the stack.
Units Body(const Units& body) {
  Units units = {{"RESUME"}};
  units.insert(units.end(), body.begin(), body.end());
  units.push_back({"RETURN_VALUE"});
  return units;
}

// How a call of the callable that `callee` pushes begins and ends.
Units CallOf(PyVersion version, Unit callee, const Units& arguments) {
  Units units = version == PyVersion::k313 ? Units{callee, {"PUSH_NULL"}} : Units{{"PUSH_NULL"}, callee};
  units.insert(units.end(), arguments.begin(), arguments.end());
  uint32_t count = static_cast<uint32_t>(arguments.size());
  if (version == PyVersion::k311)
    units.push_back({"PRECALL", count});
  units.push_back({"CALL", count});
  return units;
}

std::string Verdict(PyVersion version, const Units& units, bool forward = false) {
  return std::string(VerifyCode(Code(version, units), Expected(version, forward)).message());
}

void ExpectRefused(const Units& body, const char* message, std::vector<PyVersion> versions = {kVersions, kVersions + 3}) {
  for (PyVersion version : versions)
    EXPECT_THAT(Verdict(version, Body(body), true), HasSubstr(message)) << EnumText(version);
}

TEST(VerifyCodeTest, AcceptsWhatNewCodeIsMadeOf) {
  for (PyVersion version : kVersions) {
    EXPECT_EQ(Verdict(version, Body({{"LOAD_FAST", 0}})), "");
    EXPECT_EQ(Verdict(version, Body({{"LOAD_FAST", 0}, {"STORE_FAST", 3}, {"LOAD_FAST", 3}, {"DELETE_FAST", 3}})), "");
    EXPECT_EQ(Verdict(version, Body(CallOf(version, {"LOAD_FAST", 2}, {{"LOAD_FAST", 0}, {"LOAD_CONST", 0}}))), "");
    EXPECT_EQ(Verdict(version, Body({{"LOAD_FAST", 0}, {"UNPACK_SEQUENCE", 3}, {"SWAP", 3}, {"COPY", 2}, {"BUILD_LIST", 4}})), "");
    EXPECT_EQ(Verdict(version, Body({{"LOAD_FAST", 0}, {"LOAD_FAST", 1}, {"BUILD_MAP", 1}, {"UNARY_NEGATIVE"}})), "");
    EXPECT_EQ(Verdict(version, Body(CallOf(version, {"LOAD_GLOBAL", 0}, {{"LOAD_FAST", 0}})), true), "");
  }
  EXPECT_EQ(Verdict(PyVersion::k311, Body({{"LOAD_FAST", 0}, {"LOAD_METHOD", 1}, {"PRECALL", 0}, {"CALL", 0}}), true), "");
  EXPECT_EQ(Verdict(PyVersion::k312, Body({{"LOAD_FAST", 0}, {"LOAD_ATTR", 3}, {"CALL", 0}}), true), "");
  EXPECT_EQ(Verdict(PyVersion::k313, Body({{"LOAD_FAST", 0}, {"LOAD_ATTR", 2}}), true), "");
  EXPECT_EQ(Verdict(PyVersion::k313, Body({{"LOAD_FAST", 0}, {"TO_BOOL"}, {"UNARY_NOT"}})), "");
  EXPECT_EQ(Verdict(PyVersion::k312, Body({{"LOAD_GLOBAL", 1}, {"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"KW_NAMES", 1}, {"CALL", 2}}), true),
            "");
  EXPECT_EQ(
      Verdict(PyVersion::k313, Body({{"LOAD_GLOBAL", 1}, {"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"LOAD_CONST", 1}, {"CALL_KW", 2}}), true),
      "");
}

TEST(VerifyCodeTest, RefusesInstructions) {
  ExpectRefused({{"LOAD_FAST", 0}, {""}}, "an instruction that is not allowed at unit 2");
  ExpectRefused({{"RESUME"}, {"LOAD_FAST", 0}}, "RESUME is the first instruction and no other");
  ExpectRefused({{"EXTENDED_ARG", 0}, {"LOAD_FAST", 0}}, "a prefix too many");
  ExpectRefused({{"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}, {"LOAD_FAST", 0}},
                "a prefix too many");
  ExpectRefused({{"LOAD_FAST", 0}, {"RETURN_VALUE"}}, "code after the return");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"BINARY_OP", 26}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"IS_OP", 2}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"COMPARE_OP", 6}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"COMPARE_OP", 0x11}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"COMPARE_OP", 0x12}}, "an operand out of range", {PyVersion::k313});
  ExpectRefused({{"LOAD_FAST", 0}, {"BUILD_SLICE", 1}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"POP_TOP", 1}}, "an operand out of range");
  ExpectRefused({{"LOAD_FAST", 0}, {"UNARY_NOT"}}, "UNARY_NOT of what TO_BOOL did not make", {PyVersion::k313});
  for (PyVersion version : kVersions) {
    EXPECT_THAT(Verdict(version, {{"LOAD_FAST", 0}, {"RETURN_VALUE"}}), HasSubstr("RESUME is the first instruction"));
    EXPECT_THAT(Verdict(version, {{"RESUME"}, {"LOAD_FAST", 0}}), HasSubstr("runs past its end"));
    EXPECT_THAT(Verdict(version, {}), HasSubstr("runs past its end"));
    EXPECT_THAT(Verdict(version, {{"RESUME"}, {"EXTENDED_ARG", 1}}), HasSubstr("an instruction is cut off"));
  }
}

// They take their operands as they are: a name must be a str, an alias a tuple of its parts.
TEST(VerifyCodeTest, IntrinsicsTakeWhatTheyExpect) {
  const std::vector<PyVersion> with = {PyVersion::k312, PyVersion::k313};
  for (PyVersion version : with) {
    EXPECT_EQ(Verdict(version, Body({{"LOAD_CONST", 3}, {"CALL_INTRINSIC_1", 7}})), "");
    EXPECT_EQ(Verdict(version, Body({{"LOAD_CONST", 3}, {"LOAD_FAST", 0}, {"CALL_INTRINSIC_2", 2}})), "");
    EXPECT_EQ(
        Verdict(version, Body({{"LOAD_CONST", 3}, {"LOAD_CONST", 0}, {"LOAD_FAST", 0}, {"BUILD_TUPLE", 3}, {"CALL_INTRINSIC_1", 11}})), "");
  }
  const char* wrong = "an intrinsic that is not allowed";
  ExpectRefused({{"LOAD_FAST", 0}, {"CALL_INTRINSIC_1", 7}}, wrong, with);
  ExpectRefused({{"LOAD_CONST", 3}, {"CALL_INTRINSIC_1", 1}}, wrong, with);
  ExpectRefused({{"LOAD_CONST", 3}, {"CALL_INTRINSIC_1", 11}}, wrong, with);
  ExpectRefused({{"LOAD_CONST", 3}, {"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"BUILD_TUPLE", 3}, {"CALL_INTRINSIC_1", 11}}, wrong, with);
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"CALL_INTRINSIC_2", 3}}, wrong, with);
  ExpectRefused({{"LOAD_CONST", 3}, {"LOAD_FAST", 0}, {"CALL_INTRINSIC_2", 5}}, wrong, {PyVersion::k312});
}

TEST(VerifyCodeTest, RefusesCaches) {
  for (PyVersion version : kVersions) {
    NewCode code = Code(version, Body({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"BINARY_OP", 0}}));
    code.image.code[2 * 4] = 1;
    EXPECT_THAT(VerifyCode(code, Expected(version)).message(), HasSubstr("a cache is cut off or not zero"));
    SetCode({{"RESUME"}, {"LOAD_FAST", 0}, {"LOAD_FAST", 0}, {"BINARY_OP", 0}}, &code);
    code.image.code.resize(2 * 4);
    code.image.linetable = "\xfb";
    code.origins.resize(4);
    EXPECT_THAT(VerifyCode(code, Expected(version)).message(), HasSubstr("a cache is cut off or not zero"));
  }
}

TEST(VerifyCodeTest, RefusesStackAndSlots) {
  ExpectRefused({{"LOAD_FAST", 3}}, "an empty slot is read at unit 1");
  ExpectRefused({{"LOAD_FAST", 4}}, "an empty slot is read");
  ExpectRefused({{"LOAD_FAST", 0}, {"DELETE_FAST", 0}, {"LOAD_FAST", 0}}, "an empty slot is read");
  ExpectRefused({{"DELETE_FAST", 3}}, "an empty slot is deleted");
  ExpectRefused({{"LOAD_FAST", 0}, {"STORE_FAST", 4}}, "a slot out of range");
  ExpectRefused({{"PUSH_NULL"}, {"STORE_FAST", 3}}, "a stack cell that is no object");
  ExpectRefused({{"STORE_FAST", 3}}, "a stack cell that is no object");
  ExpectRefused({{"LOAD_CONST", 4}}, "a constant out of range");
  ExpectRefused({{"POP_TOP"}}, "the stack is empty");
  ExpectRefused({{"LOAD_FAST", 0}, {"BUILD_TUPLE", 2}}, "the stack is empty");
  ExpectRefused({{"LOAD_FAST", 0}, {"BUILD_MAP", 1}}, "the stack is empty");
  ExpectRefused({{"EXTENDED_ARG", 128}, {"EXTENDED_ARG", 0}, {"EXTENDED_ARG", 0}, {"BUILD_MAP", 0}}, "the stack is empty");
  ExpectRefused({{"PUSH_NULL"}, {"POP_TOP"}}, "NULL or part of a method is used as an object");
  ExpectRefused({{"PUSH_NULL"}, {"BUILD_TUPLE", 1}}, "NULL or part of a method is used as an object");
  ExpectRefused({{"PUSH_NULL"}}, "NULL or part of a method is used as an object");
  ExpectRefused({{"PUSH_NULL"}, {"COPY", 1}}, "a stack cell that is no object");
  ExpectRefused({{"LOAD_FAST", 0}, {"COPY", 0}}, "a stack cell that is no object");
  ExpectRefused({{"LOAD_FAST", 0}, {"COPY", 2}}, "a stack cell that is no object");
  ExpectRefused({{"PUSH_NULL"}, {"LOAD_FAST", 0}, {"SWAP", 2}}, "a stack cell that is no object");
  ExpectRefused({{"LOAD_FAST", 0}, {"SWAP", 1}}, "a stack cell that is no object");
  ExpectRefused({{"LOAD_FAST", 0}, {"LOAD_FAST", 0}}, "a return leaves something on the stack");
  ExpectRefused({{"LOAD_FAST", 0}, {"UNPACK_SEQUENCE", 7}}, "the stack is deeper than declared");
  ExpectRefused(Units(7, Unit{"LOAD_FAST", 0}), "the stack is deeper than declared at unit 7");
}

TEST(VerifyCodeTest, RefusesCalls) {
  for (PyVersion version : kVersions) {
    auto refused = [&](const Units& body, const char* message, bool forward = true) {
      EXPECT_THAT(Verdict(version, Body(body), forward), HasSubstr(message)) << EnumText(version);
    };
    refused(CallOf(version, {"LOAD_FAST", 0}, {}), "a call of what is not allowed to be called");
    refused(CallOf(version, {"LOAD_CONST", 0}, {}), "a call of what is not allowed to be called");
    refused(CallOf(version, {"LOAD_FAST", 2}, {{"PUSH_NULL"}}), "NULL or part of a method is used as an object");
    refused(CallOf(version, {"LOAD_GLOBAL", 0}, {}), "a global that is not allowed", false);
    refused(CallOf(version, {"LOAD_GLOBAL", 4}, {}), "a global that is not allowed");
    refused({{"LOAD_GLOBAL", 2 * 9}}, "a global that is not allowed");
    uint32_t shift = version == PyVersion::k311 ? 0 : 1;
    refused({{"LOAD_FAST", 0}, {"LOAD_ATTR", 1u << shift}}, "an attribute that is not allowed", false);
    refused({{"LOAD_FAST", 0}, {"LOAD_ATTR", 2u << shift}}, "an attribute that is not allowed");
    refused({{"LOAD_FAST", 0}, {"LOAD_ATTR", 9u << shift}}, "an attribute that is not allowed");
    Units method = {{"LOAD_FAST", 0}, version == PyVersion::k311 ? Unit{"LOAD_METHOD", 1} : Unit{"LOAD_ATTR", 3}};
    method.push_back({"POP_TOP"});
    refused(method, "NULL or part of a method is used as an object");
  }
  // Callable and NULL the wrong way round, an object in the place of self, too few cells.
  ExpectRefused({{"LOAD_FAST", 2}, {"PUSH_NULL"}, {"CALL", 0}}, "a call of what is not allowed", {PyVersion::k312});
  ExpectRefused({{"PUSH_NULL"}, {"LOAD_FAST", 2}, {"CALL", 0}}, "a call of what is not allowed", {PyVersion::k313});
  ExpectRefused({{"LOAD_FAST", 2}, {"LOAD_FAST", 0}, {"CALL", 0}}, "a call of what is not allowed", {PyVersion::k312, PyVersion::k313});
  ExpectRefused({{"LOAD_FAST", 2}, {"CALL", 0}}, "the stack is empty", {PyVersion::k312, PyVersion::k313});
}

TEST(VerifyCodeTest, RefusesKeywords) {
  Unit global{"LOAD_GLOBAL", 1}, argument{"LOAD_FAST", 0};
  ExpectRefused({global, argument, {"KW_NAMES", 0}, {"CALL", 1}}, "no tuple of different names", {PyVersion::k312});
  ExpectRefused({global, argument, {"KW_NAMES", 2}, {"CALL", 1}}, "no tuple of different names", {PyVersion::k312});
  ExpectRefused({global, argument, {"KW_NAMES", 9}, {"CALL", 1}}, "no tuple of different names", {PyVersion::k312});
  ExpectRefused({global, argument, {"KW_NAMES", 1}, {"CALL", 1}}, "more keywords than arguments", {PyVersion::k312});
  ExpectRefused({global, argument, {"KW_NAMES", 1}, {"POP_TOP"}}, "KW_NAMES or PRECALL without a call", {PyVersion::k311, PyVersion::k312});
  ExpectRefused({global, argument, {"PRECALL", 1}, {"PRECALL", 1}, {"CALL", 1}}, "KW_NAMES or PRECALL without a call", {PyVersion::k311});
  ExpectRefused({global, argument, {"PRECALL", 0}, {"CALL", 1}}, "PRECALL and CALL differ", {PyVersion::k311});
  ExpectRefused({global, argument, {"CALL", 1}}, "PRECALL and CALL differ", {PyVersion::k311});
  ExpectRefused({global, argument, argument, {"CALL_KW", 1}}, "no tuple of different names", {PyVersion::k313});
  ExpectRefused({global, argument, {"LOAD_CONST", 2}, {"CALL_KW", 1}}, "no tuple of different names", {PyVersion::k313});
  ExpectRefused({global, argument, {"LOAD_CONST", 1}, {"CALL_KW", 1}}, "more keywords than arguments", {PyVersion::k313});
}

template <typename Change>
std::string Changed(Change change, CodeLimits limits = {}) {
  NewCode code = Code(PyVersion::k312, Body({{"LOAD_FAST", 0}}));
  ExpectedCode expected = Expected(PyVersion::k312);
  expected.limits = limits;
  change(code);
  return std::string(VerifyCode(code, expected).message());
}

TEST(VerifyCodeTest, RefusesImages) {
  EXPECT_EQ(Changed([](NewCode&) {}), "");
  EXPECT_THAT(Changed([](NewCode& c) { c.image.version = PyVersion::k311; }), HasSubstr("for another Python"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.flags = 1; }), HasSubstr("flags that are not allowed"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.flags |= 0x20; }), HasSubstr("flags that are not allowed"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.flags |= 4; }), HasSubstr("other parameters"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.argcount = 3; }), HasSubstr("other parameters"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.kwonlyargcount = 1; }), HasSubstr("other parameters"));
  EXPECT_THAT(Changed([](NewCode& c) {
                c.image.localsplusnames.resize(2);
                c.image.localspluskinds.resize(2);
              }),
              HasSubstr("fewer slots"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.localspluskinds[1] = '\x40'; }), HasSubstr("no plain local"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.localspluskinds.pop_back(); }), HasSubstr("no plain local"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.exceptiontable = "\x80\x01\x01\x01"; }), HasSubstr("an exception table"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.linetable = "\xe8\x02"; }), HasSubstr("a line table with positions"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.linetable.clear(); }), HasSubstr("a line table with positions"));
  EXPECT_THAT(Changed([](NewCode& c) { c.origins.pop_back(); }), HasSubstr("not one origin for each unit"));
  EXPECT_THAT(Changed([](NewCode& c) { c.origins[0] = 10; }), HasSubstr("an origin outside of the original"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.code.push_back('\0'); }), HasSubstr("whole number of units"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.consts.push_back(Constant::Of(model::ConstantKind::kCode)); }), HasSubstr("code object"));
  EXPECT_THAT(Changed([](NewCode& c) {
                Constant inner = Constant::Tuple({});
                inner.items.push_back(Constant::Of(model::ConstantKind::kCode));
                c.image.consts.push_back(inner);
              }),
              HasSubstr("code object"));
  EXPECT_THAT(Changed([](NewCode& c) {
                for (int i = 0; i < 70; ++i)
                  c.image.consts[0] = Constant::Tuple({c.image.consts[0]});
              }),
              HasSubstr("nest too deep"));
}

TEST(VerifyCodeTest, Limits) {
  EXPECT_THAT(Changed([](NewCode&) {}, {.units = 2}), HasSubstr("more than 2 units"));
  EXPECT_THAT(Changed([](NewCode&) {}, {.rows = 3}), HasSubstr("more than 3 constants"));
  EXPECT_THAT(Changed([](NewCode& c) { c.image.stacksize = UINT32_MAX; }), HasSubstr("stack cells"));

  Units units = {{"RESUME"}};
  for (int i = 0; i < 600; ++i)
    units.insert(
        units.end(),
        {{"LOAD_FAST", 0}, {"EXTENDED_ARG", 0xea}, {"UNPACK_SEQUENCE", 0x60}, {"EXTENDED_ARG", 0xea}, {"BUILD_LIST", 0x60}, {"POP_TOP"}});
  NewCode code = Code(PyVersion::k312, units);
  code.image.stacksize = 60000;
  EXPECT_THAT(VerifyCode(code, Expected(PyVersion::k312)).message(), HasSubstr("more work"));
}

TEST(VerifyCodeTest, LinksFillSlots) {
  ExpectedCode expected = Expected(PyVersion::k312);
  ASSERT_TRUE(ExpectLinks({{.kind = model::LinkKind::kNull, .local = 5}, {.kind = model::LinkKind::kDrive, .local = 4}}, &expected).ok());
  EXPECT_THAT(expected.slots, testing::ElementsAre(SlotContent::kObject, SlotContent::kObject, SlotContent::kCallable, SlotContent::kEmpty,
                                                   SlotContent::kCallable, SlotContent::kObject));
  EXPECT_THAT(ExpectLinks({{.kind = model::LinkKind::kNull, .local = 1}}, &expected).message(), HasSubstr("which is full"));
  EXPECT_TRUE(absl::IsResourceExhausted(ExpectLinks({{.local = UINT32_MAX}}, &expected)));
}

TEST(VerifyCodeTest, ForwardAllowsWhatTheGraphNames) {
  model::Entry entry;
  entry.graph.emplace();
  entry.graph->inputs = {1, 2};
  entry.graph->nodes = {{.op = model::NodeOp::kCallMethod, .target = "relu"},
                        {.op = model::NodeOp::kCallFunction, .target = "builtins:getattr", .args = {{}, {.constant = Constant::Str("T")}}}};
  entry.targets = {{.global = "torch_add", .symbol = "torch:add"}};
  ExpectedCode expected = ExpectForward(entry, *entry.graph, PyVersion::k313);
  EXPECT_EQ(expected.argcount, 2u);
  EXPECT_THAT(expected.globals, testing::UnorderedElementsAre("torch_add"));
  EXPECT_THAT(expected.attributes, testing::UnorderedElementsAre("relu", "T"));
}

TEST(VerifyCodeTest, AnyBytesGiveAnAnswer) {
  Random random(FuzzRounds::Seed());
  uint64_t accepted = 0;
  FuzzRounds rounds;
  while (rounds.Next()) {
    const PyVersion version = kVersions[random.Below(3)];
    Units call = CallOf(version, {"LOAD_FAST", 2}, {{"LOAD_FAST", 0}, {"LOAD_CONST", 1}});
    call.insert(call.end(), {{"STORE_FAST", 3}, {"LOAD_FAST", 3}, {"UNPACK_SEQUENCE", 2}, {"BINARY_SUBSCR"}});
    NewCode code = Code(version, Body(call));
    for (uint32_t flips = 1 + random.Below(3); flips > 0; --flips)
      code.image.code[random.Below(static_cast<uint32_t>(code.image.code.size()))] = static_cast<char>(random.Below(256));
    accepted += VerifyCode(code, Expected(version)).ok();
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace framegate::client
