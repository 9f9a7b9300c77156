// Operators, comparison, truth, identity, containment.
#include <array>

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

bool IsNotImplemented(Session& s, V value) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr && c->kind == ConstantKind::kNotImplemented;
}

Outcome TryMethod(Interp& in, V self, const char* name, V other) {
  TypeValue* type = in.s.TypeOf(self);
  V meta = type == nullptr ? nullptr : in.s.TypeAttr(type, name);
  if (meta == nullptr)
    return in.Done(nullptr);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(self, name));
  FRAMEGATE_TAKE(V value, in.Call(method, {.positional = {other}}));
  return in.Done(IsNotImplemented(in.s, value) ? nullptr : value);
}

namespace {

struct Operator {
  const char* symbol;     // of the _operator module
  const char* method;     // __add__
  const char* reflected;  // __radd__
  const char* in_place;   // __iadd__
  const char* text;
};

// By CPython's NB_* numbers; in-place ones are 13 more.
constexpr std::array<Operator, 13> kOperators = {{
    {"add", "__add__", "__radd__", "__iadd__", "+"},
    {"and_", "__and__", "__rand__", "__iand__", "&"},
    {"floordiv", "__floordiv__", "__rfloordiv__", "__ifloordiv__", "//"},
    {"lshift", "__lshift__", "__rlshift__", "__ilshift__", "<<"},
    {"matmul", "__matmul__", "__rmatmul__", "__imatmul__", "@"},
    {"mul", "__mul__", "__rmul__", "__imul__", "*"},
    {"mod", "__mod__", "__rmod__", "__imod__", "%"},
    {"or_", "__or__", "__ror__", "__ior__", "|"},
    {"pow", "__pow__", "__rpow__", "__ipow__", "** or pow()"},
    {"rshift", "__rshift__", "__rrshift__", "__irshift__", ">>"},
    {"sub", "__sub__", "__rsub__", "__isub__", "-"},
    {"truediv", "__truediv__", "__rtruediv__", "__itruediv__", "/"},
    {"xor", "__xor__", "__rxor__", "__ixor__", "^"},
}};
constexpr std::array<const char*, 13> kInPlaceSymbols = {"iadd", "iand", "ifloordiv", "ilshift", "imatmul",  "imul", "imod",
                                                         "ior",  "ipow", "irshift",   "isub",    "itruediv", "ixor"};

}  // namespace

std::string_view OperatorName(int32_t number) {
  return kOperators[static_cast<size_t>(number)].symbol;
}

namespace {

// Small ints without a question to anybody. False: let the client do it (overflow, division by zero, floats, strings).
bool FoldInts(int32_t number, int64_t a, int64_t b, int64_t* result) {
  switch (number) {
    case 0:
      return !__builtin_add_overflow(a, b, result);
    case 1:
      *result = a & b;
      return true;
    case 5:
      return !__builtin_mul_overflow(a, b, result);
    case 7:
      *result = a | b;
      return true;
    case 10:
      return !__builtin_sub_overflow(a, b, result);
    case 12:
      *result = a ^ b;
      return true;
    case 2:
    case 6: {
      if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
      int64_t quotient = a / b, rest = a % b;
      bool adjust = rest != 0 && (rest < 0) != (b < 0);
      *result = number == 2 ? quotient - adjust : rest + (adjust ? b : 0);
      return true;
    }
    default:
      return false;
  }
}

Outcome FoldBinary(Interp& in, int32_t number, V left, V right) {
  const Constant *a = AsConstant(left), *b = AsConstant(right);
  int32_t plain = number % 13;
  if (a->is_int() && b->is_int()) {
    int64_t result = 0;
    if (FoldInts(plain, a->integer, b->integer, &result))
      return in.Done(in.s.Int(result));
  }
  if (a->kind == ConstantKind::kFloat && b->kind == ConstantKind::kFloat) {
    if (plain == 0)
      return in.Done(in.s.Const(Constant::Float(a->real + b->real)));
    if (plain == 10)
      return in.Done(in.s.Const(Constant::Float(a->real - b->real)));
    if (plain == 5)
      return in.Done(in.s.Const(Constant::Float(a->real * b->real)));
  }
  if (a->is_str() && b->is_str() && plain == 0)
    return in.Done(in.s.Str(a->text + b->text));
  Outcome outcome = in.Fold(StrCat("_operator:", kOperators[static_cast<size_t>(plain)].symbol), {.positional = {left, right}});
  auto* exception = outcome.flow == Flow::kRaise && number >= 13 ? As<ObjectValue>(in.s.raised) : nullptr;
  const Constant* text = exception == nullptr || exception->arguments.empty() ? nullptr : AsConstant(exception->arguments[0]);
  std::string_view prefix = "unsupported operand type(s) for ";
  if (text != nullptr && text->is_str() && text->text.starts_with(prefix)) {  // in-place operators are named so
    std::string rest = text->text.substr(text->text.find(": "));
    exception->arguments[0] = in.s.Str(StrCat(prefix, plain == 8 ? "**" : kOperators[static_cast<size_t>(plain)].text, "=", rest));
  }
  return outcome;
}

// A container's subclass with an operator of its own.
bool OverridesOperator(Session& s, int32_t number, V value) {
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr || !type->Has(TypeFlag::kHeapType))
    return false;
  const Operator& op = kOperators[static_cast<size_t>(number % 13)];
  for (const char* name : {op.method, op.reflected, op.in_place})
    if (As<FunctionValue>(s.Resolve(s.TypeAttr(type, name))) != nullptr)
      return true;
  return false;
}

