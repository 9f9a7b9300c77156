// Messages in and out as bytes. Methods are registered raw, so that bytes which do not parse become
// InvalidArgument (gRPC itself would say Unimplemented) and so that one place counts what is wrong
// with requests. Thread-safe: pure but for the counters.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "base/status.h"
#include "model/entry.h"
#include "server/stats/stats.h"

namespace framegate::server {

// InvalidArgument, and counted, where the bytes are no such message.
absl::Status ParseMessage(const grpc::ByteBuffer& buffer, google::protobuf::MessageLite* message, Stats* stats);
grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

// The key material of a request. FailedPrecondition under another schema, InvalidArgument where it
// does not decode; both are counted.
absl::StatusOr<model::KeyMaterial> DecodeKey(std::string_view bytes, Stats* stats);

// What to say to a client of another build, and what to do about it. `build` is the client's, ""
// where it did not say.
absl::Status OtherBuild(std::string_view schema, std::string_view build, Stats* stats);

grpc::Status ToGrpc(const absl::Status& status);

}  // namespace framegate::server
