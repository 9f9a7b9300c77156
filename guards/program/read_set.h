// What a program looks at: subjects and the facts it reads on them. A client that sends just this lets the daemon decide which stored
// entries pass. Value types. Thread-safe: pure functions.
#pragma once

#include <utility>
#include <vector>

#include "guards/program/program.h"
#include "model/subject.h"
#include "model/summary.h"

namespace framegate::guards {

struct ReadSet {
  std::vector<model::SubjectNode> subjects;                     // parents first
  std::vector<std::pair<model::SubjectId, model::Fact>> facts;  // sorted

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("subjects", s.subjects);
    v("facts", s.facts);
  }
};

// REQUIRES: the program verifies.
ReadSet ReadSetOf(const Program& program);
// The union; subjects that both have are one.
ReadSet Union(const ReadSet& a, const ReadSet& b);
// The part of `summary` that a program with this read-set can see.
model::Summary Filter(const model::Summary& summary, const ReadSet& read_set);

}  // namespace framegate::guards
