#include "client_ext/observe/live_objects.h"

#include "client_ext/observe/check_program.h"

#include "client_ext/observe/facts.h"
#include "client_ext/observe/py_probe.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_instance.h"
#include "guards/program/builder.h"

namespace framegate::client {
namespace {

constexpr char kInSlot[] = "(take o0 slot 0 0 #0)\n", kInGlobals[] = "(take o0 globals 0 #0)\n(take o0 [] o0 \"x\" #0)\n";

std::unique_ptr<CheckProgram> Linked(const std::string& text, const std::string& root = kInSlot) {
  auto program = guards::ParseProgram("(registers 8 4)\n(nop)\n(nop)\n(nop)\n(nop)\n(nop)\n(nop)\n(nop)\n" + root + text + "\n(pass)");
  EXPECT_TRUE(program.ok()) << program.status() << text;
  auto linked = CheckProgram::Link(guards::EncodeProgram(*program), nullptr);
  EXPECT_TRUE(linked.ok()) << linked.status() << text;
  return linked.ok() ? *std::move(linked) : nullptr;
}

bool Passes(const CheckProgram& program, LiveObjects& objects) {
  std::vector<PyObject*> kept(program.keep_slots().size());
  const std::vector<LiveFrame>& frames = objects.Frames();
  const bool pass = program.Evaluate(frames.data(), frames.size(), kept.data()).pass;
  for (int i = 0; i < 3; ++i)  // the second pass makes a memo
    EXPECT_EQ(program.Passes(frames.data(), frames.size(), kept.data()), pass);
  EXPECT_FALSE(PyErr_Occurred());
  return pass;
}

struct Mutation {
  const char* name;
  const char* made;      // the world: x
  const char* checks;    // hold before
  const char* changed;   // makes them fail
  const char* restored;  // makes them hold again; "" where that cannot be
};

constexpr char kInt[] = "class C: pass\nx = C(); x.n = 1; x.m = 2";

const Mutation kMutations[] = {
    {"int", "x = 10**12", "(is o0 value 1000000000000)", "x = 10**12 + 1", "x = 10**12"},
    {"big_int", "x = 10**30", "(is o0 value ((kind bigint) (text \"1000000000000000000000000000000\")))", "x = 10**30 + 1", "x = 10**30"},
    {"bool_is_no_int", "x = 1", "(is o0 value 1)", "x = True", "x = 1"},
    {"float_is_no_int", "x = 1", "(is o0 value 1)", "x = 1.0", "x = 1"},
    {"minus_zero", "x = 0.0", "(is o0 value ((kind float)))", "x = -0.0", "x = 0.0"},
    {"str", "x = ''.join(['a', 'b'])", "(is o0 value \"ab\")", "x = 'ac'", "x = 'ab'"},
    {"str_subclass", "x = 'ab'", "(is o0 value \"ab\")", "x = type('S', (str,), {})('ab')", "x = 'ab'"},
    {"none", "x = None", "(is o0 value None)", "x = False", "x = None"},
    {"slice", "x = slice(1, None)", "(is o0 value ((kind slice) (items (((kind int) (integer 1)) () ()))))", "x = slice(1, 2)",
     "x = slice(1, None)"},
    {"type", "x = []", "(check_type o0 \"builtins:list\")", "x = ()", "x = []"},
    {"subclass", "x = []", "(check_type o0 \"builtins:list\")", "x = type('list', (list,), {'__module__': 'builtins'})()", "x = []"},
    {"class_exchanged", "class C: pass\nclass D: pass\nfor c in C, D: c.__module__ = 'm'\nx = C()", "(check_type o0 \"m:C\")",
     "x.__class__ = D", "x.__class__ = C"},
    {"list_append", "x = [1]", "(is o0 len 1)", "x.append(2)", "x.pop()"},
    {"list_item", "x = [1]", "(take o1 item o0 0)(is o1 value 1)", "x[0] = 2", "x[0] = 1"},
    {"deque", "import collections\nx = collections.deque([1])", "(is o0 len 1)", "x.append(2)", "x.pop()"},
    {"dict_value", "x = {'a': 1}", "(take o1 [] o0 \"a\")(is o1 value 1)", "x['a'] = 2", "x['a'] = 1"},
    {"dict_new_key", "x = {'a': 1}", "(is o0 keys ((kind tuple) (items (((kind str) (text \"a\"))))))", "x['b'] = 2", "del x['b']"},
    {"dict_order", "x = {'a': 1, 'b': 2}", "(take o1 key o0 0)(is o1 value \"a\")", "x['a'] = x.pop('a')", "x = {'a': 1, 'b': 2}"},
    {"dict_cleared", "x = {'a': 1}", "(take o1 [] o0 \"a\")(is o1 value 1)", "x.clear()", "x['a'] = 1"},
    {"dict_key_added", "x = {}", "(try o1 [] o0 \"a\")(check_absent o1)", "x['a'] = 1", "del x['a']"},
    {"empty_dict_updated", "x = {}", "(try o1 [] o0 \"a\")(check_absent o1)", "x.update({'a': 1})", "x.clear()"},
    {"int_key", "x = {1: 'a', 'k': 2}", "(take o1 [] o0 1)(is o1 value \"a\")", "x[True] = 'b'", "x[1.0] = 'a'"},
    {"tuple_key", "x = {(1, 'a'): 1}", "(take o1 [] o0 ((kind tuple) (items (((kind int) (integer 1)) ((kind str) (text \"a\"))))))",
     "del x[1, 'a']", "x[1, 'a'] = 1"},
    {"key_with_python_eq", "class K(str):\n  def __eq__(self, o): return True\n  __hash__ = str.__hash__\nx = {1: 1}",
     "(try o1 [] o0 \"a\")(check_absent o1)", "x[K('a')] = 2", "x = {1: 1}"},
    {"ordered_dict", "import collections\nx = collections.OrderedDict(a=1, b=2)",
     "(take o1 key o0 0)(is o1 value \"a\")(take o1 value o0 1)"
     "(is o1 value 2)",
     "x.move_to_end('a')", "x.move_to_end('b')"},
    {"set_element", "x = {1, 2}", "(is o0 len 2)", "x.add(3)", "x.discard(3)"},
    {"set_order", "x = {1, 2}", "(is o0 elements ((kind tuple) (items (((kind int) (integer 1)) ((kind int) (integer 2))))))",
     "x.remove(1); x.add(3)", "x = {1, 2}"},
    {"set_members", "x = {8, 16}", "(is o0 members ((kind tuple) (items (((kind int) (integer 8)) ((kind int) (integer 16))))))",
     "x.remove(8); x.add(3)", "x = {16, 8}"},
    {"cached", "import functools\nx = functools.lru_cache(lambda *a: [1])\nx(); x(7); x(7, 8)",
     "(take o1 cached o0 7)(is o1 len 1)(take o1 cached o0 ((kind tuple) (items (((kind int) (integer 7)) ((kind int) (integer 8))))))"
     "(is o1 len 1)",
     "x.cache_clear(); x(7)", "x(7, 8)"},
    {"cached_without_bound", "import functools\nx = functools.cache(lambda *a: [1])\nx(); x('k')",
     "(take o1 cached o0 \"k\")(is o1 len 1)(take o1 cached o0 ((kind tuple)))(is o1 len 1)", "x.cache_clear(); x('k')", "x()"},
    {"attribute", kInt, "(take o1 attr o0 \"n\")(is o1 value 1)", "x.n = 2", "x.n = 1"},
    {"attribute_in_dict", "class C: pass\nx = C(); x.n = 1\nx.__dict__['n']", "(take o1 attr o0 \"n\")(is o1 value 1)",
     "x.__dict__['n'] = 2", "x.n = 1"},
    {"attribute_deleted", kInt, "(take o1 attr o0 \"n\")(is o1 value 1)", "del x.n", "x.n = 1"},
    {"dict_replaced", kInt, "(take o1 attr o0 \"n\")(is o1 value 1)", "x.__dict__ = {'n': 5}", "x.__dict__ = {'n': 1}"},
    {"dict_deleted", kInt, "(take o1 attr o0 \"n\")(is o1 value 1)", "del x.__dict__", "x.n = 1"},
    {"many_attributes", "class C: pass\nx = C()\nfor i in range(60): setattr(x, f'a{i}', i)", "(take o1 attr o0 \"a50\")(is o1 value 50)",
     "x.a50 = 1", "x.a50 = 50"},
    {"attribute_shadows", kInt, "(try o1 attr o0 \"k\")(check_absent o1)", "x.k = 1", "del x.k"},
    {"attribute_names", kInt, "(is o0 attrs ((kind tuple) (items (((kind str) (text \"n\")) ((kind str) (text \"m\"))))))", "x.k = 1",
     "del x.k"},
    {"attribute_order", kInt, "(is o0 attrs ((kind tuple) (items (((kind str) (text \"n\")) ((kind str) (text \"m\"))))))",
     "del x.n; x.n = 1", "del x.m; x.m = 2"},
    {"exception_attribute", "x = ValueError(); x.n = 1", "(take o1 attr o0 \"n\")(is o1 value 1)", "x.n = 2", "x.n = 1"},
    {"int_subclass_attribute", "class I(int): pass\nx = I(7); x.n = 1", "(take o1 attr o0 \"n\")(is o1 value 1)", "x.n = 2", "x.n = 1"},
    {"slot", "class S: __slots__ = 'n',\nx = S(); x.n = 1", "(take o1 member o0 \"n\")(is o1 value 1)", "x.n = 2", "x.n = 1"},
    {"slot_deleted", "class S: __slots__ = 'n',\nx = S(); x.n = 1", "(take o1 member o0 \"n\")(is o1 value 1)", "del x.n", "x.n = 1"},
    {"class_attribute", "class C: k = 1\nx = C()", "(take o1 type o0)(take o2 mro_attr o1 \"k\")(is o2 value 1)", "C.k = 2", "C.k = 1"},
    {"base_attribute", "class B: k = 1\nclass C(B): pass\nx = C()", "(take o1 type o0)(take o2 mro_attr o1 \"k\")(is o2 value 1)",
     "B.k = 2", "B.k = 1"},
    {"base_shadowed", "class B: k = 1\nclass C(B): pass\nx = C()", "(take o1 type o0)(take o2 mro_attr o1 \"k\")(is o2 value 1)", "C.k = 2",
     "del C.k"},
    {"slice_attribute", "class B: k = 1\nclass C(B): pass\nx = C()",
     "(take o1 type o0)(slice o1 2)(take o2 mro_attr o1 \"k\")(is o2 value 1)(is o2 value 1)", "B.k = 2", "B.k = 1"},
    {"slice_bases", "class A: k = 1\nclass B: k = 2\nclass C(A): pass\nx = C()",
     "(take o1 type o0)(slice o1 2)(take o2 mro_attr o1 \"k\")(is o2 value 1)", "C.__bases__ = B,", "C.__bases__ = A,"},
    {"slice_method_code", "class C:\n  def f(self): return 1\ndef g(self): return 2\nh = C.f.__code__\nx = C()",
     "(take o1 type o0)(slice o1 1)(take o2 mro_attr o1 \"f\")(is o2 code CODE_OF_C_F)", "C.f.__code__ = g.__code__", "C.f.__code__ = h"},
    {"getattr_added", "class C: pass\nx = C()", "(take o1 type o0)(slice o1 2)(try o2 mro_attr o1 \"__getattr__\")(check_absent o2)",
     "C.__getattr__ = lambda s, n: 1", "del C.__getattr__"},
    {"type_flags", "class C: pass\nx = C()", "(take o1 type o0)(is o1 type_flags FLAGS_OF_C)", "C.__eq__ = lambda s, o: True", ""},
    {"function_code", "def x(): return 1\ndef g(): return 2\nh = x.__code__", "(is o0 code CODE_OF_X)", "x.__code__ = g.__code__",
     "x.__code__ = h"},
    {"function_other", "def x(): return 1\nk = x", "(is o0 code CODE_OF_X)", "def x(): return 2", "x = k"},
    {"defaults", "def x(a=1): pass", "(take o1 __defaults__ o0)(take o1 item o1 0)(is o1 value 1)", "x.__defaults__ = 2,",
     "x.__defaults__ = 1,"},
    {"kwdefaults", "def x(*, a=1): pass", "(take o1 __kwdefaults__ o0)(take o1 [] o1 \"a\")(is o1 value 1)", "x.__kwdefaults__['a'] = 2",
     "x.__kwdefaults__['a'] = 1"},
    {"cell", "def o():\n  n = 1\n  def s(v):\n    nonlocal n\n    n = v\n  return lambda: n, s\nx, s = o()",
     "(take o1 __closure__ o0 0)(take o1 cell_contents o1)(is o1 value 1)", "s(2)", "s(1)"},
    {"closure_length", "def o(n):\n  return lambda: n\nx = o(1)", "(is o0 closure_len 1)", "x = lambda: 1", "x = o(1)"},
    {"global", "n = 1\nx = 0", "(take o1 globals 0)(take o1 [] o1 \"n\")(is o1 value 1)", "n = 2", "n = 1"},
    {"builtin_added", "import builtins\nx = 0", "(take o1 builtins 0)(try o1 [] o1 \"fg_x\")(check_absent o1)", "builtins.fg_x = 1",
     "del builtins.fg_x"},
    {"module_attribute", "import math, types\nx = types.ModuleType('m'); x.k = 1",
     "(take o1 module_dict o0)(take o1 [] o1 \"k\")(is o1 value 1)", "x.k = 2", "x.k = 1"},
    {"builtin_replaced", "x = len", "(is o0 symbol \"builtins:len\")", "x = max", "x = len"},
    {"method_descriptor", "x = list.append", "(is o0 symbol \"builtins:list.append\")", "x = list.pop", "x = list.append"},
    {"bound_method", "class C:\n  def f(self): pass\nc, d = C(), C()\nx = c.f\ny = c",
     "(take o1 __self__ o0)(take o2 slot 0 1)(check_same o1 o2)", "x = d.f", "x = c.f"},
    {"property", "class C:\n  p = property(len)\nx = C.__dict__['p']", "(take o1 fget o0)(is o1 symbol \"builtins:len\")",
     "x = property(max)", "x = property(len)"},
    {"staticmethod", "x = staticmethod(len)", "(take o1 __func__ o0)(is o1 symbol \"builtins:len\")", "x = staticmethod(max)",
     "x = staticmethod(len)"},
    {"partial", "import functools\nx = functools.partial(len, 1, k=2)",
     "(take o1 func o0)(is o1 symbol \"builtins:len\")(take o1 args o0)(is o1 len 1)"
     "(take o1 keywords o0)(is o1 len 1)",
     "x = functools.partial(max, 1, k=2)", "x = functools.partial(len, 1, k=2)"},
    {"list_iterator", "x = iter([1, 2, 3])", "(is o0 index 0)(is o0 remaining 3)(take o1 next o0 0)(is o1 value 1)", "next(x)",
     "x = iter([1, 2, 3])"},
    {"range_iterator", "x = iter(range(3))",
     "(is o0 range ((kind tuple) (items (((kind int)) ((kind int) (integer 3)) ((kind int) (integer 1))))))", "next(x)",
     "x = iter(range(3))"},
    {"dict_iterator", "d = {'a': 1, 'b': 2}\nx = iter(d)", "(is o0 index 0)(is o0 remaining 2)", "next(x)", "x = iter(d)"},
    {"set_iterator", "d = {1, 2}\nx = iter(d)", "(is o0 remaining 2)", "next(x)", "x = iter(d)"},
    {"iterator_exhausted", "x = iter((1,))", "(take o1 iterated o0)(is o1 len 1)", "list(x)", "x = iter((1,))"},
    {"range", "x = range(3)",
     "(is o0 len 3)(is o0 range ((kind tuple) (items (((kind int)) ((kind int) (integer 3)) ((kind int) (integer 1))))))", "x = range(4)",
     "x = range(3)"},
    {"weakref", "class C: pass\nc = C()\nimport weakref\nx = weakref.ref(c)", "(take o1 referent o0)", "del c", ""},
    {"mappingproxy", "import types\nx = types.MappingProxyType({'a': 1})", "(take o1 mapping o0)(is o1 len 1)",
     "x = types.MappingProxyType({})", "x = types.MappingProxyType({'a': 1})"},
    {"one_object", "x = []\ny = x", "(take o1 slot 0 1)(check_same o0 o1)", "y = []", "y = x"},
    {"two_objects", "x = []\ny = []", "(take o1 slot 0 1)(group_begin)(group_add o0)(group_add o1)", "y = x", "y = []"},
    {"expression", "x = 6", "(int w0 o0)(word w1 4)(mod w2 w0 w1)(word w3 2)(eq w2 w2 w3)(check_true w2)", "x = 7", "x = -2"},
    {"int_of_other_type", "x = 6", "(int w0 o0)", "x = 6.0", "x = 6"},
    {"loaded_module", "import sys, types\nsys.modules['fg_m'] = types.ModuleType('fg_m')\nx = 0", "(take o1 sys.modules \"fg_m\")",
     "del sys.modules['fg_m']", "sys.modules['fg_m'] = types.ModuleType('fg_m')"},
    {"symbol_root", "import sys, types\nm = sys.modules['fg_s'] = types.ModuleType('fg_s')\nm.C = type('C', (), {'k': 1})\nx = 0",
     "(take o1 symbol \"fg_s:C.k\")(is o1 value 1)", "m.C.k = 2", "m.C.k = 1"},
};

std::string HexOf(PyObject* function) {
  return ReadFact(model::Fact::kCodeId, function).hash.Hex();
}

// Replaces what only the live objects know.
std::string Filled(std::string checks, LiveObjects& objects) {
  const auto fill = [&checks](std::string_view what, const std::string& with) {
    if (size_t at = checks.find(what); at != std::string::npos)
      checks.replace(at, what.size(), with);
  };
  if (PyObject* c = objects["C"]; c != nullptr && PyType_Check(c)) {
    fill("FLAGS_OF_C", std::to_string(ReadFact(model::Fact::kTypeFlags, c).word));
    if (PyObject* f = PyDict_GetItemString(reinterpret_cast<PyTypeObject*>(c)->tp_dict, "f"))
      fill("CODE_OF_C_F", HexOf(f));
  }
  if (objects["x"] != nullptr && PyFunction_Check(objects["x"]))
    fill("CODE_OF_X", HexOf(objects["x"]));
  for (size_t at = 0; (at = checks.find(")(", at)) != std::string::npos; at += 2)
    if (checks[at + 2] >= 'a' && checks[at + 2] <= 'z' && checks.compare(at + 2, 4, "item") != 0)
      checks.insert(at + 1, "\n");
  return checks;
}

class MutationTest : public testing::TestWithParam<Mutation> {};

void ChangeAndRestore(const Mutation& mutation, const std::string& root) {
  LiveObjects objects(mutation.made);
  auto program = Linked(Filled(mutation.checks, objects), root);
  ASSERT_NE(program, nullptr);
  for (int warm = 0; warm < 3; ++warm)
    EXPECT_TRUE(Passes(*program, objects));
  objects.Run(mutation.changed);
  EXPECT_FALSE(Passes(*program, objects));
  EXPECT_FALSE(Passes(*program, objects));
  if (*mutation.restored == '\0')
    return;
  objects.Run(mutation.restored);
  for (int warm = 0; warm < 3; ++warm)
    EXPECT_TRUE(Passes(*program, objects));
}

TEST_P(MutationTest, IsSeenAndForgotten) {
  ChangeAndRestore(GetParam(), kInSlot);
}

// What a program keeps for itself is a memo's, unlike what a call makes.
TEST_P(MutationTest, IsSeenBelowGlobals) {
  ChangeAndRestore(GetParam(), kInGlobals);
}

INSTANTIATE_TEST_SUITE_P(All, MutationTest, testing::ValuesIn(kMutations), [](const auto& test) { return test.param.name; });

// Many kinds of objects.
constexpr char kZoo[] = R"(
import collections, functools, types, weakref, math, operator, enum
class Plain:
    k = 1
    def method(self): return self
    @property
    def p(self): return 1
class Slots:
    __slots__ = 'a', 'b'
class Sub(dict): pass
class Color(enum.Enum): RED = 1
def function(a, b=2, *, c=3): return lambda: a
plain, slots = Plain(), Slots()
plain.a, plain.b, slots.a = 1, [1], 2
materialized = Plain(); materialized.n = 1; materialized.__dict__
zoo = [None, True, ..., NotImplemented, 1, 10**40, -1, 1.5, 2j, 'text', '\u00e9', '\ud800', b'bytes', (1, (2, 'a')), frozenset({1, 'a'}),
       slice(1, None), range(10, 2, -3), [1, 2], {'a': 1, 2: 'b'}, {1, 2}, Sub(a=1), collections.OrderedDict(b=1, a=2),
       collections.defaultdict(list, a=[1]), collections.deque([1]), plain, slots, materialized, Plain, Slots, int, type, object, Color, Color.RED,
       function, function(1), plain.method, [].append, len, math.sqrt, operator.add, list.append, int.__add__, Plain.p,
       staticmethod(len), classmethod(len), functools.partial(len, [1]), math, types.MappingProxyType({'a': 1}), {'a': 1}.keys(),
       iter([1, 2]), iter((1, 2)), iter(range(3)), iter({'a': 1}), iter({1}), weakref.ref(plain), types.CellType(1), types.CellType(),
       function.__code__, ValueError('x'), (lambda: (yield))()]
)";

// What a reader gives, the check of it accepts; for what does not apply, its absence.
TEST(FactsTest, ChecksAgreeWithReaders) {
  LiveObjects objects(kZoo);
  PyObject* zoo = objects["zoo"];
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(zoo); ++i) {
    PyObject* object = PyList_GET_ITEM(zoo, i);
    PyDict_SetItemString(objects.globals(), "x", object);
    for (int number = 1; number < 64; ++number) {
      const model::Fact fact = static_cast<model::Fact>(number);
      if (model::EnumText(fact).empty() || fact == model::Fact::kTensor)
        continue;
      const model::FactValue value = ReadFact(fact, object);
      EXPECT_FALSE(PyErr_Occurred());
      guards::ProgramBuilder builder;
      const uint16_t subject = builder.NewObject();
      ASSERT_TRUE(builder.AddStep({.step = model::Step::kSlot}, false, 0, subject, 0).ok());
      ASSERT_TRUE(builder.AddFact(value, subject, 0).ok());
      auto program = CheckProgram::Link(guards::EncodeProgram(builder.Finish()), nullptr);
      ASSERT_TRUE(program.ok()) << program.status();
      EXPECT_TRUE(Passes(**program, objects)) << "object " << i << " of type " << Py_TYPE(object)->tp_name << ": " << model::EnumText(fact)
                                              << " " << guards::Repr(value);
    }
  }
}

