// Round trips to a real gRPC server in this process: what the client's own stack costs against the kernel's and the server's part.
#include "client_ext/transport/channel.h"

#include "benchmark/benchmark.h"
#include "tests/support/grpc_echo_service.h"

namespace framegate::client {
namespace {

std::unique_ptr<Channel> Open(const GrpcEchoServer& server) {
  return *Channel::Connect(server.path(), {.request = 32 << 20, .reply = 32 << 20}, {});
}

void BM_PingPong(benchmark::State& state) {
  GrpcEchoServer server;
  auto channel = Open(server);
  Call call(channel.get(), "/test/Echo", std::nullopt);
  std::string text(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    call.Send(text, false).IgnoreError();
    if (!call.Receive({}).ok())
      state.SkipWithError("no answer");
  }
  state.SetBytesProcessed(2 * state.iterations() * state.range(0));
}

BENCHMARK(BM_PingPong)->Arg(1)->Arg(8 << 10)->Arg(64 << 10)->Arg(1 << 20)->Arg(10 << 20)->UseRealTime()->Unit(benchmark::kMicrosecond);

void BM_Unary(benchmark::State& state) {
  GrpcEchoServer server;
  auto channel = Open(server);
  std::string text(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state)
    if (!channel->Unary("/test/One", text, std::chrono::seconds(10), {}).ok())
      state.SkipWithError("no answer");
}

BENCHMARK(BM_Unary)->Arg(1)->Arg(8 << 10)->Arg(64 << 10)->UseRealTime()->Unit(benchmark::kMicrosecond);

void BM_ConnectAndFirstCall(benchmark::State& state) {
  GrpcEchoServer server;
  for (auto _ : state)
    if (!Open(server)->Unary("/test/One", "x", std::chrono::seconds(10), {}).ok())
      state.SkipWithError("no answer");
}

BENCHMARK(BM_ConnectAndFirstCall)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace framegate::client
