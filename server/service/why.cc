#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {
namespace {

constexpr size_t kDefaultLimit = 20;

}  // namespace

Service::Unary* Service::Why(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::WhyRequest, v1::WhyReply>(
      context, in, out, [this](const v1::WhyRequest& request, v1::WhyReply* reply) -> absl::Status {
        ToProto(engine_->why().Find(request.function(), request.limit() == 0 ? kDefaultLimit : request.limit()), reply);
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