// Every step on every object: no crash, no exception, no reference kept, nothing made.
TEST(StepsTest, AreHarmlessOnAnything) {
  LiveObjects objects(kZoo);
  PyObject* zoo = objects["zoo"];
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(zoo); ++i) {
    PyObject* object = PyList_GET_ITEM(zoo, i);
    if (object == Py_None)
      continue;  // anything may refer to it
    const Py_ssize_t references = Py_REFCNT(object);
    PyObject* dict = pycompat::MaterializedDict(object);
    for (int number = 32; number < 128; ++number) {
      const model::Step step = static_cast<model::Step>(number);
      if (model::EnumText(step).empty())
        continue;
      for (uint32_t index : {0u, 1u, 7u, 60000u}) {
        PyObject* to = nullptr;
        if (model::OperandOf(step) != model::StepOperand::kKey) {
          EXPECT_TRUE(TakeStep(step, object, Operand(uint64_t{index}), &to));
        }
      }
      for (const model::Constant& key : {model::Constant::Str("a"), model::Constant::Str("__init__"), model::Constant::Int(2),
                                         model::Constant::Tuple({model::Constant::Int(1)})}) {
        PyObject* to = nullptr;
        if (model::OperandOf(step) == model::StepOperand::kKey)
          TakeKeyedStep(step, 0, key, object, &to);
      }
      EXPECT_FALSE(PyErr_Occurred());
    }
    EXPECT_EQ(Py_REFCNT(object), references) << i;
    EXPECT_EQ(pycompat::MaterializedDict(object), dict) << i;
  }
}

