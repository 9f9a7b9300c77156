// Operators, comparison, truth, identity, containment.
#include <array>

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

struct Operator {
  const char* symbol;      // of the _operator module
  const char* method;      // __add__
  const char* reflected;   // __radd__
  const char* in_place;    // __iadd__
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
constexpr std::array<const char*, 13> kInPlaceSymbols = {"iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imul", "imod",
                                                         "ior", "ipow", "irshift", "isub", "itruediv", "ixor"};

struct Comparison {
  const char* symbol;
  const char* method;
  const char* reflected;
  const char* text;
};
constexpr std::array<Comparison, 6> kComparisons = {{{"lt", "__lt__", "__gt__", "<"},
                                                     {"le", "__le__", "__ge__", "<="},
                                                     {"eq", "__eq__", "__eq__", "=="},
                                                     {"ne", "__ne__", "__ne__", "!="},
                                                     {"gt", "__gt__", "__lt__", ">"},
                                                     {"ge", "__ge__", "__le__", ">="}}};

// Small ints without a question to anybody. False: let the client do it (overflow, division by zero, floats, strings).
bool FoldInts(int32_t number, int64_t a, int64_t b, int64_t* result) {
  switch (number) {
    case 0: return !__builtin_add_overflow(a, b, result);
    case 1: *result = a & b; return true;
    case 5: return !__builtin_mul_overflow(a, b, result);
    case 7: *result = a | b; return true;
    case 10: return !__builtin_sub_overflow(a, b, result);
    case 12: *result = a ^ b; return true;
    case 2:
    case 6: {
      if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
      int64_t quotient = a / b, rest = a % b;
      bool adjust = rest != 0 && (rest < 0) != (b < 0);
      *result = number == 2 ? quotient - adjust : rest + (adjust ? b : 0);
      return true;
    }
    default: return false;
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
    if (plain == 0) return in.Done(in.s.Const(Constant::Float(a->real + b->real)));
    if (plain == 10) return in.Done(in.s.Const(Constant::Float(a->real - b->real)));
    if (plain == 5) return in.Done(in.s.Const(Constant::Float(a->real * b->real)));
  }
  if (a->is_str() && b->is_str() && plain == 0)
    return in.Done(in.s.Str(a->text + b->text));
  return in.Fold(StrCat("_operator:", kOperators[static_cast<size_t>(plain)].symbol), {.positional = {left, right}});
}

bool IsNotImplemented(Session& s, V value) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr && c->kind == ConstantKind::kNotImplemented;
}

// list and tuple: + and *. Value null: not for them.
Outcome SequenceOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  int32_t plain = number % 13;
  auto *a = As<SequenceValue>(left), *b = As<SequenceValue>(right);
  auto plain_type = [&](V v) { return s.TypeOf(v)->is("builtins:list") || s.TypeOf(v)->is("builtins:tuple"); };
  if (plain == 0 && a != nullptr && b != nullptr && plain_type(a) && s.TypeOf(a) == s.TypeOf(b)) {
    if (number >= 13 && s.TypeOf(a)->is("builtins:list"))
      return in.CallBuiltin("builtins:list.__iadd__", {.positional = {left, right}}, kSync);
    Values items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return in.Done(s.TypeOf(a)->is("builtins:list") ? s.List(std::move(items)) : s.Tuple(std::move(items)));
  }
  if (number == 13 && a != nullptr && s.TypeOf(a)->is("builtins:list"))
    return in.CallBuiltin("builtins:list.__iadd__", {.positional = {left, right}}, kSync);
  SequenceValue* sequence = a != nullptr ? a : b;
  const Constant* times = sequence == nullptr ? nullptr : IntOf(s, sequence == a ? right : left);
  if (plain == 5 && times != nullptr && plain_type(sequence) && !(number >= 13 && s.TypeOf(sequence)->is("builtins:list"))) {
    int64_t count = std::max<int64_t>(0, IntValue(*times));
    if (static_cast<uint64_t>(count) * sequence->items.size() > 100'000)
      return in.Break(Reason::kValueBudget, "a repeated sequence");
    Values items;
    for (int64_t i = 0; i < count; ++i)
      items.insert(items.end(), sequence->items.begin(), sequence->items.end());
    return in.Done(s.TypeOf(sequence)->is("builtins:list") ? s.List(std::move(items)) : s.Tuple(std::move(items)));
  }
  return in.Done(nullptr);
}

