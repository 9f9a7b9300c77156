// Comparison and containment.
#include <array>
#include <cmath>

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

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

}  // namespace

Outcome Interp::Equal(V left, V right) {
  left = s.Look(left);
  right = s.Look(right);
  if (left == right)
    return Done(s.Bool(true));
  const Constant *a = AsConstant(left), *b = AsConstant(right);
  if (a != nullptr && b != nullptr && a->kind == b->kind && (a->kind == ConstantKind::kFloat || a->kind == ConstantKind::kComplex) &&
      (std::isnan(a->real) || std::isnan(a->imaginary)) && (std::isnan(b->real) || std::isnan(b->imaginary))) {
    FRAMEGATE_TAKE(V same, Is(left, right));  // not equal to itself, but the same object is found
    if (same == s.Bool(true))
      return Done(same);
  }
  FRAMEGATE_TAKE(V result, Compare(2, left, right));
  return Truth(result);
}

namespace {

enum class SequenceKind { kList, kTuple, kDeque };

SequenceKind KindOf(Session& s, SequenceValue* sequence) {
  TypeValue* type = s.TypeOf(sequence);
  return type->Has(TypeFlag::kListSubclass)    ? SequenceKind::kList
         : type->Has(TypeFlag::kTupleSubclass) ? SequenceKind::kTuple
                                               : SequenceKind::kDeque;
}

}  // namespace

SetValue* AsSet(Interp& in, V value) {
  if (auto* set = As<SetValue>(value))
    return set;
  auto* view = As<ViewValue>(value);
  if (view == nullptr || (view->form != ViewForm::kKeys && view->form != ViewForm::kItems))
    return nullptr;
  Values items;
  if (!in.ToValues(view, &items).ok())
    return nullptr;
  auto* set = in.s.New<SetValue>();
  for (V item : items) {
    std::string key = in.s.HashKey(item);
    if (key.empty())
      return nullptr;
    set->index[key] = static_cast<uint32_t>(set->items.size());
    set->items.push_back(item);
  }
  return set;
}

// Lists, tuples and deques by items, dicts and sets by contents. Value null: not for them.
Outcome CompareContainers(Interp& in, int32_t op, V left, V right) {
  Session& s = in.s;
  auto *a = As<SequenceValue>(left), *b = As<SequenceValue>(right);
  if (a != nullptr && b != nullptr && KindOf(s, a) == KindOf(s, b)) {
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
    bool ordered = s.IsSubclass(s.TypeOf(m), "collections:OrderedDict") && s.IsSubclass(s.TypeOf(n), "collections:OrderedDict");
    for (size_t i = 0; equal && ordered && i < m->items.size(); ++i) {
      FRAMEGATE_TAKE(V same, in.Equal(m->items[i].first, n->items[i].first));
      equal = same == s.Bool(true);
    }
    for (size_t i = 0; equal && i < m->items.size(); ++i) {
      FRAMEGATE_TAKE(V own, FindKey(in, n, m->items[i].first));
      V other = own == nullptr ? nullptr : s.MappingGet(n, own);
      if (other == nullptr) {
        equal = false;
        break;
      }
      FRAMEGATE_TAKE(V same, in.Equal(m->items[i].second, other));
      equal = same == s.Bool(true);
    }
    return in.Done(s.Bool(equal == (op == 2)));
  }
  auto is_set = [](V value) {
    auto* view = As<ViewValue>(value);
    return As<SetValue>(value) != nullptr || (view != nullptr && (view->form == ViewForm::kKeys || view->form == ViewForm::kItems));
  };
  if (is_set(left) && is_set(right)) {
    auto within = [&](V x, V y) -> Outcome {
      Values items;
      FRAMEGATE_TAKE([[maybe_unused]] V all, ToValuesInAnyOrder(in, x, &items));
      for (V item : items) {
        FRAMEGATE_TAKE(V found, RawContains(in, y, item));
        if (found != s.Bool(true))
          return found == nullptr ? in.Break(Reason::kUnsupportedValue, "a set's element") : in.Done(found);
      }
      return in.Done(s.Bool(true));
    };
    FRAMEGATE_TAKE(V in_right, within(left, right));
    FRAMEGATE_TAKE(V in_left, within(right, left));
    bool le = in_right == s.Bool(true), ge = in_left == s.Bool(true);
    const bool results[] = {le && !ge, le, le && ge, !(le && ge), ge && !le, ge};
    return in.Done(s.Bool(results[op]));
  }
  return in.Done(nullptr);
}

