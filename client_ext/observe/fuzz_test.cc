// Random programs on live objects: whatever verifies runs without a crash, runs no Python, allocates nothing and leaves no reference.
#include "client_ext/observe/live_objects.h"

#include "client_ext/observe/check_program.h"

#include "guards/program/testing/random_program.h"

namespace framegate::client {
namespace {

// Objects of many types, and none that could run code unseen: every special method counts.
constexpr char kObjects[] = R"(
import collections, functools, types, weakref
ran = 0
class Loud:
    def __getattribute__(self, name):
        global ran; ran += 1
        return object.__getattribute__(self, name)
    def __eq__(self, other):
        global ran; ran += 1
        return False
    def __hash__(self):
        global ran; ran += 1
        return 1
    def __len__(self):
        global ran; ran += 1
        return 0
class C(collections.OrderedDict):
    n = 1
    def f(self, a=1, *, p=2): return a
    p = property(len)
class Slots:
    __slots__ = ("n", "f")
s = Slots(); s.n = [1]
def outer():
    n = 1
    return lambda: n
def gen(n):
    yield n
c = C(n=1, f=(1, "n"))
c.n, c.f = {"n": 1, 1: [Loud()], "f": c}, [s, outer(), gen(1), iter([1, 2]), iter({"n": 1}.items()), enumerate("ab"), zip([1], [2]), map(len, [[]])]
loud = Loud(); loud.n = 1
x = [c, loud, 1, 1.5, "n", b"b", None, True, (1, "n"), {1, 2}, frozenset({1}), range(3), slice(1, 2), len, list.append, outer(), c.f,
     functools.partial(len, 1, k=2), weakref.ref(c), types.MappingProxyType({"n": 1}), {"n": 1}.keys(), collections.deque([1], 3), types,
     staticmethod(len), classmethod(len), C, Slots, type, gen(2), 10 ** 30, s, ValueError("n"), {loud: 1}]
y = x[:]
def f(x, y): return x, y
before = ran
)";

TEST(LiveProgramFuzz, LeavesNothingBehind) {
  LiveObjects objects(kObjects);
  Random random(FuzzRounds::Seed() + 2);
  guards::RandomProgram programs(&random);
  const std::vector<LiveFrame>& frames = objects.Frames();
  PyObject* things = objects["y"];
  std::vector<Py_ssize_t> references;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(things); ++i)
    references.push_back(Py_REFCNT(PyList_GET_ITEM(things, i)));
  FuzzRounds rounds;
  uint64_t verified = 0, passed = 0;
  while (rounds.Next()) {
    // A slot that holds another object each time.
    const_cast<PyObject**>(frames[0].slots)[0] = PyList_GET_ITEM(things, random.Below(static_cast<uint32_t>(PyList_GET_SIZE(things))));
    auto program = CheckProgram::Link(guards::EncodeProgram(programs.Make()), nullptr);
    if (!program.ok())
      continue;
    ++verified;
    std::vector<PyObject*> kept((*program)->keep_slots().size());
    const guards::Verdict verdict = (*program)->Evaluate(frames.data(), frames.size(), kept.data());
    passed += verdict.pass;
    for (int i = 0; i < 3; ++i)  // the second makes a memo
      ASSERT_EQ((*program)->Passes(frames.data(), frames.size(), kept.data()), verdict.pass) << guards::PrintProgram((*program)->program());
    if (!verdict.pass)
      (*program)->Explain(verdict.instruction, frames.data(), frames.size());
    ASSERT_FALSE(PyErr_Occurred());
  }
  objects.Run("assert ran == before, ran");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(things); ++i)
    if (PyObject* thing = PyList_GET_ITEM(things, i); PyObject_IS_GC(thing))  // others hold small constants too
      EXPECT_EQ(Py_REFCNT(thing), references[static_cast<size_t>(i)]) << i;
  EXPECT_GT(verified, rounds.rounds() / 50);
  EXPECT_GT(passed, 0u);
  printf("%llu programs, %llu verified, %llu passed\n", static_cast<unsigned long long>(rounds.rounds()),
         static_cast<unsigned long long>(verified), static_cast<unsigned long long>(passed));
}

}  // namespace
}  // namespace framegate::client
