#include "client_ext/observe/live_objects.h"

#include "client_ext/capture/answer.h"
#include "client_ext/capture/code.h"
#include "client_ext/capture/observe_unit.h"
#include "client_ext/observe/check_program.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/steps.h"
#include "client_ext/observe/symbols.h"
#include "guards/program/eval.h"
#include "guards/program/summary_probe.h"

namespace framegate::client {
namespace {

using guards::SummaryIndex;
using model::Constant;
using model::Fact;
using model::Handle;
using model::Step;

PyCodeObject* CodeOf(PyObject* function) {
  return reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
}

TEST(CodeTest, IdIsThatOfTheImageAndOutlivesSpecialisation) {
  LiveObjects objects("def f(n):\n  t = 0\n  for i in range(n):\n    t += i * 1.5\n  return [t for _ in 'ab'], (1, 'x'), lambda: t");
  auto before = ImageOf(CodeOf(objects["f"]));
  ASSERT_TRUE(before.ok()) << before.status();
  objects.Run("for _ in range(200): f(50)");
  auto after = ImageOf(CodeOf(objects["f"]));
  EXPECT_EQ((*after)->code, (*before)->code);
  EXPECT_EQ(*IdOfCode(CodeOf(objects["f"])), model::IdOf(**before));
  EXPECT_EQ(*FindCodeId(CodeOf(objects["f"])), model::IdOf(**after));
  EXPECT_EQ((*before)->argcount, 1u);
  EXPECT_EQ((*before)->localsplusnames.size(), (*before)->localspluskinds.size());
}

TEST(CodeTest, IsFoundByIdWhileItLives) {
  LiveObjects objects("import gc\ndef f():\n  def inner(): return 12345\n  return inner");
  auto image = ImageOf(CodeOf(objects["f"]));
  ASSERT_TRUE(image.ok());
  const model::CodeId id = model::IdOf(**image);
  EXPECT_EQ(FindCode(id), CodeOf(objects["f"]));
  for (const Constant& constant : (*image)->consts)
    if (constant.kind == model::ConstantKind::kCode) {
      objects.Run("inner = f()");
      EXPECT_EQ(FindCode(model::IdOf(*constant.code[0])), CodeOf(objects["inner"]));
    }
  objects.Run("del f, inner; gc.collect()");
  EXPECT_EQ(FindCode(id), nullptr);
}

TEST(CodeTest, RefusesConstantsThatAreNone) {
  LiveObjects objects("def f(): return 1\nf.__code__ = f.__code__.replace(co_consts=([],))");
  EXPECT_EQ(ImageOf(CodeOf(objects["f"])).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FindCodeId(CodeOf(objects["f"])), nullptr);
  EXPECT_FALSE(PyErr_Occurred());
}

TEST(ConstantsTest, GoThereAndBack) {
  LiveObjects objects(R"(
x = [None, True, False, ..., NotImplemented, 0, -5, 2**62, -2**63, 2**64, -10**4000, 0.0, -0.0, float('nan'), float('inf'), 1.5, 2-3j, '', 'a', '\u00e9\u4e2d',
     '\ud800', b'', b'\x00\xff', (), (1, (2.0, 'b')), frozenset(), frozenset({1, 'a', (2,)}), slice(None, 3, None), range(1, 9, 2), compile('1', '', 'eval')]
same = lambda a, b: type(a) is type(b) and repr(a) == repr(b))");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects["x"]); ++i) {
    PyObject* object = PyList_GET_ITEM(objects["x"], i);
    Constant constant, again;
    ASSERT_TRUE(FromPython(object, &constant)) << i;
    const auto made = pycompat::Ref::Steal(ToPython(constant));
    ASSERT_TRUE(made) << i;
    EXPECT_TRUE(FromPython(made.get(), &again) && again == constant) << i;
    EXPECT_TRUE(SameConstant(made.get(), object)) << i;
    for (Py_ssize_t other = 0; other < PyList_GET_SIZE(objects["x"]); ++other)
      EXPECT_EQ(SameConstant(made.get(), PyList_GET_ITEM(objects["x"], other)), i == other) << i << " " << other;
  }
  LiveObjects others("x = [[], {}, set(), object(), type('I', (int,), {})(1), (1, []), frozenset({object()}), slice([], None), len]");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(others["x"]); ++i) {
    Constant constant;
    EXPECT_FALSE(FromPython(PyList_GET_ITEM(others["x"], i), &constant)) << i;
  }
}

