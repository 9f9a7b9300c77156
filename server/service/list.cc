#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {
namespace {

constexpr size_t kDefaultLimit = 100;
constexpr size_t kMostListed = 10'000;  // of some 300 bytes: under the limit of a reply

}  // namespace

Service::Unary* Service::List(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::ListRequest, v1::ListReply>(
      context, in, out, [this](const v1::ListRequest& request, v1::ListReply* reply) -> absl::Status {
        size_t limit = request.limit() == 0 ? kDefaultLimit : std::min<size_t>(request.limit(), kMostListed);
        ToProto(cache_->List(limit), reply);
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
