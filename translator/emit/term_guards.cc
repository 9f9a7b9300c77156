#include "translator/emit/term_guards.h"

namespace framegate::translator {

namespace {

// Adds the expression of a term; gives its place.
uint32_t AddTerm(const Terms& terms, uint32_t number, std::vector<guards::Term>* to) {
  using guards::CheckOp;
  const Term& term = terms.at(number);
  guards::Term made;
  switch (term.op) {
    case TermOp::kConstant:
      made = {.op = CheckOp::kWordConst, .value = term.value};
      break;
    case TermOp::kSize:
      made = {.op = CheckOp::kWordSize, .subject = term.subject, .dimension = term.dimension};
      break;
    case TermOp::kInt:
      made = {.op = CheckOp::kWordInt, .subject = term.subject};
      break;
    case TermOp::kAdd:
    case TermOp::kSub:
    case TermOp::kMul:
    case TermOp::kFloorDiv:
    case TermOp::kMod: {
      uint32_t left = AddTerm(terms, term.left, to), right = AddTerm(terms, term.right, to);
      CheckOp op = term.op == TermOp::kAdd        ? CheckOp::kWordAdd
                   : term.op == TermOp::kSub      ? CheckOp::kWordSub
                   : term.op == TermOp::kMul      ? CheckOp::kWordMul
                   : term.op == TermOp::kFloorDiv ? CheckOp::kWordFloorDiv
                                                  : CheckOp::kWordMod;
      made = {.op = op, .left = left, .right = right};
      break;
    }
  }
  to->push_back(made);
  return static_cast<uint32_t>(to->size() - 1);
}

guards::CheckOp OpOf(TermRelation relation) {
  switch (relation) {
    case TermRelation::kEq:
      return guards::CheckOp::kWordEq;
    case TermRelation::kNe:
      return guards::CheckOp::kWordNe;
    case TermRelation::kLt:
      return guards::CheckOp::kWordLt;
    case TermRelation::kLe:
      return guards::CheckOp::kWordLe;
  }
  return guards::CheckOp::kWordEq;
}

SubjectId FirstSubject(const std::vector<guards::Term>& terms) {
  for (const guards::Term& term : terms)
    if (term.subject != model::kNoSubject)
      return term.subject;
  return model::kNoSubject;
}

}  // namespace

void AddTermGuards(Session& s, guards::GuardSet* set) {
  auto add = [&](std::vector<guards::Term> terms) {
    SubjectId subject = FirstSubject(terms);
    set->guards.push_back({.kind = guards::GuardKind::kExpression, .subject = subject, .terms = std::move(terms)});
  };
  for (uint32_t base : s.base_terms()) {  // sizes and numbers of 0 and 1 are never symbols
    std::vector<guards::Term> terms;
    uint32_t least = AddTerm(s.terms(), s.terms().Constant(2), &terms), number = AddTerm(s.terms(), base, &terms);
    terms.push_back({.op = guards::CheckOp::kWordLe, .left = least, .right = number});
    add(std::move(terms));
  }
  for (const Session::StrideTerm& stride : s.stride_terms()) {
    std::vector<guards::Term> terms;
    uint32_t expected = AddTerm(s.terms(), stride.term, &terms);
    terms.push_back({.op = guards::CheckOp::kWordStride, .subject = stride.subject, .dimension = stride.dimension});
    terms.push_back({.op = guards::CheckOp::kWordEq, .left = expected, .right = static_cast<uint32_t>(terms.size() - 1)});
    add(std::move(terms));
  }
  for (const Terms::Assumption& assumption : s.terms().assumptions()) {
    std::vector<guards::Term> terms;
    uint32_t left = AddTerm(s.terms(), assumption.left, &terms), right = AddTerm(s.terms(), assumption.right, &terms);
    terms.push_back({.op = OpOf(assumption.relation), .left = left, .right = right});
    add(std::move(terms));
  }
}

}  // namespace framegate::translator