TEST(CheckProgramTest, ReadingAttributesMakesNoDict) {
  LiveObjects objects("class C: pass\nx = C(); x.n = 1");
  auto program = Linked(
      "(take o1 attr o0 \"n\")\n(is o1 value 1)\n(is o0 attrs ((kind tuple) (items (((kind str) (text \"n\"))))))\n(try o1 __dict__ "
      "o0)\n(check_absent o1)");
  EXPECT_TRUE(Passes(*program, objects));
  EXPECT_NE(pycompat::InlineValues(objects["x"]), nullptr);
  objects.Run("x.__dict__");
  EXPECT_FALSE(Passes(*program, objects));
}

TEST(CheckProgramTest, KeepsBorrowedObjectsInOrder) {
  LiveObjects objects("x = ['a', 'b']\ny = 5");
  auto program = Linked("(take o1 item o0 1)\n(take o2 slot 0 1)\n(keep o1 9)\n(keep o2 4)");
  const Py_ssize_t references = Py_REFCNT(objects["x"]);
  PyObject* kept[2] = {};
  ASSERT_EQ(program->keep_slots(), (std::vector<uint32_t>{9, 4}));
  EXPECT_TRUE(program->Evaluate(objects.Frames().data(), 1, kept).pass);
  EXPECT_EQ(kept[0], PyList_GET_ITEM(objects["x"], 1));
  EXPECT_EQ(kept[1], objects["y"]);
  EXPECT_EQ(Py_REFCNT(objects["x"]), references);
}

