// Who asked for a translation, as the engine sees it: the far end of one Translate stream.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"

namespace framegate::server {

// How a Translate stream ends. Exactly one of the four: an entry; news, with which
// the client finds one by a lookup; a failure, which is about the unit and would come again; or a stream status that is not OK, which is
// about this attempt.
struct Outcome {
  std::string entry;     // encoded model::Entry
  bool shared = false;   // no translation was run for this stream
  uint64_t horizon = 0;  // with entry: everything up to this sequence is known to the stream
  bool news = false;
  absl::Status failure;
  absl::Status stream;

  static Outcome Entry(std::string entry, bool shared, uint64_t horizon) {
    return {.entry = std::move(entry), .shared = shared, .horizon = horizon};
  }

  static Outcome News() { return {.news = true}; }

  static Outcome Failure(absl::Status status) { return {.failure = std::move(status)}; }

  static Outcome Stream(absl::Status status) { return {.stream = std::move(status)}; }
};

// Calls come from any thread, one at a time, and must not block or call back into the engine. After
// Finish there are none.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual void SendQuestions(std::string questions) = 0;
  virtual void SendBeat() = 0;
  virtual void Finish(Outcome outcome) = 0;
};

}  // namespace framegate::server
