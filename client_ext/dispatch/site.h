// A site: one unit in one region, with the entries installed for it and what was decided about it. Owned by the region, together with the
// live objects that its entries use; a code object's extra slot only points to the sites of the regions it is a root in. GIL held.
#pragma once

#include "client_ext/pycompat/ref.h"

#include <memory>
#include <string>
#include <vector>

#include "client_ext/dispatch/first_call.h"
#include "client_ext/dispatch/predict.h"
#include "client_ext/observe/check_program.h"
#include "client_ext/observe/live_unit.h"
#include "model/entry.h"

namespace framegate::client {

struct Region;

// A live object in a fast local of new code.
struct LinkedObject {
  uint32_t local = 0;
  pycompat::Ref object;
};

// An entry that may run: verified, linked, its graph compiled.
struct Installed {
  std::shared_ptr<const model::Entry> entry;
  std::unique_ptr<CheckProgram> checks;
  pycompat::Ref code;  // null where the original runs
  std::vector<LinkedObject> links;
  std::vector<uint32_t> globals;  // locals that receive the globals dict of the frame at hand
  std::string id;                 // compile id: "0/1"
  // The original runs, and nothing it calls can be compiled: the hook may be off meanwhile.
  bool quiet = false;
  // The checks that count under skip_guard_eval_unsafe, made for a number of separating subjects; null: none yet.
  std::unique_ptr<CheckProgram> reduced;
  size_t reduced_for = 0;
};

struct Site {
  // Once it is full: calls in vain that are told of; what one that was not in vain is worth; how many it takes until the entries are looked
  // at only now and then; how many in a row below which no entry ran until the hook is off.
  static constexpr uint32_t kTold = 32, kWorth = 8, kTried = 256, kNowAndThen = 64, kIdle = 64;

  Region* region = nullptr;  // null once the region has dropped it
  model::Unit unit;          // roots: filled in on the first miss
  std::vector<std::shared_ptr<Installed>> entries;
  std::vector<std::string> dynamic_subjects;        // sorted: path of a number, path#dimension of a size that changed between calls
  std::vector<std::string> separating;              // sorted: subjects that have kept an entry from fitting
  model::Reason passed = model::Reason::kNoReason;  // otherwise the original always runs, unasked
  bool only_direct = false;                         // skipped file: a root only where the region's callable asked for it
  bool quiet = false;                               // and, called by others, what it calls is none either
  bool of_numpy = false;                            // called by others and given no tensor, it computes with numpy: it runs as written
  bool full = false;                                // as many entries as the limit allows: what is there is still used
  uint32_t told = 0;                                // full: calls that no entry fitted and that were told of
  uint32_t in_vain = 0;                             // full: calls that no entry fitted, less some for each that one did
  uint32_t idle = 0;                                // full: of those, the last in a row below which no entry ran either
  int64_t number = -1;                              // first part of the compile ids; -1: none yet
  uint32_t made = 0;                                // entries made so far, dropped ones included
  uint64_t compiling = 0;                           // id of the thread that compiles for it, 0: none

  std::unique_ptr<Predictor> predictor;  // where there are several entries
  std::unique_ptr<FirstCall> first;      // eager_then_compile: the call that ran as written; null: none has

  void AddDynamic(std::string subject);
  void AddSeparating(std::string subject);
  void Add(std::shared_ptr<Installed> entry);
  // The entry whose checks pass on the frames; null where none does. `kept` gets what its checks keep, borrowed.
  Installed* Find(const LiveFrame* frames, size_t count, PyObject** kept) noexcept;
};

// Room for what the checks of any installed entry keep. Its contents live until the next evaluation.
PyObject** KeptObjects();
void ReserveKept(size_t count);

}  // namespace framegate::client