namespace {

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
                      a->kind == ConstantKind::kBigInt || b->kind == ConstantKind::kBigInt || a->kind == ConstantKind::kSize ||
                      b->kind == ConstantKind::kSize;
    if (!comparable)
      return in.Done(in.s.Bool(op == 3));
    return in.Fold(op == 2 ? "_operator:eq" : "_operator:ne", {.positional = {left, right}});
  } else {
    return in.Fold(StrCat("_operator:", kComparisons[static_cast<size_t>(op)].symbol), {.positional = {left, right}});
  }
  const bool results[] = {order<0, order <= 0, order == 0, order != 0, order> 0, order >= 0};
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
  return in.Raise("builtins:TypeError",
                  StrCat("'", comparison.text, "' not supported between instances of '", FullTypeName(a), "' and '", FullTypeName(b), "'"));
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

// A subclass of a container that compares in a way of its own.
bool OverridesComparison(Session& s, int32_t op, V value) {
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr || !type->Has(TypeFlag::kHeapType))
    return false;
  const Comparison& comparison = kComparisons[static_cast<size_t>(op)];
  for (const char* name : {comparison.method, comparison.reflected, "__eq__"})
    if (As<FunctionValue>(s.Resolve(s.TypeAttr(type, name))) != nullptr)
      return true;
  return false;
}

// An order by methods; equality, which every object has, stays where it is.
Outcome CompareInFrames(Interp& in, int32_t op, V left, V right, Tail tail) {
  Session& s = in.s;
  const Comparison& comparison = kComparisons[static_cast<size_t>(op)];
  left = s.Resolve(left);
  right = s.Resolve(right);
  TypeValue *a = s.TypeOf(left), *b = s.TypeOf(right);
  if (op == 2 || op == 3 || a == nullptr || b == nullptr || As<TensorValue>(left) != nullptr || (a != b && s.IsSubclassOf(b, a)))
    return in.Break(Reason::kUnsupportedValue, StrCat("comparison ", comparison.text));
  std::vector<MethodCall> calls = {{left, comparison.method, right}};
  if (As<TensorValue>(right) == nullptr)
    calls.push_back({right, comparison.reflected, left});
  return FirstImplemented(
      in, calls, StrCat("'", comparison.text, "' not supported between instances of '", FullTypeName(a), "' and '", FullTypeName(b), "'"),
      tail);
}

// The dict that a proxy or an instance's __dict__ shows, which is what compares; other values as they are.
Outcome Shown(Interp& in, V value) {
  auto* view = As<ViewValue>(value);
  if (view != nullptr && view->form == ViewForm::kProxy)
    return in.Done(in.s.Resolve(view->target));
  if (view != nullptr && view->form == ViewForm::kInstanceDict)
    return in.CallBuiltin("builtins:dict.copy", {.positional = {view}}, kSync);
  return in.Done(value);
}

// Between a tensor and an object that is none for torch. Value null: it has no say.
Outcome CompareByObject(Interp& in, int32_t op, V left, V right) {
  Session& s = in.s;
  const Comparison& comparison = kComparisons[static_cast<size_t>(op)];
  const bool is_left = As<ObjectValue>(left) != nullptr;
  TypeValue* type = is_left ? s.TypeOf(left) : As<ObjectValue>(right) != nullptr ? s.TypeOf(right) : nullptr;
  const char* name = is_left ? comparison.method : comparison.reflected;
  if (!is_left && NumberOfNumpy(s, right) != nullptr)
    return in.Done(nullptr);
  if (type == nullptr || (!is_left && s.TypeAttr(type, "__torch_function__") != nullptr) ||
      As<FunctionValue>(s.Resolve(s.TypeAttr(type, name))) == nullptr)
    return in.Done(nullptr);
  return is_left ? TryMethod(in, left, name, right) : TryMethod(in, right, name, left);
}

}  // namespace

