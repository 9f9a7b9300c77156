// The engine: one translation per unit, however many clients ask at once.
//
// Requests for one key form a *flight*. Its leader is translated for; the others wait, with beats.
// When the leader is done, each waiter gets the new entry if it has the same summary, or if the
// entry's check program passes on its summary; of those left over one becomes the leader. So does
// one of them when the leader's client dies. An entry that belongs to one process is for its own
// stream alone.
//
// Threads: Open comes from gRPC's threads and returns at once; translations run on Workers; a Beats
// thread keeps clients patient. Thread-safe. Owned by the daemon; cache and stats outlive it. The
// destructor drains without waiting.
#pragma once

#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "server/cache/cache.h"
#include "server/engine/beats.h"
#include "server/engine/caller.h"
#include "server/engine/doors.h"
#include "server/engine/strikes.h"
#include "server/engine/ticket.h"
#include "server/engine/workers.h"
#include "server/stats/why_log.h"

namespace framegate::server {

class Engine {
 public:
  Engine(const Settings& settings, Doors doors, Cache* cache, Stats* stats);
  ~Engine();

  // The caller hears the rest. Never null. To cancel: Finish the ticket.
  std::shared_ptr<Ticket> Open(OpenRequest open, std::shared_ptr<Caller> caller) ABSL_LOCKS_EXCLUDED(mutex_);

  // Thread-safe.
  const WhyLog& why() const { return why_; }

  // What stored entries check, the last used first, at most `limit`: those of units that IsOfName says.
  std::vector<GuardsReport> Guards(std::string_view function, size_t limit) const;

  // From now on requests end with Unavailable. Waits for those in flight until the deadline; what
  // is left then ends with Unavailable.
  void Drain(absl::Time deadline) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Flight {
    std::shared_ptr<Ticket> leader;
    std::vector<std::shared_ptr<Ticket>> waiters;
  };

  // What came out for a leader.
  struct Result {
    EntryPtr entry;       // null where there is none
    bool shared = false;  // it was there already
    bool local = false;   // for this process alone
    bool news = false;    // the client can find one by a lookup, maybe
    absl::Status failure;
    absl::Status stream;

    Outcome ToOutcome(uint64_t horizon, bool waited) const;
  };

  // Has a flight's leader translated for, and whoever leads it next. Null: nobody.
  void Launch(std::shared_ptr<Ticket> leader);
  Result Serve(Ticket* ticket);
  Result Translate(Ticket* ticket);
  absl::Status CheckItself(const model::Entry& entry, Ticket* ticket);
  // Answers the leader and every waiter that `result` fits; the next leader, null where nobody is
  // left.
  std::shared_ptr<Ticket> Settle(const std::shared_ptr<Ticket>& leader, const Result& result) ABSL_LOCKS_EXCLUDED(mutex_);
  bool Fits(const Result& result, const Ticket& leader, const Ticket& waiter);
  void CountEnd(const Result& result);
  // Why a translation was needed although there were entries, into why_.
  void Explain(Ticket* leader, const Result& result);
  // What kept stored entries from fitting, as what the client has told by now says.
  std::vector<MissReport> MissesOfStored(Ticket* leader, const Result& result, const model::CodeImage* root);
  // Of the unit's outermost frame; null where the daemon has not got it.
  std::shared_ptr<const model::CodeImage> RootOf(const model::Unit& unit) const;

  const Settings& settings_;
  const Doors doors_;
  Cache* const cache_;
  Stats* const stats_;
  Strikes strikes_;
  WhyLog why_;

  absl::Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<Hash128, Flight> flights_ ABSL_GUARDED_BY(mutex_);

  // Last, so that their threads end before what they use.
  Beats beats_;
  Workers workers_;
};

}  // namespace framegate::server
