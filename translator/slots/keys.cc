// Keys of dicts and elements of sets: hash(), and which key of a container a key is equal to.
#include <cmath>

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

// hash() of an int: its remainder by 2**61 - 1, never -1.
int64_t HashOfInt(int64_t value) {
  constexpr int64_t kModulus = (int64_t{1} << 61) - 1;
  int64_t hash = value % kModulus;
  return hash == -1 ? -2 : hash;
}

V Residual(Session& s, const char* function, V of) {
  auto* value = s.New<ResidualValue>();
  value->type = s.TypeOfSymbol("builtins:int");
  value->function = function;
  value->of = of;
  return value;
}

// Numbers, and tuples and ranges of them, have the same hash in every process.
bool HasFixedHash(const Constant& c) {
  switch (c.kind) {
    case ConstantKind::kFalse:
    case ConstantKind::kTrue:
    case ConstantKind::kInt:
    case ConstantKind::kBigInt:
      return true;
    case ConstantKind::kFloat:
    case ConstantKind::kComplex:
      return !std::isnan(c.real) && !std::isnan(c.imaginary);
    case ConstantKind::kTuple:
    case ConstantKind::kSize:
      return std::all_of(c.items.begin(), c.items.end(), HasFixedHash);
    case ConstantKind::kRange:  // of one item: the hash of None counts
      return std::all_of(c.items.begin(), c.items.end(), [](const Constant& part) { return part.is_int(); }) &&
             (c.items[2].integer > 0 ? c.items[1].integer - c.items[2].integer > c.items[0].integer
                                     : c.items[1].integer - c.items[2].integer < c.items[0].integer);
    default:
      return false;
  }
}

// The items as a plain tuple.
V TupleOf(Session& s, V value) {
  auto* sequence = As<SequenceValue>(s.Resolve(value));
  return sequence == nullptr ? value : s.Tuple(sequence->items);
}

Outcome Unhashable(Interp& in, TypeValue* type) {
  return in.Raise("builtins:TypeError", StrCat("unhashable type: '", TypeName(type), "'"));
}

// Equal hashes, as far as both are known; hashes of different texts are taken to differ.
bool SameHash(Session& s, V a, V b) {
  a = s.Resolve(a);
  b = s.Resolve(b);
  const Constant *x = IntOf(s, a), *y = IntOf(s, b);
  if (x != nullptr && y != nullptr)
    return *x == *y;
  const ResidualValue *p = IdentityOf(a), *q = IdentityOf(b);
  return p != nullptr && q != nullptr && p->function == q->function && (p->of == q->of || s.HashKey(p->of) == s.HashKey(q->of));
}

}  // namespace

const ResidualValue* IdentityOf(V value) {
  auto* residual = As<ResidualValue>(value);
  return residual == nullptr || (residual->function != "id" && residual->function != "hash" && residual->function != "get_ident")
             ? nullptr
             : residual;
}

namespace {

// The older of two objects, made in the frame, may be dropped already: then the other one may have its id.
bool IsGone(Interp& in, V left, V right) {
  left = in.s.Resolve(left);
  right = in.s.Resolve(right);
  V older = nullptr;
  in.s.ForEach([&](V value) { older = older == nullptr && (value == left || value == right) ? value : older; });
  return left != right && !older->is_real() && AsConstant(older) == nullptr && in.IsHeldNow(older) != Interp::Held::kYes;
}

}  // namespace

Outcome CompareIdentities(Interp& in, const ResidualValue* a, const ResidualValue* b) {
  if (a->function != b->function)
    return in.Break(Reason::kUnsupportedValue, "a comparison of id() with hash()");
  if (a->function == "id")
    return IsGone(in, a->of, b->of) ? in.LeaveAsWritten(Reason::kLifetime, "id() of an object that nobody keeps") : in.Is(a->of, b->of);
  if (a->function != "hash")
    return a->of == b->of && a->key == b->key ? in.Done(in.s.Bool(true))
                                              : in.Break(Reason::kUnsupportedValue, "a value known only at run time");
  std::string x = in.s.HashKey(a->of), y = in.s.HashKey(b->of);
  if (a->of == b->of || (!x.empty() && x == y))
    return in.Done(in.s.Bool(true));
  const Constant *left = AsConstant(in.s.Resolve(a->of)), *right = AsConstant(in.s.Resolve(b->of));
  auto is_text = [](const Constant* c) { return c != nullptr && (c->is_str() || c->kind == ConstantKind::kBytes); };
  if (is_text(left) && is_text(right) && !x.empty() && !y.empty())
    return in.Done(in.s.Bool(false));
  return in.Break(Reason::kUnsupportedValue, "a comparison of hash() of different objects");
}

Outcome Identity(Interp& in, V value) {
  value = in.s.Resolve(value);
  return in.Done(Residual(in.s, "id", value));
}