Outcome Interp::Compare(int32_t op, V left, V right, Tail tail) {
  if (tail.allowed)
    return SyncOrFrames(
        *this, left, right, tail, [&] { return Compare(op, left, right); }, [&] { return CompareInFrames(*this, op, left, right, tail); });
  left = s.Look(left);
  right = s.Look(right);
  bool symbolic = As<SymbolValue>(left) != nullptr || As<SymbolValue>(right) != nullptr;
  if (Size a, b; symbolic && s.AsSize(left, &a) && s.AsSize(right, &b)) {
    auto now = [](const Size& size) { return Size(size.now()); };
    auto* symbol = s.New<SymbolValue>();
    symbol->comparison = op;
    symbol->left = left;
    symbol->right = right;
    symbol->now = Constant::Bool(Compared(op, now(a), now(b)));
    return Done(symbol);
  }
  if (symbolic && As<TensorValue>(left) == nullptr && As<TensorValue>(right) == nullptr) {
    left = s.Resolve(left);
    right = s.Resolve(right);
  }
  if (left == nullptr || right == nullptr)
    return Break(Reason::kUnsupportedValue, "a comparison with NULL");
  if (As<TensorValue>(left) != nullptr || As<TensorValue>(right) != nullptr) {
    const Constant* other = AsConstant(As<TensorValue>(left) != nullptr ? right : left);
    if (other != nullptr && (op == 2 || op == 3) && (other->is_none() || other->is_str()))
      return Done(s.Bool(op == 3));
    FRAMEGATE_TAKE(V value, CompareByObject(*this, op, left, right));
    if (value != nullptr)
      return Done(value);
    return GraphCall(model::NodeOp::kCallFunction, StrCat("_operator:", kComparisons[static_cast<size_t>(op)].symbol),
                     {.positional = {left, right}});
  }
  if (AsConstant(left) != nullptr && AsConstant(right) != nullptr)
    return CompareConstants(*this, op, left, right);
  if (auto* a = IdentityOf(left), *b = IdentityOf(right); a != nullptr && b != nullptr && (op == 2 || op == 3)) {
    FRAMEGATE_TAKE(V same, CompareIdentities(*this, a, b));
    return Done(s.Bool((same == s.Bool(true)) == (op == 2)));
  }
  if (As<ResidualValue>(left) != nullptr || As<ResidualValue>(right) != nullptr || As<OpaqueValue>(left) != nullptr ||
      As<OpaqueValue>(right) != nullptr)
    return Break(Reason::kUnsupportedValue, "a comparison of values known only at run time");
  FRAMEGATE_TAKE(left, Shown(*this, left));
  FRAMEGATE_TAKE(right, Shown(*this, right));
  if (auto* a = As<SliceValue>(left), *b = As<SliceValue>(right); a != nullptr && b != nullptr)
    return Compare(op, s.Tuple({a->start, a->stop, a->step}), s.Tuple({b->start, b->stop, b->step}));
  if (!OverridesComparison(s, op, left) && !OverridesComparison(s, op, right)) {
    FRAMEGATE_TAKE(V contents, CompareContainers(*this, op, left, right));
    if (contents != nullptr)
      return Done(contents);
  }
  return op == 3 ? NotEqual(*this, left, right) : CompareByMethods(*this, op, left, right);
}

