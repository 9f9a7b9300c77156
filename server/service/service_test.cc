// The service through a real socket, spoken to by a stock gRPC client.
#include "server/service/service.h"

#include <thread>

#include <grpcpp/generic/generic_stub.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/contract.h"
#include "server/service/test_daemon.h"

namespace framegate::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using TranslateCall = std::unique_ptr<grpc::ClientReaderWriter<v1::TranslateRequest, v1::TranslateReply>>;

std::string SchemaBytes() {
  return std::string(BytesOf(model::SchemaHash()));
}

v1::TranslateRequest OpenOf(std::vector<model::Handle> handles, std::string unit = "f") {
  v1::TranslateRequest message;
  message.mutable_open()->set_key_material(Encode(MaterialOf(unit)));
  message.mutable_open()->set_summary(Encode(SummaryOf(handles)));
  return message;
}

v1::LookupRequest LookupOf(std::string unit = "f") {
  v1::LookupRequest request;
  request.set_key_material(Encode(MaterialOf(unit)));
  return request;
}

// Reads on until something else than a beat; counts those.
bool ReadPastBeats(TranslateCall& call, v1::TranslateReply* reply, int* beats = nullptr) {
  while (call->Read(reply)) {
    if (!reply->has_beat())
      return true;
    if (beats != nullptr)
      ++*beats;
  }
  return false;
}

model::Questions OneFact(model::Handle handle) {
  return {.items = {{.kind = model::QuestionKind::kFact, .object = handle, .fact = model::Fact::kLength}}};
}

std::string AnswerBytes(model::Handle handle) {
  model::Answers answers;
  answers.items.push_back({.fact = model::FactValue{.fact = model::Fact::kLength, .word = 3}});
  answers.records.push_back({.handle = handle});
  return Encode(answers);
}

absl::StatusOr<model::Entry> AskOnce(const translator::Request&, const CodeImages&, translator::Asker& asker) {
  RETURN_IF_ERROR(asker.Ask(OneFact(7)).status());
  return EntryOf("1 7");
}

// One whole translation of a client that knows how to answer.
struct Told {
  grpc::Status status;
  std::string entry;
  bool shared = false;
  uint64_t horizon = 0;
  int beats = 0;
};

Told TranslateOnce(v1::Framegate::Stub* stub, const v1::TranslateRequest& open) {
  Told told;
  grpc::ClientContext context;
  TranslateCall call = stub->Translate(&context);
  call->Write(open);
  v1::TranslateReply reply;
  while (ReadPastBeats(call, &reply, &told.beats)) {
    if (reply.has_questions()) {
      v1::TranslateRequest answers;
      answers.set_answers(AnswerBytes(7));
      call->Write(answers);
    } else if (reply.has_entry()) {
      told.entry = reply.entry();
      told.shared = reply.shared();
      told.horizon = reply.horizon();
    }
  }
  told.status = call->Finish();
  return told;
}

// Bytes in, bytes out.
grpc::Status CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method, const std::string& request,
                     std::string* reply) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::Slice slice(request);
  grpc::ByteBuffer in(&slice, 1), out;
  absl::Notification done;
  grpc::Status status;
  stub.UnaryCall(&context, method, {}, &in, &out, [&](grpc::Status result) {
    status = result;
    done.Notify();
  });
  done.WaitForNotification();
  grpc::Slice all;
  if (status.ok() && out.DumpToSingleSlice(&all).ok())
    *reply = std::string(reinterpret_cast<const char*>(all.begin()), all.size());
  return status;
}

TEST(ServiceTest, HelloFixesVersionsAndTellsLimits) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  v1::HelloRequest request;
  request.set_proto_min(1);
  request.set_proto_max(9);
  request.set_schema_hash(SchemaBytes());
  v1::HelloReply reply;
  grpc::ClientContext context;
  ASSERT_TRUE(test.Stub()->Hello(&context, request, &reply).ok());
  EXPECT_EQ(reply.proto(), wire::kProtoMax);
  EXPECT_EQ(reply.schema_hash(), SchemaBytes());
  EXPECT_EQ(reply.limits().request_bytes(), 8u << 20);
  EXPECT_EQ(reply.server_pid(), static_cast<uint64_t>(getpid()));
  EXPECT_TRUE(reply.durable());
}

