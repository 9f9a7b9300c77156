#include "server/service/daemon.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server_posix.h>

#include "absl/time/clock.h"
#include "server/service/reception.h"
#include "server/service/service.h"
#include "server/service/socket.h"

namespace framegate::server {
namespace {

// Streams of one connection; a client opens one at a time per thread.
constexpr int kStreamsPerConnection = 64;
constexpr int kWindowBytes = 2 << 20;
constexpr absl::Duration kLastCalls = absl::Seconds(1);
constexpr absl::Duration kLastWrites = absl::Seconds(2);

class RunningDaemon : public Daemon {
 public:
  RunningDaemon(const Settings& settings, Doors doors, ListeningSocket socket)
      : settings_(settings),
        socket_(std::move(socket)),
        cache_(settings_, doors.programs, &stats_),
        engine_(settings_, std::move(doors), &cache_, &stats_),
        service_(settings_, &cache_, &engine_, &stats_, [this](std::string reason) { Stop(std::move(reason)); }),
        reception_(settings_, &socket_, &stats_, [this](int fd) { grpc::AddInsecureChannelFromFd(grpc_.get(), fd); }) {}

  // False: gRPC did not start.
  bool Serve() {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(settings_.request_bytes));
    builder.SetMaxSendMessageSize(static_cast<int>(settings_.reply_bytes));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsPerConnection);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
    grpc_ = builder.BuildAndStart();
    return grpc_ != nullptr;
  }

  std::string Run() override {
    spdlog::info("framegated {} serves {}, pid {}, cache {}", FRAMEGATE_BUILD, settings_.socket, getpid(), settings_.cache_dir);
    std::string reason = reception_.Wait();
    spdlog::info("ending: {}", reason);
    grpc_->GetHealthCheckService()->SetServingStatus(false);
    socket_.Withdraw();
    engine_.Drain(absl::Now() + absl::Seconds(settings_.drain_seconds));
    grpc_->Shutdown(absl::ToChronoTime(absl::Now() + kLastCalls));
    cache_.Flush(absl::Now() + kLastWrites);
    socket_.NoteExit(reason);
    spdlog::info("ended");
    return reason;
  }

  void Stop(std::string reason) override { reception_.Stop(std::move(reason)); }

  const Stats& stats() const override { return stats_; }

 private:
  const Settings settings_;
  Stats stats_;
  ListeningSocket socket_;
  Cache cache_;
  Engine engine_;
  Service service_;
  Reception reception_;
  std::unique_ptr<grpc::Server> grpc_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const Settings& settings, Doors doors) {
  ASSIGN_OR_RETURN(ListeningSocket socket, ListeningSocket::Open(settings.socket));
  auto daemon = std::make_unique<RunningDaemon>(settings, std::move(doors), std::move(socket));
  if (!daemon->Serve())
    return absl::UnavailableError("gRPC did not start");
  return daemon;
}

}  // namespace framegate::server
