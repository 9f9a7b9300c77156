#include <utility>

#include "guards/passes/passes.h"

namespace framegate::guards {

void Dedupe(GuardSet* set) {
  GuardIndex index;
  for (Guard& guard : std::exchange(set->guards, {}))
    index.Add(std::move(guard), &set->guards);
}

}  // namespace framegate::guards
