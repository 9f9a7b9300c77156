// The daemon's methods as a client calls them (proto/framegate/v1), without its messages: nouns go in and come out in the encoding of
// base/fields.h. One call at a time on a channel, as client_ext/transport/channel.h says. Not thread-safe. No Python.
//
// Statuses of all: those of Call::Receive; Internal also for a message that does not parse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "client_ext/transport/channel.h"

namespace framegate::client {

// Who asks.
struct ClientFacts {
  Hash128 schema;
  std::string build;
  std::string python;
  std::string torch;
};

struct ServerFacts {
  std::string build;
  uint64_t pid = 0;
  uint64_t start_time_ms = 0;
};

// Said on making, answered at Finish, which may be called again after DeadlineExceeded: whoever probes a sick daemon need not wait.
class HelloCall {
 public:
  HelloCall(Channel* channel, const ClientFacts& client);

  // FailedPrecondition: the daemon is of another build; the message names both and what to do.
  // The channel then has the limits that both sides take.
  absl::StatusOr<ServerFacts> Finish(const Patience& patience);

 private:
  Channel* channel_;
  std::string schema_;
  std::string build_;
  Call call_;
};

struct FoundEntries {
  std::vector<std::string> entries;     // model::Entry each
  std::optional<std::string> read_set;  // guards::ReadSet
  uint64_t horizon = 0;                 // for TranslateCall::Open, where none of these would do
};

// `facts`: a model::Summary of the read-set of an earlier answer.
absl::StatusOr<FoundEntries> FindEntries(Channel& channel, std::string_view key_material, std::optional<std::string_view> facts,
                                         const Patience& patience);

class TranslateCall {
 public:
  enum class Kind : uint8_t { kBeat, kQuestions, kEntry, kNews };

  struct Event {
    Kind kind = Kind::kBeat;
    std::string bytes;     // model::Questions, model::Entry
    bool shared = false;   // kEntry: it was not made for this call, and may not fit
    uint64_t horizon = 0;  // kEntry: for the next Open, where it does not
  };

  // What kept an installed entry from fitting, for people.
  struct Miss {
    std::string entry, subject, expected, seen;
    int32_t line = 0;
  };

  explicit TranslateCall(Channel* channel);

  // First. `horizon`: of the last answer about this key, 0 without one. ResourceExhausted: larger than the daemon takes.
  absl::Status Open(std::string_view key_material, std::string_view summary, std::vector<std::string> code, uint64_t horizon,
                    const std::vector<Miss>& misses);
  // After kQuestions: model::Answers. ResourceExhausted as above.
  absl::Status Answer(std::string_view answers);
  // InvalidArgument, ResourceExhausted, Internal are also what the daemon says where this unit gets no entry. After kEntry and kNews the
  // call is over.
  absl::StatusOr<Event> Next(const Patience& patience);

 private:
  Call call_;
};

}  // namespace framegate::client
