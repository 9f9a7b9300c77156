// What a summary says of one object's steps, by what they take. Borrows the edges' keys. Thread-compatible.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/summary.h"

namespace framegate::model {

class EdgeIndex {
 public:
  // Of two with the same operand the later one counts. The key must outlive the index.
  void Add(Step step, uint32_t index, const Constant& key, Handle target);

  // Nullopt where none is known.
  std::optional<Handle> Find(Step step, uint32_t index, const Constant& key) const;

 private:
  struct Item {
    Step step;
    uint32_t index;
    const Constant* key;
    Handle target;
    uint32_t before;  // an earlier one of the same hash
  };

  static size_t HashOf(Step step, uint32_t index, const Constant& key);
  static bool Is(const Item& item, Step step, uint32_t index, const Constant& key);

  std::vector<Item> items_;
  absl::flat_hash_map<size_t, uint32_t> latest_;  // by hash; empty while there are few
};

// Whether the facts of one object say that such a step leads nowhere: all keys of a dict, or names of an instance or class, are known.
bool SayAbsent(const std::vector<const FactValue*>& facts, Step step, const Constant& key);

}  // namespace framegate::model
