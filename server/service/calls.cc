#include "server/service/calls.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpcpp/grpcpp.h>

#include "framegate/v1/framegate.grpc.pb.h"

#include "base/strings.h"
#include "server/service/report_wire.h"
#include "server/service/socket.h"

namespace framegate::server {
namespace {

constexpr std::chrono::seconds kDeadline(10);

// Asks the kernel first: a clear answer at once, and no word to a process of another user.
absl::Status CheckListener(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return absl::InvalidArgumentError(StrCat("the socket path ", path, " is too long"));
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  uid_t user = 0;
  absl::Status status;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    status = absl::NotFoundError(StrCat("no daemon serves ", path, " (", std::string_view(strerror(errno)), ")"));
  else if (!PeerUser(fd, &user) || (user != geteuid() && user != 0 && geteuid() != 0))
    status = absl::PermissionDeniedError(StrCat("the process that listens on ", path, " is another user's"));
  close(fd);
  return status;
}

}  // namespace

struct DaemonCalls::Connection {
  std::unique_ptr<v1::Framegate::Stub> stub;
};

DaemonCalls::DaemonCalls(const std::string& socket) : socket_(socket), connection_(std::make_unique<Connection>()) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  connection_->stub = v1::Framegate::NewStub(grpc::CreateCustomChannel("unix:" + socket, grpc::InsecureChannelCredentials(), arguments));
}

DaemonCalls::~DaemonCalls() = default;

template <typename Request, typename Reply, typename Method>
absl::StatusOr<Reply> DaemonCalls::Call(Method method, const Request& request) {
  RETURN_IF_ERROR(CheckListener(socket_));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  Reply reply;
  grpc::Status status = ((*connection_->stub).*method)(&context, request, &reply);
  if (!status.ok())
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  return reply;
}

absl::StatusOr<DaemonReport> DaemonCalls::Stats() {
  ASSIGN_OR_RETURN(v1::StatsReply reply, (Call<v1::StatsRequest, v1::StatsReply>(&v1::Framegate::Stub::Stats, {})));
  return FromProto(reply);
}

absl::StatusOr<ListReport> DaemonCalls::List(uint32_t limit) {
  v1::ListRequest request;
  request.set_limit(limit);
  ASSIGN_OR_RETURN(v1::ListReply reply, (Call<v1::ListRequest, v1::ListReply>(&v1::Framegate::Stub::List, request)));
  return FromProto(reply);
}

absl::StatusOr<std::vector<WhyReport>> DaemonCalls::Why(const std::string& function, uint32_t limit) {
  v1::WhyRequest request;
  request.set_function(function);
  request.set_limit(limit);
  ASSIGN_OR_RETURN(v1::WhyReply reply, (Call<v1::WhyRequest, v1::WhyReply>(&v1::Framegate::Stub::Why, request)));
  return FromProto(reply);
}

absl::StatusOr<std::vector<GuardsReport>> DaemonCalls::Guards(const std::string& function, uint32_t limit) {
  v1::GuardsRequest request;
  request.set_function(function);
  request.set_limit(limit);
  ASSIGN_OR_RETURN(v1::GuardsReply reply, (Call<v1::GuardsRequest, v1::GuardsReply>(&v1::Framegate::Stub::Guards, request)));
  return FromProto(reply);
}

absl::StatusOr<ClearReport> DaemonCalls::Clear() {
  ASSIGN_OR_RETURN(v1::ClearReply reply, (Call<v1::ClearRequest, v1::ClearReply>(&v1::Framegate::Stub::Clear, {})));
  return FromProto(reply);
}

absl::StatusOr<uint64_t> DaemonCalls::Shutdown(const std::string& reason) {
  v1::ShutdownRequest request;
  request.set_reason(reason);
  ASSIGN_OR_RETURN(v1::ShutdownReply reply, (Call<v1::ShutdownRequest, v1::ShutdownReply>(&v1::Framegate::Stub::Shutdown, request)));
  return reply.pid();
}

}  // namespace framegate::server
