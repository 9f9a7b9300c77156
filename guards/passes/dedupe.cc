#include "absl/container/flat_hash_set.h"
#include "guards/passes/passes.h"

namespace framegate::guards {

void Dedupe(GuardSet* set) {
  absl::flat_hash_set<std::string> seen;
  std::vector<Guard> kept;
  for (Guard& guard : set->guards) {
    Guard nowhere = guard;
    nowhere.line = 0;
    if (seen.insert(Encode(nowhere)).second)
      kept.push_back(std::move(guard));
  }
  set->guards = std::move(kept);
}

}  // namespace framegate::guards