TEST(SymbolsTest, GiveTheObjectBackOrNothing) {
  LiveObjects objects(R"(
import math, operator, collections, functools, types, os.path
x = {'builtins:len': len, 'math:sqrt': math.sqrt, '_operator:add': operator.add, 'builtins:list.append': list.append, 'builtins:int': int,
     'builtins:int.__add__': int.__add__, 'math:': math, 'collections:OrderedDict': collections.OrderedDict, 'functools:wraps': functools.wraps,
     'posixpath:join': os.path.join, 'builtins:function': None}
def local(): pass
none = [local, lambda: 1, type('C', (), {}), [].append, 5, types.ModuleType('m'), types.FunctionType(functools.wraps.__code__, {})]
for k in [k for k, v in x.items() if v is None]: del x[k])");
  PyObject *name = nullptr, *object = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(objects["x"], &at, &name, &object);) {
    std::string symbol, text;
    TextOf(name, &text);
    EXPECT_EQ(FindSymbol(text), object) << text;
    EXPECT_TRUE(SymbolOf(object, &symbol)) << text;
    EXPECT_EQ(symbol, text);
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects["none"]); ++i) {
    std::string symbol;
    EXPECT_FALSE(SymbolOf(PyList_GET_ITEM(objects["none"], i), &symbol)) << i << symbol;
  }
  EXPECT_EQ(FindSymbol("no_such_module:x"), nullptr);
  EXPECT_EQ(FindSymbol("math:sqrt.no"), nullptr);
  EXPECT_FALSE(PyErr_Occurred());
}

constexpr char kWorld[] = R"(
import math, collections
SCALE = 3
class Base:
    shared = 1
    def helper(self): return SCALE
class Thing(Base):
    def __init__(self): self.n, self.items = 2, [1, 2]
    def __call__(self, a): return self.helper() + self.later()
    def later(self): return 1
def outer(k):
    def f(x, y, *, z=(1, 2)):
        return math.sqrt(SCALE) + k + x(y) + len(z) + x.n
    return f
f = outer(7)
x, y = Thing(), {'a': [1, {'b': (2, 'c')}], 2: None}
)";

class UnitTest : public testing::Test {
 protected:
  UnitTest() : objects_(kWorld) { unit_.frames = objects_.Frames(); }

  // Along steps from a root; null where the summary does not say or there is nothing.
  const SummaryIndex::Node* Follow(const SummaryIndex& index, const std::vector<std::pair<Step, Constant>>& path) {
    const SummaryIndex::Node* node = nullptr;
    for (const auto& [step, key] : path) {
      const bool keyed = model::OperandOf(step) == model::StepOperand::kKey;
      const SummaryIndex::Node* to = nullptr;
      if (!index.Find(node, step, keyed ? 0 : static_cast<uint32_t>(key.integer), keyed ? key : Constant(), &to) || to == nullptr)
        return nullptr;
      node = to;
    }
    return node;
  }

  LiveObjects objects_;
  LiveUnit unit_;
  HandleTable handles_;
};

Constant Str(const char* text) {
  return Constant::Str(text);
}

Constant Int(int64_t value) {
  return Constant::Int(value);
}

