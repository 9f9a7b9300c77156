// One client's wish for an entry: what it sent, where it stands, and the way questions go out and
// answers come in.
//
// Three threads meet here. The stream's (gRPC) brings answers and cancels; a worker translates and
// blocks in Ask; the beat thread asks whether this client waits for us. The state is behind one
// mutex; the summary that grows belongs to the worker alone. Owned by the stream, the engine's
// table and the worker together (shared_ptr).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "model/entry.h"
#include "server/cache/stored_entry.h"
#include "server/engine/caller.h"
#include "server/engine/workers.h"
#include "server/settings.h"
#include "server/stats/report.h"
#include "server/stats/stats.h"
#include "translator/translate.h"

namespace framegate::server {

struct OpenRequest {
  model::KeyMaterial material;
  std::string summary;            // encoded model::Summary
  std::vector<std::string> code;  // encoded model::CodeImage each
  uint64_t horizon = 0;
  std::vector<MissReport> misses;  // of entries that the client has installed
};

class Ticket : public translator::Asker {
 public:
  Ticket(OpenRequest open, std::shared_ptr<Caller> caller, const Settings& settings, Workers* workers, Stats* stats);

  const OpenRequest& open() const { return open_; }

  const CacheKey& key() const { return key_; }

  // Of the summary's bytes: two tickets of one key and digest get the same answer.
  const Hash128& digest() const { return digest_; }

  // --- the stream
  // Encoded model::Answers. Ends the stream where none is expected.
  void Answer(std::string answers) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- anybody
  // The first call counts; the caller hears of it.
  void Finish(Outcome outcome) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsFinished() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells the client that we are alive, unless it is its turn to speak.
  void Beat() ABSL_LOCKS_EXCLUDED(mutex_);

  // --- the worker
  // Cancelled when the stream is over or the client does not answer; ResourceExhausted over a
  // budget of time or size.
  absl::StatusOr<model::Answers> Ask(const model::Questions& questions) override ABSL_LOCKS_EXCLUDED(mutex_);

  // The summary and, after KeepLearnt, all that was learnt from answers. It stays as it is while a translation reads it.
  model::Summary& known() { return known_; }

  void KeepLearnt();

  // Begins the count of this translation's time.
  void Begin();
  // Time since Begin, waiting for the client left out.
  absl::Duration Spent() const;

 private:
  absl::StatusOr<std::string> AwaitAnswer() ABSL_LOCKS_EXCLUDED(mutex_);

  const OpenRequest open_;
  const CacheKey key_;
  const Hash128 digest_;
  const std::shared_ptr<Caller> caller_;
  const absl::Duration longest_;         // translation; zero: no limit
  const absl::Duration longest_answer_;  // silence of the client while it has questions
  const uint64_t most_bytes_;
  Workers* const workers_;
  Stats* const stats_;

  mutable absl::Mutex mutex_;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool asking_ ABSL_GUARDED_BY(mutex_) = false;
  std::string answer_ ABSL_GUARDED_BY(mutex_);
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;

  // The worker's.
  model::Summary known_;
  model::Summary learnt_;  // from answers
  uint64_t learnt_bytes_ = 0;
  absl::Time begun_ = absl::InfinitePast();
  absl::Duration waited_;
};

}  // namespace framegate::server
