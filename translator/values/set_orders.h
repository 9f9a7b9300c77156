// The orders in which sets made in a frame give their elements, where the hashes of one process decide them. Translations that assume
// different orders and come out the same do not depend on them (docs/adr/0016-orders-of-sets.md). One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "translator/values/value.h"

namespace framegate::translator {

class SetOrders {
 public:
  // Translations that are made for it, at most.
  static constexpr size_t kMost = 8;

  // A `for` statement over such a set: what was before an iteration, and which iterations changed something.
  struct Loop {
    const SetValue* set = nullptr;
    uint64_t writes = 0;
    Values slots;
    size_t rounds = 0;
    std::vector<size_t> changing;
  };

  // Permutes the elements of the set, which are in the order of the client's process, as is assumed for its history. False: no order is to
  // be assumed.
  bool Assume(const SetValue* set, Values* elements);
  // The order of the set is looked at, by a loop or otherwise.
  void NoteUse(const SetValue* set);
  // Null where the iterator is not one over a set with an assumed order.
  Loop* LoopOf(const IteratorValue* iterator);
  // The loop came to its end and nothing but its changes shows which element was the last.
  void NoteEnd(const IteratorValue* iterator);

  bool any() const { return !sets_.empty() || failed_; }

  // Between translations. Whether all orders may be tried.
  bool CanTryAll();
  // To the next combination; false where all have been tried.
  bool Next();

  // Whether what was found so far says that the orders tried do not stand for all.
  bool failed() const { return failed_; }

  // After a translation with the next combination: whether it looked at orders as the others did.
  bool IsAsBefore();

 private:
  // Where at most one iteration changes anything, the same in both directions, every other one ran before and after it; no order is left
  // that could show anything else. Other orders are tried one by one.
  struct Order {
    std::vector<size_t> places;
    size_t uses = 0, quiet = 0;    // of this translation; quiet: loops of which at most one iteration changes anything
    std::vector<size_t> changing;  // by loop: the element
    std::vector<size_t> forward;   // `changing` in the direction tried before
    bool is_quiet = false;         // by the first translation
  };

  Order* Find(const SetValue* set);

  std::map<std::string, Order> sets_;  // by history
  absl::flat_hash_map<const SetValue*, Order*> of_;
  absl::flat_hash_map<const IteratorValue*, Loop> loops_;
  bool any_quiet_ = false;
  bool backward_ = false;
  bool started_ = false;  // past the first combination
  bool failed_ = false;
};

}  // namespace framegate::translator
