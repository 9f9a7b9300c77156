#include "client_ext/transport/daemon_calls.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "framegate/v1/framegate.pb.h"
#include "proto/wire/contract.h"

namespace framegate::client {

namespace {

// The daemon hears how long a lookup or a hello is of use; we wait as `Patience` says.
constexpr std::chrono::milliseconds kUnaryTimeout{5000};

template <typename Reply, typename Request>
absl::StatusOr<Reply> Unary(Channel& channel, const char* method, const Request& request, const Patience& patience) {
  ASSIGN_OR_RETURN(std::string bytes, channel.Unary(method, request.SerializeAsString(), kUnaryTimeout, patience));
  Reply reply;
  if (!reply.ParseFromString(bytes))
    return absl::InternalError(StrCat(method, ": the reply does not parse"));
  return reply;
}

absl::Status StatusOfFailure(const v1::Failure& failure) {
  auto code = static_cast<absl::StatusCode>(failure.code());
  bool known = code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kResourceExhausted;
  return absl::Status(known ? code : absl::StatusCode::kInternal, failure.message());
}

}  // namespace

HelloCall::HelloCall(Channel* channel, const ClientFacts& client)
    : channel_(channel),
      schema_(reinterpret_cast<const char*>(client.schema.bytes.data()), client.schema.bytes.size()),
      build_(client.build),
      call_(channel, wire::kHello, kUnaryTimeout) {
  v1::HelloRequest request;
  request.set_proto_min(wire::kProtoMin);
  request.set_proto_max(wire::kProtoMax);
  request.set_schema_hash(schema_);
  request.set_client_build(client.build);
  request.set_python(client.python);
  request.set_torch(client.torch);
  request.set_pid(static_cast<uint64_t>(getpid()));
  call_.Send(request.SerializeAsString(), true).IgnoreError();  // small; what fails shows at Finish
}

absl::StatusOr<ServerFacts> HelloCall::Finish(const Patience& patience) {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes, call_.Receive(patience));
  v1::HelloReply reply;
  if (!bytes || !reply.ParseFromString(*bytes))
    return absl::InternalError("Hello: the reply is not there, or does not parse");
  if (reply.schema_hash() != schema_ || reply.proto() < wire::kProtoMin || reply.proto() > wire::kProtoMax)
    return absl::FailedPreconditionError(
        StrCat("the daemon (", reply.server_build(), ") is of another build than this client (", build_, "); run `framegate stop`"));
  RETURN_IF_ERROR(call_.Receive(patience).status());
  // The daemon does not decide how much memory a reply costs us.
  uint64_t request = reply.limits().request_bytes();
  uint64_t largest = reply.limits().reply_bytes();
  channel_->set_limits({.request = request > 0 ? request : wire::kMaxRequestBytes,
                        .reply = largest > 0 ? std::min(largest, 4 * wire::kMaxReplyBytes) : wire::kMaxReplyBytes});
  return ServerFacts{.build = reply.server_build(), .pid = reply.server_pid(), .start_time_ms = reply.start_time_ms()};
}

absl::StatusOr<FoundEntries> FindEntries(Channel& channel, std::string_view key_material, std::optional<std::string_view> facts,
                                         const Patience& patience) {
  v1::LookupRequest request;
  request.set_key_material(key_material.data(), key_material.size());
  if (facts)
    request.set_facts(facts->data(), facts->size());
  ASSIGN_OR_RETURN(v1::LookupReply reply, Unary<v1::LookupReply>(channel, wire::kLookup, request, patience));
  if (static_cast<size_t>(reply.entries_size()) > wire::kMaxCandidates)
    return absl::InternalError("the daemon sends more candidates than agreed");
  FoundEntries found;
  for (std::string& entry : *reply.mutable_entries())
    found.entries.push_back(std::move(entry));
  if (reply.has_read_set())
    found.read_set = std::move(*reply.mutable_read_set());
  found.horizon = reply.horizon();
  return found;
}

TranslateCall::TranslateCall(Channel* channel) : call_(channel, wire::kTranslate, std::nullopt) {}

absl::Status TranslateCall::Open(std::string_view key_material, std::string_view summary, std::vector<std::string> code, uint64_t horizon,
                                 const std::vector<Miss>& misses) {
  v1::TranslateRequest request;
  request.mutable_open()->set_key_material(key_material.data(), key_material.size());
  request.mutable_open()->set_summary(summary.data(), summary.size());
  for (std::string& image : code)
    request.mutable_open()->add_code(std::move(image));
  request.mutable_open()->set_horizon(horizon);
  for (const Miss& miss : misses) {
    v1::Miss* to = request.mutable_open()->add_misses();
    to->set_entry(miss.entry);
    to->set_subject(miss.subject);
    to->set_expected(miss.expected);
    to->set_seen(miss.seen);
    to->set_line(miss.line);
  }
  return call_.Send(request.SerializeAsString(), false);
}

absl::Status TranslateCall::Answer(std::string_view answers) {
  v1::TranslateRequest request;
  request.set_answers(answers.data(), answers.size());
  return call_.Send(request.SerializeAsString(), false);
}

absl::StatusOr<TranslateCall::Event> TranslateCall::Next(const Patience& patience) {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes, call_.Receive(patience));
  v1::TranslateReply reply;
  if (!bytes || !reply.ParseFromString(*bytes))
    return absl::InternalError(bytes ? "Translate: a message does not parse" : "Translate: the stream ended without an entry");
  switch (reply.kind_case()) {
    case v1::TranslateReply::kQuestions:
      return Event{.kind = Kind::kQuestions, .bytes = std::move(*reply.mutable_questions())};
    case v1::TranslateReply::kBeat:
      return Event{.kind = Kind::kBeat};
    case v1::TranslateReply::kNews:
    case v1::TranslateReply::kEntry: {
      // The end of the stream comes in the same breath; with it the connection is clean for the next call.
      absl::Status end = call_.Receive(patience).status();
      if (absl::IsCancelled(end))
        return end;
      if (reply.has_news())
        return Event{.kind = Kind::kNews};
      return Event{.kind = Kind::kEntry, .bytes = std::move(*reply.mutable_entry()), .shared = reply.shared(), .horizon = reply.horizon()};
    }
    case v1::TranslateReply::kFailure: {
      absl::Status failure = StatusOfFailure(reply.failure());
      absl::Status end = call_.Receive(patience).status();
      return absl::IsCancelled(end) ? end : failure;
    }
    case v1::TranslateReply::KIND_NOT_SET:
      break;
  }
  return absl::InternalError("Translate: a message of no kind");
}

}  // namespace framegate::client