// Sets: & | - ^, in place for sets that change. Dicts: |. Value null: not for them.
Outcome SetOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  int32_t plain = number % 13;
  auto *a = As<SetValue>(left), *b = As<SetValue>(right);
  if (a == nullptr || b == nullptr || s.TypeOf(a)->Has(TypeFlag::kHeapType) || s.TypeOf(b)->Has(TypeFlag::kHeapType) ||
      (plain != 1 && plain != 7 && plain != 10 && plain != 12))
    return in.Done(nullptr);
  Values items;
  for (V item : a->items) {
    bool in_both = b->index.contains(s.HashKey(item));
    if (plain == 7 || in_both == (plain == 1))
      items.push_back(item);
  }
  for (V item : b->items)
    if ((plain == 7 || plain == 12) && !a->index.contains(s.HashKey(item)))
      items.push_back(item);
  bool in_place = number >= 13 && s.TypeOf(a)->is("builtins:set");
  auto* set = in_place ? a : s.New<SetValue>();
  if (in_place) {
    s.Touch(set);
    set->items.clear();
    set->index.clear();
    ++set->version;
  } else {
    set->type = s.TypeOf(a);
    set->mutable_made = true;
  }
  for (V item : items) {
    set->index[s.HashKey(item)] = static_cast<uint32_t>(set->items.size());
    set->items.push_back(item);
  }
  if (in_place && set->is_real())
    s.AddEffect({.helper = model::Helper::kSetAssign, .args = {set, s.Tuple(set->items)}});
  return in.Done(set);
}

Outcome DictOp(Interp& in, int32_t number, V left, V right) {
  Session& s = in.s;
  auto *a = As<MappingValue>(left), *b = As<MappingValue>(right);
  if (number % 13 != 7 || a == nullptr || b == nullptr || !s.TypeOf(a)->is("builtins:dict") || !s.TypeOf(b)->is("builtins:dict") ||
      !s.Complete(a) || !s.Complete(b))
    return in.Done(nullptr);
  MappingValue* merged = number >= 13 ? a : s.Dict();
  if (merged != a)
    for (const auto& [key, value] : a->items)
      s.MappingSet(merged, key, value);
  auto items = b->items;
  for (const auto& [key, value] : items)
    s.MappingSet(merged, key, value);
  return in.Done(merged);
}

// One method of one operand: `method(self, other)`, value null where the type has none or it gives NotImplemented.
Outcome TryMethod(Interp& in, V self, const char* name, V other) {
  TypeValue* type = in.s.TypeOf(self);
  V meta = type == nullptr ? nullptr : in.s.TypeAttr(type, name);
  if (meta == nullptr)
    return in.Done(nullptr);
  FRAMEGATE_TAKE(V method, in.LookupSpecial(self, name));
  FRAMEGATE_TAKE(V value, in.Call(method, {.positional = {other}}));
  return in.Done(IsNotImplemented(in.s, value) ? nullptr : value);
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
  std::string text = number >= 13 ? StrCat(number == 21 ? "**" : op.text, "=") : op.text;
  return in.Raise("builtins:TypeError",
                  StrCat("unsupported operand type(s) for ", text, ": '", TypeName(a), "' and '", TypeName(b), "'"));
}


}  // namespace