TEST_F(UnitTest, HoldsWhatTheFrameWillReadFirst) {
  const model::Summary summary = ObserveUnit(unit_, handles_);
  const SummaryIndex index(summary);
  const std::pair<Step, Constant> x = {Step::kSlot, Int(0)}, y = {Step::kSlot, Int(1)}, f = {Step::kFunction, Int(0)};
  const std::vector<std::vector<std::pair<Step, Constant>>> present = {
      {x, {Step::kAttr, Str("n")}},
      {x, {Step::kAttr, Str("items")}, {Step::kItem, Int(1)}},
      {x, {Step::kType, {}}, {Step::kTypeAttr, Str("__call__")}, {Step::kFuncGlobals, {}}},
      {x, {Step::kType, {}}, {Step::kTypeAttr, Str("helper")}},  // named by __call__
      {x, {Step::kType, {}}, {Step::kTypeAttr, Str("later")}},
      {x, {Step::kType, {}}, {Step::kMro, Int(2)}},
      {y, {Step::kDictItem, Str("a")}, {Step::kItem, Int(1)}, {Step::kDictItem, Str("b")}},
      {y, {Step::kDictItem, Int(2)}},
      {f, {Step::kFuncKwdefaults, {}}, {Step::kDictItem, Str("z")}, {Step::kItem, Int(1)}},
      {f, {Step::kFuncClosure, Int(0)}, {Step::kCellContents, {}}},
      {{Step::kGlobals, Int(0)}, {Step::kDictItem, Str("SCALE")}},
      {{Step::kGlobals, Int(0)}, {Step::kDictItem, Str("math")}, {Step::kModuleDict, {}}, {Step::kDictItem, Str("sqrt")}},
      {{Step::kBuiltins, Int(0)}, {Step::kDictItem, Str("len")}},
      {{Step::kAmbient, {}}}};
  for (size_t i = 0; i < present.size(); ++i)
    EXPECT_NE(Follow(index, present[i]), nullptr) << i;
  const SummaryIndex::Node* type = Follow(index, {x, {Step::kType, {}}});
  const SummaryIndex::Node* absent = type;
  EXPECT_TRUE(index.Find(type, Step::kTypeAttr, 0, Str("__getattr__"), &absent));
  EXPECT_EQ(absent, nullptr);
  const model::FactValue* keys = SummaryIndex::FindFact(Follow(index, {x}), Fact::kInstanceKeys);
  ASSERT_NE(keys, nullptr);
  EXPECT_EQ(keys->constant, Constant::Tuple({Str("n"), Str("items")}));
  EXPECT_LT(summary.records.size(), 400u);
}

TEST_F(UnitTest, EverythingItSaysIsSo) {
  const model::Summary summary = ObserveUnit(unit_, handles_);
  for (const model::ObjectRecord& record : summary.records) {
    PyObject* object = handles_.Find(record.handle);
    ASSERT_NE(object, nullptr);
    for (const model::FactValue& fact : record.facts)
      EXPECT_EQ(Encode(fact), Encode(ReadFact(fact.fact, object)));
    for (const model::Edge& edge : record.edges) {
      PyObject* to = nullptr;
      EXPECT_TRUE(TakeKeyedStep(edge.step, edge.index, edge.key, object, &to));
      EXPECT_EQ(handles_.HandleOf(to), edge.target) << model::EnumText(edge.step) << " " << model::Repr(edge.key);
    }
  }
  EXPECT_EQ(Encode(ObserveUnit(unit_, handles_).roots), Encode(summary.roots));
}

constexpr char kProgram[] = R"((registers 4 0)
(take o0 slot 0 0)
(check_type o0 "m:Thing")
(take o1 type o0)
(check_subclass o1 "builtins:object")
(take o2 mro_attr o1 "shared")
(is o2 value 1)
(take o2 attr o0 "n")
(is o2 value 2)
(try o2 attr o0 "none")
(check_absent o2)
(take o2 globals 0)
(take o2 [] o2 "SCALE")
(is o2 value 3)
(take o3 slot 0 1)
(take o3 [] o3 2)
(is o3 value None)
(pass)
)";

bool PassesOn(const guards::Program& program, const model::Summary& summary) {
  auto linked = guards::Linked<guards::SummaryProbe>::Link(program, {});
  const SummaryIndex index(summary);
  guards::SummaryProbe probe(index);
  guards::Scratch<guards::SummaryProbe> scratch;
  scratch.Reserve(*linked);
  return guards::Evaluate(*linked, probe, scratch, nullptr).pass;
}

TEST_F(UnitTest, AReadSetIsEnoughForItsProgram) {
  objects_.Run("Thing.__module__ = 'm'");
  const guards::Program program = *guards::ParseProgram(kProgram);
  const guards::ReadSet read_set = guards::ReadSetOf(program);
  auto live = CheckProgram::Link(guards::EncodeProgram(program), nullptr);
  ASSERT_TRUE(live.ok()) << live.status();
  for (const char* change : {"", "SCALE = 4", "SCALE = 3; x.n = 5", "x.n = 2; x.none = 1", "del x.none; Base.shared = 2",
                             "Base.shared = 1; y[2] = 0", "y[2] = None", "x = 5"}) {
    objects_.Run(change);
    unit_.frames = objects_.Frames();
    HandleTable handles;
    EXPECT_EQ((*live)->Evaluate(unit_.frames.data(), 1, nullptr).pass, PassesOn(program, ObserveReadSet(read_set, unit_, handles)))
        << change;
  }
}

