#include "translator/graph/meta/terms.h"

#include <algorithm>

namespace framegate::translator {

namespace {

thread_local Terms* current = nullptr;

int64_t Within(__int128 value) {
  return value > kFar ? kFar : value < -kFar ? -kFar : static_cast<int64_t>(value);
}

__int128 FloorDiv(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

__int128 Apply(TermOp op, __int128 a, __int128 b) {
  switch (op) {
    case TermOp::kAdd:
      return a + b;
    case TermOp::kSub:
      return a - b;
    case TermOp::kMul:
      return a * b;
    case TermOp::kFloorDiv:
      return FloorDiv(a, b);
    case TermOp::kMod:
      return a - FloorDiv(a, b) * b;
    case TermOp::kConstant:
    case TermOp::kSize:
    case TermOp::kInt:
      break;
  }
  return 0;
}

bool IsFar(int64_t bound) {
  return bound >= kFar || bound <= -kFar;
}

// Bounds of the result from those of the operands: the extremes lie at their corners, but for a remainder.
void Bound(const Term& a, const Term& b, Term* result) {
  result->least = -kFar;
  result->most = kFar;
  if (result->op == TermOp::kMod) {
    if (b.least > 0) {
      result->least = 0;
      result->most = IsFar(b.most) ? kFar : b.most - 1;
    }
    return;
  }
  if (result->op == TermOp::kFloorDiv && b.least <= 0)
    return;
  if (result->op == TermOp::kAdd || result->op == TermOp::kSub) {
    const bool adds = result->op == TermOp::kAdd;
    const int64_t low = adds ? b.least : b.most, high = adds ? b.most : b.least;
    if (!IsFar(a.least) && !IsFar(low))
      result->least = Within(Apply(result->op, a.least, low));
    if (!IsFar(a.most) && !IsFar(high))
      result->most = Within(Apply(result->op, a.most, high));
    return;
  }
  if (IsFar(a.least) || IsFar(b.least))
    return;
  const bool open = IsFar(a.most) || IsFar(b.most);
  if (open && (a.least < 0 || b.least < 0))
    return;
  __int128 least = 0, most = 0;
  bool first = true;
  for (int64_t left : {a.least, a.most}) {
    for (int64_t right : {b.least, b.most}) {
      __int128 corner = Apply(result->op, left, right);
      least = first ? corner : std::min(least, corner);
      most = first ? corner : std::max(most, corner);
      first = false;
    }
  }
  result->least = result->op == TermOp::kFloorDiv && IsFar(b.most) ? 0 : Within(least);
  if (!open || (result->op == TermOp::kFloorDiv && !IsFar(a.most)))
    result->most = Within(most);
}

bool Holds(TermRelation relation, int64_t a, int64_t b) {
  switch (relation) {
    case TermRelation::kEq:
      return a == b;
    case TermRelation::kNe:
      return a != b;
    case TermRelation::kLt:
      return a < b;
    case TermRelation::kLe:
      return a <= b;
  }
  return false;
}

}  // namespace

Terms* Terms::Current() {
  return current;
}

Terms::Use::Use(Terms* terms) : before_(current) {
  current = terms;
}

Terms::Use::~Use() {
  current = before_;
}

uint32_t Terms::Add(Term term) {
  std::tuple key{
      static_cast<uint8_t>(term.op), term.left, term.right, term.op == TermOp::kConstant ? term.value : 0, term.subject, term.dimension};
  const auto [known, added] = known_.try_emplace(key, static_cast<uint32_t>(terms_.size()));
  if (added)
    terms_.push_back(term);
  return known->second;
}

uint32_t Terms::SizeOf(model::SubjectId subject, uint32_t dimension, int64_t value) {
  return Add({.op = TermOp::kSize, .value = value, .subject = subject, .dimension = dimension, .least = 2, .most = kFar});
}

uint32_t Terms::IntOf(model::SubjectId subject, int64_t value, int64_t least) {
  return Add({.op = TermOp::kInt, .value = value, .subject = subject, .least = least, .most = kFar});
}

bool Terms::IsSize(model::SubjectId subject, uint32_t dimension) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return term.op == TermOp::kSize && term.subject == subject && term.dimension == dimension; });
}

