#include "client_ext/session/session.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/strings.h"
#include "client_ext/capture/answer.h"
#include "client_ext/capture/code.h"
#include "client_ext/capture/observe_unit.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/session/environment.h"
#include "client_ext/session/gil.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

// What the daemon has told about a key.
struct KeyNews {
  std::optional<guards::ReadSet> read_set;
  uint64_t horizon = 0;
};

// The process's side of all calls. Guarded by the GIL; never destroyed, since threads may outlive the module.
struct Session {
  Daemon daemon;
  absl::flat_hash_map<Hash128, KeyNews> keys;
  absl::flat_hash_set<model::CodeId> sent;  // images that the daemon below has got from us
  uint64_t sent_to = 0;

  explicit Session(Daemon::Options options) : daemon(std::move(options)) {}
};

// Once per process, and once more where the daemon is of another build.
void SayWhy(const absl::Status& why) {
  static bool said[2] = {false, false};
  if (!std::exchange(said[absl::IsFailedPrecondition(why)], true))
    PySys_WriteStderr("framegate: functions run uncompiled: %.400s\n", std::string(why.message()).c_str());
}

Session& TheSession() {
  static Session* session = [] {
    absl::StatusOr<Daemon::Options> options = DaemonOptions();
    if (!options.ok()) {
      SayWhy(options.status());
      options = Daemon::Options{.off = true};
    }
    return new Session(*std::move(options));
  }();
  return *session;
}

ClientFacts Ourselves() {
  return {.schema = model::SchemaHash(), .build = FRAMEGATE_BUILD, .python = PythonIdentity(), .torch = TorchIdentity()};
}

absl::StatusOr<std::unique_ptr<Connection>> Acquire() {
  Daemon& daemon = TheSession().daemon;
  absl::StatusOr<std::unique_ptr<Connection>> connection = daemon.Acquire(Ourselves());
  if (!connection.ok() && !absl::IsCancelled(connection.status()) && !daemon.off())
    SayWhy(connection.status());
  return connection;
}

std::string ReceiverOf(const LiveUnit& live) {
  std::string module, qualname;
  if (live.frames.empty() || live.frames[0].slot_count == 0 || live.frames[0].slots[0] == nullptr ||
      !NameOfType(Py_TYPE(live.frames[0].slots[0]), &module, &qualname))
    return "";
  return StrCat(module, ":", qualname);
}

std::string KeyBytes(const model::Unit& unit, const model::Config& config, const LiveUnit& live) {
  return Encode(model::KeyMaterial{.schema = model::SchemaHash(),
                                   .unit = unit,
                                   .config = config,
                                   .receiver = ReceiverOf(live),
                                   .python = PythonIdentity(),
                                   .torch = TorchIdentity()});
}

template <typename Noun>
absl::StatusOr<Noun> DecodeReply(std::string_view bytes) {
  Noun noun;
  if (absl::Status status = Decode(bytes, &noun); !status.ok())
    return absl::InternalError(StrCat("malformed answer: ", std::string(status.message())));
  return noun;
}

absl::StatusOr<std::shared_ptr<const model::Entry>> DecodeEntry(std::string_view bytes) {
  ASSIGN_OR_RETURN(model::Entry entry, DecodeReply<model::Entry>(bytes));
  return std::make_shared<const model::Entry>(std::move(entry));
}

// Keeps the connection for the next call, or drops it and finds out whose fault it was.
absl::Status Settle(std::unique_ptr<Connection> connection, absl::Status outcome) {
  Daemon& daemon = TheSession().daemon;
  if (!outcome.ok())
    return daemon.Drop(std::move(connection), std::move(outcome));
  daemon.Release(std::move(connection));
  return outcome;
}

absl::StatusOr<FoundEntries> Ask(Connection& connection, const std::string& key, const KeyNews& news, const LiveUnit& live) {
  HandleTable handles;
  std::optional<std::string> facts;
  if (news.read_set)
    facts = Encode(ObserveReadSet(*news.read_set, live, handles));
  absl::StatusOr<FoundEntries> found = absl::UnavailableError("");
  const Patience patience = TheSession().daemon.patience();
  WithoutGil([&] { found = FindEntries(*connection.channel, key, facts, patience); });
  return found;
}

// Images of code that this daemon does not have from us.
std::vector<std::shared_ptr<const model::CodeImage>> Unsent(const std::vector<PyCodeObject*>& likely) {
  constexpr size_t kMostImages = 256;
  std::vector<std::shared_ptr<const model::CodeImage>> images;
  for (PyCodeObject* code : likely) {
    const absl::StatusOr<model::CodeId> id = IdOfCode(code);
    if (images.size() >= kMostImages || !id.ok() || !TheSession().sent.insert(*id).second)
      continue;
    if (const auto image = ImageOf(code); image.ok())
      images.push_back(*image);
  }
  return images;
}

// The images of the unit's frames that this daemon does not have from us, and of what they are likely to call. It asks for others, and for
// those it has lost.
absl::StatusOr<std::vector<std::string>> UnsentCode(const Connection& connection, const LiveUnit& live,
                                                    const std::vector<PyCodeObject*>& likely) {
  Session& session = TheSession();
  const uint64_t daemon = connection.server.pid ^ connection.server.start_time_ms << 22;
  if (std::exchange(session.sent_to, daemon) != daemon)
    session.sent.clear();
  std::vector<std::string> images;
  for (const LiveFrame& frame : live.frames) {
    ASSIGN_OR_RETURN(model::CodeId id, IdOfCode(frame.code));
    if (!session.sent.insert(id).second)
      continue;
    ASSIGN_OR_RETURN(std::shared_ptr<const model::CodeImage> image, ImageOf(frame.code));
    images.push_back(Encode(*image));
  }
  for (const auto& image : Unsent(likely))
    images.push_back(Encode(*image));
  return images;
}