class AnswerTest : public UnitTest {
 protected:
  model::AnswerItem Ask(model::Question question) {
    auto answers = AnswerQuestions({.items = {std::move(question)}}, handles_);
    EXPECT_TRUE(answers.ok()) << answers.status();
    EXPECT_FALSE(PyErr_Occurred());
    return answers.ok() ? answers->items[0] : model::AnswerItem();
  }

  model::AnswerItem Call(const char* symbol, std::vector<model::Operand> args) {
    return Ask({.kind = model::QuestionKind::kCall, .symbol = symbol, .args = std::move(args)});
  }

  static model::Operand Of(Constant constant) { return {.constant = std::move(constant)}; }
};

TEST_F(AnswerTest, StepsFactsRootsAndCode) {
  const Handle x = handles_.Add(objects_["x"]);
  EXPECT_EQ(handles_.Find(Ask({.kind = model::QuestionKind::kStep, .object = x, .step = Step::kType}).target), objects_["Thing"]);
  EXPECT_EQ(Ask({.kind = model::QuestionKind::kStep, .object = x, .step = Step::kAttr, .key = Str("none")}).target, model::kAbsent);
  EXPECT_EQ(Ask({.kind = model::QuestionKind::kFact, .object = x, .fact = Fact::kHasInstanceDict}).fact->word, 1u);
  EXPECT_FALSE(Ask({.kind = model::QuestionKind::kFact, .object = x, .fact = Fact::kLength}).fact->known);
  EXPECT_EQ(handles_.Find(Ask({.kind = model::QuestionKind::kRoot, .step = Step::kSymbol, .key = Str("math:sqrt")}).target),
            FindSymbol("math:sqrt"));
  EXPECT_EQ(Ask({.kind = model::QuestionKind::kRoot, .step = Step::kSysModule, .key = Str("no_such_module")}).target, model::kAbsent);
  const model::CodeId id = *IdOfCode(CodeOf(objects_["f"]));
  ASSERT_EQ(Ask({.kind = model::QuestionKind::kCode, .code = id}).code.size(), 1u);
  EXPECT_TRUE(Ask({.kind = model::QuestionKind::kCode}).code.empty());
}

TEST_F(AnswerTest, ObjectsAreDescribedWhenTheyAreMet) {
  const Handle y = handles_.Add(objects_["y"]);
  auto answers =
      AnswerQuestions({.items = {{.kind = model::QuestionKind::kStep, .object = y, .step = Step::kDictItem, .key = Str("a")}}}, handles_);
  ASSERT_TRUE(answers.ok());
  ASSERT_FALSE(answers->records.empty());
  EXPECT_EQ(answers->records[0].handle, answers->items[0].target);
  answers = AnswerQuestions({.items = {{.kind = model::QuestionKind::kExpand, .object = y}}}, handles_);
  bool found = false;
  for (const model::ObjectRecord& record : answers->records)
    found |= record.handle == y && !record.edges.empty();
  EXPECT_TRUE(found);
}