std::string UnsupportedOperands(int32_t number, TypeValue* a, TypeValue* b) {
  const Operator& op = kOperators[static_cast<size_t>(number % 13)];
  const std::string text = number >= 13 ? StrCat(number == 21 ? "**" : op.text, "=") : op.text;
  return StrCat("unsupported operand type(s) for ", text, ": '", FullTypeName(a), "' and '", FullTypeName(b), "'");
}

Outcome BinaryByMethods(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  const Operator& op = kOperators[static_cast<size_t>(number % 13)];
  TypeValue *a = s.TypeOf(left), *b = s.TypeOf(right);
  if (a == nullptr || b == nullptr)
    return in.Break(Reason::kUnsupportedValue, StrCat("operator ", op.text));
  if (number >= 13) {
    FRAMEGATE_TAKE(V value, TryMethod(in, left, op.in_place, right));
    if (value != nullptr)
      return in.Done(value);
  }
  bool right_first = a != b && s.IsSubclassOf(b, a) && s.TypeAttr(b, op.reflected) != nullptr &&
                     s.TypeAttr(b, op.reflected) != s.TypeAttr(a, op.reflected);
  if (right_first) {
    FRAMEGATE_TAKE(V value, TryMethod(in, right, op.reflected, left));
    if (value != nullptr)
      return in.Done(value);
  }
  FRAMEGATE_TAKE(V value, TryMethod(in, left, op.method, right));
  if (value != nullptr)
    return in.Done(value);
  if (a != b && !right_first) {
    FRAMEGATE_TAKE(V reflected, TryMethod(in, right, op.reflected, left));
    if (reflected != nullptr)
      return in.Done(reflected);
  }
  auto is_sequence = [&](TypeValue* type) {
    return type->Has(TypeFlag::kListSubclass) || type->Has(TypeFlag::kTupleSubclass) || type->Has(TypeFlag::kStrSubclass) ||
           type->Has(TypeFlag::kBytesSubclass);
  };
  if (number % 13 == 5 && (is_sequence(a) || is_sequence(b)))
    return in.Raise("builtins:TypeError", StrCat("can't multiply sequence by non-int of type '", TypeName(is_sequence(a) ? b : a), "'"));
  if (number % 13 == 0 && a->Has(TypeFlag::kStrSubclass))
    return in.Raise("builtins:TypeError", StrCat("can only concatenate str (not \"", TypeName(b), "\") to str"));
  return in.Raise("builtins:TypeError", UnsupportedOperands(number, a, b));
}

