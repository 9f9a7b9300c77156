// Guards as the translator makes them, before they are lowered to a check program. Value types; a set is owned by one translation.
// Thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/fields.h"
#include "guards/program/program.h"
#include "model/subject.h"
#include "model/summary.h"

namespace framegate::guards {

enum class GuardKind : uint8_t {
#define FRAMEGATE_GUARD(number, name, text, torch_name, shape, durable, doc) name = number,
#include "guards/ir/guard_kinds.def"
#undef FRAMEGATE_GUARD
};
std::string_view EnumText(GuardKind value);
bool EnumFromText(std::string_view text, GuardKind* value);
std::string_view TorchName(GuardKind kind);
bool IsDurable(GuardKind kind);
// Torch's name of a guard on this fact.
std::string_view TorchName(model::Fact fact);

// A term of an expression; it refers to terms before it by place. The last one is the expression.
struct Term {
  CheckOp op = CheckOp::kWordConst;              // of the word operations of check_ops.def
  model::SubjectId subject = model::kNoSubject;  // kWordSize, kWordStride, kWordOffset, kWordInt, kWordFact
  model::Fact fact = model::Fact::kLength;       // kWordFact
  uint32_t dimension = 0;                        // kWordSize, kWordStride
  int64_t value = 0;                             // kWordConst
  uint32_t left = 0;                             // arithmetic and comparisons
  uint32_t right = 0;

  bool operator==(const Term&) const = default;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("op", s.op);
    v("subject", s.subject);
    v("fact", s.fact);
    v("dimension", s.dimension);
    v("value", s.value);
    v("left", s.left);
    v("right", s.right);
  }
};

struct Guard {
  GuardKind kind = GuardKind::kFactIs;
  model::SubjectId subject = model::kNoSubject;
  std::string type;                            // Type: module:qualname
  Shared<model::FactValue> fact;               // Fact, Tensor (fact kTensor)
  std::vector<uint32_t> free_sizes;            // Tensor: dimensions whose size is not compared
  std::vector<uint32_t> free_strides;          // Tensor: dimensions whose stride is not compared
  uint32_t parts = 0;                          // Tensor: TensorPart bits to compare as well
  model::SubjectId other = model::kNoSubject;  // Subject
  std::vector<model::SubjectId> others;        // Subjects
  std::vector<Term> terms;                     // Expression
  uint32_t part = 0;                           // Ambient: model::AmbientPart
  model::Constant constant;                    // Ambient
  model::Handle object = model::kAbsent;       // Object
  int32_t line = 0;                            // of the user's code that made it, absolute

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("subject", s.subject);
    v("type", s.type);
    v("fact", s.fact);
    v("free_sizes", s.free_sizes);
    v("free_strides", s.free_strides);
    v("parts", s.parts);
    v("other", s.other);
    v("others", s.others);
    v("terms", s.terms);
    v("part", s.part);
    v("constant", s.constant);
    v("object", s.object);
    v("line", s.line);
  }
};

// Whether both check the same, lines and `parts` apart.
bool CheckTheSame(const Guard& a, const Guard& b);

// The guards of a list by what they check. Belongs to one list, to which nothing is added in another way. Thread-compatible.
class GuardIndex {
 public:
  // Adds the guard, or the `parts` that one like it lacks.
  void Add(Guard guard, std::vector<Guard>* guards);

 private:
  absl::flat_hash_map<size_t, uint32_t> latest_;  // by hash
  std::vector<uint32_t> before_;                  // by place: an earlier one of the same hash
};

// Whether an entry with this guard may be stored.
bool IsDurable(const Guard& guard);
// Torch's name for this very guard: by fact or ambient part where the kind alone does not say.
std::string_view TorchName(const Guard& guard);

// What the translator hands over: guards in the order they were made, subjects new code wants in its locals.
struct GuardSet {
  std::vector<model::SubjectNode> subjects;
  std::vector<Guard> guards;
  std::vector<std::pair<model::SubjectId, uint32_t>> keeps;  // subject -> localsplus slot of the new code

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("subjects", s.subjects);
    v("guards", s.guards);
    v("keeps", s.keeps);
  }
};

}  // namespace framegate::guards