absl::Status Answer(TranslateCall& call, std::string_view bytes, HandleTable& handles, Traffic* traffic) {
  ASSIGN_OR_RETURN(model::Questions questions, DecodeReply<model::Questions>(bytes));
  traffic->round_trips += 1;
  traffic->client_queries += questions.items.size();
  std::vector<PyCodeObject*> likely;
  ASSIGN_OR_RETURN(model::Answers answers, AnswerQuestions(questions, handles, &likely));
  answers.code = Unsent(likely);
  return call.Answer(Encode(answers));
}

// The conversation of one translation, from `open` to the entry.
absl::StatusOr<TranslateCall::Event> Converse(Connection& connection, const std::string& key, uint64_t horizon, const LiveUnit& live,
                                              HandleTable& handles, const std::vector<MissRecord>& misses, Traffic* traffic) {
  std::vector<PyCodeObject*> likely;
  const std::string summary = Encode(ObserveUnit(live, handles, &likely));
  ASSIGN_OR_RETURN(std::vector<std::string> code, UnsentCode(connection, live, likely));
  TranslateCall call(connection.channel.get());
  std::vector<TranslateCall::Miss> told;
  for (const MissRecord& miss : misses)
    told.push_back({miss.entry, miss.subject, miss.expected, miss.actual, miss.line});
  RETURN_IF_ERROR(call.Open(key, summary, std::move(code), horizon, told));
  traffic->round_trips += 1;
  const Patience patience = TheSession().daemon.patience();
  while (true) {
    absl::StatusOr<TranslateCall::Event> event = absl::UnavailableError("");
    WithoutGil([&] { event = call.Next(patience); });
    RETURN_IF_ERROR(event.status());
    switch (event->kind) {
      case TranslateCall::Kind::kEntry:
      case TranslateCall::Kind::kNews:
        return event;
      case TranslateCall::Kind::kBeat:
        // A signal that came just before the wait did not interrupt it.
        if (PyErr_CheckSignals() != 0)
          return absl::CancelledError("interrupted by a signal");
        break;
      case TranslateCall::Kind::kQuestions:
        RETURN_IF_ERROR(Answer(call, event->bytes, handles, traffic));
        break;
    }
  }
}

// `told_more`: the reply says what else to tell of these objects, and none of its entries need be the one for them.
absl::StatusOr<FoundEntries> LookUpOnce(const std::string& key_bytes, const LiveUnit& live, Traffic* traffic, bool* told_more) {
  const Hash128 key = HashBytes(key_bytes);
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Acquire());
  traffic->round_trips += 1;
  const KeyNews before = TheSession().keys[key];
  absl::StatusOr<FoundEntries> found = Ask(*connection, key_bytes, before, live);
  RETURN_IF_ERROR(Settle(std::move(connection), found.status()));
  KeyNews& news = TheSession().keys[key];
  news.horizon = found->horizon;
  *told_more = false;
  if (found->read_set) {
    ASSIGN_OR_RETURN(news.read_set, DecodeReply<guards::ReadSet>(*found->read_set));
    *told_more = !before.read_set || (found->entries.empty() && Encode(*before.read_set) != *found->read_set);
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<std::shared_ptr<const model::Entry>>> Lookup(const model::Unit& unit, const model::Config& config,
                                                                        const LiveUnit& live, Traffic* traffic) {
  const std::string bytes = KeyBytes(unit, config, live);
  traffic->lookups += 1;
  bool told_more = false;
  ASSIGN_OR_RETURN(FoundEntries found, LookUpOnce(bytes, live, traffic, &told_more));
  if (told_more) {
    ASSIGN_OR_RETURN(found, LookUpOnce(bytes, live, traffic, &told_more));
  }
  std::vector<std::shared_ptr<const model::Entry>> entries;
  for (const std::string& entry : found.entries) {
    ASSIGN_OR_RETURN(entries.emplace_back(), DecodeEntry(entry));
  }
  return entries;
}

absl::StatusOr<std::shared_ptr<const model::Entry>> Translate(const model::Unit& unit, const model::Config& config, const LiveUnit& live,
                                                              HandleTable& handles, const Known& known, Traffic* traffic) {
  const std::string bytes = KeyBytes(unit, config, live);
  const Hash128 key = HashBytes(bytes);
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Acquire());
  const uint64_t horizon = known.whatever_comes ? std::numeric_limits<uint64_t>::max() : TheSession().keys[key].horizon;
  absl::StatusOr<TranslateCall::Event> event = Converse(*connection, bytes, horizon, live, handles, known.misses, traffic);
  RETURN_IF_ERROR(Settle(std::move(connection), event.status()));
  if (event->kind == TranslateCall::Kind::kNews)
    return nullptr;
  traffic->translations += event->shared ? 0 : 1;
  TheSession().keys[key].horizon = event->horizon;
  return DecodeEntry(event->bytes);
}

}  // namespace framegate::client
