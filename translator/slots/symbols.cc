// Arithmetic on symbolic numbers.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

int32_t NumberOfTerm(TermOp op) {
  switch (op) {
    case TermOp::kAdd:
      return 0;
    case TermOp::kSub:
      return 10;
    case TermOp::kMul:
      return 5;
    case TermOp::kFloorDiv:
      return 2;
    case TermOp::kMod:
      return 6;
    case TermOp::kConstant:
    case TermOp::kSize:
    case TermOp::kInt:
      break;
  }
  return -1;
}

namespace {

// The expression's value in this call, by the same operation on plain numbers.
Outcome FloatSymbol(Interp& in, int32_t op, V left, V right) {
  auto now = [&](V value) -> V {
    auto* symbol = As<SymbolValue>(in.s.Look(value));
    return symbol == nullptr ? in.s.Look(value) : in.s.Const(symbol->now);
  };
  Outcome folded = in.Fold(StrCat("_operator:", OperatorName(op)), {.positional = {now(left), now(right)}});
  const Constant* constant = folded.ok() ? AsConstant(folded.value) : nullptr;
  if (constant == nullptr || constant->kind != ConstantKind::kFloat)  // it raises, for these numbers
    return in.Done(nullptr);
  auto* symbol = in.s.New<SymbolValue>();
  symbol->op = op;
  symbol->left = left;
  symbol->right = right;
  symbol->now = *constant;
  return in.Done(symbol);
}

// The result of the operator on the numbers of this call is small enough to be computed with.
bool Fits(TermOp op, const Size& x, const Size& y) {
  const __int128 a = x.now(), b = y.now();
  const __int128 result = op == TermOp::kAdd ? a + b : op == TermOp::kSub ? a - b : op == TermOp::kMul ? a * b : a;
  return result < kFar && result > -kFar && a < kFar && a > -kFar && b < kFar && b > -kFar;
}

}  // namespace

bool IsFloatSymbol(Session& s, V value) {
  auto* symbol = As<SymbolValue>(s.Look(value));
  return symbol != nullptr && symbol->known == nullptr && symbol->now.kind == ConstantKind::kFloat;
}

// Arithmetic on numbers of which one is symbolic. Value null: not that.
Outcome SymbolOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  auto *a = As<SymbolValue>(left), *b = As<SymbolValue>(right);
  auto numeric = [](V value) {
    const Constant* constant = AsConstant(value);
    return constant != nullptr && (constant->is_int() || constant->kind == ConstantKind::kFloat);
  };
  if ((a != nullptr && a->comparison >= 0) || (b != nullptr && b->comparison >= 0))
    return in.Done(nullptr);
  if ((a == nullptr && b == nullptr) || (a == nullptr && !numeric(left)) || (b == nullptr && !numeric(right)))
    return in.Done(nullptr);
  int32_t plain = number % 13;
  Size x, y;
  bool ints = s.AsSize(left, &x) && s.AsSize(right, &y);
  const TermOp term = plain == 0 ? TermOp::kAdd : plain == 10 ? TermOp::kSub : plain == 5 || plain == 8 ? TermOp::kMul : TermOp::kMod;
  if (ints && !Fits(term, x, plain == 8 ? x : y))
    return in.Done(nullptr);
  if (ints && plain == 0)
    return in.Done(s.Number(x + y));
  if (ints && plain == 10)
    return in.Done(s.Number(x - y));
  if (ints && plain == 5)
    return in.Done(s.Number(x * y));
  if (ints && (plain == 2 || plain == 6) && y != 0)
    return in.Done(s.Number(Size::Combine(plain == 2 ? TermOp::kFloorDiv : TermOp::kMod, x, y)));
  if (plain == 11 && b != nullptr && b->term == 0)  // it may be 0 in another call
    return in.Done(nullptr);
  if (ints && plain == 8 && y.term() == 0 && y.now() == 2)
    return in.Done(s.Number(x * x));
  Size divisor;
  bool zero = plain == 11 && s.AsSize(right, &divisor) && divisor == 0;
  bool floats = plain == 11 || (!ints && (plain == 0 || plain == 5 || plain == 10 ||
                                          (plain == 8 && a != nullptr && a->term != 0 && s.terms().at(a->term).least >= 0)));
  return floats && !zero ? FloatSymbol(in, plain, left, right) : in.Done(nullptr);
}

}  // namespace framegate::translator