Outcome Interp::BinaryOp(int32_t number, V left, V right, Tail) {
  left = s.Resolve(left);
  right = s.Resolve(right);
  if (left == nullptr || right == nullptr)
    return Break(Reason::kUnsupportedValue, "an operator on NULL");
  if (As<TensorValue>(left) != nullptr || As<TensorValue>(right) != nullptr) {
    const char* symbol = number >= 13 ? kInPlaceSymbols[static_cast<size_t>(number - 13)] : kOperators[static_cast<size_t>(number)].symbol;
    if (number >= 13 && As<TensorValue>(left) == nullptr)
      symbol = kOperators[static_cast<size_t>(number - 13)].symbol;
    return GraphCall(model::NodeOp::kCallFunction, StrCat("_operator:", symbol), {.positional = {left, right}});
  }
  if (AsConstant(left) != nullptr && AsConstant(right) != nullptr)
    return FoldBinary(*this, number, left, right);
  if (As<SequenceValue>(left) != nullptr || As<SequenceValue>(right) != nullptr) {
    FRAMEGATE_TAKE(V value, SequenceOp(*this, number, left, right));
    if (value != nullptr)
      return Done(value);
  }
  FRAMEGATE_TAKE(V set, SetOp(*this, number, left, right));
  if (set != nullptr)
    return Done(set);
  FRAMEGATE_TAKE(V dict, DictOp(*this, number, left, right));
  if (dict != nullptr)
    return Done(dict);
  if (As<ResidualValue>(left) != nullptr || As<ResidualValue>(right) != nullptr || As<OpaqueValue>(left) != nullptr ||
      As<OpaqueValue>(right) != nullptr)
    return Break(Reason::kUnsupportedValue, StrCat("operator ", kOperators[static_cast<size_t>(number % 13)].text));
  return BinaryByMethods(*this, number, left, right);
}

Outcome Interp::UnaryOp(char op, V operand, Tail tail) {
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
    return Raise("builtins:TypeError", StrCat("bad operand type for unary ", op, ": '", TypeName(s.TypeOf(operand)), "'"));
  return Call(method, {}, tail);
}

