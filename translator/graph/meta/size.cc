#include "translator/graph/meta/size.h"

namespace framegate::translator {

namespace {

uint32_t TermOf(const Size& size) {
  return size.term() != 0 ? size.term() : Terms::Current()->Constant(size.now());
}

int64_t Plain(TermOp op, int64_t a, int64_t b) {
  switch (op) {
    case TermOp::kAdd:
      return a + b;
    case TermOp::kSub:
      return a - b;
    case TermOp::kMul:
      return a * b;
    case TermOp::kFloorDiv:
      return a / b - (a % b != 0 && (a < 0) != (b < 0));
    case TermOp::kMod:
      return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    case TermOp::kConstant:
    case TermOp::kSize:
    case TermOp::kInt:
      break;
  }
  return 0;
}

}  // namespace

Size Size::Combine(TermOp op, const Size& a, const Size& b) {
  if (a.term_ == 0 && b.term_ == 0)
    return Plain(op, a.value_, b.value_);
  Terms& terms = *Terms::Current();
  uint32_t term = terms.Combine(op, TermOf(a), TermOf(b));
  if (term == 0)
    return Plain(op, static_cast<int64_t>(a), static_cast<int64_t>(b));
  if (terms.at(term).op == TermOp::kConstant)
    return terms.at(term).value;
  return Symbol(terms.at(term).value, term);
}

bool Size::Decide(TermRelation relation, const Size& a, const Size& b) {
  if (a.term_ != 0 || b.term_ != 0)
    return Terms::Current()->Decide(relation, TermOf(a), TermOf(b));
  switch (relation) {
    case TermRelation::kEq:
      return a.value_ == b.value_;
    case TermRelation::kNe:
      return a.value_ != b.value_;
    case TermRelation::kLt:
      return a.value_ < b.value_;
    case TermRelation::kLe:
      return a.value_ <= b.value_;
  }
  return false;
}

void Split(const Dims& dims, std::vector<int64_t>* numbers, std::vector<uint32_t>* terms) {
  numbers->clear();
  terms->clear();
  bool symbolic = false;
  for (const Size& size : dims) {
    numbers->push_back(size.now());
    terms->push_back(size.term());
    symbolic = symbolic || size.term() != 0;
  }
  if (!symbolic)
    terms->clear();
}

}  // namespace framegate::translator
