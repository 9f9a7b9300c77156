// A real gRPC server for tests of client_ext/transport, on a Unix socket in a temporary folder. The method decides what it does:
//   /test/Echo       every message comes back            /test/Slow   the same, 150 ms later
//   /test/Fail       INVALID_ARGUMENT at once            /test/Cancelled  CANCELLED at once
//   /test/Silent     takes messages, never answers       /test/One    answers the first message, then ends with OK
// Thread-safe after construction.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace framegate {

// A path of a socket in a fresh folder, both removed at the end.
class SocketFolder {
 public:
  SocketFolder() {
    char pattern[] = "/tmp/framegate-test-XXXXXX";
    folder_ = mkdtemp(pattern);
  }

  ~SocketFolder() {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }

  std::string path() const { return folder_ + "/s"; }

 private:
  std::string folder_;
};

class GrpcEchoService : public grpc::CallbackGenericService {
 public:
  static constexpr int kSlowMs = 150;
  std::atomic<int> cancelled{0};

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    return new Reactor(this, context->method());
  }

 private:
  class Reactor : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(GrpcEchoService* service, std::string method) : service_(service), method_(std::move(method)) {
      if (method_ == "/test/Fail")
        Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "50 % of \xc3\xa4\n"));
      else if (method_ == "/test/Cancelled")
        Finish(grpc::Status::CANCELLED);
      else
        StartRead(&message_);
    }

    void OnReadDone(bool ok) override {
      if (method_ == "/test/Silent") {
        if (ok)
          StartRead(&message_);
        return;
      }
      if (!ok) {
        Finish(grpc::Status::OK);
        return;
      }
      if (method_ == "/test/Slow")
        std::this_thread::sleep_for(std::chrono::milliseconds(kSlowMs));
      if (method_ == "/test/One")
        StartWriteAndFinish(&message_, {}, grpc::Status::OK);
      else
        StartWrite(&message_);
    }

    void OnWriteDone(bool ok) override {
      if (method_ == "/test/One")
        return;
      if (ok)
        StartRead(&message_);
      else
        Finish(grpc::Status::CANCELLED);
    }

    void OnCancel() override {
      ++service_->cancelled;
      if (method_ == "/test/Silent")
        Finish(grpc::Status::CANCELLED);
    }

    void OnDone() override { delete this; }

   private:
    GrpcEchoService* service_;
    std::string method_;
    grpc::ByteBuffer message_;
  };
};

class GrpcEchoServer {
 public:
  GrpcEchoServer() {
    // Never shut down: gRPC 1.51 then sometimes waits 10 s for an idle thread of its own.
    static const bool initialized = (grpc_init(), true);
    (void)initialized;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + folder_.path(), grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(32 << 20);
    server_ = builder.BuildAndStart();
  }

  ~GrpcEchoServer() { Stop(); }

  // In-flight calls are cut off.
  void Stop() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  std::string path() const { return folder_.path(); }

  GrpcEchoService& service() { return service_; }

 private:
  SocketFolder folder_;
  GrpcEchoService service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace framegate