Outcome BinaryInFrames(Interp& in, int32_t number, V left, V right, Tail tail) {
  Session& s = in.s;
  const Operator& op = kOperators[static_cast<size_t>(number % 13)];
  left = s.Resolve(left);
  right = s.Resolve(right);
  TypeValue *a = s.TypeOf(left), *b = s.TypeOf(right);
  if (a == nullptr || b == nullptr || As<TensorValue>(left) != nullptr || (a != b && s.IsSubclassOf(b, a)))
    return in.Break(Reason::kUnsupportedValue, StrCat("operator ", op.text));
  std::vector<MethodCall> calls;
  if (number >= 13)
    calls.push_back({left, op.in_place, right});
  calls.push_back({left, op.method, right});
  if (a != b && As<TensorValue>(right) == nullptr)
    calls.push_back({right, op.reflected, left});
  return FirstImplemented(in, calls, UnsupportedOperands(number, a, b), tail);
}

// Between a tensor and an object that is none for torch: the object's class decides. Value null: it has no say.
Outcome ByObjectsMethod(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  const Operator& op = kOperators[static_cast<size_t>(number % 13)];
  const bool is_left = As<ObjectValue>(left) != nullptr;
  auto* object = As<ObjectValue>(is_left ? left : right);
  TypeValue* type = object == nullptr ? nullptr : s.TypeOf(object);
  if (!is_left && NumberOfNumpy(s, right) != nullptr)
    return in.Done(nullptr);
  if (type == nullptr || (!is_left && s.TypeAttr(type, "__torch_function__") != nullptr))
    return in.Done(nullptr);
  if (is_left && number >= 13) {
    FRAMEGATE_TAKE(V value, TryMethod(in, left, op.in_place, right));
    if (value != nullptr)
      return in.Done(value);
  }
  return is_left ? TryMethod(in, left, op.method, right) : TryMethod(in, right, op.reflected, left);
}

}  // namespace

namespace {

// Arithmetic of floats of which one is known only at run time; null: not for these, or it may raise.
V ArithmeticLater(Session& s, int32_t number, V left, V right) {
  auto is_number = [&](V value) {
    TypeValue* type = s.TypeOf(value);
    return type != nullptr && (type->is("builtins:float") ? As<ResidualValue>(value) != nullptr || AsConstant(value) != nullptr
                                                          : type->is("builtins:int") && AsConstant(value) != nullptr);
  };
  const Constant* divisor = AsConstant(right);
  const bool divides =
      number == 11 && divisor != nullptr && (divisor->kind == ConstantKind::kFloat ? divisor->real != 0 : divisor->integer != 0);
  if ((number != 0 && number != 5 && number != 10 && !divides) || !is_number(left) || !is_number(right) ||
      (As<ResidualValue>(left) == nullptr && As<ResidualValue>(right) == nullptr))
    return nullptr;
  for (V side : {left, right})  // an int that is too large for a float raises
    if (const Constant* c = AsConstant(side); c != nullptr && c->kind == ConstantKind::kBigInt)
      return nullptr;
  auto* value = s.New<ResidualValue>();
  value->type = s.TypeOfSymbol("builtins:float");
  value->function = OperatorName(number);
  value->of = left;
  value->key = right;
  return value;
}

}  // namespace

