// A daemon inside the test's process, on a real socket in a folder that goes away, with a
// translation made of a function.
#pragma once

#include <thread>

#include <grpcpp/grpcpp.h>

#include "framegate/v1/framegate.grpc.pb.h"

#include "absl/synchronization/notification.h"
#include "server/service/daemon.h"
#include "server/testing/fakes.h"

namespace framegate::server {

using TranslateFunction = std::function<absl::StatusOr<model::Entry>(translator::Request, const CodeImages&, translator::Asker&)>;

class TestDaemon {
 public:
  explicit TestDaemon(TranslateFunction function = nullptr) {
    settings.socket = folder.path() + "/d.sock";
    settings.cache_dir = folder.path() + "/cache";
    settings.idle_seconds = 0;
    translate =
        function ? std::move(function) : [](const translator::Request&, const CodeImages&, translator::Asker&) { return EntryOf("1"); };
  }

  ~TestDaemon() { Stop(); }

  absl::Status Start() {
    Doors doors{.translate =
                    [this](translator::Request request, const CodeImages& images, translator::Asker& asker) {
                      ++translations;
                      return translate(std::move(request), images, asker);
                    },
                .code = NoCode,
                .programs = FakePrograms()};
    ASSIGN_OR_RETURN(daemon, Daemon::Start(settings, std::move(doors)));
    ended = std::make_unique<absl::Notification>();
    thread = std::thread([this] {
      reason = daemon->Run();
      ended->Notify();
    });
    return absl::OkStatus();
  }

  void Stop() {
    if (!thread.joinable())
      return;
    daemon->Stop("the test is over");
    Join();
  }

  void Join() {
    thread.join();
    daemon.reset();
  }

  bool EndsWithin(absl::Duration time) { return ended->WaitForNotificationWithTimeout(time); }

  std::shared_ptr<grpc::Channel> Connect() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel("unix:" + settings.socket, grpc::InsecureChannelCredentials(), arguments);
  }

  std::unique_ptr<v1::Framegate::Stub> Stub() { return v1::Framegate::NewStub(Connect()); }

  TemporaryFolder folder;
  Settings settings;
  TranslateFunction translate;
  std::atomic<int> translations = 0;
  std::unique_ptr<Daemon> daemon;
  std::unique_ptr<absl::Notification> ended;
  std::string reason;
  std::thread thread;
};

}  // namespace framegate::server