TEST(CheckProgramTest, ATypeOfTheSameNameIsPinnedAnew) {
  LiveObjects objects(
      "def make():\n  class C: pass\n  C.__module__, C.__qualname__ = 'm', 'C'\n  return C()\nx, z = make(), make()\nw = x");
  auto program = Linked("(check_type o0 \"m:C\")");
  for (const char* next : {"x = z", "x = w", "w = z = None\nimport gc; x = None; gc.collect(); x = make()"}) {
    EXPECT_TRUE(Passes(*program, objects));
    objects.Run(next);
  }
  EXPECT_TRUE(Passes(*program, objects));
}

TEST(CheckProgramTest, KeepsNoTypeAlive) {
  LiveObjects objects("import weakref, gc\nclass C: pass\nC.__module__ = 'm'\nx = C()\nr = weakref.ref(C)");
  auto program = Linked("(check_type o0 \"m:C\")\n(take o1 type o0)\n(slice o1 1)\n(is o1 mro_len 2)");
  EXPECT_TRUE(Passes(*program, objects));
  objects.Run("x = 1; del C; gc.collect(); dead = r() is None");
  EXPECT_EQ(objects["dead"], Py_True);
}

TEST(CheckProgramTest, ExplainsWhatItSaw) {
  LiveObjects objects("x = {'key': 'left', 'n': [1, 2]}");
  auto program = Linked(
      "(take o1 [] o0 \"key\" #1)\n(is o1 value \"left\" #1)\n(take o1 [] o0 \"n\" #2)\n(is o1 len 2 #2)\n(check_type o1 \"builtins:list\" "
      "#2)");
  const auto explain = [&](const char* change) {
    objects.Run(change);
    const guards::Verdict verdict = program->Evaluate(objects.Frames().data(), 1, nullptr);
    EXPECT_FALSE(verdict.pass);
    const CheckProgram::Miss miss = program->Explain(verdict.instruction, objects.Frames().data(), 1);
    return std::to_string(miss.subject) + " " + miss.expected + " " + miss.actual;
  };
  EXPECT_EQ(explain("x['key'] = 'right'"), "1 'left' 'right'");
  EXPECT_EQ(explain("del x['key']"), "1 present absent");
  EXPECT_EQ(explain("x['key'] = 'left'; x['n'] = (1, 2)"), "2 list tuple");
  EXPECT_EQ(explain("x['n'] = [1]"), "2 2 1");
  EXPECT_EQ(explain("x['key'] = 'a' * 1000").size(), 2 + 6 + 1 + guards::kMaxRepr);
}