Outcome Hash(Interp& in, V value) {
  Session& s = in.s;
  value = s.Resolve(value);
  if (const Constant* c = AsConstant(value)) {
    if (c->is_int() || c->is_bool())
      return in.Done(s.Int(HashOfInt(IntValue(*c))));
    if (c->kind == ConstantKind::kFloat && std::abs(c->real) < 9e15 && c->real == std::trunc(c->real))
      return in.Done(s.Int(HashOfInt(static_cast<int64_t>(c->real))));
    if (HasFixedHash(*c))
      return in.Fold("builtins:hash", {.positional = {value}});
    if (c->kind == ConstantKind::kSlice && (s.Is311()))
      return Unhashable(in, s.TypeOf(value));
    return in.Done(Residual(s, "hash", value));
  }
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr || value->kind == ValueKind::kResidual || value->kind == ValueKind::kOpaque || value->kind == ValueKind::kTensor)
    return in.Break(Reason::kOpaqueCall, "hash() of a value known only at run time");
  V method = s.Resolve(s.TypeAttr(type, "__hash__"));
  if (method == s.None())
    return Unhashable(in, type);
  if (As<FunctionValue>(method) != nullptr) {
    FRAMEGATE_TAKE(V bound, in.LookupSpecial(value, "__hash__"));
    FRAMEGATE_TAKE(V hash, in.Call(bound, {}));
    hash = s.Resolve(hash);
    if (const Constant* c = IntOf(s, hash))
      return in.Done(s.Int(HashOfInt(IntValue(*c))));
    if (IdentityOf(hash) != nullptr)
      return in.Done(hash);
    return AsConstant(hash) != nullptr ? in.Raise("builtins:TypeError", "__hash__ method should return an integer")
                                       : in.Break(Reason::kUnsupportedValue, "a hash that is not known");
  }
  if (V payload = s.Payload(value))
    return Hash(in, payload);
  if (value->kind == ValueKind::kSlice && s.Is311())
    return Unhashable(in, type);
  if (Constant numbers; s.TypeOf(value)->Has(TypeFlag::kTupleSubclass) && method != nullptr && ToConstant(s, TupleOf(s, value), &numbers) &&
                        HasFixedHash(numbers))
    return in.Fold("builtins:hash", {.positional = {TupleOf(s, value)}});
  if (auto* tuple = As<SequenceValue>(value))
    for (V item : Values(tuple->items)) {
      FRAMEGATE_TAKE([[maybe_unused]] V hash, Hash(in, item));
    }
  return in.Done(Residual(s, "hash", value));
}

// The key of the container that is equal to `key`, or `key` itself; TypeError where it has no hash.
Outcome KeyIn(Interp& in, V container, V key) {
  Session& s = in.s;
  key = s.Resolve(key);
  if (key == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a key that is NULL");
  if (s.HashKey(key).empty()) {
    FRAMEGATE_TAKE([[maybe_unused]] V hash, Hash(in, key));
    return in.Break(Reason::kUnsupportedValue, StrCat("a key of a kind that is not modelled: ", EnumText(key->kind)));
  }
  container = s.Resolve(container);
  auto* mapping = As<MappingValue>(container);
  auto* set = As<SetValue>(container);
  bool custom = s.HashesItself(key);
  if (mapping != nullptr && custom && !s.Complete(mapping))
    return in.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
  if (!custom && !s.custom_keys)
    return in.Done(key);
  Values keys;
  if (mapping != nullptr) {
    for (const auto& [own, value] : mapping->items)
      if (value != nullptr)
        keys.push_back(own);
  } else if (set != nullptr) {
    keys = set->items;
  }
  bool any = custom || std::any_of(keys.begin(), keys.end(), [&](V own) { return s.HashesItself(own); });
  if (!any || keys.empty()) {
    if (custom) {
      FRAMEGATE_TAKE([[maybe_unused]] V hash, Hash(in, key));
    }
    return in.Done(key);
  }
  FRAMEGATE_TAKE(V hash, Hash(in, key));
  for (V own : keys) {
    if (s.Resolve(own) == key)
      return in.Done(own);
    if (!custom && !s.HashesItself(own) && s.HashKey(own) != s.HashKey(key))
      continue;
    FRAMEGATE_TAKE(V other, Hash(in, own));
    if (!SameHash(s, hash, other))
      continue;
    FRAMEGATE_TAKE(V equal, in.Equal(own, key));
    if (equal == s.Bool(true))
      return in.Done(own);
  }
  return in.Done(key);
}

namespace {

// A set that is looked for in a set counts as a frozenset.
V AsElement(Session& s, V container, V key) {
  auto* sought = As<SetValue>(s.Resolve(key));
  if (As<SetValue>(s.Resolve(container)) == nullptr || sought == nullptr || s.IsSubclass(s.TypeOf(sought), "builtins:frozenset"))
    return key;
  auto* element = s.New<SetValue>();
  element->type = s.TypeOfSymbol("builtins:frozenset");
  element->items = sought->items;
  element->index = sought->index;
  return element;
}

}  // namespace

Outcome FindKey(Interp& in, V container, V key) {
  key = AsElement(in.s, container, key);
  FRAMEGATE_TAKE(V own, KeyIn(in, container, key));
  if (auto* mapping = As<MappingValue>(container))
    return in.Done(in.s.MappingGet(mapping, own) == nullptr ? nullptr : own);
  auto* set = As<SetValue>(container);
  return in.Done(set != nullptr && set->index.contains(in.s.HashKey(own)) ? own : nullptr);
}

}  // namespace framegate::translator