Outcome Interp::BinaryOp(int32_t number, V left, V right, Tail tail) {
  if (tail.allowed)
    return SyncOrFrames(
        *this, left, right, tail, [&] { return BinaryOp(number, left, right); },
        [&] { return BinaryInFrames(*this, number, left, right, tail); });
  left = s.Look(left);
  right = s.Look(right);
  if (left != nullptr && right != nullptr) {
    FRAMEGATE_TAKE(V symbolic, SymbolOp(*this, number, left, right));
    if (symbolic != nullptr)
      return Done(symbolic);
    if (As<TensorValue>(left) == nullptr && As<TensorValue>(right) == nullptr) {
      left = s.Resolve(left);
      right = s.Resolve(right);
    }
  }
  if (left == nullptr || right == nullptr)
    return Break(Reason::kUnsupportedValue, "an operator on NULL");
  if (As<TensorValue>(left) != nullptr || As<TensorValue>(right) != nullptr) {
    FRAMEGATE_TAKE(V value, ByObjectsMethod(*this, number, left, right));
    if (value != nullptr)
      return Done(value);
    const char* symbol = number >= 13 ? kInPlaceSymbols[static_cast<size_t>(number - 13)] : kOperators[static_cast<size_t>(number)].symbol;
    if (number >= 13 && As<TensorValue>(left) == nullptr)
      symbol = kOperators[static_cast<size_t>(number - 13)].symbol;
    return GraphCall(model::NodeOp::kCallFunction, StrCat("_operator:", symbol), {.positional = {left, right}});
  }
  if (AsConstant(left) != nullptr && AsConstant(right) != nullptr)
    return FoldBinary(*this, number, left, right);
  Constant unused;
  if (const Constant* format = AsConstant(left);
      format != nullptr && format->is_str() && number % 13 == 6 &&
      (As<ObjectValue>(right) == nullptr || s.TypeAttr(s.TypeOf(right), "__rmod__") == nullptr)) {
    if (ToConstant(s, right, &unused))
      return Fold("_operator:mod", {.positional = {left, right}});
    return FormatPercent(*this, format->text, right);
  }
  if (!OverridesOperator(s, number, left) && !OverridesOperator(s, number, right)) {
    FRAMEGATE_TAKE(V value, ContainerOp(*this, number, left, right));
    if (value != nullptr)
      return Done(value);
  }
  if (V later = ArithmeticLater(s, number % 13, left, right))
    return Done(later);
  if (As<ResidualValue>(left) != nullptr || As<ResidualValue>(right) != nullptr || As<OpaqueValue>(left) != nullptr ||
      As<OpaqueValue>(right) != nullptr)
    return Break(Reason::kUnsupportedValue, StrCat("operator ", kOperators[static_cast<size_t>(number % 13)].text));
  return BinaryByMethods(*this, number, left, right);
}

Outcome Interp::UnaryOp(char op, V operand, Tail tail) {
  if (Size size; op == '-' && As<SymbolValue>(s.Look(operand)) != nullptr && s.AsSize(operand, &size) && std::abs(size.now()) < kFar)
    return Done(s.Number(-size));
  if (op == '-' && IsFloatSymbol(s, operand))
    return BinaryOp(5, operand, s.Int(-1));
  operand = s.Resolve(operand);
  const char* symbol = op == '-' ? "neg" : op == '+' ? "pos" : "invert";
  if (As<TensorValue>(operand) != nullptr)
    return GraphCall(model::NodeOp::kCallFunction, StrCat("_operator:", symbol), {.positional = {operand}});
  if (const Constant* c = AsConstant(operand)) {
    if (c->is_int() && op == '-' && c->integer != INT64_MIN)
      return Done(s.Int(-c->integer));
    if (c->kind == ConstantKind::kFloat && op == '-')
      return Done(s.Const(Constant::Float(-c->real)));
    return Fold(StrCat("_operator:", symbol), {.positional = {operand}});
  }
  FRAMEGATE_TAKE(V method, LookupSpecial(operand, StrCat("__", symbol, "__")));
  if (method == nullptr)
    return Raise("builtins:TypeError", StrCat("bad operand type for unary ", op, ": '", FullTypeName(s.TypeOf(operand)), "'"));
  return Call(method, {}, tail);
}

