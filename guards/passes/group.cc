#include <algorithm>
#include <set>

#include "guards/passes/passes.h"

namespace framegate::guards {

namespace {

using model::SubjectId;

constexpr size_t kMinGroup = 3;  // a pair is a comparison of pointers

}  // namespace

void Group(GuardSet* set) {
  std::set<SubjectId> members;
  std::set<std::pair<SubjectId, SubjectId>> pairs;
  for (const Guard& guard : set->guards) {
    if (guard.kind != GuardKind::kDistinct || guard.subject == guard.other)
      continue;
    members.insert({guard.subject, guard.other});
    pairs.insert(std::minmax(guard.subject, guard.other));
  }
  // Those that are paired with all others; what is paired with some only stays as it is.
  std::set<SubjectId> group;
  for (SubjectId member : members)
    if (std::all_of(group.begin(), group.end(), [&](SubjectId other) { return pairs.contains(std::minmax(member, other)); }))
      group.insert(member);
  if (group.size() < kMinGroup)
    return;
  const auto first = std::find_if(set->guards.begin(), set->guards.end(), [&](const Guard& guard) {
    return guard.kind == GuardKind::kDistinct && group.contains(guard.subject) && group.contains(guard.other);
  });
  const int32_t line = first->line;
  std::erase_if(set->guards, [&](const Guard& guard) {
    return guard.kind == GuardKind::kDistinct && group.contains(guard.subject) && group.contains(guard.other);
  });
  set->guards.push_back(
      {.kind = GuardKind::kAllDistinct, .subject = *group.begin(), .others = {std::next(group.begin()), group.end()}, .line = line});
}

}  // namespace framegate::guards
