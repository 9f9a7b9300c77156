#include <utility>

#include "absl/container/flat_hash_set.h"
#include "guards/passes/passes.h"

namespace framegate::guards {

void Dedupe(GuardSet* set) {
  absl::flat_hash_set<Hash128> seen;  // by hash of the encoding
  std::vector<Guard> kept;
  for (Guard& guard : set->guards) {
    const int32_t line = std::exchange(guard.line, 0);
    const bool is_new = seen.insert(HashBytes(Encode(guard))).second;
    guard.line = line;
    if (is_new)
      kept.push_back(std::move(guard));
  }
  set->guards = std::move(kept);
}

}  // namespace framegate::guards
