// Translate: one bidirectional stream per translation. The reactor is the engine's Caller:
// questions, beats and the outcome come from workers and the beat thread, reads and write
// completions from gRPC's. One mutex guards what is to be written; at most one write is under way.
// The reactor lives until gRPC's OnDone and until the engine drops it, whichever is later.
#include <deque>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/strings.h"
#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {
namespace {

class TranslateStream : public Service::Stream, public Caller, public std::enable_shared_from_this<TranslateStream> {
 public:
  TranslateStream(const Settings& settings, Engine* engine, Stats* stats) : settings_(settings), engine_(engine), stats_(stats) {}

  // gRPC holds a plain pointer; this is the reference that goes with it.
  void Begin() {
    stats_->Add(Metric::kTranslating);
    self_ = shared_from_this();
    StartRead(&read_);
  }

  // --- the engine
  void SendQuestions(std::string questions) override {
    if (IsHalfClosed())
      return End(Outcome::Stream(absl::CancelledError("there are questions, and the client has closed its side")));
    v1::TranslateReply message;
    message.set_questions(std::move(questions));
    Queue(message);
  }

  void SendBeat() override {
    static const grpc::ByteBuffer* const beat = [] {
      v1::TranslateReply message;
      message.mutable_beat();
      return new grpc::ByteBuffer(SerializeMessage(message));
    }();
    absl::MutexLock lock(&mutex_);
    // Whatever is on its way tells as much.
    if (!writing_ && !status_)
      Write(*beat);
  }

  void Finish(Outcome outcome) override {
    if (!outcome.stream.ok())
      return Close(outcome.stream);
    v1::TranslateReply message;
    if (!outcome.failure.ok()) {
      message.mutable_failure()->set_code(static_cast<uint32_t>(outcome.failure.code()));
      message.mutable_failure()->set_message(std::string(outcome.failure.message()));
    } else if (outcome.news) {
      message.mutable_news();
    } else {
      message.set_entry(std::move(outcome.entry));
      message.set_shared(outcome.shared);
      message.set_horizon(outcome.horizon);
    }
    if (message.ByteSizeLong() > settings_.reply_bytes)
      return Close(absl::ResourceExhaustedError(StrCat("the entry has more bytes than reply_bytes, ", settings_.reply_bytes)));
    Queue(message);
    Close(absl::OkStatus());
  }

  // --- gRPC
  void OnReadDone(bool ok) override {
    if (!ok) {
      absl::MutexLock lock(&mutex_);
      half_closed_ = true;
      if (ticket_ == nullptr)
        CloseLocked(absl::InvalidArgumentError("the stream ended before `open`"));
      return;
    }
    v1::TranslateRequest message;
    absl::Status status = ParseMessage(read_, &message, stats_);
    if (status.ok())
      status = Take(&message);
    if (!status.ok())
      return End(Outcome::Stream(status));
    read_.Clear();
    StartRead(&read_);
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (!ok)
      queue_.clear();
    Continue();
  }

  void OnCancel() override { End(Outcome::Stream(absl::CancelledError("the client is gone"))); }

  void OnDone() override {
    stats_->Subtract(Metric::kTranslating);
    {
      absl::MutexLock lock(&mutex_);
      ticket_.reset();  // it holds this stream
    }
    self_.reset();
  }

 private:
  absl::Status Take(v1::TranslateRequest* message) {
    std::shared_ptr<Ticket> ticket = CurrentTicket();
    switch (message->kind_case()) {
      case v1::TranslateRequest::kOpen:
        return ticket == nullptr ? Open(message->mutable_open()) : absl::InvalidArgumentError("a second `open`");
      case v1::TranslateRequest::kAnswers:
        if (ticket == nullptr)
          return absl::InvalidArgumentError("`answers` before `open`");
        ticket->Answer(std::move(*message->mutable_answers()));
        return absl::OkStatus();
      case v1::TranslateRequest::kCancel:
        return absl::CancelledError("the client no longer wants the entry");
      case v1::TranslateRequest::KIND_NOT_SET:
        return absl::InvalidArgumentError("a message of a kind that this daemon does not know");
    }
    return absl::InvalidArgumentError("a message of no kind");
  }

  absl::Status Open(v1::Open* open) {
    ASSIGN_OR_RETURN(model::KeyMaterial material, DecodeKey(open->key_material(), stats_));
    OpenRequest request{.material = std::move(material), .summary = std::move(*open->mutable_summary()), .horizon = open->horizon()};
    for (std::string& code : *open->mutable_code())
      request.code.push_back(std::move(code));
    for (const v1::Miss& miss : open->misses())
      request.misses.push_back(FromProto(miss));
    std::shared_ptr<Ticket> ticket = engine_->Open(std::move(request), shared_from_this());
    bool is_over = false;
    {
      absl::MutexLock lock(&mutex_);
      ticket_ = ticket;
      is_over = status_.has_value();
    }
    // The client went away while the ticket was made.
    if (is_over)
      ticket->Finish(Outcome::Stream(absl::CancelledError("the client is gone")));
    return absl::OkStatus();
  }

  // Ends the stream from this side; the engine hears of it through the ticket.
  void End(Outcome outcome) {
    if (std::shared_ptr<Ticket> ticket = CurrentTicket())
      ticket->Finish(std::move(outcome));
    else
      Close(outcome.stream);
  }

  std::shared_ptr<Ticket> CurrentTicket() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return ticket_;
  }

  bool IsHalfClosed() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return half_closed_;
  }

  void Queue(const v1::TranslateReply& message) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (status_)
      return;
    queue_.push_back(SerializeMessage(message));
    Continue();
  }

  void Close(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    CloseLocked(status);
  }

  // The first status counts; what is queued goes out before it.
  void CloseLocked(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (status_)
      return;
    status_ = status;
    Continue();
  }

  // The next thing to do when no write is under way.
  void Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || ended_)
      return;
    if (!queue_.empty()) {
      Write(queue_.front());
      queue_.pop_front();
    } else if (status_) {
      ended_ = true;
      Stream::Finish(ToGrpc(*status_));
    }
  }

  void Write(const grpc::ByteBuffer& message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    writing_ = true;
    written_ = message;
    StartWrite(&written_);
  }

  using Stream = Service::Stream;

  const Settings& settings_;
  Engine* const engine_;
  Stats* const stats_;
  std::shared_ptr<TranslateStream> self_;
  grpc::ByteBuffer read_;  // gRPC's while a read is under way

  absl::Mutex mutex_;
  std::shared_ptr<Ticket> ticket_ ABSL_GUARDED_BY(mutex_);
  grpc::ByteBuffer written_ ABSL_GUARDED_BY(mutex_);
  std::deque<grpc::ByteBuffer> queue_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> status_ ABSL_GUARDED_BY(mutex_);
  bool half_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

Service::Stream* Service::Translate(Context*) {
  auto stream = std::make_shared<TranslateStream>(settings_, engine_, stats_);
  stream->Begin();
  return stream.get();
}

}  // namespace framegate::server