bool CallOperator(Interp& in, std::string_view name, const Args& args, Outcome* outcome) {
  constexpr std::string_view kComparisons[] = {"lt", "le", "eq", "ne", "gt", "ge"};
  if (!args.keyword.empty())
    return false;
  const Values& given = args.positional;
  auto done = [&](Outcome result) {
    *outcome = result;
    return true;
  };
  if (given.size() == 2) {
    for (int32_t number = 0; number < 13; ++number) {
      if (name == kOperators[static_cast<size_t>(number)].symbol)
        return done(in.BinaryOp(number, given[0], given[1]));
      if (name == kInPlaceSymbols[static_cast<size_t>(number)])
        return done(in.BinaryOp(number + 13, given[0], given[1]));
    }
    for (int32_t op = 0; op < 6; ++op)
      if (name == kComparisons[op])
        return done(in.Compare(op, given[0], given[1]));
    if (name == "getitem")
      return done(in.GetItem(given[0], given[1]));
    if (name == "delitem")
      return done(in.SetItem(given[0], given[1], nullptr));
    if (name == "contains")
      return done(in.Contains(given[0], given[1]));
    if (name == "concat" || name == "iconcat")
      return done(in.BinaryOp(name == "concat" ? 0 : 13, given[0], given[1]));
    if (name == "is_")
      return done(in.Is(given[0], given[1]));
    if (name == "is_not") {
      *outcome = in.Is(given[0], given[1]);
      if (outcome->ok())
        outcome->value = in.s.Bool(outcome->value != in.s.Bool(true));
      return true;
    }
  }
  if (name == "call" && !given.empty())
    return done(in.Call(given[0], {.positional = {given.begin() + 1, given.end()}}));
  if (given.size() == 1 && (name == "truth" || name == "not_")) {
    *outcome = in.Truth(given[0]);
    if (outcome->ok() && name == "not_")
      outcome->value = in.s.Bool(outcome->value != in.s.Bool(true));
    return true;
  }
  if (given.size() == 3 && name == "setitem")
    return done(in.SetItem(given[0], given[1], given[2]));
  if (given.size() == 1 && (name == "neg" || name == "pos" || name == "invert"))
    return done(in.UnaryOp(name == "neg" ? '-' : name == "pos" ? '+' : '~', given[0]));
  return false;
}

Outcome Interp::Is(V left, V right) {
  for (auto [one, other] : {std::pair(left, right), std::pair(right, left)})
    if (const Constant* constant = AsConstant(s.Look(other)); constant != nullptr)
      if (auto* symbol = As<SymbolValue>(s.Look(one)); symbol != nullptr && symbol->comparison < 0 && symbol->now.kind != constant->kind)
        return Done(s.Bool(false));
  left = s.Resolve(left);
  right = s.Resolve(right);
  const Constant *a = AsConstant(left), *b = AsConstant(right);
  if (a != nullptr && b != nullptr) {
    bool singleton = a->is_none() || a->is_bool() || a->kind == ConstantKind::kEllipsis || a->kind == ConstantKind::kNotImplemented ||
                     a->kind == ConstantKind::kDtype || a->kind == ConstantKind::kLayout || a->kind == ConstantKind::kMemoryFormat ||
                     a->kind == ConstantKind::kMember;
    if (!(*a == *b) || singleton)
      return Done(s.Bool(*a == *b));
    if (left->is_real() && right->is_real()) {  // real ones are told apart by what they are
      if (left->handle == right->handle)
        s.GuardSame(left->subject, right->subject);
      else
        s.AddGuard({.kind = guards::GuardKind::kDistinct,
                    .subject = std::max(left->subject, right->subject),
                    .other = std::min(left->subject, right->subject)});
      return Done(s.Bool(left->handle == right->handle));
    }
    if (a->kind == ConstantKind::kRange && left->is_real() != right->is_real())
      return Done(s.Bool(false));  // every range that is made is a new object
    if (left == right || (a->is_int() && a->integer >= -5 && a->integer <= 256))
      return Done(s.Bool(true));
    return Break(Reason::kUnsupportedValue, "`is` on equal constants");
  }
  if ((a != nullptr) != (b != nullptr)) {
    V other = a != nullptr ? right : left;
    if (As<ResidualValue>(other) != nullptr)
      return Break(Reason::kUnsupportedValue, "`is` on a value known only at run time");
    return Done(s.Bool(false));
  }
  if (As<ResidualValue>(left) != nullptr || As<ResidualValue>(right) != nullptr)
    return Break(Reason::kUnsupportedValue, "`is` on a value known only at run time");
  if (left != right && left->is_real() && right->is_real() && left->subject != model::kNoSubject)
    s.AddGuard({.kind = guards::GuardKind::kDistinct,
                .subject = std::max(left->subject, right->subject),
                .other = std::min(left->subject, right->subject)});
  if (left != right && left->kind == right->kind && left->kind == ValueKind::kMethod)
    return Done(s.Bool(false));
  auto *p = As<ViewValue>(left), *q = As<ViewValue>(right);
  if (p != nullptr && q != nullptr && p->form == ViewForm::kInstanceDict && q->form == p->form)
    return Is(p->target, q->target);
  auto *m = As<SequenceValue>(left), *n = As<SequenceValue>(right);
  if (m != nullptr && n != nullptr && m->items.empty() && n->items.empty() && s.TypeOf(m)->is("builtins:tuple") &&
      s.TypeOf(n)->is("builtins:tuple"))
    return Done(s.Bool(true));
  if (m != nullptr && n != nullptr && m != n && !m->is_real() && !n->is_real() && m->literal != nullptr && m->literal == n->literal)
    return Done(s.Bool(true));
  return Done(s.Bool(left == right));
}

