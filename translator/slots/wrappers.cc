// C methods called as functions (`list.__eq__(a, b)`, `super().__getitem__(i)`): what the builtin type itself does, whatever a subclass
// overrides.
#include <array>

#include "absl/container/flat_hash_map.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

struct Method {
  std::string_view type;  // qualified name in builtins or collections
  std::string_view name;
};

bool Split(std::string_view symbol, Method* method) {
  size_t colon = symbol.find(':'), dot = symbol.rfind('.');
  if (colon == std::string_view::npos || dot == std::string_view::npos || dot < colon)
    return false;
  std::string_view module = symbol.substr(0, colon);
  if (module != "builtins" && module != "collections" && module != "types" && module != "_collections_abc")
    return false;
  *method = {symbol.substr(colon + 1, dot - colon - 1), symbol.substr(dot + 1)};
  return true;
}

int ComparisonOf(std::string_view name) {
  static constexpr std::string_view kNames[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};
  for (int i = 0; i < 6; ++i)
    if (kNames[i] == name)
      return i;
  return -1;
}

// Number of the operator and whether the method is its reflected form; -1: none.
int OperatorOf(std::string_view name, bool* reflected) {
  static constexpr std::string_view kNames[] = {"add", "and", "floordiv", "lshift", "matmul",  "mul", "mod",
                                                "or",  "pow", "rshift",   "sub",    "truediv", "xor"};
  if (!name.starts_with("__") || !name.ends_with("__"))
    return -1;
  std::string_view core = name.substr(2, name.size() - 4);
  for (int i = 0; i < 13; ++i) {
    if (core == kNames[i] || (core.starts_with('r') && core.substr(1) == kNames[i])) {
      *reflected = core != kNames[i];
      return i;
    }
    if (core.starts_with('i') && core.substr(1) == kNames[i]) {
      *reflected = false;
      return i + 13;
    }
  }
  return core == "divmod" || core == "rdivmod" ? 26 : -1;
}

