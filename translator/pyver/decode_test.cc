#include "translator/pyver/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translator/pyver/raw_table.h"

namespace framegate::translator {
namespace {

using model::CodeImage;
using model::Constant;
using model::PyVersion;
using testing::HasSubstr;

struct Raw {
  std::string_view name;
  uint32_t oparg = 0;
};

// A function f(x, y) with the free variable z at line 10; three names, constants None and ('k',).
std::shared_ptr<CodeImage> Image(PyVersion version, const std::vector<Raw>& code) {
  auto image = std::make_shared<CodeImage>();
  image->version = version;
  image->qualname = "f";
  image->argcount = 2;
  image->stacksize = 4;
  image->consts = {Constant::None(), Constant::Tuple({Constant::Str("k")})};
  image->names = {"a", "b", "c"};
  image->localsplusnames = {"x", "y", "z"};
  image->localspluskinds = {'\x20', '\x20', '\x80'};
  image->firstlineno = 10;
  for (const Raw& raw : code) {
    uint8_t number = RawNumber(version, raw.name);
    image->code.push_back(static_cast<char>(number));
    image->code.push_back(static_cast<char>(raw.oparg));
    image->code.append(2 * size_t{RawTableOf(version)[number].caches}, '\0');
  }
  for (size_t unit = 0; unit < image->units(); ++unit)
    image->linetable.append("\xe8\x02", 2);  // one unit, no columns, a line on
  return image;
}

// "LoadFast 1, Jump ->3": operations with arguments that are not zero and indexes of jump targets.
std::string Listing(const DecodedCode& code) {
  std::vector<std::string> lines;
  for (const Instruction& instruction : code.instructions) {
    std::string line(EnumText(instruction.op));
    if (instruction.arg != 0 || instruction.arg2 != 0)
      line += StrCat(" ", instruction.arg);
    if (instruction.arg2 != 0)
      line += StrCat(" ", instruction.arg2);
    if (instruction.target != kNoIndex)
      line += StrCat(" ->", instruction.target);
    lines.push_back(line);
  }
  return StrJoin(lines, ", ");
}

std::string Decoded(PyVersion version, std::vector<Raw> code) {
  if (code.empty() || code.back().name != "RETURN_VALUE")
    code.push_back({"RETURN_VALUE"});
  absl::StatusOr<DecodedCode> decoded = Decode(Image(version, code));
  if (!decoded.ok())
    return std::string(decoded.status().message());
  std::string listing = Listing(*decoded);
  return listing.substr(0, listing.rfind(", ReturnValue"));
}

constexpr PyVersion k311 = PyVersion::k311;
constexpr PyVersion k312 = PyVersion::k312;
constexpr PyVersion k313 = PyVersion::k313;

TEST(DecodeTest, ReadsArgumentsOfEachVersion) {
  EXPECT_EQ(Decoded(k311, {{"COMPARE_OP", 4}}), "CompareOp 4");
  EXPECT_EQ(Decoded(k312, {{"COMPARE_OP", 4 << 4 | 4}}), "CompareOp 4");
  EXPECT_EQ(Decoded(k313, {{"COMPARE_OP", 4 << 5 | 16 | 4}}), "CompareOp 4 1");
  EXPECT_EQ(Decoded(k311, {{"LOAD_GLOBAL", 2 << 1 | 1}}), "LoadGlobal 2 1");
  EXPECT_EQ(Decoded(k313, {{"LOAD_GLOBAL", 2 << 1}}), "LoadGlobal 2");
  EXPECT_EQ(Decoded(k311, {{"LOAD_METHOD", 1}}), "LoadMethod 1");
  EXPECT_EQ(Decoded(k311, {{"LOAD_ATTR", 1}}), "LoadAttr 1");
  EXPECT_EQ(Decoded(k312, {{"LOAD_ATTR", 1 << 1 | 1}}), "LoadMethod 1");
  EXPECT_EQ(Decoded(k313, {{"LOAD_ATTR", 1 << 1}}), "LoadAttr 1");
  EXPECT_EQ(Decoded(k312, {{"LOAD_SUPER_ATTR", 2 << 2 | 3}}), "LoadSuperAttr 2 3");
  EXPECT_EQ(Decoded(k311, {{"UNPACK_EX", 2 << 8 | 1}}).substr(0, 10), "UnpackEx 1");
  EXPECT_EQ(Decoded(k312, {{"FORMAT_VALUE", 4 | 2}}), "FormatValue 2 1");
  EXPECT_EQ(Decoded(k313, {{"FORMAT_SIMPLE"}}), "FormatValue");
  EXPECT_EQ(Decoded(k313, {{"FORMAT_WITH_SPEC"}}), "FormatValue 0 1");
  EXPECT_EQ(Decoded(k313, {{"RESUME", 4 | 3}}), "Resume 3 1");
  EXPECT_EQ(Decoded(k311, {{"RESUME", 2}}), "Resume 2");
}

TEST(DecodeTest, OneMeaningForWhatVersionsSpellDifferently) {
  EXPECT_EQ(Decoded(k311, {{"LIST_TO_TUPLE"}}), "ListToTuple");
  EXPECT_EQ(Decoded(k312, {{"CALL_INTRINSIC_1", 6}}), "ListToTuple");
  EXPECT_EQ(Decoded(k313, {{"CALL_INTRINSIC_1", 5}}), "UnaryPositive");
  EXPECT_EQ(Decoded(k312, {{"CALL_INTRINSIC_2", 1}}), "PrepReraiseStar");
  EXPECT_EQ(Decoded(k312, {{"CALL_INTRINSIC_1", 3}}), "Intrinsic1 3");
  EXPECT_EQ(Decoded(k313, {{"CALL_INTRINSIC_2", 5}}), "Intrinsic2 5");
  EXPECT_THAT(Decoded(k312, {{"CALL_INTRINSIC_2", 5}}), HasSubstr("unknown intrinsic"));
  EXPECT_EQ(Decoded(k312, {{"LOAD_FAST_CHECK", 1}}), "LoadFast 1");
  EXPECT_EQ(Decoded(k311, {{"LOAD_CLOSURE", 2}}), "LoadClosure 2");
  EXPECT_EQ(Decoded(k313, {{"LOAD_FAST", 2}}), "LoadClosure 2");
}

TEST(DecodeTest, SplitsSuperInstructions) {
  EXPECT_EQ(Decoded(k313, {{"LOAD_FAST_LOAD_FAST", 1 << 4 | 2}}), "LoadFast 1, LoadClosure 2");
  EXPECT_EQ(Decoded(k313, {{"STORE_FAST_LOAD_FAST", 1 << 4}}), "StoreFast 1, LoadFast");
  EXPECT_EQ(Decoded(k313, {{"STORE_FAST_STORE_FAST", 1}}), "StoreFast, StoreFast 1");
  EXPECT_EQ(Decoded(k312, {{"RETURN_CONST", 1}}), "LoadConst 1, ReturnValue");
}

TEST(DecodeTest, JoinsCalls) {
  EXPECT_EQ(Decoded(k311, {{"KW_NAMES", 1}, {"PRECALL", 2}, {"CALL", 2}}), "Call 2 1");
  EXPECT_EQ(Decoded(k311, {{"PRECALL", 2}, {"CALL", 2}}), "Call 2 -1");
  EXPECT_EQ(Decoded(k312, {{"KW_NAMES", 1}, {"CALL", 2}}), "Call 2 1");
  EXPECT_EQ(Decoded(k313, {{"CALL", 2}}), "Call 2 -1");
  EXPECT_EQ(Decoded(k313, {{"CALL_KW", 2}}), "CallKw 2");
  EXPECT_THAT(Decoded(k311, {{"CALL", 2}}), HasSubstr("do not belong together"));
  EXPECT_THAT(Decoded(k311, {{"PRECALL", 1}, {"CALL", 2}}), HasSubstr("do not belong together"));
  EXPECT_THAT(Decoded(k312, {{"KW_NAMES", 1}, {"POP_TOP"}}), HasSubstr("do not belong together"));
  EXPECT_THAT(Decoded(k312, {{"KW_NAMES", 0}, {"CALL", 2}}), HasSubstr("no tuple of names"));
  EXPECT_THAT(Decoded(k312, {{"KW_NAMES", 1}, {"CALL", 0}}), HasSubstr("no tuple of names"));
}

TEST(DecodeTest, OffsetsAndLinesOfAJoinedCall) {
  absl::StatusOr<DecodedCode> code = Decode(Image(k311, {{"KW_NAMES", 1}, {"PRECALL", 1}, {"CALL", 1}, {"RETURN_VALUE"}}));
  ASSERT_TRUE(code.ok()) << code.status();
  const Instruction& call = code->instructions[0];
  EXPECT_EQ(call.offset, 0u);
  EXPECT_EQ(call.next, 8u);
  EXPECT_EQ(call.line, 10 + 4);  // unit 3 holds CALL itself
  EXPECT_EQ(code->index_of_unit[7], 0u);
  EXPECT_EQ(code->index_of_unit[8], 1u);
  EXPECT_EQ(code->SpanAt(8).line, 19);
}

TEST(DecodeTest, JumpsAndExhaustion) {
  EXPECT_EQ(Decoded(k311, {{"POP_JUMP_FORWARD_IF_NONE", 1}, {"NOP"}, {"NOP"}}), "PopJumpIfNone ->2, Nop, Nop");
  EXPECT_EQ(Decoded(k313, {{"NOP"}, {"JUMP_BACKWARD", 3}, {"NOP"}}), "Nop, Jump ->0, Nop");
  EXPECT_EQ(Decoded(k311, {{"FOR_ITER", 1}, {"NOP"}, {"NOP"}}), "ForIter ->2, Nop, Nop");
  EXPECT_EQ(Decoded(k312, {{"FOR_ITER", 1}, {"NOP"}, {"END_FOR"}, {"NOP"}}), "ForIter ->3, Nop, EndFor, Nop");
  EXPECT_EQ(Decoded(k313, {{"FOR_ITER", 1}, {"NOP"}, {"END_FOR"}, {"POP_TOP"}, {"NOP"}}), "ForIter ->4, Nop, EndFor, PopTop, Nop");
  EXPECT_THAT(Decoded(k312, {{"FOR_ITER", 0}, {"NOP"}}), HasSubstr("END_FOR"));
  EXPECT_THAT(Decoded(k313, {{"FOR_ITER", 0}, {"END_FOR"}, {"NOP"}}), HasSubstr("END_FOR"));
  EXPECT_THAT(Decoded(k312, {{"JUMP_FORWARD", 9}}), HasSubstr("leaves the code"));
  EXPECT_THAT(Decoded(k312, {{"JUMP_BACKWARD", 9}}), HasSubstr("leaves the code"));
  EXPECT_THAT(Decoded(k312, {{"JUMP_FORWARD", 1}, {"BINARY_OP", 0}}), HasSubstr("into an instruction"));
}

TEST(DecodeTest, ExtendedArguments) {
  EXPECT_EQ(Decoded(k311, {{"EXTENDED_ARG", 1}, {"BUILD_LIST", 2}}), "BuildList 258");
  EXPECT_THAT(Decoded(k311, {{"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}, {"EXTENDED_ARG", 1}}), HasSubstr("too many"));
  EXPECT_THAT(Decoded(k311, {{"EXTENDED_ARG", 255}, {"EXTENDED_ARG", 0}, {"EXTENDED_ARG", 0}, {"BUILD_LIST", 2}}), HasSubstr("no meaning"));
}

TEST(DecodeTest, RefusesWhatNoCompilerMakes) {
  EXPECT_THAT(Decoded(k311, {{"LOAD_FAST", 3}}), HasSubstr("a slot is out of range"));
  EXPECT_THAT(Decoded(k311, {{"LOAD_CONST", 2}}), HasSubstr("a constant index is out of range"));
  EXPECT_THAT(Decoded(k311, {{"LOAD_NAME", 3}}), HasSubstr("a name index is out of range"));
  EXPECT_THAT(Decoded(k311, {{"LOAD_DEREF", 0}}), HasSubstr("no cell"));
  EXPECT_THAT(Decoded(k311, {{"COPY_FREE_VARS", 2}}), HasSubstr("free variables"));
  EXPECT_THAT(Decoded(k311, {{"CACHE"}}), HasSubstr("compilers do not emit"));
  EXPECT_THAT(Decoded(k311, {{"POP_TOP", 1}}), HasSubstr("no meaning"));
  EXPECT_THAT(Decoded(k312, {{"COMPARE_OP", 4 << 4}}), HasSubstr("no meaning"));

  auto image = Image(k311, {{"BINARY_OP", 0}, {"RETURN_VALUE"}});
  image->code[2] = 1;
  EXPECT_THAT(Decode(image).status().message(), HasSubstr("a cache is not zero"));
  image->code[2] = 0;
  image->code[0] = '\xff';
  EXPECT_THAT(Decode(image).status().message(), HasSubstr("unknown opcode 255"));
  EXPECT_THAT(Decode(Image(k311, {{"NOP"}})).status().message(), HasSubstr("falls through"));
  EXPECT_THAT(Decode(Image(k311, {{"EXTENDED_ARG"}})).status().message(), HasSubstr("ends inside an instruction"));
  EXPECT_FALSE(Decode(Image(k311, {})).ok());
  image = Image(k311, {{"RETURN_VALUE"}});
  image->code.push_back('\0');
  EXPECT_THAT(Decode(image).status().message(), HasSubstr("whole number"));
  image = Image(k311, {{"RETURN_VALUE"}});
  image->localspluskinds.pop_back();
  EXPECT_THAT(Decode(image).status().message(), HasSubstr("differ in number"));
  image->code.resize(2 * kMaxUnits + 2);
  image->localspluskinds.push_back('\x80');
  EXPECT_TRUE(absl::IsResourceExhausted(Decode(image).status()));
}

TEST(DecodeTest, ExceptionTable) {
  auto image = Image(k311, {{"NOP"}, {"BINARY_OP", 0}, {"NOP"}, {"RETURN_VALUE"}});
  image->exceptiontable = "\x81\x02\x03\x05";  // [1, 3) to 3 at depth 2 with lasti
  absl::StatusOr<DecodedCode> code = Decode(image);
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(code->handlers.size(), 1u);
  EXPECT_EQ(code->handlers[0].target, 2u);
  EXPECT_EQ(code->handlers[0].depth, 2u);
  EXPECT_TRUE(code->handlers[0].lasti);
  EXPECT_EQ(code->instructions[0].handler, kNoIndex);
  EXPECT_EQ(code->instructions[1].handler, 0u);
  EXPECT_EQ(code->instructions[2].handler, kNoIndex);

  auto refused = [&](std::string bytes) {
    image->exceptiontable = std::move(bytes);
    return std::string(Decode(image).status().message());
  };
  EXPECT_THAT(refused("\x81\x02\x03"), HasSubstr("malformed"));
  EXPECT_THAT(refused("\x01\x02\x03\x04"), HasSubstr("malformed"));
  EXPECT_THAT(refused("\xff\x7f\x7f\x7f\x7f\x7f\x01\x01\x01"), HasSubstr("malformed"));
  EXPECT_THAT(refused(std::string("\x81\x00\x03\x04", 4)), HasSubstr("is empty"));
  EXPECT_THAT(refused("\x81\x02\x03\x04\x82\x01\x03\x04"), HasSubstr("out of order"));
  EXPECT_THAT(refused("\x81\x02\x09\x04"), HasSubstr("out of the code"));
  EXPECT_THAT(refused("\x81\x02\x02\x04"), HasSubstr("into an instruction"));
  EXPECT_THAT(refused("\x81\x01\x03\x04"), HasSubstr("ends inside an instruction"));
  EXPECT_THAT(refused("\x81\x02\x03\x0f"), HasSubstr("deeper than the stack"));
}

TEST(DecodeTest, LineTable) {
  auto image = Image(k311, {{"NOP"}, {"NOP"}, {"NOP"}, {"RETURN_VALUE"}});
  // Short, one line, long, none.
  image->linetable = std::string(
      "\x80\x15"
      "\xd8\x03\x05"
      "\xf0\x03\x02\x01\x09"
      "\xf8",
      11);
  absl::StatusOr<DecodedCode> code = Decode(image);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(code->SpanAt(0), (Span{10, 10, 1, 6}));
  EXPECT_EQ(code->SpanAt(1), (Span{11, 11, 3, 5}));
  EXPECT_EQ(code->SpanAt(2), (Span{10, 12, 0, 8}));
  EXPECT_EQ(code->SpanAt(3), (Span{}));
  EXPECT_EQ(code->instructions[3].line, -1);

  auto refused = [&](std::string bytes) {
    image->linetable = std::move(bytes);
    return std::string(Decode(image).status().message());
  };
  EXPECT_THAT(refused(""), HasSubstr("covers 0 of 4"));
  EXPECT_THAT(refused("\xff"), HasSubstr("covers 8 of 4"));
  EXPECT_THAT(refused("\x7b"), HasSubstr("malformed"));
  EXPECT_THAT(refused("\xf3\x02"), HasSubstr("malformed"));
  EXPECT_THAT(refused(std::string("\xeb\x17", 2)), HasSubstr("malformed"));  // line -1
}

}  // namespace
}  // namespace framegate::translator
