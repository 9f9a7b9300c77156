// A gRPC server with the daemon's methods and scripted answers, for tests of client_ext. Thread-safe; set the script before calls come.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framegate/v1/framegate.pb.h"
#include "tests/support/grpc_echo_service.h"

namespace framegate {

class FakeDaemon : public grpc::CallbackGenericService {
 public:
  // What the next message of a call is answered with: some messages, and whether the call ends then and how.
  struct Answer {
    std::vector<std::string> messages;
    bool end = true;
    grpc::Status status = grpc::Status::OK;
  };

  // Method (Hello, Lookup, Translate), number of the message in its call, message. Called on gRPC's threads.
  using Script = std::function<Answer(const std::string& method, int number, const std::string& message)>;

  explicit FakeDaemon(Script script) : script_(std::move(script)) {
    static const bool initialized = (grpc_init(), true);  // see GrpcEchoServer
    (void)initialized;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + folder_.path(), grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }

  ~FakeDaemon() override { Stop(); }

  void Stop() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  std::string path() const { return folder_.path(); }

  std::atomic<int> hellos{0};
  std::atomic<int> cancelled{0};

  static Answer Welcome(const std::string& request) {
    v1::HelloRequest hello;
    hello.ParseFromString(request);
    v1::HelloReply reply;
    reply.set_proto(hello.proto_max());
    reply.set_schema_hash(hello.schema_hash());
    reply.set_server_build("fake");
    return {{reply.SerializeAsString()}};
  }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    return new Reactor(this, context->method().substr(context->method().rfind('/') + 1));
  }

 private:
  class Reactor : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(FakeDaemon* daemon, std::string method) : daemon_(daemon), method_(std::move(method)) { StartRead(&read_); }

    void OnReadDone(bool ok) override {
      if (!ok)
        return;  // ended by the script or by a cancellation
      std::vector<grpc::Slice> slices;
      std::string message;
      read_.Dump(&slices).ok();
      for (const grpc::Slice& slice : slices)
        message.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
      daemon_->hellos += method_ == "Hello";
      answer_ = daemon_->script_(method_, number_++, message);
      sent_ = 0;
      WriteNext();
    }

    void OnWriteDone(bool ok) override {
      if (ok)
        WriteNext();
      else
        FinishOnce(grpc::Status::CANCELLED);
    }

    void OnCancel() override {
      ++daemon_->cancelled;
      FinishOnce(grpc::Status::CANCELLED);
    }

    void OnDone() override { delete this; }

   private:
    void WriteNext() {
      if (sent_ < answer_.messages.size()) {
        grpc::Slice slice(answer_.messages[sent_++]);
        write_ = grpc::ByteBuffer(&slice, 1);
        StartWrite(&write_);
      } else if (answer_.end) {
        FinishOnce(answer_.status);
      } else {
        StartRead(&read_);
      }
    }

    void FinishOnce(const grpc::Status& status) {
      if (!finished_.exchange(true))
        Finish(status);
    }

    FakeDaemon* daemon_;
    std::string method_;
    int number_ = 0;
    Answer answer_;
    size_t sent_ = 0;
    std::atomic<bool> finished_{false};
    grpc::ByteBuffer read_;
    grpc::ByteBuffer write_;
  };

  SocketFolder folder_;
  Script script_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace framegate