V NotImplemented(Session& s) {
  return s.Const(Constant::Of(ConstantKind::kNotImplemented));
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool Foldable(Session& s, const Args& args) {
  Constant unused;
  for (V value : args.positional)
    if (value == nullptr || !ToConstant(s, value, &unused))
      return false;
  return true;
}

// Methods of bytearray that change nothing are those of bytes.
Outcome OfByteArray(Interp& in, const std::string& symbol, const Method& method, Args args) {
  constexpr std::string_view kMethods[] = {
      "capitalize", "center",     "count",   "decode",   "endswith", "expandtabs", "find",       "hex",    "index",        "isalnum",
      "isalpha",    "isascii",    "isdigit", "islower",  "isspace",  "istitle",    "isupper",    "join",   "ljust",        "lower",
      "lstrip",     "partition",  "replace", "rfind",    "rindex",   "rjust",      "rpartition", "rsplit", "rstrip",       "split",
      "splitlines", "startswith", "strip",   "swapcase", "title",    "translate",  "upper",      "zfill",  "removeprefix", "removesuffix",
      "__eq__",     "__ne__",     "__lt__",  "__le__",   "__gt__",   "__ge__"};
  if (std::find(std::begin(kMethods), std::end(kMethods), method.name) == std::end(kMethods) || args.positional.empty())
    return in.Break(Reason::kOpaqueCall, symbol);
  args.positional.insert(args.positional.begin(), in.s.Str(std::string(method.name)));
  return in.Call(in.s.Symbol("framegate._polyfills_bytes:by_bytes"), std::move(args));
}

// Methods of numbers and strings.
Outcome OfScalar(Interp& in, const std::string& symbol, const Method& method, Args args) {
  Session& s = in.s;
  for (V& value : args.positional)
    if (V payload = value == nullptr ? nullptr : s.Payload(value))
      value = payload;
  if (method.name == "__iter__" && args.positional.size() == 1)
    return in.Iter(args.positional[0]);
  if (method.name == "__hash__" && args.positional.size() == 1)
    return in.CallBuiltin("builtins:hash", std::move(args), kSync);
  if (method.name == "__getnewargs__" || (method.name == "format" && !Foldable(s, args)))
    return in.Break(Reason::kOpaqueCall, symbol);
  bool reflected = false;
  bool is_operator = ComparisonOf(method.name) >= 0 || OperatorOf(method.name, &reflected) >= 0;
  if (is_operator && args.positional.size() == 2 && !Foldable(s, args) && As<ResidualValue>(s.Resolve(args.positional[1])) == nullptr)
    return in.Done(NotImplemented(s));
  return in.Fold(symbol, args);
}

Outcome OfObject(Interp& in, const std::string& symbol, const Method& method, Args& args) {
  Session& s = in.s;
  const Values& given = args.positional;
  if (given.empty())
    return in.Break(Reason::kOpaqueCall, symbol);
  if (IsOneOf(method.name, {"__eq__", "__ne__"}) && given.size() == 2) {
    FRAMEGATE_TAKE(V same, in.Is(given[0], given[1]));
    if (method.name == "__eq__")
      return in.Done(same == s.Bool(true) ? same : NotImplemented(s));
    FRAMEGATE_TAKE(V equal, TryMethod(in, given[0], "__eq__", given[1]));
    if (equal == nullptr)
      return in.Done(NotImplemented(s));
    FRAMEGATE_TAKE(V truth, in.Truth(equal));
    return in.Done(s.Bool(truth != s.Bool(true)));
  }
  if (ComparisonOf(method.name) >= 0)
    return in.Done(NotImplemented(s));
  if (method.name == "__str__")
    return Repr(in, given[0]);
  if (method.name == "__format__" && given.size() == 2) {
    const Constant* spec = ConstantOf(s, given[1], ConstantKind::kStr);
    return spec != nullptr && spec->text.empty() ? Str(in, given[0]) : in.Break(Reason::kOpaqueCall, symbol);
  }
  if (method.name == "__hash__")
    return in.CallBuiltin("builtins:hash", std::move(args), kSync);
  return in.Break(Reason::kOpaqueCall, symbol);
}

// Methods of containers: what they do to what they hold.
Outcome OfContainer(Interp& in, const std::string& symbol, const Method& method, Args& args) {
  Session& s = in.s;
  Values& given = args.positional;
  V self = given.empty() ? nullptr : s.Resolve(given[0]);
  if (self == nullptr || self->kind == ValueKind::kObject || self->kind == ValueKind::kOpaque || self->kind == ValueKind::kResidual)
    return in.Break(Reason::kOpaqueCall, symbol);  // a container of which nothing is known
  size_t count = given.size();
  if (method.name == "__len__" && count == 1)
    return RawLength(in, self);
  if (method.name == "__iter__" && count == 1)
    return RawIter(in, self);
  if (method.name == "__contains__" && count == 2)
    return RawContains(in, self, s.Resolve(given[1]));
  if (method.name == "__getitem__" && count == 2)
    return RawGetItem(in, self, s.Resolve(given[1]));
  if (method.name == "__setitem__" && count == 3)
    return RawSetItem(in, self, s.Resolve(given[1]), given[2]);
  if (method.name == "__delitem__" && count == 2)
    return RawSetItem(in, self, s.Resolve(given[1]), nullptr);
  if (method.name == "__repr__" && count == 1)
    return ReprOfBase(in, self);
  if (method.name == "__hash__" && count == 1)
    return in.CallBuiltin("builtins:hash", std::move(args), kSync);
  if (int op = ComparisonOf(method.name); op >= 0 && count == 2) {
    FRAMEGATE_TAKE(V result, CompareContainers(in, op, self, s.Resolve(given[1])));
    return in.Done(result == nullptr ? NotImplemented(s) : result);
  }
  bool reflected = false;
  if (int number = OperatorOf(method.name, &reflected); number >= 0 && number < 26 && count == 2) {
    V other = s.Resolve(given[1]);
    FRAMEGATE_TAKE(V result, reflected ? ContainerOp(in, number, other, self) : ContainerOp(in, number, self, other));
    return in.Done(result == nullptr ? NotImplemented(s) : result);
  }
  return Foldable(s, args) ? in.Fold(symbol, args) : in.Break(Reason::kOpaqueCall, symbol);
}

// __init__ of exceptions and containers.
Outcome Initialize(Interp& in, const std::string& symbol, const Method& method, Args& args) {
  Session& s = in.s;
  V self = s.Resolve(args.positional[0]);
  TypeValue* type = s.TypeOf(self);
  if (type != nullptr && s.IsSubclass(type, "builtins:BaseException"))
    return in.CallBuiltin("builtins:BaseException.__init__", std::move(args), kSync);
  if (As<MappingValue>(self) != nullptr && method.type != "defaultdict") {
    if (args.positional.size() > 2)
      return in.Raise("builtins:TypeError", StrCat("dict expected at most 1 argument, got ", args.positional.size() - 1));
    return in.CallBuiltin("builtins:dict.update", std::move(args), kSync);
  }
  if (auto* list = As<SequenceValue>(self); list != nullptr && method.type == "list" && args.keyword.empty()) {
    if (args.positional.size() > 2)
      return in.Raise("builtins:TypeError", StrCat("list expected at most 1 argument, got ", args.positional.size() - 1));
    FRAMEGATE_TAKE([[maybe_unused]] V cleared, in.CallBuiltin("builtins:list.clear", {.positional = {list}}, kSync));
    return args.positional.size() == 1 ? in.Done(s.None()) : in.CallBuiltin("builtins:list.extend", std::move(args), kSync);
  }
  if (As<SetValue>(self) != nullptr && args.positional.size() == 2) {
    FRAMEGATE_TAKE([[maybe_unused]] V cleared, in.CallBuiltin("builtins:set.clear", {.positional = {self}}, kSync));
    return in.CallBuiltin("builtins:set.update", std::move(args), kSync);
  }
  return in.Break(Reason::kOpaqueCall, symbol);
}

Outcome CompareNamespaces(Interp& in, V left, V right, bool invert) {
  Session& s = in.s;
  left = s.Resolve(left);
  right = s.Resolve(right);
  TypeValue* other = s.TypeOf(right);
  if (other == nullptr || !other->symbol.ends_with(":SimpleNamespace"))
    return in.Done(NotImplemented(s));
  std::vector<std::string> a, b;
  if (!s.InstanceNames(left, &a) || !s.InstanceNames(right, &b))
    return in.Break(Reason::kUnsupportedValue, "an instance dict whose names cannot be known");
  bool equal = a.size() == b.size();
  for (const std::string& name : a) {
    if (!equal || std::find(b.begin(), b.end(), name) == b.end()) {
      equal = false;
      break;
    }
    FRAMEGATE_TAKE(V same, in.Equal(s.InstanceAttr(left, name), s.InstanceAttr(right, name)));
    equal = same == s.Bool(true);
  }
  return in.Done(s.Bool(equal != invert));
}

}  // namespace

