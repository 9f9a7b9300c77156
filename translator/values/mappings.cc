// Dicts: real ones are known key by key until somebody needs them whole.
#include <bit>
#include <cmath>

#include "base/strings.h"
#include "translator/values/session.h"

namespace framegate::translator {

using model::Fact;
using model::Step;
using model::TypeFlag;

namespace {

std::string ConstantKey(const Constant& c) {
  switch (c.kind) {
    case ConstantKind::kFalse:
      return "i0";
    case ConstantKind::kTrue:
      return "i1";
    case ConstantKind::kInt:
      return StrCat("i", c.integer);
    case ConstantKind::kBigInt:
      return StrCat("i", c.text);
    case ConstantKind::kFloat:
      if (std::isnan(c.real))
        return "";
      if (std::abs(c.real) < 9e15 && c.real == std::trunc(c.real))
        return StrCat("i", static_cast<int64_t>(c.real));
      return StrCat("f", std::bit_cast<uint64_t>(c.real));
    case ConstantKind::kComplex:
      if (c.imaginary == 0)
        return ConstantKey(Constant::Float(c.real));
      return std::isnan(c.real) || std::isnan(c.imaginary)
                 ? ""
                 : StrCat("z", std::bit_cast<uint64_t>(c.real == 0 ? 0.0 : c.real), ",", std::bit_cast<uint64_t>(c.imaginary));
    case ConstantKind::kRange: {
      const int64_t start = c.items[0].integer, stop = c.items[1].integer, step = c.items[2].integer;
      if (std::any_of(c.items.begin(), c.items.end(), [](const Constant& part) { return !part.is_int(); }))
        return "";
      const int64_t count =
          step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0) : (start > stop ? (start - stop - 1) / -step + 1 : 0);
      return StrCat("r", count, ",", count > 0 ? start : 0, ",", count > 1 ? step : 0);
    }
    case ConstantKind::kStr:
      return StrCat("s", c.text);
    case ConstantKind::kTuple: {
      std::string key = "(";
      for (const Constant& item : c.items) {
        std::string part = ConstantKey(item);
        if (part.empty())
          return "";
        key += StrCat(part.size(), ":", part);
      }
      return key;
    }
    case ConstantKind::kSlice:
      return "";
    case ConstantKind::kFrozenset: {
      std::vector<std::string> parts;
      for (const Constant& item : c.items)
        parts.push_back(ConstantKey(item));
      std::sort(parts.begin(), parts.end());
      std::string text = "{";
      for (const std::string& part : parts)
        text += StrCat(part.size(), ":", part);
      return text;
    }
    default:
      return StrCat("c", Encode(c));
  }
}

}  // namespace

std::string Session::IdentityKey(V key) {
  if (key->is_real() && key->subject != model::kNoSubject && identity_keys_known_.insert(key).second)
    identity_keys_.push_back(key);
  return StrCat("p", reinterpret_cast<uintptr_t>(key));
}

std::string Session::HashKey(V key) {
  key = Resolve(key);
  if (const Constant* c = AsConstant(key))
    return ConstantKey(*c);
  if (auto* s = As<SequenceValue>(key); s != nullptr && HashesAsTuple(TypeOf(s))) {
    std::string text = "(";
    for (V item : s->items) {
      std::string part = HashKey(item);
      if (part.empty())
        return "";
      text += StrCat(part.size(), ":", part);
    }
    return text;
  }
  switch (key->kind) {
    case ValueKind::kFunction:
    case ValueKind::kType:
    case ValueKind::kBuiltin:
    case ValueKind::kTensor:
    case ValueKind::kGenerator:
      return IdentityKey(key);
    case ValueKind::kObject: {
      if (V payload = HashesItself(key) ? nullptr : Payload(key))
        return HashKey(payload);
      TypeValue* type = TypeOf(key);
      if (type == nullptr || Resolve(TypeAttr(type, "__hash__")) == None())
        return "";
      if (IsSubclass(type, "weakref:ReferenceType")) {  // equal where what they refer to is, as long as that lives
        auto* made = As<ObjectValue>(key);
        V referent = made->is_real() ? StepFrom(made, Step::kWeakrefTarget) : made->arguments[0];
        std::string of = referent == nullptr || HashesItself(referent) ? "" : HashKey(referent);
        return referent == nullptr ? IdentityKey(key) : of.empty() ? "" : StrCat("w", of);
      }
      if (HashesInC(type))
        return "";
      custom_keys = custom_keys || HashesItself(key);
      return IdentityKey(key);
    }
    case ValueKind::kMethod: {
      auto* method = As<MethodValue>(key);
      return StrCat("m", reinterpret_cast<uintptr_t>(Resolve(method->function)), ".", reinterpret_cast<uintptr_t>(Resolve(method->self)));
    }
    case ValueKind::kSet: {
      auto* set = As<SetValue>(key);
      if (!TypeOf(set)->is("builtins:frozenset"))
        return "";
      std::vector<std::string> parts;
      for (const auto& [part, at] : set->index)
        parts.push_back(part);
      std::sort(parts.begin(), parts.end());
      std::string text = "{";
      for (const std::string& part : parts)
        text += StrCat(part.size(), ":", part);
      return text;
    }
    case ValueKind::kResidual: {
      auto* residual = As<ResidualValue>(key);
      if (residual->function == "get_ident")
        return "T";
      return residual->function == "id" ? StrCat("I", reinterpret_cast<uintptr_t>(Resolve(residual->of))) : "";
    }
    default:
      return "";
  }
}