TEST_F(AnswerTest, UnknownHandlesAreMalformed) {
  EXPECT_EQ(AnswerQuestions({.items = {{.kind = model::QuestionKind::kFact, .object = 999}}}, handles_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(AnswerTest, PureCalls) {
  EXPECT_EQ(*Call("builtins:str.upper", {Of(Str("ab"))}).constant, Str("AB"));
  EXPECT_EQ(*Call("math:sqrt", {Of(Int(4))}).constant, Constant::Float(2));
  EXPECT_EQ(*Call("_operator:floordiv", {Of(Int(-7)), Of(Int(2))}).constant, Int(-4));
  model::Operand list{.items = {Of(Str("a")), Of(Str("b"))}, .sequence = "list"};
  EXPECT_EQ(*Call("builtins:str.join", {Of(Str(",")), list}).constant, Str("a,b"));
  EXPECT_EQ(*Ask({.kind = model::QuestionKind::kCall, .symbol = "builtins:int", .args = {Of(Str("ff"))}, .kwargs = {{"base", Of(Int(16))}}})
                 .constant,
            Int(255));
  const model::AnswerItem raised = Call("builtins:int", {Of(Str("x"))});
  EXPECT_EQ(raised.raised_type, "builtins:ValueError");
  EXPECT_EQ(raised.raised_text, "invalid literal for int() with base 10: 'x'");
  const model::Operand x{.handle = handles_.Add(objects_["x"])}, thing{.handle = handles_.Add(objects_["Base"])};
  EXPECT_EQ(*Call("builtins:isinstance", {x, thing}).constant, Constant::Bool(true));
  EXPECT_TRUE(
      Ask({.kind = model::QuestionKind::kCall, .object = handles_.Add(FindSymbol("builtins:len")), .args = {Of(Str("abc"))}}).constant);
}

bool IsEmpty(const model::AnswerItem& item) {
  return Encode(item) == Encode(model::AnswerItem());
}

TEST_F(AnswerTest, WhatIsNotPureIsNotCalled) {
  objects_.Run("class M(type):\n  def __instancecheck__(c, o): return True\nclass L(metaclass=M): pass");
  const model::Operand x{.handle = handles_.Add(objects_["x"])}, lies{.handle = handles_.Add(objects_["L"])};
  EXPECT_TRUE(IsEmpty(Call("builtins:print", {Of(Int(4))})));
  EXPECT_TRUE(IsEmpty(Call("builtins:hash", {Of(Str("a"))})));
  EXPECT_TRUE(IsEmpty(Call("builtins:eval", {Of(Str("1"))})));
  EXPECT_TRUE(IsEmpty(Call("builtins:len", {x})));
  EXPECT_TRUE(IsEmpty(Call("builtins:isinstance", {x, lies})));
  EXPECT_TRUE(IsEmpty(Call("builtins:tuple", {Of({.kind = model::ConstantKind::kFrozenset, .items = {Int(1)}})})));
  EXPECT_TRUE(IsEmpty(Call("builtins:pow", {Of(Int(10)), Of(Int(100'000'000))})));
  EXPECT_TRUE(IsEmpty(Call("_operator:mul", {Of(Str("a")), Of(Int(1'000'000'000))})));
  EXPECT_EQ(*Call("_operator:mul", {Of(Int(1'000'000)), Of(Int(1'000'000))}).constant, Int(1'000'000'000'000));
}

TEST_F(AnswerTest, TheOracleIsAskedInItsOwnWords) {
  objects_.Run(R"(
import sys, types, typing
sys.modules.setdefault('framegate', types.ModuleType('framegate'))
oracle = sys.modules['framegate._oracle'] = types.ModuleType('framegate._oracle')
class TensorMeta(typing.NamedTuple):
    dtype: str; device: str; layout: str; requires_grad: bool; is_leaf: bool; is_inference: bool; has_grad: bool
    sizes: tuple; strides: tuple; storage_offset: int; keys: int; dynamic_dims: tuple; static_dims: tuple
def answer(symbol, args, kwargs, ambient):
    if symbol == 'bad': raise ValueError('no such operator')
    if symbol == 'stop': raise KeyboardInterrupt
    return [args[0]._replace(sizes=args[1]), kwargs['n'], ambient], 0, (args[0]._replace(sizes=(4,)), None)
oracle.TensorMeta, oracle.answer = TensorMeta, answer)");
  const model::TensorFacts facts{.dtype = "torch.float32", .sizes = {2, 3}, .strides = {3, 1}, .keys = uint64_t{1} << 63};
  model::Question question{.kind = model::QuestionKind::kMeta,
                           .symbol = "torch:add",
                           .args = {{.tensor = facts}, Of(Constant::Tuple({Int(7)}))},
                           .kwargs = {{"n", Of(Int(5))}},
                           .ambient = Constant::Tuple({Constant::Bool(true)})};
  const model::AnswerItem item = Ask(question);
  ASSERT_TRUE(item.result.has_value());
  ASSERT_EQ(item.result->items.size(), 3u);
  EXPECT_EQ(item.result->sequence, "list");
  EXPECT_EQ(item.result->items[0].tensor->sizes, std::vector<int64_t>{7});
  EXPECT_EQ(item.result->items[0].tensor->keys, uint64_t{1} << 63);
  EXPECT_EQ(*item.result->items[1].constant, Int(5));
  EXPECT_EQ(item.same_as, 0u);
  ASSERT_EQ(item.after.size(), 2u);
  EXPECT_EQ(item.after[0].tensor->sizes, std::vector<int64_t>{4});
  EXPECT_FALSE(item.after[1].tensor.has_value());
  question.symbol = "bad";
  EXPECT_EQ(Ask(question).raised_text, "no such operator");
  question.symbol = "stop";
  EXPECT_EQ(AnswerQuestions({.items = {question}}, handles_).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_KeyboardInterrupt));
  PyErr_Clear();
  objects_.Run("del sys.modules['framegate._oracle'], sys.modules['framegate']");
}

}  // namespace
}  // namespace framegate::client
