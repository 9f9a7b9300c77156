#include "guards/kinds/kind.h"

namespace framegate::guards {

namespace {

constexpr size_t kMaxTerms = 1000;

absl::Status VerifyTerm(const Term& term, size_t place) {
  switch (ShapeOf(term.op)) {
    case OperandShape::kWord:
      return absl::OkStatus();
    case OperandShape::kDim:
    case OperandShape::kWO:
      if (term.subject == model::kNoSubject || term.dimension > UINT16_MAX)
        return absl::InvalidArgumentError("expression: a term has no subject, or no such dimension");
      return absl::OkStatus();
    case OperandShape::kWFact:
      if (term.subject == model::kNoSubject || model::ShapeOf(term.fact) != model::FactShape::kWord)
        return absl::InvalidArgumentError("expression: a term has no subject, or a fact that is no word");
      return absl::OkStatus();
    case OperandShape::kWWW:
      if (term.left >= place || term.right >= place || term.subject != model::kNoSubject)
        return absl::InvalidArgumentError("expression: a term does not refer to terms before it");
      return absl::OkStatus();
    case OperandShape::kNone:
    case OperandShape::kO:
    case OperandShape::kOO:
    case OperandShape::kOType:
    case OperandShape::kOHandle:
    case OperandShape::kPart:
    case OperandShape::kSlot:
    case OperandShape::kBody:
    case OperandShape::kW:
      break;
  }
  return absl::InvalidArgumentError("expression: an operation that gives no word");
}

// Terms have the word registers of their places.
void AddTerm(const Term& term, uint16_t place, model::SubjectId about, Emitter& emitter) {
  ProgramBuilder& builder = emitter.builder();
  const model::SubjectId subject = term.subject == model::kNoSubject ? about : term.subject;
  if (term.op == CheckOp::kWordConst)
    builder.AddImm(term.op, 0, place, builder.Number(static_cast<uint64_t>(term.value)), subject);
  else if (term.op == CheckOp::kWordFact)
    builder.Add(
        {.op = static_cast<uint8_t>(term.op), .sub = static_cast<uint8_t>(term.fact), .a = place, .b = emitter.Object(term.subject)},
        subject);
  else if (term.subject != model::kNoSubject)
    builder.Add(term.op, place, emitter.Object(term.subject), static_cast<uint16_t>(term.dimension), subject);
  else
    builder.Add(term.op, place, static_cast<uint16_t>(term.left), static_cast<uint16_t>(term.right), subject);
}

}  // namespace

template <>
absl::Status Kind<GuardKind::kExpression>::Verify(const Guard& guard) {
  if (guard.terms.empty() || guard.terms.size() > kMaxTerms)
    return absl::InvalidArgumentError("expression: no terms, or too many");
  for (size_t i = 0; i < guard.terms.size(); ++i)
    RETURN_IF_ERROR(VerifyTerm(guard.terms[i], i));
  return absl::OkStatus();
}

template <>
Subjects Kind<GuardKind::kExpression>::Needs(const Guard& guard) {
  Subjects needs;
  for (const Term& term : guard.terms)
    if (term.subject != model::kNoSubject)
      needs.push_back(term.subject);
  return needs;
}

template <>
absl::Status Kind<GuardKind::kExpression>::Lower(const Guard& guard, Emitter& emitter) {
  for (size_t i = 0; i < guard.terms.size(); ++i)
    AddTerm(guard.terms[i], static_cast<uint16_t>(i), guard.subject, emitter);
  emitter.builder().Add(CheckOp::kCheckTrue, static_cast<uint16_t>(guard.terms.size() - 1), 0, 0, guard.subject);
  emitter.UseWords(guard.terms.size());
  return absl::OkStatus();
}

}  // namespace framegate::guards
