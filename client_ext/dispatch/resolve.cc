#include "client_ext/dispatch/resolve.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "client_ext/capture/code.h"
#include "client_ext/dispatch/errors.h"
#include "client_ext/dispatch/install.h"
#include "client_ext/dispatch/misses.h"
#include "client_ext/hook/hook.h"
#include "client_ext/region/region.h"
#include "client_ext/region/stats.h"
#include "client_ext/session/session.h"

namespace framegate::client {

namespace {

using std::chrono::steady_clock;

constexpr Resolution kRunOriginal{Way::kOriginal};
constexpr Resolution kRaised{Way::kRaise};

struct Turnstile {
  std::mutex mutex;
  std::condition_variable changed;
};

// Where threads wait that miss on a site for which another one compiles. Never destroyed: daemon threads may outlive the module.
Turnstile& Waiting() {
  static auto* waiting = new Turnstile;
  return *waiting;
}

// The calling thread compiles for the site. The GIL guards the site itself.
class Turn {
 public:
  Turn(Site& site, uint64_t thread) : site_(site) { site.compiling = thread; }

  ~Turn() {
    site_.compiling = 0;
    const std::lock_guard lock(Waiting().mutex);
    Waiting().changed.notify_all();
  }

  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Site& site_;
};

// Until nobody compiles for the site. False with an exception set: a signal handler raised.
bool WaitForOthers(const Site& site) {
  while (site.compiling != 0) {
    Py_BEGIN_ALLOW_THREADS std::unique_lock lock(Waiting().mutex);
    Waiting().changed.wait_for(lock, std::chrono::milliseconds(20));
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() != 0) return false;
  }
  return true;
}

// What the frames' site is called for in the daemon's store. False where a code object cannot be sent.
bool CompleteUnit(Site& site, const LiveUnit& live) {
  if (!site.unit.frames.empty())
    return true;
  const LiveFrame& frame = live.frames.front();
  const absl::StatusOr<model::CodeId> id = IdOfCode(frame.code);
  if (!id.ok())
    return false;
  model::UnitFrame root{.code = *id};
  for (uint32_t i = 0; i < frame.slot_count; ++i)
    root.nulls.push_back(frame.slots[i] == nullptr ? 1 : 0);
  site.unit.frames.push_back(std::move(root));
  return true;
}

void CountTraffic(const Traffic& traffic) {
  Count(Counter::kLookups, traffic.lookups);
  Count(Counter::kRoundTrips, traffic.round_trips);
  Count(Counter::kClientQueries, traffic.client_queries);
  Count(Counter::kTranslations, traffic.translations);
}

Resolution RunOriginal() {
  Count(Counter::kFramesSkipped);
  return kRunOriginal;
}

// One miss on its way to a decision.
class Search {
 public:
  // `misses`: how many of the last records are about this call.
  Search(Site& site, const LiveUnit& live, size_t misses) : site_(site), live_(live), known_{.misses = LastMisses(misses)} {}

  Resolution Run() {
    const auto begin = steady_clock::now();
    Count(Counter::kFrames);
    const Resolution found = Find();
    const auto spent = steady_clock::now() - begin - backend_;
    Count(Counter::kFrontEndMicros, static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
    return found;
  }

 private:
  Resolution Find() {
    const std::optional<Resolution> stored = LookUp();
    return stored ? *stored : MakeNew();
  }

  // What the daemon has; nullopt where nothing of it fits.
  std::optional<Resolution> LookUp() {
    Traffic traffic;
    const auto entries = Lookup(site_.unit, ConfigOf(site_), live_, &traffic);
    CountTraffic(traffic);
    if (!entries.ok())
      return Failed(entries.status());
    for (const auto& entry : *entries) {
      const std::optional<Resolution> tried = Use(entry, nullptr);
      if (!tried)
        continue;
      if (tried->entry != nullptr)
        Count(Counter::kLookupHits);
      return tried;
    }
    return std::nullopt;
  }

  Resolution MakeNew() {
    constexpr int kMostAttempts = 4;
    for (int attempt = 1; attempt <= kMostAttempts && site_.region != nullptr; ++attempt) {
      Traffic traffic;
      HandleTable handles;
      known_.whatever_comes = attempt == kMostAttempts;
      const auto entry = Translate(site_.unit, ConfigOf(site_), live_, handles, known_, &traffic);
      CountTraffic(traffic);
      if (!entry.ok())
        return Failed(entry.status());
      if (*entry == nullptr) {
        if (const std::optional<Resolution> stored = LookUp())
          return *stored;
        continue;
      }
      const std::optional<Resolution> tried = Use(*entry, &handles);
      if (tried || traffic.translations > 0)
        return tried ? *tried : RunOriginal();
      // It was made for somebody else's objects and does not fit these: the next one will be another.
    }
    return RunOriginal();
  }

  // nullopt where the entry does not fit or is refused.
  std::optional<Resolution> Use(std::shared_ptr<const model::Entry> entry, const HandleTable* handles) {
    if (site_.region == nullptr)  // a back-end or callback has reset it meanwhile
      return RunOriginal();
    const Trial trial = Install(site_, std::move(entry), live_, handles);
    backend_ += trial.backend;
    switch (trial.tried) {
      case Tried::kInstalled:
        return Resolution{WayOf(*trial.entry), trial.entry.get()};
      case Tried::kRaised:
        return kRaised;
      case Tried::kDoesNotFit:
      case Tried::kRefused:
        break;
    }
    return std::nullopt;
  }

  // The daemon did not give an answer.
  Resolution Failed(const absl::Status& status) {
    if (PyErr_Occurred())  // a signal handler raised while we waited
      return kRaised;
    if (absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status) || absl::IsInternal(status))
      site_.full = true;  // it would say the same again
    else
      Count(Counter::kFallbacks);
    return RunOriginal();
  }

