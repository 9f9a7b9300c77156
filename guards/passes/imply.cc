#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "guards/kinds/kind.h"
#include "guards/passes/passes.h"
#include "guards/program/verify.h"

namespace framegate::guards {

namespace {

using model::ConstantKind;
using model::Fact;
using model::SubjectId;

// What is known of one subject, from guards that stay.
struct Known {
  const model::FactValue* value = nullptr;
  absl::InlinedVector<Fact, 4> facts;
  std::string type;

  bool Has(Fact fact) const { return std::find(facts.begin(), facts.end(), fact) != facts.end(); }
};

bool HasLength(const model::Constant& value) {
  return value.kind == ConstantKind::kStr || value.kind == ConstantKind::kBytes;
}

class Implier {
 public:
  explicit Implier(GuardSet* set) : set_(*set), needed_(set->subjects.size(), false) {
    for (const Guard& guard : set_.guards)
      Learn(guard);
    for (const auto& [subject, slot] : set_.keeps)
      Need(subject);
  }

  void Run() {
    std::erase_if(set_.guards, [this](const Guard& guard) { return IsImplied(guard); });
  }

 private:
  void Learn(const Guard& guard) {
    if (guard.kind == GuardKind::kTypeIs)
      known_[guard.subject].type = guard.type;
    if (guard.kind == GuardKind::kFactIs && guard.fact->known) {
      Known& known = known_[guard.subject];
      known.facts.push_back(guard.fact->fact);
      if (guard.fact->fact == Fact::kValue)
        known.value = &*guard.fact;
    }
    if (guard.kind == GuardKind::kAllDistinct) {
      const Subjects members = NeedsOf(guard);
      groups_.emplace_back(members.begin(), members.end());
    }
    const bool tests_presence = guard.kind == GuardKind::kAbsent || guard.kind == GuardKind::kPresent;
    for (SubjectId subject : NeedsOf(guard))
      Need(tests_presence ? set_.subjects[subject].parent : subject);
  }

  // The object at `subject` is used, so the steps to it must find something.
  void Need(SubjectId subject) {
    for (; subject != model::kNoSubject && !needed_[subject]; subject = set_.subjects[subject].parent)
      needed_[subject] = true;
  }

  bool IsImplied(const Guard& guard) const {
    switch (guard.kind) {
      case GuardKind::kTypeIs:
        return IsTypeImplied(guard);
      case GuardKind::kFactIs:
        return guard.fact->known && IsFactImplied(guard.subject, guard.fact->fact);
      case GuardKind::kPresent:
        return needed_[guard.subject] || IsPresenceImplied(set_.subjects[guard.subject]);
      case GuardKind::kDistinct:
        return IsInOneGroup(guard.subject, guard.other);
      case GuardKind::kAbsent:
      case GuardKind::kTensorIs:
      case GuardKind::kSame:
      case GuardKind::kAmbientIs:
      case GuardKind::kIsObject:
      case GuardKind::kSubclassOf:
      case GuardKind::kAllDistinct:
      case GuardKind::kExpression:
        return false;
    }
    return false;
  }

  const Known* Find(SubjectId subject) const {
    auto it = known_.find(subject);
    return it == known_.end() ? nullptr : &it->second;
  }

  // A value has its constant's exact type; a symbol that can never change its class has the one it had.
  bool IsTypeImplied(const Guard& guard) const {
    const Known* known = Find(guard.subject);
    return known && (known->value != nullptr || (known->Has(Fact::kSymbolName) && HasFixedInstances(guard.type)));
  }

  bool IsFactImplied(SubjectId subject, Fact fact) const {
    const Known* known = Find(subject);
    if (fact == Fact::kLength && known)
      return (known->value && HasLength(known->value->constant)) || known->Has(Fact::kDictKeys) || known->Has(Fact::kSetElements) ||
             known->Has(Fact::kSetMembers) || known->Has(Fact::kRange);
    if (fact == Fact::kIterRemaining && known)
      return known->Has(Fact::kRange);
    if (fact == Fact::kTypeName && set_.subjects[subject].step == model::Step::kType) {
      const Known* owner = Find(set_.subjects[subject].parent);
      return owner && !owner->type.empty() && owner->value == nullptr;
    }
    return false;
  }

  // Every object has a type; what is counted or named as a whole has its items.
  bool IsPresenceImplied(const model::SubjectNode& node) const {
    if (node.step == model::Step::kType || model::IsRoot(node.step))
      return true;
    const Known* parent = node.parent == model::kNoSubject ? nullptr : Find(node.parent);
    if (parent == nullptr)
      return false;
    switch (node.step) {
      case model::Step::kItem:
        return parent->Has(Fact::kLength);
      case model::Step::kMro:
        return parent->Has(Fact::kMroLength);
      case model::Step::kDictItem:
      case model::Step::kDictKey:
      case model::Step::kDictValue:
        return parent->Has(Fact::kDictKeys);
      case model::Step::kAttr:
        return parent->Has(Fact::kInstanceKeys);
      default:
        return false;
    }
  }

  bool IsInOneGroup(SubjectId a, SubjectId b) const {
    for (const std::set<SubjectId>& group : groups_)
      if (group.contains(a) && group.contains(b))
        return true;
    return false;
  }

  GuardSet& set_;
  absl::flat_hash_map<SubjectId, Known> known_;
  std::vector<bool> needed_;
  std::vector<std::set<SubjectId>> groups_;
};

}  // namespace

void Imply(GuardSet* set) {
  Implier(set).Run();
}

}  // namespace framegate::guards
