#include <spdlog/spdlog.h>
#include <unistd.h>

#include "absl/time/clock.h"
#include "base/strings.h"
#include "proto/wire/contract.h"
#include "server/service/service.h"

namespace framegate::server {

Service::Service(const Settings& settings, Cache* cache, Engine* engine, server::Stats* stats, std::function<void(std::string)> stop)
    : settings_(settings),
      cache_(cache),
      engine_(engine),
      stats_(stats),
      stop_(std::move(stop)),
      start_ms_(absl::ToUnixMillis(absl::Now())) {}

Service::Unary* Service::Hello(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::HelloRequest, v1::HelloReply>(
      context, in, out, [this](const v1::HelloRequest& request, v1::HelloReply* reply) -> absl::Status {
        uint32_t proto = std::min(request.proto_max(), wire::kProtoMax);
        if (proto < request.proto_min() || proto < wire::kProtoMin)
          return absl::FailedPreconditionError(StrCat("the client speaks versions ", request.proto_min(), " to ", request.proto_max(),
                                                      " of the protocol, the daemon (build " FRAMEGATE_BUILD ") ", wire::kProtoMin, " to ",
                                                      wire::kProtoMax, ". Run `framegate stop`"));
        Hash128 schema = model::SchemaHash();
        if (request.schema_hash() != BytesOf(schema))
          return OtherBuild(request.schema_hash(), request.client_build(), stats_);
        stats_->Add(Metric::kHellos);
        reply->set_proto(proto);
        reply->set_server_build(FRAMEGATE_BUILD);
        reply->set_schema_hash(std::string(BytesOf(schema)));
        reply->mutable_limits()->set_request_bytes(settings_.request_bytes);
        reply->mutable_limits()->set_reply_bytes(settings_.reply_bytes);
        reply->mutable_limits()->set_beat_ms(wire::kBeatMs);
        reply->set_session_id(++sessions_);
        reply->set_server_pid(static_cast<uint64_t>(getpid()));
        reply->set_start_time_ms(static_cast<uint64_t>(start_ms_));
        reply->set_durable(cache_->IsDurable());
        spdlog::info("session {}: pid {}, Python {}, torch {}", reply->session_id(), request.pid(), request.python(),
                     request.torch().empty() ? "none" : request.torch());
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
