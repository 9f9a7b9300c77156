#include "server/service/payload.h"

#include <unistd.h>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/strings.h"

namespace framegate::server {

absl::Status ParseMessage(const grpc::ByteBuffer& buffer, google::protobuf::MessageLite* message, Stats* stats) {
  grpc::Slice slice;
  bool good = true;
  if (buffer.Valid() && buffer.Length() > 0)
    good = buffer.DumpToSingleSlice(&slice).ok() && message->ParseFromArray(slice.begin(), static_cast<int>(slice.size()));
  if (good)
    return absl::OkStatus();
  stats->Add(Metric::kMalformed);
  return absl::InvalidArgumentError(StrCat("the bytes are no ", message->GetTypeName()));
}

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<model::KeyMaterial> DecodeKey(std::string_view bytes, Stats* stats) {
  // The schema hash comes first in the encoding, and is all of it that another build would
  // understand.
  Hash128 schema = model::SchemaHash();
  std::string_view expected(reinterpret_cast<const char*>(schema.bytes.data()), schema.bytes.size());
  if (bytes.size() >= expected.size() && bytes.substr(0, expected.size()) != expected)
    return OtherBuild(bytes.substr(0, expected.size()), "", stats);
  model::KeyMaterial material;
  absl::Status status = Decode(bytes, &material);
  if (status.ok())
    return material;
  stats->Add(Metric::kMalformed);
  return absl::InvalidArgumentError(StrCat("key_material: ", std::string(status.message())));
}

absl::Status OtherBuild(std::string_view schema, std::string_view build, Stats* stats) {
  stats->Add(Metric::kSchemaMismatches);
  Hash128 theirs;
  if (schema.size() == theirs.bytes.size())
    memcpy(theirs.bytes.data(), schema.data(), schema.size());
  return absl::FailedPreconditionError(StrCat("client", build.empty() ? "" : StrCat(" (build ", build, ")"), " has schema ",
                                              theirs.Hex().substr(0, 16), ", the daemon (build " FRAMEGATE_BUILD ", pid ", getpid(),
                                              ") has ", model::SchemaHash().Hex().substr(0, 16),
                                              ": they are of different builds. Run `framegate stop`; the next process starts a "
                                              "daemon of its own build"));
}

grpc::Status ToGrpc(const absl::Status& status) {
  // Both lists of codes have the same numbers.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

}  // namespace framegate::server