Outcome Interp::Contains(V container, V item, Tail) {
  container = s.Resolve(container);
  item = s.Resolve(item);
  if (V content = ByteArrayContents(s, container))
    container = content;
  if (V content = ConstantOf(s, container, ConstantKind::kBytes) != nullptr ? ByteArrayContents(s, item) : nullptr)
    item = content;
  if (AsConstant(container) != nullptr && AsConstant(item) != nullptr)
    return Fold("_operator:contains", {.positional = {container, item}});
  if (As<TensorValue>(container) != nullptr)
    return Break(Reason::kTensorBranch, "`in` on a tensor");
  auto* view = As<ViewValue>(container);
  if (view != nullptr && view->form == ViewForm::kInstanceDict) {
    const Constant* name = ConstantOf(s, item, ConstantKind::kStr);
    return Done(s.Bool(name != nullptr && s.InstanceAttr(view->target, name->text) != nullptr));
  }
  if (view != nullptr && view->form == ViewForm::kTypeDict) {
    const Constant* name = ConstantOf(s, item, ConstantKind::kStr);
    return Done(s.Bool(name != nullptr && OwnAttr(s, As<TypeValue>(view->target), name->text) != nullptr));
  }
  TypeValue* type = s.TypeOf(container);
  bool own_contains = type != nullptr && type->Has(TypeFlag::kHeapType) && s.TypeAttr(type, "__contains__") != nullptr;
  if (own_contains && s.Resolve(s.TypeAttr(type, "__contains__")) == s.None())
    return Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not a container"));
  if (own_contains && As<BuiltinValue>(s.Resolve(s.TypeAttr(type, "__contains__"))) == nullptr) {
    FRAMEGATE_TAKE(V method, LookupSpecial(container, "__contains__"));
    FRAMEGATE_TAKE(V found, Call(method, {.positional = {item}}));
    return Truth(found);
  }
  if (V payload = s.Payload(container); payload != nullptr && AsConstant(item) != nullptr)
    return Contains(payload, item);
  return RawContains(*this, container, item);
}

Outcome RawContains(Interp& in, V container, V item) {
  Session& s = in.s;
  auto* view = As<ViewValue>(container);
  V keyed = view != nullptr && (view->form == ViewForm::kKeys || view->form == ViewForm::kProxy) ? s.Resolve(view->target) : container;
  if (As<MappingValue>(keyed) != nullptr || As<SetValue>(keyed) != nullptr) {
    FRAMEGATE_TAKE(V place, FindKey(in, keyed, item));
    return in.Done(s.Bool(place != nullptr));
  }
  if (view != nullptr && view->form == ViewForm::kItems) {
    auto* pair = As<SequenceValue>(item);
    if (pair == nullptr || pair->items.size() != 2 || !s.TypeOf(pair)->Has(TypeFlag::kTupleSubclass))
      return in.Done(s.Bool(false));
    auto* mapping = As<MappingValue>(s.Resolve(view->target));
    FRAMEGATE_TAKE(V own, mapping == nullptr ? in.Break(Reason::kUnsupportedValue, "a view of something other than a dict")
                                             : FindKey(in, mapping, pair->items[0]));
    return own == nullptr ? in.Done(s.Bool(false)) : in.Equal(s.MappingGet(mapping, own), pair->items[1]);
  }
  bool plain = As<SequenceValue>(container) != nullptr;
  TypeValue* type = As<IteratorValue>(container) != nullptr || view != nullptr ? nullptr : s.TypeOf(container);
  bool iterable = type == nullptr || plain || container->kind == ValueKind::kGenerator || s.TypeAttr(type, "__iter__") != nullptr ||
                  s.TypeAttr(type, "__getitem__") != nullptr;
  if (!iterable)
    return in.Raise("builtins:TypeError", StrCat("argument of type '", FullTypeName(type), "' is not iterable"));
  FRAMEGATE_TAKE(V iterator, plain ? RawIter(in, container) : in.Iter(container));
  while (true) {
    FRAMEGATE_TAKE(V next, in.Next(iterator));
    if (next == nullptr)
      return in.Done(s.Bool(false));
    FRAMEGATE_TAKE(V equal, in.Equal(next, item));
    if (equal == s.Bool(true))
      return in.Done(equal);
  }
}

}  // namespace framegate::translator