Outcome Interp::Is(V left, V right) {
  left = s.Resolve(left);
  right = s.Resolve(right);
  const Constant *a = AsConstant(left), *b = AsConstant(right);
  if (a != nullptr && b != nullptr) {
    bool singleton = a->is_none() || a->is_bool() || a->kind == ConstantKind::kEllipsis || a->kind == ConstantKind::kNotImplemented ||
                     a->kind == ConstantKind::kDtype || a->kind == ConstantKind::kLayout || a->kind == ConstantKind::kMemoryFormat;
    if (!(*a == *b) || singleton)
      return Done(s.Bool(*a == *b));
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
    s.AddGuard({.kind = guards::GuardKind::kDistinct, .subject = std::max(left->subject, right->subject),
                .other = std::min(left->subject, right->subject)});
  if (left != right && left->kind == right->kind && left->kind == ValueKind::kMethod)
    return Done(s.Bool(false));
  return Done(s.Bool(left == right));
}

Outcome Interp::Truth(V value, Tail) {
  value = s.Resolve(value);
  if (value == nullptr)
    return Break(Reason::kUnsupportedValue, "the truth of NULL");
  if (const Constant* c = AsConstant(value)) {
    switch (c->kind) {
      case ConstantKind::kNone:
      case ConstantKind::kFalse: return Done(s.Bool(false));
      case ConstantKind::kInt: return Done(s.Bool(c->integer != 0));
      case ConstantKind::kFloat: return Done(s.Bool(c->real != 0));
      case ConstantKind::kComplex: return Done(s.Bool(c->real != 0 || c->imaginary != 0));
      case ConstantKind::kStr:
      case ConstantKind::kBytes: return Done(s.Bool(!c->text.empty()));
      case ConstantKind::kTuple:
      case ConstantKind::kSize:
      case ConstantKind::kFrozenset: return Done(s.Bool(!c->items.empty()));
      case ConstantKind::kRange: {
        FRAMEGATE_TAKE(V length, Length(value));
        return Truth(length);
      }
      default: return Done(s.Bool(true));
    }
  }
  switch (value->kind) {
    case ValueKind::kTensor: return Break(Reason::kTensorBranch, "the truth of a tensor");
    case ValueKind::kFunction:
    case ValueKind::kMethod:
    case ValueKind::kBuiltin:
    case ValueKind::kCell:
    case ValueKind::kGenerator:
    case ValueKind::kIterator:
    case ValueKind::kSlice: return Done(s.Bool(true));
    case ValueKind::kResidual:
    case ValueKind::kOpaque: return Break(Reason::kTensorBranch, "the truth of a value known only at run time");
    default: break;
  }
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr)
    return Break(Reason::kUnsupportedValue, "truth");
  if (s.TypeAttr(type, "__bool__") != nullptr) {
    FRAMEGATE_TAKE(V method, LookupSpecial(value, "__bool__"));
    FRAMEGATE_TAKE(V result, Call(method, {}));
    const Constant* c = AsConstant(s.Resolve(result));
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

Outcome Interp::Equal(V left, V right) {
  left = s.Resolve(left);
  right = s.Resolve(right);
  if (left == right)
    return Done(s.Bool(true));
  FRAMEGATE_TAKE(V result, Compare(2, left, right));
  return Truth(result);
}

namespace {

// Lists and tuples by items, dicts and sets by contents. Value null: not for them.
Outcome CompareContainers(Interp& in, int32_t op, V left, V right) {
  Session& s = in.s;
  auto *a = As<SequenceValue>(left), *b = As<SequenceValue>(right);
  if (a != nullptr && b != nullptr && s.TypeOf(a)->Has(TypeFlag::kListSubclass) == s.TypeOf(b)->Has(TypeFlag::kListSubclass)) {
    size_t common = std::min(a->items.size(), b->items.size());
    if ((op == 2 || op == 3) && a->items.size() != b->items.size())
      return in.Done(s.Bool(op == 3));
    for (size_t i = 0; i < common; ++i) {
      FRAMEGATE_TAKE(V equal, in.Equal(a->items[i], b->items[i]));
      if (equal == s.Bool(true))
        continue;
      return op == 2 || op == 3 ? in.Done(s.Bool(op == 3)) : in.Compare(op, a->items[i], b->items[i]);
    }
    return in.Compare(op, s.Int(static_cast<int64_t>(a->items.size())), s.Int(static_cast<int64_t>(b->items.size())));
  }
  auto *m = As<MappingValue>(left), *n = As<MappingValue>(right);
  if (m != nullptr && n != nullptr && (op == 2 || op == 3)) {
    if (!s.Complete(m) || !s.Complete(n))
      return in.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
    bool equal = m->items.size() == n->items.size();
    for (size_t i = 0; equal && i < m->items.size(); ++i) {
      V other = s.MappingGet(n, m->items[i].first);
      if (other == nullptr) {
        equal = false;
        break;
      }
      FRAMEGATE_TAKE(V same, in.Equal(m->items[i].second, other));
      equal = same == s.Bool(true);
    }
    return in.Done(s.Bool(equal == (op == 2)));
  }
  auto *p = As<SetValue>(left), *q = As<SetValue>(right);
  if (p != nullptr && q != nullptr) {
    auto within = [](SetValue* x, SetValue* y) {
      for (const auto& [key, at] : x->index)
        if (!y->index.contains(key))
          return false;
      return true;
    };
    bool le = within(p, q), ge = within(q, p);
    const bool results[] = {le && !ge, le, le && ge, !(le && ge), ge && !le, ge};
    return in.Done(s.Bool(results[op]));
  }
  return in.Done(nullptr);
}

Outcome CompareConstants(Interp& in, int32_t op, V left, V right) {
  const Constant *a = AsConstant(left), *b = AsConstant(right);
  auto number = [](const Constant& c) { return c.is_int() || c.is_bool(); };
  int order = 0;
  if (number(*a) && number(*b)) {
    int64_t x = IntValue(*a), y = IntValue(*b);
    order = x < y ? -1 : x > y;
  } else if (a->is_str() && b->is_str()) {
    order = a->text < b->text ? -1 : a->text > b->text;  // UTF-8 keeps the order of code points
  } else if (op == 2 || op == 3) {
    bool comparable = number(*a) || number(*b) || a->kind == ConstantKind::kFloat || b->kind == ConstantKind::kFloat ||
                      a->kind == ConstantKind::kComplex || b->kind == ConstantKind::kComplex || a->kind == b->kind ||
                      a->kind == ConstantKind::kBigInt || b->kind == ConstantKind::kBigInt ||
                      a->kind == ConstantKind::kSize || b->kind == ConstantKind::kSize;
    if (!comparable)
      return in.Done(in.s.Bool(op == 3));
    return in.Fold(op == 2 ? "_operator:eq" : "_operator:ne", {.positional = {left, right}});
  } else {
    return in.Fold(StrCat("_operator:", kComparisons[static_cast<size_t>(op)].symbol), {.positional = {left, right}});
  }
  const bool results[] = {order < 0, order <= 0, order == 0, order != 0, order > 0, order >= 0};
  return in.Done(in.s.Bool(results[op]));
}

Outcome CompareByMethods(Interp& in, int32_t op, V left, V right) {
  Session& s = in.s;
  const Comparison& comparison = kComparisons[static_cast<size_t>(op)];
  TypeValue *a = s.TypeOf(left), *b = s.TypeOf(right);
  if (a == nullptr || b == nullptr)
    return in.Break(Reason::kUnsupportedValue, StrCat("comparison ", comparison.text));
  bool right_first = a != b && s.IsSubclassOf(b, a);
  for (int turn = 0; turn < 2; ++turn) {
    bool use_right = (turn == 0) == right_first;
    V self = use_right ? right : left, other = use_right ? left : right;
    const char* name = use_right ? comparison.reflected : comparison.method;
    TypeValue* type = use_right ? b : a;
    auto* builtin = As<BuiltinValue>(s.Resolve(s.TypeAttr(type, name)));
    if (builtin != nullptr && (builtin->symbol.starts_with("builtins:object.") || builtin->symbol.starts_with("builtins:BaseException.")))
      continue;  // identity, decided below
    if (builtin != nullptr && builtin->symbol.starts_with("builtins:type."))
      continue;
    FRAMEGATE_TAKE(V value, TryMethod(in, self, name, other));
    if (value != nullptr)
      return in.Done(value);
    if (op == 3) {  // != falls back to the inverse of ==
      auto* ne = As<BuiltinValue>(s.Resolve(s.TypeAttr(type, "__ne__")));
      if (ne == nullptr || ne->symbol == "builtins:object.__ne__") {
        FRAMEGATE_TAKE(V equal, TryMethod(in, self, "__eq__", other));
        if (equal != nullptr) {
          FRAMEGATE_TAKE(V truth, in.Truth(equal));
          return in.Done(s.Bool(truth != s.Bool(true)));
        }
      }
    }
  }
  if (op == 2 || op == 3) {
    FRAMEGATE_TAKE(V same, in.Is(left, right));
    return in.Done(s.Bool((same == s.Bool(true)) == (op == 2)));
  }
  return in.Raise("builtins:TypeError", StrCat("'", comparison.text, "' not supported between instances of '", TypeName(a), "' and '",
                                               TypeName(b), "'"));
}

// `a != b` where only __eq__ is Python: object's __ne__ inverts it.
Outcome NotEqual(Interp& in, V left, V right) {
  TypeValue* a = in.s.TypeOf(left);
  V ne = a == nullptr ? nullptr : in.s.TypeAttr(a, "__ne__");
  auto* builtin = As<BuiltinValue>(in.s.Resolve(ne));
  if (builtin == nullptr || builtin->symbol != "builtins:object.__ne__")
    return CompareByMethods(in, 3, left, right);
  FRAMEGATE_TAKE(V equal, CompareByMethods(in, 2, left, right));
  FRAMEGATE_TAKE(V truth, in.Truth(equal));
  return in.Done(in.s.Bool(truth != in.s.Bool(true)));
}

}  // namespace

Outcome Interp::Compare(int32_t op, V left, V right, Tail) {
  left = s.Resolve(left);
  right = s.Resolve(right);
  if (left == nullptr || right == nullptr)
    return Break(Reason::kUnsupportedValue, "a comparison with NULL");
  if (As<TensorValue>(left) != nullptr || As<TensorValue>(right) != nullptr) {
    const Constant* other = AsConstant(As<TensorValue>(left) != nullptr ? right : left);
    if (other != nullptr && (op == 2 || op == 3) && (other->is_none() || other->is_str()))
      return Done(s.Bool(op == 3));
    return GraphCall(model::NodeOp::kCallFunction, StrCat("_operator:", kComparisons[static_cast<size_t>(op)].symbol),
                     {.positional = {left, right}});
  }
  if (AsConstant(left) != nullptr && AsConstant(right) != nullptr)
    return CompareConstants(*this, op, left, right);
  if (As<ResidualValue>(left) != nullptr || As<ResidualValue>(right) != nullptr || As<OpaqueValue>(left) != nullptr ||
      As<OpaqueValue>(right) != nullptr)
    return Break(Reason::kUnsupportedValue, "a comparison of values known only at run time");
  FRAMEGATE_TAKE(V contents, CompareContainers(*this, op, left, right));
  if (contents != nullptr)
    return Done(contents);
  return op == 3 ? NotEqual(*this, left, right) : CompareByMethods(*this, op, left, right);
}

Outcome Interp::Contains(V container, V item, Tail) {
  container = s.Resolve(container);
  item = s.Resolve(item);
  if (AsConstant(container) != nullptr && AsConstant(item) != nullptr)
    return Fold("_operator:contains", {.positional = {container, item}});
  if (As<TensorValue>(container) != nullptr)
    return Break(Reason::kTensorBranch, "`in` on a tensor");
  auto* view = As<ViewValue>(container);
  if (view != nullptr && view->form == ViewForm::kInstanceDict) {
    const Constant* name = ConstantOf(s, item, ConstantKind::kStr);
    return Done(s.Bool(name != nullptr && s.InstanceAttr(view->target, name->text) != nullptr));
  }
  V keyed = view != nullptr && (view->form == ViewForm::kKeys || view->form == ViewForm::kProxy) ? s.Resolve(view->target) : container;
  TypeValue* type = s.TypeOf(container);
  bool own_contains = type != nullptr && As<FunctionValue>(s.Resolve(s.TypeAttr(type, "__contains__"))) != nullptr;
  if (!own_contains && (As<MappingValue>(keyed) != nullptr || As<SetValue>(keyed) != nullptr)) {
    std::string key = s.HashKey(item);
    if (key.empty())
      return Break(Reason::kUnsupportedValue, "a key whose hash runs code");
    if (auto* mapping = As<MappingValue>(keyed))
      return Done(s.Bool(s.MappingGet(mapping, item) != nullptr));
    return Done(s.Bool(As<SetValue>(keyed)->index.contains(key)));
  }
  if (own_contains) {
    FRAMEGATE_TAKE(V method, LookupSpecial(container, "__contains__"));
    FRAMEGATE_TAKE(V found, Call(method, {.positional = {item}}));
    return Truth(found);
  }
  FRAMEGATE_TAKE(V iterator, Iter(container));
  while (true) {
    FRAMEGATE_TAKE(V next, Next(iterator));
    if (next == nullptr)
      return Done(s.Bool(false));
    FRAMEGATE_TAKE(V equal, Equal(next, item));
    if (equal == s.Bool(true))
      return Done(equal);
  }
}

}  // namespace framegate::translator
