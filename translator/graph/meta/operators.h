// The table of operators by spelling. Made once, then only read: thread-safe.
#pragma once

#include <string_view>

#include "translator/graph/meta/call.h"

namespace framegate::translator::meta {

// What rows of operators.def say beside the rule.
enum Trait : uint32_t {
  kInPlace = 1 << 0,
  kAssigns = 1 << 1,
  kDataRaises = 1 << 2,
  kNoGradient = 1 << 3,
  kLower = 1 << 4,
  kFloat32 = 1 << 5,
  kWidest = 1 << 6,
  kNoComplex = 1 << 7,
  kNoBool = 1 << 8,
  kDraws = 1 << 9,
};

struct Row {
  Outcome (*rule)(const Call&);
  std::string_view names;
  Signature signature;
  uint32_t places;
  uint32_t traits;

  bool Is(Trait trait) const { return (traits & trait) != 0; }
};

// An operator by one spelling.
struct Operator {
  const Row* row = nullptr;
  std::string_view name;  // without the underscore of what assigns
  bool assigns = false;   // the first argument is changed and returned
};

// Null for a spelling that no row has.
const Operator* FindOperator(const Spelling& spelling);

}  // namespace framegate::translator::meta