Outcome CallSlotWrapper(Interp& in, const std::string& symbol, Args args) {
  Method method;
  if (!Split(symbol, &method)) {
    const bool of_iterator = args.positional.size() == 1 && As<GeneratorValue>(in.s.Resolve(args.positional[0])) != nullptr;
    if (of_iterator && symbol.ends_with(".__iter__"))
      return in.Done(args.positional[0]);
    return of_iterator && symbol.ends_with(".__next__") ? in.CallBuiltin("builtins:next", std::move(args), kSync) : in.Fold(symbol, args);
  }
  if (method.name == "__init__" && !args.positional.empty())
    return Initialize(in, symbol, method, args);
  if (method.type == "SimpleNamespace" && args.positional.size() == 2 && IsOneOf(method.name, {"__eq__", "__ne__"}))
    return CompareNamespaces(in, args.positional[0], args.positional[1], method.name == "__ne__");
  if (method.type == "bytearray")
    return OfByteArray(in, symbol, method, std::move(args));
  if (method.type == "bytes")
    for (V& value : args.positional)
      if (V content = ByteArrayContents(in.s, value))
        value = content;
  if (in.HasTensor(args) && IsOneOf(method.type, {"int", "float", "complex", "str", "bytes", "bool"}))
    return in.Fold(symbol, args);
  if (IsOneOf(method.type, {"int", "float", "complex", "str", "bytes", "bool"}))
    return OfScalar(in, symbol, method, std::move(args));
  if (IsOneOf(method.type, {"object", "BaseException"}) && method.name != "add_note")
    return OfObject(in, symbol, method, args);
  if (IsOneOf(method.type, {"list", "tuple", "dict", "set", "frozenset", "dict_keys", "dict_items", "dict_values", "mappingproxy",
                            "MappingProxyType", "deque", "OrderedDict", "defaultdict"}))
    return OfContainer(in, symbol, method, args);
  return in.Fold(symbol, args);
}

}  // namespace framegate::translator
