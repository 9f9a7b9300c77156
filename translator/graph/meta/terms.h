// Sizes and numbers that are known by a name instead of by value: expressions over sizes of inputs and ints of the program. They are
// decided by their values in this call, and what was decided is noted, to be guarded. One thread; one table per translation.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/subject.h"

namespace framegate::translator {

// Bounds at or beyond it, on either side, say nothing: no size is so large, but a number may be.
inline constexpr int64_t kFar = int64_t{1} << 60;

enum class TermOp : uint8_t { kConstant, kSize, kInt, kAdd, kSub, kMul, kFloorDiv, kMod };
enum class TermRelation : uint8_t { kEq, kNe, kLt, kLe };

struct Term {
  TermOp op = TermOp::kConstant;
  uint32_t left = 0, right = 0;
  int64_t value = 0;  // in this call
  model::SubjectId subject = model::kNoSubject;
  uint32_t dimension = 0;
  int64_t least = 0, most = 0;  // whatever the call
};

class Terms {
 public:
  Terms() { terms_.emplace_back(); }

  // Whose numbers Size computes with, in this thread.
  static Terms* Current();

  class Use {
   public:
    explicit Use(Terms* terms);
    ~Use();

   private:
    Terms* before_;
  };

  // 0 is no term.
  uint32_t SizeOf(model::SubjectId subject, uint32_t dimension, int64_t value);
  uint32_t IntOf(model::SubjectId subject, int64_t value, int64_t least);
  uint32_t Constant(int64_t value);
  // 0 where the result is not known to fit, or would be a division by zero.
  uint32_t Combine(TermOp op, uint32_t left, uint32_t right);

  const Term& at(uint32_t term) const { return terms_[term]; }

  // The dimension of the subject is symbolic.
  bool IsSize(model::SubjectId subject, uint32_t dimension) const;

  // By the values of this call; noted where they decide.
  bool Decide(TermRelation relation, uint32_t left, uint32_t right);
  // The term is its value from now on.
  int64_t Fix(uint32_t term);

  struct Assumption {
    TermRelation relation;
    uint32_t left, right;
  };

  const std::vector<Assumption>& assumptions() const { return assumptions_; }

 private:
  uint32_t Add(Term term);
  void Note(TermRelation relation, uint32_t left, uint32_t right);

  std::vector<Term> terms_;
  absl::flat_hash_map<std::tuple<uint8_t, uint32_t, uint32_t, int64_t, uint32_t, uint32_t>, uint32_t> known_;
  std::vector<Assumption> assumptions_;
  std::set<std::tuple<uint8_t, uint32_t, uint32_t>> noted_;
};

}  // namespace framegate::translator
