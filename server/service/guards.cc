#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {
namespace {

constexpr size_t kDefaultLimit = 20;
constexpr size_t kMostListed = 200;  // of some 10 kB each

}  // namespace

Service::Unary* Service::Guards(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::GuardsRequest, v1::GuardsReply>(
      context, in, out, [this](const v1::GuardsRequest& request, v1::GuardsReply* reply) -> absl::Status {
        const size_t limit = request.limit() == 0 ? kDefaultLimit : std::min<size_t>(request.limit(), kMostListed);
        ToProto(engine_->Guards(request.function(), limit), reply);
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