TEST(ServiceTest, AnotherBuildIsToldBothBuildsAndWhatToDo) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  v1::HelloRequest hello;
  hello.set_proto_min(1);
  hello.set_proto_max(1);
  hello.set_schema_hash(std::string(16, '\x11'));
  hello.set_client_build("9.9");
  v1::HelloReply greeting;
  grpc::ClientContext first, second, third, fourth;
  grpc::Status status = stub->Hello(&first, hello, &greeting);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("9.9"), HasSubstr(FRAMEGATE_BUILD), HasSubstr("framegate stop")));
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("11111111"), HasSubstr(model::SchemaHash().Hex().substr(0, 16))));

  hello.set_schema_hash(SchemaBytes());
  hello.set_proto_min(77);
  hello.set_proto_max(78);
  EXPECT_EQ(stub->Hello(&second, hello, &greeting).error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  v1::LookupRequest lookup;
  lookup.set_key_material(std::string(16, '\x11') + "of another shape");
  v1::LookupReply found;
  EXPECT_EQ(stub->Lookup(&third, lookup, &found).error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  v1::TranslateRequest open;
  open.mutable_open()->set_key_material(lookup.key_material());
  EXPECT_EQ(TranslateOnce(stub.get(), open).status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  v1::StatsReply stats;
  EXPECT_TRUE(stub->Stats(&fourth, {}, &stats).ok());
  EXPECT_EQ(test.daemon->stats().Get(Metric::kSchemaMismatches), 3u);
}

TEST(ServiceTest, TranslatesThenFindsAlsoAfterARestart) {
  TestDaemon test(AskOnce);
  ASSERT_TRUE(test.Start().ok());
  Told told = TranslateOnce(test.Stub().get(), OpenOf({1}));
  EXPECT_TRUE(told.status.ok()) << told.status.error_message();
  EXPECT_FALSE(told.shared);
  for (int life = 0; life < 2; ++life) {
    grpc::ClientContext context;
    v1::LookupReply reply;
    ASSERT_TRUE(test.Stub()->Lookup(&context, LookupOf(), &reply).ok());
    ASSERT_EQ(reply.entries_size(), 1);
    EXPECT_EQ(reply.entries(0), told.entry);
    EXPECT_EQ(reply.candidates(), 1u);
    EXPECT_FALSE(reply.has_read_set());
    EXPECT_GT(reply.horizon(), 0u);
    test.Stop();
    ASSERT_TRUE(test.Start().ok());
  }
  EXPECT_EQ(test.translations, 1);
}

TEST(ServiceTest, ManyCandidatesAreToldApartByFacts) {
  TestDaemon test([](const translator::Request& request, const CodeImages&, translator::Asker&) {
    return EntryOf(StrCat(request.summary->records[0].handle));
  });
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  uint64_t horizon = 0;  // each client has looked up before
  for (model::Handle handle = 1; handle <= 6; ++handle) {
    v1::TranslateRequest open = OpenOf({handle});
    open.mutable_open()->set_horizon(horizon);
    const Told told = TranslateOnce(stub.get(), open);
    ASSERT_TRUE(told.status.ok());
    horizon = told.horizon;
  }
  grpc::ClientContext first, second;
  v1::LookupReply reply;
  ASSERT_TRUE(stub->Lookup(&first, LookupOf(), &reply).ok());
  EXPECT_EQ(reply.entries_size(), 4);
  EXPECT_EQ(reply.candidates(), 6u);
  guards::ReadSet read_set;
  ASSERT_TRUE(reply.has_read_set());
  ASSERT_TRUE(Decode(reply.read_set(), &read_set).ok());
  EXPECT_EQ(read_set.subjects.size(), 6u);

  v1::LookupRequest request = LookupOf();
  request.set_facts(Encode(SummaryOf({2})));
  ASSERT_TRUE(stub->Lookup(&second, request, &reply).ok());
  ASSERT_EQ(reply.entries_size(), 1);
  EXPECT_EQ(reply.entries(0), Encode(EntryOf("2")));
  EXPECT_FALSE(reply.has_read_set());

  // Facts that no entry passes on may have been too few.
  request.set_facts(Encode(SummaryOf({99})));
  grpc::ClientContext third;
  ASSERT_TRUE(stub->Lookup(&third, request, &reply).ok());
  EXPECT_EQ(reply.entries_size(), 0);
  EXPECT_TRUE(reply.has_read_set());
}

TEST(ServiceTest, ManyProcessesAtOnceAreOneTranslation) {
  constexpr int kClients = 24;
  std::atomic<uint64_t> opened = 0;
  TestDaemon test;
  test.translate = [&](const translator::Request&, const CodeImages&, translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    RETURN_IF_ERROR(asker.Ask(OneFact(7)).status());
    while (test.daemon->stats().Get(Metric::kTranslateRequests) < kClients)
      absl::SleepFor(absl::Milliseconds(1));
    absl::SleepFor(absl::Milliseconds(130));  // two beats for everybody
    return EntryOf("1 7");
  };
  ASSERT_TRUE(test.Start().ok());
  std::vector<Told> told(kClients);
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&, i] { told[static_cast<size_t>(i)] = TranslateOnce(test.Stub().get(), OpenOf({1})); });
  for (std::thread& client : clients)
    client.join();
  int shared = 0;
  for (const Told& one : told) {
    EXPECT_TRUE(one.status.ok()) << one.status.error_message();
    EXPECT_EQ(one.entry, told[0].entry);
    EXPECT_GE(one.beats, 1);
    shared += one.shared ? 1 : 0;
  }
  EXPECT_EQ(test.translations, 1);
  EXPECT_EQ(shared, kClients - 1);
}

