#include <unistd.h>

#include "base/strings.h"
#include "server/service/service.h"

namespace framegate::server {

Service::Unary* Service::Shutdown(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::ShutdownRequest, v1::ShutdownReply>(
      context, in, out, [this](const v1::ShutdownRequest& request, v1::ShutdownReply* reply) -> absl::Status {
        reply->set_pid(static_cast<uint64_t>(getpid()));
        stop_(StrCat("asked to: ", request.reason().empty() ? "no reason given" : request.reason().substr(0, 200)));
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
