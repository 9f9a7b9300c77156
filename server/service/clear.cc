#include <spdlog/spdlog.h>

#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {

Service::Unary* Service::Clear(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::ClearRequest, v1::ClearReply>(context, in, out,
                                                   [this](const v1::ClearRequest&, v1::ClearReply* reply) -> absl::Status {
                                                     ClearReport cleared = cache_->Clear();
                                                     spdlog::info("cache cleared: {} entries, {} bytes", cleared.entries, cleared.bytes);
                                                     ToProto(cleared, reply);
                                                     return absl::OkStatus();
                                                   });
}

}  // namespace framegate::server