TEST(ServiceTest, AClientThatDiesGivesItsPlaceToAWaiter) {
  TestDaemon test(AskOnce);
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  grpc::ClientContext context;
  TranslateCall leader = stub->Translate(&context);
  leader->Write(OpenOf({1}));
  v1::TranslateReply reply;
  ASSERT_TRUE(ReadPastBeats(leader, &reply));
  ASSERT_TRUE(reply.has_questions());
  Told told;
  std::thread waiter([&] { told = TranslateOnce(test.Stub().get(), OpenOf({1})); });
  while (test.daemon->stats().Get(Metric::kTranslateRequests) < 2)
    absl::SleepFor(absl::Milliseconds(1));
  context.TryCancel();
  waiter.join();
  EXPECT_EQ(leader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(told.status.ok()) << told.status.error_message();
  EXPECT_FALSE(told.shared);
}

TEST(ServiceTest, CancelAndOutOfTurnMessages) {
  TestDaemon test(AskOnce);
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  auto end_of = [&](std::vector<v1::TranslateRequest> messages) {
    grpc::ClientContext context;
    TranslateCall call = stub->Translate(&context);
    for (const v1::TranslateRequest& message : messages)
      call->Write(message);
    if (messages.empty())
      call->WritesDone();
    v1::TranslateReply reply;
    while (call->Read(&reply)) {
    }
    return call->Finish().error_code();
  };
  v1::TranslateRequest cancel, answers, empty;
  cancel.mutable_cancel();
  answers.set_answers(AnswerBytes(7));
  EXPECT_EQ(end_of({OpenOf({1}), cancel}), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(end_of({answers}), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(end_of({OpenOf({1}), OpenOf({1})}), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(end_of({empty}), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(end_of({}), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(TranslateOnce(stub.get(), OpenOf({1})).status.ok());
}

TEST(ServiceTest, AFailureComesAsAMessage) {
  TestDaemon test([](const translator::Request&, const CodeImages&, translator::Asker&) -> absl::StatusOr<model::Entry> {
    return absl::InternalError("a bug of ours");
  });
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  grpc::ClientContext context;
  TranslateCall call = stub->Translate(&context);
  call->Write(OpenOf({1}));
  v1::TranslateReply reply;
  ASSERT_TRUE(ReadPastBeats(call, &reply));
  EXPECT_EQ(reply.failure().code(), static_cast<uint32_t>(absl::StatusCode::kInternal));
  EXPECT_EQ(reply.failure().message(), "a bug of ours");
  EXPECT_TRUE(call->Finish().ok());
}

TEST(ServiceTest, MalformedBytesEndOnlyTheirCall) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  auto channel = test.Connect();
  std::string reply;
  for (const char* method : {"Hello", "Lookup", "Stats", "Shutdown", "List", "Clear", "Translate"}) {
    grpc::Status status = CallRaw(channel, StrCat("/framegate.v1.Framegate/", std::string_view(method)), "\xff\xff\xff\xff", &reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method << ": " << status.error_message();
  }
  EXPECT_EQ(test.daemon->stats().Get(Metric::kMalformed), 7u);
  auto stub = v1::Framegate::NewStub(channel);
  v1::LookupRequest lookup;
  v1::LookupReply found;
  grpc::ClientContext first, second;
  EXPECT_EQ(stub->Lookup(&first, lookup, &found).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  lookup = LookupOf();
  lookup.set_facts("\xff");
  EXPECT_EQ(stub->Lookup(&second, lookup, &found).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(TranslateOnce(stub.get(), OpenOf({1})).status.ok());
}

TEST(ServiceTest, OversizedMessagesEndOnlyTheirCall) {
  TestDaemon test(AskOnce);
  test.settings.request_bytes = 100000;
  ASSERT_TRUE(test.Start().ok());
  auto stub = v1::Framegate::NewStub(test.Connect());
  v1::LookupRequest lookup = LookupOf();
  lookup.set_facts(std::string(200000, 'x'));
  v1::LookupReply found;
  grpc::ClientContext first;
  EXPECT_EQ(stub->Lookup(&first, lookup, &found).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

  grpc::ClientContext good_context, bad_context;
  TranslateCall good = stub->Translate(&good_context);
  good->Write(OpenOf({1}));
  v1::TranslateReply reply;
  ASSERT_TRUE(ReadPastBeats(good, &reply));
  ASSERT_TRUE(reply.has_questions());

  TranslateCall bad = stub->Translate(&bad_context);
  v1::TranslateRequest open = OpenOf({1}, "g");
  open.mutable_open()->set_summary(std::string(200000, 'x'));
  bad->Write(open);
  while (bad->Read(&reply)) {
  }
  EXPECT_EQ(bad->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

  v1::TranslateRequest answers;
  answers.set_answers(AnswerBytes(7));
  good->Write(answers);
  ASSERT_TRUE(ReadPastBeats(good, &reply));
  EXPECT_TRUE(reply.has_entry());
  EXPECT_TRUE(good->Finish().ok());
}

TEST(ServiceTest, StatsListAndClear) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  auto stub = test.Stub();
  TranslateOnce(stub.get(), OpenOf({1}));
  grpc::ClientContext first, second, third;
  v1::StatsReply stats;
  ASSERT_TRUE(stub->Stats(&first, {}, &stats).ok());
  EXPECT_EQ(static_cast<size_t>(stats.metrics_size()), MetricRows().size());
  EXPECT_EQ(static_cast<size_t>(stats.settings_size()), SettingRows().size());
  EXPECT_EQ(stats.socket(), test.settings.socket);
  for (const v1::Metric& metric : stats.metrics())
    if (metric.name() == "translations") {
      EXPECT_EQ(metric.value(), 1u);
    }
  v1::ListReply list;
  ASSERT_TRUE(stub->List(&second, {}, &list).ok());
  ASSERT_EQ(list.records_size(), 1);
  EXPECT_EQ(list.records(0).python(), "cpython 3.11");
  EXPECT_EQ(list.records(0).content(), "no graph");
  v1::ClearReply cleared;
  ASSERT_TRUE(stub->Clear(&third, {}, &cleared).ok());
  EXPECT_EQ(cleared.entries(), 1u);
  EXPECT_FALSE(TranslateOnce(stub.get(), OpenOf({1})).shared);
  EXPECT_EQ(test.translations, 2);
}

TEST(ServiceTest, HealthAndReflectionAnswer) {
  TestDaemon test;
  ASSERT_TRUE(test.Start().ok());
  std::string reply;
  ASSERT_TRUE(CallRaw(test.Connect(), "/grpc.health.v1.Health/Check", "", &reply).ok());
  EXPECT_EQ(reply, "\x08\x01");  // status: SERVING

  grpc::GenericStub stub(test.Connect());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  auto call = stub.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  grpc::Slice list_services(std::string("\x3a\x00", 2));
  call->Write(grpc::ByteBuffer(&list_services, 1), nullptr);
  queue.Next(&tag, &ok);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  queue.Next(&tag, &ok);
  grpc::Slice all;
  ASSERT_TRUE(ok && answer.DumpToSingleSlice(&all).ok());
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(all.begin()), all.size()), HasSubstr("framegate.v1.Framegate"));
  context.TryCancel();
}

}  // namespace
}  // namespace framegate::server
