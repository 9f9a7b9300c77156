// The gRPC service: one method per RPC of framegate.proto, each in a file of its own. Methods run
// on gRPC's threads and only move bytes: what takes time is the engine's. Thread-safe. Owned by the
// Daemon, which outlives the gRPC server it is registered with.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "framegate/v1/framegate.grpc.pb.h"

#include "server/cache/cache.h"
#include "server/engine/engine.h"
#include "server/service/payload.h"
#include "server/settings.h"
#include "server/stats/stats.h"

namespace framegate::server {

template <typename Base>
using RawUnary =
    v1::Framegate::WithRawCallbackMethod_Hello<v1::Framegate::WithRawCallbackMethod_Lookup<v1::Framegate::WithRawCallbackMethod_Stats<
        v1::Framegate::WithRawCallbackMethod_Shutdown<v1::Framegate::WithRawCallbackMethod_List<v1::Framegate::WithRawCallbackMethod_Why<
            v1::Framegate::WithRawCallbackMethod_Guards<v1::Framegate::WithRawCallbackMethod_Clear<Base>>>>>>>>;

class Service : public RawUnary<v1::Framegate::WithRawCallbackMethod_Translate<v1::Framegate::Service>> {
 public:
  using Unary = grpc::ServerUnaryReactor;
  using Context = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;
  using Stream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  // `stop` is called with a reason, from any thread, to end the daemon. All pointers outlive the
  // service.
  Service(const Settings& settings, Cache* cache, Engine* engine, server::Stats* stats, std::function<void(std::string)> stop);

  Unary* Hello(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Lookup(Context* context, const Bytes* request, Bytes* reply) override;
  Stream* Translate(Context* context) override;
  Unary* Stats(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Shutdown(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* List(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Why(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Guards(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Clear(Context* context, const Bytes* request, Bytes* reply) override;

 private:
  // One unary call: parse, `answer(const Request&, Reply*)` to a Status, serialize.
  template <typename Request, typename Reply, typename Answer>
  Unary* Respond(Context* context, const Bytes* in, Bytes* out, Answer answer) {
    Request request;
    Reply reply;
    absl::Status status = ParseMessage(*in, &request, stats_);
    if (status.ok())
      status = answer(request, &reply);
    if (status.ok())
      *out = SerializeMessage(reply);
    Unary* reactor = context->DefaultReactor();
    reactor->Finish(ToGrpc(status));
    return reactor;
  }

  const Settings& settings_;
  Cache* const cache_;
  Engine* const engine_;
  server::Stats* const stats_;
  const std::function<void(std::string)> stop_;
  const int64_t start_ms_;
  std::atomic<uint64_t> sessions_{0};
};

}  // namespace framegate::server