TEST(CheckProgramTest, LeavesARaisedExceptionAlone) {
  LiveObjects objects(kZoo);
  PyDict_SetItemString(objects.globals(), "x", objects["plain"]);
  auto program = Linked("(take o1 attr o0 \"a\")\n(try o1 attr o0 \"none\")\n(check_absent o1)");
  PyErr_SetString(PyExc_KeyError, "pending");
  EXPECT_TRUE(program->Evaluate(objects.Frames().data(), 1, nullptr).pass);
  EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_KeyError));
  PyErr_Clear();
}

TEST(CheckProgramTest, ObjectsByHandleAreHeldWeakly) {
  LiveObjects objects("import weakref, gc\nclass C: pass\nx = C()\nr = weakref.ref(x)");
  std::unique_ptr<CheckProgram> program;
  {
    HandleTable handles;
    handles.Add(objects["x"]);
    auto linked = CheckProgram::Link(
        guards::EncodeProgram(*guards::ParseProgram("(registers 1 0)\n(take o0 slot 0 0)\n(check_object o0 1)\n(pass)")), &handles);
    ASSERT_TRUE(linked.ok()) << linked.status();
    program = *std::move(linked);
  }
  EXPECT_TRUE(Passes(*program, objects));
  objects.Run("x = C()");
  EXPECT_FALSE(Passes(*program, objects));
  objects.Run("gc.collect(); dead = r() is None");
  EXPECT_EQ(objects["dead"], Py_True);
}

TEST(CheckProgramTest, RefusesWhatItCannotLink) {
  const auto status = [](std::string_view text) {
    return CheckProgram::Link(guards::EncodeProgram(*guards::ParseProgram(text)), nullptr).status().code();
  };
  EXPECT_EQ(status("(registers 1 0)\n(take o0 slot 0 0)\n(check_object o0 1)\n(pass)"), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status("(registers 1 0)\n(is o0 len 1)\n(pass)"), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace framegate::client
