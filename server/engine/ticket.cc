#include "server/engine/ticket.h"

#include <iterator>

#include "absl/time/clock.h"
#include "base/strings.h"
#include "server/engine/learn.h"

namespace framegate::server {

Ticket::Ticket(OpenRequest open, std::shared_ptr<Caller> caller, const Settings& settings, Workers* workers, Stats* stats)
    : open_(std::move(open)),
      key_(KeyOfMaterial(open_.material)),
      digest_(HashBytes(open_.summary)),
      caller_(std::move(caller)),
      longest_(absl::Seconds(settings.translate_seconds)),
      longest_answer_(absl::Seconds(settings.answer_seconds)),
      most_bytes_(settings.translate_bytes),
      workers_(workers),
      stats_(stats) {}

void Ticket::Answer(std::string answers) {
  {
    absl::MutexLock lock(&mutex_);
    if (finished_)
      return;
    if (asking_ && !answered_) {
      answer_ = std::move(answers);
      answered_ = true;
      return;
    }
  }
  Finish(Outcome::Stream(absl::InvalidArgumentError("answers came that nobody asked for")));
}

void Ticket::Finish(Outcome outcome) {
  {
    absl::MutexLock lock(&mutex_);
    if (finished_)
      return;
    finished_ = true;
  }
  caller_->Finish(std::move(outcome));
}

bool Ticket::IsFinished() const {
  absl::MutexLock lock(&mutex_);
  return finished_;
}

void Ticket::Beat() {
  {
    absl::MutexLock lock(&mutex_);
    if (finished_ || (asking_ && !answered_))
      return;
  }
  caller_->SendBeat();
}

void Ticket::Begin() {
  begun_ = absl::Now();
  waited_ = absl::ZeroDuration();
}

absl::Duration Ticket::Spent() const {
  return absl::Now() - begun_ - waited_;
}

absl::StatusOr<model::Answers> Ticket::Ask(const model::Questions& questions) {
  if (longest_ > absl::ZeroDuration() && Spent() > longest_)
    return absl::ResourceExhaustedError(StrCat("translation took longer than translate_seconds, ", absl::ToInt64Seconds(longest_)));
  {
    absl::MutexLock lock(&mutex_);
    if (finished_)
      return absl::CancelledError("the client is gone");
    asking_ = true;
    answered_ = false;
  }
  stats_->Add(Metric::kQuestionRounds);
  caller_->SendQuestions(Encode(questions));
  ASSIGN_OR_RETURN(std::string bytes, AwaitAnswer());
  learnt_bytes_ += bytes.size();
  if (learnt_bytes_ > most_bytes_)
    return absl::ResourceExhaustedError(StrCat("the objects of this unit take more than translate_bytes, ", most_bytes_));
  model::Answers answers;
  absl::Status status = Decode(bytes, &answers);
  if (status.ok())
    status = Learn(questions, answers, &learnt_);
  if (status.ok())
    return answers;
  Finish(Outcome::Stream(absl::InvalidArgumentError(StrCat("answers: ", std::string(status.message())))));
  return absl::CancelledError("the client's answers are malformed");
}

void Ticket::KeepLearnt() {
  std::move(learnt_.roots.begin(), learnt_.roots.end(), std::back_inserter(known_.roots));
  std::move(learnt_.records.begin(), learnt_.records.end(), std::back_inserter(known_.records));
  learnt_ = {};
}

absl::StatusOr<std::string> Ticket::AwaitAnswer() {
  absl::Time asked = absl::Now();
  workers_->GiveTurn();
  std::string bytes;
  bool gone = false, in_time = false;
  {
    absl::MutexLock lock(&mutex_);
    auto is_over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return answered_ || finished_; };
    in_time = mutex_.AwaitWithTimeout(absl::Condition(&is_over), longest_answer_);
    gone = finished_;
    asking_ = false;
    bytes = std::move(answer_);
  }
  workers_->TakeTurn();
  waited_ += absl::Now() - asked;
  if (gone)
    return absl::CancelledError("the client is gone");
  if (in_time)
    return bytes;
  // Others may wait for this translation: one of them goes on with it.
  absl::Status late = absl::CancelledError("the client did not answer within answer_seconds");
  Finish(Outcome::Stream(late));
  return late;
}

}  // namespace framegate::server
