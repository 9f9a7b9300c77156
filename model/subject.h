// A subject: where an object is found, as a root plus steps. Subjects form a tree of nodes that share prefixes; a parent comes before
// its children, so a table can be walked in order. Value types. Thread-compatible.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/fields.h"
#include "model/constant.h"

namespace framegate::model {

using SubjectId = uint32_t;
inline constexpr SubjectId kNoSubject = UINT32_MAX;

struct SubjectNode {
  Step step = Step::kSlot;
  SubjectId parent = kNoSubject;  // kNoSubject for roots
  uint32_t index = 0;             // for operand shapes Index and Pair
  Constant key;                   // for operand shape Key

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("step", s.step);
    v("parent", s.parent);
    v("index", s.index);
    v("key", s.key);
  }
};

constexpr uint32_t PairIndex(uint32_t frame, uint32_t index) {
  return frame << 16 | index;
}

constexpr uint32_t FrameOf(uint32_t pair) {
  return pair >> 16;
}

constexpr uint32_t IndexOf(uint32_t pair) {
  return pair & 0xffff;
}

class SubjectTable {
 public:
  SubjectId Root(Step step, uint32_t index = 0, Constant key = {});
  // REQUIRES: parent is an id of this table.
  SubjectId Child(SubjectId parent, Step step, uint32_t index = 0, Constant key = {});

  const SubjectNode& operator[](SubjectId id) const { return nodes_[id]; }

  size_t size() const { return nodes_.size(); }

  const std::vector<SubjectNode>& nodes() const { return nodes_; }

 private:
  SubjectId Intern(SubjectNode node);

  std::vector<SubjectNode> nodes_;
  absl::flat_hash_map<Hash128, SubjectId> ids_;  // by hash of the encoding
};

// InvalidArgument unless parents come before children, roots have none and operands have the shape of their step.
absl::Status VerifySubjects(const std::vector<SubjectNode>& nodes);

// A Python path with quoted keys: self.layers['1'].flag. `slot_names[frame][slot]` gives the names of localsplus slots.
std::string SubjectPath(const std::vector<SubjectNode>& nodes, SubjectId id, const std::vector<std::vector<std::string>>& slot_names);

}  // namespace framegate::model