// A C type whose instances are equal by what they hold, which nobody here can see.
bool Session::HashesInC(TypeValue* type) {
  if (type->Has(TypeFlag::kObjectHash) && type->Has(TypeFlag::kObjectEq))
    return false;
  auto in_c = [&](const char* name) {
    V method = Resolve(TypeAttr(type, name));
    auto* builtin = As<BuiltinValue>(method);
    return builtin != nullptr ? !builtin->symbol.starts_with("builtins:object.") : As<FunctionValue>(method) == nullptr;
  };
  return in_c("__hash__") || in_c("__eq__");
}

// A tuple, or one of a subclass that has nothing of its own to say about it.
bool Session::HashesAsTuple(TypeValue* type) {
  if (type == nullptr || !type->Has(TypeFlag::kTupleSubclass))
    return false;
  return type->is("builtins:tuple") || (As<FunctionValue>(Resolve(TypeAttr(type, "__hash__"))) == nullptr &&
                                        As<FunctionValue>(Resolve(TypeAttr(type, "__eq__"))) == nullptr);
}

bool Session::HashesItself(V key) {
  key = Resolve(key);
  if (auto* tuple = As<SequenceValue>(key))
    return std::any_of(tuple->items.begin(), tuple->items.end(), [this](V item) { return HashesItself(item); });
  if (key == nullptr || key->kind != ValueKind::kObject)
    return false;
  TypeValue* type = TypeOf(key);
  if (type == nullptr || (type->Has(TypeFlag::kObjectHash) && type->Has(TypeFlag::kObjectEq)))
    return false;
  auto* hash = As<FunctionValue>(Resolve(TypeAttr(type, "__hash__")));
  bool python_eq = As<FunctionValue>(Resolve(TypeAttr(type, "__eq__"))) != nullptr;
  return python_eq || (hash != nullptr && !(hash->qualname == "Enum.__hash__" && IsSubclass(type, "enum:Enum")));
}

V Session::MappingGet(MappingValue* mapping, V key) {
  std::string hash = HashKey(key);
  if (auto it = mapping->index.find(hash); it != mapping->index.end())
    return mapping->items[it->second].second;
  if (mapping->complete)
    return nullptr;
  if (auto it = mapping->known.find(hash); it != mapping->known.end())
    return it->second;
  const Constant* constant = AsConstant(Resolve(key));
  if (constant == nullptr) {
    Complete(mapping);
    auto it = mapping->index.find(hash);
    return it == mapping->index.end() ? nullptr : mapping->items[it->second].second;
  }
  V value = StepFrom(mapping, Step::kDictItem, 0, *constant);
  mapping->known[hash] = value;
  return value;
}

bool Session::Complete(MappingValue* mapping) {
  if (mapping->complete)
    return true;
  auto overlay = std::move(mapping->items);
  mapping->items.clear();
  mapping->index.clear();
  mapping->complete = true;
  auto add = [&](V key, V value) {
    mapping->index[HashKey(key)] = static_cast<uint32_t>(mapping->items.size());
    mapping->items.emplace_back(key, value);
  };
  const model::FactValue& keys = ReadFact(mapping, Fact::kDictKeys);
  if (keys.known) {
    for (const Constant& key : keys.constant.items)
      add(Const(key), StepFrom(mapping, Step::kDictItem, 0, key));
  } else {
    uint64_t length = ReadFact(mapping, Fact::kLength).word;
    for (uint32_t i = 0; i < length; ++i) {
      V key = Resolve(StepFrom(mapping, Step::kDictKey, i));
      if (key == nullptr || HashKey(key).empty())
        return false;
      add(key, StepFrom(mapping, Step::kDictValue, i));
    }
  }
  for (const auto& [key, value] : overlay) {
    std::string hash = HashKey(key);
    auto it = mapping->index.find(hash);
    bool there = it != mapping->index.end() && mapping->items[it->second].second != nullptr;
    if (there)
      mapping->items[it->second].second = value;
    else if (value != nullptr)  // one that was deleted and set again goes last
      add(key, value);
  }
  std::vector<std::pair<V, V>> all = std::move(mapping->items);
  mapping->items.clear();
  mapping->index.clear();
  for (const auto& [key, value] : all)
    if (value != nullptr)
      add(key, value);
  return true;
}

void Session::MappingSet(MappingValue* mapping, V key, V value) {
  Touch(mapping);
  std::string hash = HashKey(key);
  auto it = mapping->index.find(hash);
  if (it != mapping->index.end() && mapping->items[it->second].second != nullptr) {
    mapping->items[it->second].second = value;
  } else {
    mapping->index[hash] = static_cast<uint32_t>(mapping->items.size());
    mapping->items.emplace_back(key, value);
    ++mapping->version;
  }
  if (mapping->is_real())
    AddEffect({.helper = model::Helper::kDictSet, .args = {mapping, key, value}});
}

bool Session::MappingDelete(MappingValue* mapping, V key) {
  if (MappingGet(mapping, key) == nullptr)
    return false;
  Touch(mapping);
  std::string hash = HashKey(key);
  auto it = mapping->index.find(hash);
  if (it == mapping->index.end()) {  // real and not complete: remember that it is gone
    mapping->index[hash] = static_cast<uint32_t>(mapping->items.size());
    mapping->items.emplace_back(key, nullptr);
  } else if (!mapping->complete) {
    mapping->items[it->second].second = nullptr;
  } else {
    uint32_t place = it->second;
    mapping->items.erase(mapping->items.begin() + place);
    mapping->index.erase(it);
    for (auto& [other, at] : mapping->index)
      if (at > place)
        --at;
  }
  ++mapping->version;
  if (mapping->is_real())
    AddEffect({.helper = model::Helper::kDictDel, .args = {mapping, key}});
  return true;
}

}  // namespace framegate::translator