  Site& site_;
  const LiveUnit& live_;
  Known known_;
  std::chrono::nanoseconds backend_{0};
};

void WarnOfLimit(Site& site, const LiveUnit& live, uint32_t limit) {
  const pycompat::Ref on_limit = site.region->options.on_limit;
  if (!on_limit)
    return;
  PyCodeObject* code = live.frames.front().code;
  const pycompat::Ref text = pycompat::Ref::Steal(PyUnicode_FromFormat(
      "%U (%U:%d) reached recompile_limit (%u): it runs uncompiled where none of its entries fits; misses() says what keeps changing",
      code->co_qualname, code->co_filename, code->co_firstlineno, limit));
  const pycompat::Ref done = text ? pycompat::Ref::Steal(PyObject_CallOneArg(on_limit.get(), text.get())) : pycompat::Ref();
  if (!done)
    PyErr_WriteUnraisable(on_limit.get());
}

// What the stance and the limit say before anything is asked; nullopt: go on.
std::optional<Resolution> DecideUnasked(Site& site, const LiveUnit& live, size_t misses) {
  if (this_thread.skip_guard_eval || this_thread.stance == Stance::kFailOnRecompile) {
    RaiseAsked({.kind = this_thread.skip_guard_eval ? "skip_guard_eval" : "fail_on_recompile", .misses = misses}, live);
    return kRaised;
  }
  if (this_thread.stance == Stance::kEagerOnRecompile)
    return kRunOriginal;
  if (this_thread.stance == Stance::kEagerThenCompile) {
    if (site.first == nullptr) {
      site.first = std::make_unique<FirstCall>(live.frames.front());
      return kRunOriginal;
    }
    for (std::string& changed : site.first->ChangedIn(live.frames.front()))
      site.AddDynamic(std::move(changed));
  }
  const uint32_t limit = RecompileLimit(*site.region);
  if (site.entries.size() < limit && !site.full)
    return std::nullopt;
  const bool news = !std::exchange(site.full, true);
  if (site.region->options.fullgraph && site.entries.size() >= limit) {
    RaiseAsked({.kind = "recompile_limit", .reason = model::Reason::kRecompileLimit, .limit = limit, .misses = misses}, live);
    return kRaised;
  }
  if (news)
    WarnOfLimit(site, live, limit);
  return RunOriginal();
}

}  // namespace

bool IsUnasked(const Site& site) {
  return this_thread.stance == Stance::kDefault && !this_thread.skip_guard_eval && !site.region->options.fullgraph;
}

Resolution ResolveMiss(PyThreadState* thread, std::shared_ptr<Site> site, const LiveUnit& live) {
  if (site->compiling == thread->id)  // what compiles for the site comes by it again: a back-end that calls the function itself
    return kRunOriginal;
  const pycompat::Ref region = pycompat::Ref::Share(AsObject(site->region));
  const LiveScope none(thread, nullptr);
  if (site->compiling != 0) {
    if (!WaitForOthers(*site))
      return kRaised;
    if (site->region == nullptr)
      return kRunOriginal;
    if (Installed* entry = site->Find(live.frames.data(), live.frames.size(), KeptObjects()))
      return {WayOf(*entry), entry};
  }
  if (site->full && IsUnasked(*site) && (++site->in_vain, site->told++ >= Site::kTold))
    return RunOriginal();
  const size_t misses = RecordMisses(*site, live);
  if (const std::optional<Resolution> decided = DecideUnasked(*site, live, misses))
    return *decided;
  if (!CompleteUnit(*site, live)) {
    site->full = true;
    return RunOriginal();
  }
  const Turn turn(*site, thread->id);
  return Search(*site, live, misses).Run();
}

}  // namespace framegate::client