uint32_t Terms::Constant(int64_t value) {
  return Add({.value = value, .least = value, .most = value});
}

uint32_t Terms::Combine(TermOp op, uint32_t left, uint32_t right) {
  const Term a = terms_[left], b = terms_[right];
  if ((op == TermOp::kFloorDiv || op == TermOp::kMod) && b.value == 0)
    return 0;
  __int128 value = Apply(op, a.value, b.value);
  if (value >= kFar || value <= -kFar)
    return 0;
  if (a.op == TermOp::kConstant && b.op == TermOp::kConstant)
    return Constant(static_cast<int64_t>(value));
  if (b.op == TermOp::kConstant &&
      ((b.value == 0 && (op == TermOp::kAdd || op == TermOp::kSub)) || (b.value == 1 && (op == TermOp::kMul || op == TermOp::kFloorDiv))))
    return left;
  if (a.op == TermOp::kConstant && ((a.value == 0 && op == TermOp::kAdd) || (a.value == 1 && op == TermOp::kMul)))
    return right;
  if ((op == TermOp::kAdd || op == TermOp::kMul) && right < left)
    return Combine(op, right, left);
  Term result{.op = op, .left = left, .right = right, .value = static_cast<int64_t>(value)};
  Bound(a, b, &result);
  return Add(result);
}

void Terms::Note(TermRelation relation, uint32_t left, uint32_t right) {
  if (noted_.emplace(static_cast<uint8_t>(relation), left, right).second)
    assumptions_.push_back({relation, left, right});
}

bool Terms::Decide(TermRelation relation, uint32_t left, uint32_t right) {
  const Term &a = terms_[left], &b = terms_[right];
  bool holds = Holds(relation, a.value, b.value);
  if (left == right)
    return holds;
  auto below = [](int64_t most, int64_t least) { return !IsFar(most) && !IsFar(least) && most < least; };
  auto within = [](int64_t most, int64_t least) { return !IsFar(most) && !IsFar(least) && most <= least; };
  bool apart = below(a.most, b.least) || below(b.most, a.least);
  bool fixed = a.least == a.most && b.least == b.most && !IsFar(a.least) && !IsFar(b.least);
  bool ordered = relation == TermRelation::kLt   ? below(a.most, b.least) || within(b.most, a.least)
                 : relation == TermRelation::kLe ? within(a.most, b.least) || below(b.most, a.least)
                                                 : apart;
  if (fixed || ordered)
    return holds;
  if (relation == TermRelation::kEq && holds && (a.op == TermOp::kConstant || b.op == TermOp::kConstant)) {
    Fix(a.op == TermOp::kConstant ? right : left);
    return true;
  }
  TermRelation noted = relation;
  if (!holds) {  // the opposite
    noted = relation == TermRelation::kEq   ? TermRelation::kNe
            : relation == TermRelation::kNe ? TermRelation::kEq
            : relation == TermRelation::kLt ? TermRelation::kLe
                                            : TermRelation::kLt;
    if (relation == TermRelation::kLt || relation == TermRelation::kLe)
      std::swap(left, right);
  }
  Note(noted, left, right);
  Term &low = terms_[left], &high = terms_[right];
  if (noted == TermRelation::kLt || noted == TermRelation::kLe) {
    int64_t step = noted == TermRelation::kLt ? 1 : 0;
    if (!IsFar(low.least))
      high.least = std::max(high.least, low.least + step);
    if (!IsFar(high.most))
      low.most = std::min(low.most, high.most - step);
  }
  return holds;
}

int64_t Terms::Fix(uint32_t term) {
  int64_t value = terms_[term].value;
  if (terms_[term].least == terms_[term].most && !IsFar(value))
    return value;
  Note(TermRelation::kEq, term, Constant(value));
  terms_[term].least = terms_[term].most = value;
  return value;
}

}  // namespace framegate::translator
