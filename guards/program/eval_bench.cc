// Nanoseconds per operation of the evaluator itself: the probe's own work is a few loads.

#include <benchmark/benchmark.h>

#include <vector>

#include "guards/program/builder.h"
#include "guards/program/eval.h"
#include "guards/program/verify.h"

namespace framegate::guards {
namespace {

struct Node {
  const Node* next = nullptr;
  uint64_t word = 7;
};

// Objects are nodes, every step goes to the next one, every fact is its word.
struct ChainProbe {
  using Object = const Node*;
  using Instruction = LinkedInstruction<ChainProbe>;

  struct Pool {
    absl::StatusOr<Operand> Key(model::Step, const model::Constant&) { return Operand(); }

    absl::StatusOr<Operand> Expected(model::Fact, const model::Constant&) { return Operand(); }

    absl::StatusOr<Operand> Ambient(const std::vector<std::pair<uint8_t, model::Constant>>&) { return Operand(); }

    absl::StatusOr<Operand> Type(const std::string&) { return Operand(); }

    absl::StatusOr<Operand> Tensor(const TensorCheck&) { return Operand(); }

    absl::StatusOr<Operand> Hash(const Hash128&) { return Operand(); }

    absl::StatusOr<Operand> Object(uint64_t) { return Operand(); }
  };

  template <model::Step S>
  bool Take(Object from, const Instruction&, Object* to) noexcept {
    *to = model::IsRoot(S) ? first : from->next;
    return true;
  }

  template <model::Fact F>
  bool Is(Object object, const Instruction& i) noexcept {
    return object->word == i.operand.word;
  }

  bool Lacks(model::Fact, Object) noexcept { return true; }

  bool TypeIs(Object object, const Instruction& i) noexcept { return object->word != i.operand.word; }

  bool SubclassOf(Object, const Instruction&) noexcept { return true; }

  bool IsObject(Object, const Instruction&) noexcept { return true; }

  int FailingAmbient(const Instruction&) noexcept { return -1; }

  uint64_t TypeVersion(Object) noexcept { return 1; }

  bool Size(Object, uint32_t, int64_t* out) noexcept {
    *out = 6;
    return true;
  }

  bool Stride(Object, uint32_t, int64_t*) noexcept { return true; }

  bool StorageOffset(Object, int64_t*) noexcept { return true; }

  bool IntValue(Object, int64_t*) noexcept { return true; }

  bool WordFact(model::Fact, Object, int64_t*) noexcept { return true; }

  const Node* first;
};

// A program of `body` over and over, on a chain of nodes; reports the time of one repetition of the body.
void Run(benchmark::State& state, std::string_view body) {
  constexpr int kRepetitions = 300;
  std::string text = "(registers 4 4)\n(take o0 slot 0 0)\n";
  for (int i = 0; i < kRepetitions; ++i)
    text += body;
  const Program program = *ParseProgram(text + "(pass)");
  if (!Verify(program).ok)
    return state.SkipWithError("the program does not verify");
  auto linked = Linked<ChainProbe>::Link(program, {});
  Node second{.next = nullptr}, first{.next = &second};
  second.next = &first;
  ChainProbe probe{&first};
  Scratch<ChainProbe> scratch;
  scratch.Reserve(*linked);
  for (auto _ : state)
    benchmark::DoNotOptimize(Evaluate(*linked, probe, scratch, nullptr));
  state.counters["per_body"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRepetitions, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(Run, root, "(take o1 slot 0 0)\n");
BENCHMARK_CAPTURE(Run, step, "(take o1 item o0 1)\n");
BENCHMARK_CAPTURE(Run, fact, "(is o0 len 7)\n");
BENCHMARK_CAPTURE(Run, type, "(check_type o0 \"m:T\")\n");
BENCHMARK_CAPTURE(Run, step_and_fact, "(take o1 attr o0 \"a\")\n(is o1 len 7)\n");
BENCHMARK_CAPTURE(Run, same, "(check_same o0 o0)\n");
BENCHMARK_CAPTURE(Run, expression, "(size w0 o0 1)\n(word w1 6)\n(eq w2 w0 w1)\n(check_true w2)\n");
BENCHMARK_CAPTURE(Run, slice_of_three, "(slice o0 3)\n(take o1 mro_attr o0 \"a\")\n(take o2 mro_attr o0 \"b\")\n(is o0 mro_len 7)\n");
BENCHMARK_CAPTURE(Run, group, "(group_begin)\n(group_add o0)\n");

void VerifyProgram(benchmark::State& state) {
  ProgramBuilder builder;
  const uint16_t object = builder.NewObject(), other = builder.NewObject();
  builder.AddStep({.step = model::Step::kSlot}, false, 0, object, 0).IgnoreError();
  for (int i = 0; i < 5000; ++i) {
    builder.AddStep({.step = model::Step::kItem, .index = 1}, false, object, other, 0).IgnoreError();
    builder.AddFact({.fact = model::Fact::kLength, .word = 3}, other, 0).IgnoreError();
  }
  const std::string bytes = EncodeProgram(builder.Finish());
  for (auto _ : state) {
    const Program program = *DecodeProgram(bytes);
    benchmark::DoNotOptimize(Verify(program).ok);
  }
}

BENCHMARK(VerifyProgram)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace framegate::guards
