// Time per instruction of decoding code that real compilers made.
#include <benchmark/benchmark.h>

#include "translator/pyver/decode.h"
#include "translator/pyver/real_code.h"

namespace framegate::translator {
namespace {

void BM_Decode(benchmark::State& state) {
  absl::StatusOr<RealImages> images =
      RealCode(static_cast<model::PyVersion>(state.range(0)), "argparse.py inspect.py asyncio/base_events.py");
  if (!images.ok()) {
    state.SkipWithError(std::string(images.status().message()).c_str());
    return;
  }
  int64_t instructions = 0;
  for (auto _ : state) {
    for (const auto& image : *images) {
      absl::StatusOr<DecodedCode> code = Decode(image);
      instructions += static_cast<int64_t>(code->instructions.size());
      benchmark::DoNotOptimize(code);
    }
  }
  state.counters["instruction"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(BM_Decode)->Arg(11)->Arg(12)->Arg(13)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace framegate::translator