Outcome Interp::Truth(V value, Tail) {
  if (Size size; As<SymbolValue>(s.Look(value)) != nullptr && s.AsSize(value, &size))
    return Done(s.Bool(size != 0));
  value = s.Resolve(value);
  if (value == nullptr)
    return Break(Reason::kUnsupportedValue, "the truth of NULL");
  if (const Constant* c = AsConstant(value)) {
    switch (c->kind) {
      case ConstantKind::kNone:
      case ConstantKind::kFalse:
        return Done(s.Bool(false));
      case ConstantKind::kInt:
        return Done(s.Bool(c->integer != 0));
      case ConstantKind::kFloat:
        return Done(s.Bool(c->real != 0));
      case ConstantKind::kComplex:
        return Done(s.Bool(c->real != 0 || c->imaginary != 0));
      case ConstantKind::kStr:
      case ConstantKind::kBytes:
        return Done(s.Bool(!c->text.empty()));
      case ConstantKind::kTuple:
      case ConstantKind::kSize:
      case ConstantKind::kFrozenset:
        return Done(s.Bool(!c->items.empty()));
      case ConstantKind::kRange: {
        FRAMEGATE_TAKE(V length, Length(value));
        return Truth(length);
      }
      default:
        return Done(s.Bool(true));
    }
  }
  switch (value->kind) {
    case ValueKind::kTensor:
      return Break(Reason::kTensorBranch, "the truth of a tensor");
    case ValueKind::kFunction:
    case ValueKind::kMethod:
    case ValueKind::kBuiltin:
    case ValueKind::kCell:
    case ValueKind::kGenerator:
    case ValueKind::kIterator:
    case ValueKind::kSlice:
      return Done(s.Bool(true));
    case ValueKind::kSymbol:
    case ValueKind::kResidual:
    case ValueKind::kOpaque:
      return Break(Reason::kTensorBranch, "the truth of a value known only at run time");
    default:
      break;
  }
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "truth");
  if (s.TypeAttr(type, "__bool__") != nullptr) {
    FRAMEGATE_TAKE(V method, LookupSpecial(value, "__bool__"));
    FRAMEGATE_TAKE(V result, Call(method, {}));
    result = s.Resolve(result);
    const Constant* c = AsConstant(result);
    if (c == nullptr || !c->is_bool())
      return As<TensorValue>(s.Resolve(result)) != nullptr
                 ? Break(Reason::kTensorValue, "__bool__ gives a tensor")
                 : Raise("builtins:TypeError", StrCat("__bool__ should return bool, returned ", TypeName(s.TypeOf(result))));
    return Done(result);
  }
  bool has_length = As<SequenceValue>(value) != nullptr || As<MappingValue>(value) != nullptr || As<SetValue>(value) != nullptr ||
                    As<ViewValue>(value) != nullptr || s.TypeAttr(type, "__len__") != nullptr;
  if (!has_length)
    return Done(s.Bool(true));
  FRAMEGATE_TAKE(V length, Length(value));
  const Constant* c = AsConstant(s.Resolve(length));
  return c == nullptr ? Break(Reason::kUnsupportedValue, "a length known only at run time") : Done(s.Bool(IntValue(*c) != 0));
}

}  // namespace framegate::translator
