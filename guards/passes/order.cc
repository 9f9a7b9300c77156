// The order of checks. Two wishes: what differs from call to call comes first (arguments, then modes), so that an entry that does not fit
// is left early; and what lies close together in the process is looked at together, each object once. Data dependencies need no care
// here: steps are emitted where they are first needed.

#include <algorithm>
#include <map>
#include <tuple>

#include "guards/kinds/kind.h"
#include "guards/passes/passes.h"
#include "guards/program/verify.h"

namespace framegate::guards {

namespace {

using model::Fact;
using model::Step;
using model::SubjectId;
using model::SubjectNode;

enum Stage { kArguments, kAmbientState, kTree, kRelations };

bool IsArgument(const std::vector<SubjectNode>& subjects, SubjectId subject) {
  const SubjectNode& node = subjects[subject];
  if (node.step == Step::kSlot || node.step == Step::kStack)
    return true;
  return (node.step == Step::kItem || node.step == Step::kDictItem) && node.parent != model::kNoSubject &&
         IsArgument(subjects, node.parent);
}

// What is read of a type besides what its slice may hold: once the slice has taken the steps that both need.
bool IsBesideSlice(const std::vector<SubjectNode>& subjects, const Guard& guard) {
  if (guard.kind == GuardKind::kFactIs && guard.fact->fact == Fact::kTypeKeys)
    return true;
  for (SubjectId at = guard.subject; at != model::kNoSubject; at = subjects[at].parent)
    if (subjects[at].step == Step::kTypeBases)
      return true;
  return false;
}

Stage StageOf(const GuardSet& set, const Guard& guard) {
  switch (guard.kind) {
    case GuardKind::kAmbientIs:
      return kAmbientState;
    case GuardKind::kSame:
    case GuardKind::kDistinct:
    case GuardKind::kAllDistinct:
    case GuardKind::kExpression:
      return kRelations;
    case GuardKind::kTypeIs:
    case GuardKind::kFactIs:
    case GuardKind::kAbsent:
    case GuardKind::kPresent:
    case GuardKind::kTensorIs:
    case GuardKind::kIsObject:
    case GuardKind::kSubclassOf:
      return IsBesideSlice(set.subjects, guard) ? kRelations : IsArgument(set.subjects, guard.subject) ? kArguments : kTree;
  }
  return kTree;
}

// Cheap before dear on one subject; a type before what only makes sense with it.
int Rank(const Guard& guard) {
  switch (guard.kind) {
    case GuardKind::kAbsent:
    case GuardKind::kPresent:
    case GuardKind::kTypeIs:
    case GuardKind::kIsObject:
      return 0;
    case GuardKind::kFactIs:
      return guard.fact->fact == Fact::kValue ? 1 : model::ShapeOf(guard.fact->fact) == model::FactShape::kWord ? 2 : 3;
    case GuardKind::kTensorIs:
      return 4;
    case GuardKind::kSubclassOf:
    case GuardKind::kSame:
    case GuardKind::kDistinct:
    case GuardKind::kAllDistinct:
    case GuardKind::kAmbientIs:
    case GuardKind::kExpression:
      return 5;
  }
  return 5;
}

// Numbers the subjects depth first, children in table order: places that are close in the tree are close in time.
std::vector<uint32_t> DepthFirst(const std::vector<SubjectNode>& subjects) {
  std::vector<std::vector<SubjectId>> children(subjects.size());
  std::vector<SubjectId> stack;
  for (SubjectId id = static_cast<SubjectId>(subjects.size()); id-- > 0;) {
    if (subjects[id].parent == model::kNoSubject)
      stack.push_back(id);
    else
      children[subjects[id].parent].push_back(id);  // last child first
  }
  std::vector<uint32_t> place(subjects.size(), 0);
  for (uint32_t next = 0; !stack.empty(); ++next) {
    const SubjectId id = stack.back();
    stack.pop_back();
    place[id] = next;
    stack.insert(stack.end(), children[id].begin(), children[id].end());
  }
  return place;
}

bool IsTypeStep(Step step) {
  return step == Step::kTypeAttr || step == Step::kTypeDictItem || step == Step::kMro;
}

bool IsType(const std::vector<SubjectNode>& subjects, SubjectId subject, SubjectId type) {
  return subject == type || subjects[subject].step == Step::kMro;
}

// The guard's check may stand in the body of a slice of `type`; the rules are Verify's.
bool FitsSlice(const GuardSet& set, const Guard& guard, SubjectId type) {
  switch (guard.kind) {
    case GuardKind::kAbsent:
    case GuardKind::kPresent:
      return guard.subject != type;
    case GuardKind::kTypeIs:
      return HasFixedInstances(guard.type) && guard.subject != type;
    case GuardKind::kSubclassOf:
      return IsType(set.subjects, guard.subject, type);
    case GuardKind::kFactIs: {
      const Fact fact = guard.fact->fact;
      if (fact == Fact::kTypeFlags || fact == Fact::kTypeName || fact == Fact::kMroLength)
        return IsType(set.subjects, guard.subject, type);
      return (fact == Fact::kValue || fact == Fact::kSymbolName) && guard.subject != type;
    }
    case GuardKind::kTensorIs:
    case GuardKind::kSame:
    case GuardKind::kDistinct:
    case GuardKind::kAmbientIs:
    case GuardKind::kIsObject:
    case GuardKind::kAllDistinct:
    case GuardKind::kExpression:
      return false;
  }
  return false;
}

}  // namespace

SubjectId SliceTypeOf(const std::vector<SubjectNode>& subjects, SubjectId subject) {
  const SubjectNode& node = subjects[subject];
  if (node.step == Step::kType)
    return subject;
  if (!IsTypeStep(node.step))
    return model::kNoSubject;
  // Entries of an MRO are types that the slice covers; what else a type's dict holds is not.
  SubjectId type = node.parent;
  while (subjects[type].step == Step::kMro)
    type = subjects[type].parent;
  return type;
}

std::vector<CheckRun> Order(const GuardSet& set) {
  const std::vector<uint32_t> place = DepthFirst(set.subjects);
  std::vector<size_t> order(set.guards.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto key = [&](size_t i) {
    const Guard& guard = set.guards[i];
    const Stage stage = StageOf(set, guard);
    const uint32_t where = guard.subject == model::kNoSubject ? 0 : place[guard.subject];
    return std::make_tuple(stage, stage == kArguments ? Rank(guard) : 0, stage == kAmbientState ? guard.part : where, Rank(guard));
  };
  std::vector<decltype(key(0))> keys;
  for (size_t i : order)
    keys.push_back(key(i));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<CheckRun> runs;
  std::map<SubjectId, size_t> run_of;  // type -> its slice
  for (size_t i : order) {
    const Guard& guard = set.guards[i];
    const SubjectId type = guard.subject == model::kNoSubject ? model::kNoSubject : SliceTypeOf(set.subjects, guard.subject);
    if (type == model::kNoSubject || !FitsSlice(set, guard, type)) {
      runs.push_back({.guards = {i}});
      continue;
    }
    auto [it, is_new] = run_of.try_emplace(type, runs.size());
    if (is_new)
      runs.push_back({.type = type});
    runs[it->second].guards.push_back(i);
  }
  return runs;
}

}  // namespace framegate::guards
