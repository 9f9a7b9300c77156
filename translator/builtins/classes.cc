// Class statements, type() of three arguments, and the descriptors that class bodies make.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::Step;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

// Bases that are no classes may name others with __mro_entries__.
Outcome ResolveBases(Interp& in, Values* bases, bool* changed) {
  Session& s = in.s;
  V tuple = s.Tuple(*bases);
  Values resolved;
  *changed = false;
  for (V base : *bases) {
    if (As<TypeValue>(s.Resolve(base)) != nullptr) {
      resolved.push_back(s.Resolve(base));
      continue;
    }
    Outcome entries = in.GetAttr(base, "__mro_entries__");
    if (entries.flow == Flow::kRaise) {
      s.raised = nullptr;
      resolved.push_back(base);
      continue;
    }
    if (!entries.ok())
      return entries;
    FRAMEGATE_TAKE(V given, in.Call(entries.value, {.positional = {tuple}}));
    Values items;
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(given, &items));
    resolved.insert(resolved.end(), items.begin(), items.end());
    *changed = true;
  }
  *bases = std::move(resolved);
  return in.Done(tuple);
}

Outcome Prepare(Interp& in, V metatype, V name, V bases, const Args& keywords) {
  Outcome prepare = in.GetAttr(metatype, "__prepare__");
  if (prepare.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError")) {
    in.s.raised = nullptr;
    return in.Done(in.s.Dict());
  }
  if (!prepare.ok())
    return prepare;
  return in.Call(prepare.value, {.positional = {name, bases}, .keyword = keywords.keyword});
}

ObjectValue* Made(Interp& in, const char* kind, Values arguments) {
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol(StrCat("builtins:", kind));
  object->mutable_made = true;
  object->constructor = kind;
  object->arguments = std::move(arguments);
  return object;
}

}  // namespace

// __build_class__(body, name, *bases, metaclass=None, **keywords).
Outcome BuiltinBuildClass(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* body = args.positional.size() < 2 ? nullptr : As<FunctionValue>(s.Resolve(args.positional[0]));
  if (body == nullptr)
    return WrongArguments(in, "__build_class__");
  V name = args.positional[1];
  Values bases(args.positional.begin() + 2, args.positional.end());
  bool changed = false;
  FRAMEGATE_TAKE(V original_bases, ResolveBases(in, &bases, &changed));
  V metatype = nullptr;
  Args keywords;
  for (const auto& [key, value] : args.keyword) {
    if (key == "metaclass")
      metatype = s.Resolve(value);
    else
      keywords.keyword.emplace_back(key, value);
  }
  if (metatype == nullptr)
    metatype = bases.empty() ? s.TypeOfSymbol("builtins:type") : s.TypeOf(bases[0]);
  if (auto* type = As<TypeValue>(metatype)) {
    FRAMEGATE_TAKE(metatype, WinningMetatype(in, type, bases));
  }
  V bases_tuple = s.Tuple(std::move(bases));
  FRAMEGATE_TAKE(V space, Prepare(in, metatype, name, bases_tuple, keywords));
  FRAMEGATE_TAKE([[maybe_unused]] V cell, in.RunBody(body, space));
  if (changed) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetItem(space, s.Str("__orig_bases__"), original_bases));
  }
  return in.Call(metatype, {.positional = {name, bases_tuple, space}, .keyword = keywords.keyword});
}

Outcome BuiltinTypeNew(Interp& in, Args& args, Tail) {
  auto* metatype = args.positional.size() != 4 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (metatype == nullptr)
    return WrongArguments(in, "type.__new__");
  Values bases;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args.positional[2], &bases));
  FRAMEGATE_TAKE(V winner, WinningMetatype(in, metatype, bases));
  if (winner != metatype) {
    auto* make = As<FunctionValue>(in.s.Resolve(in.s.TypeAttr(As<TypeValue>(winner), "__new__")));
    if (make != nullptr)
      return in.Break(Reason::kUnsupportedCall, "type.__new__ with a base whose metaclass makes its classes itself");
  }
  return MakeType(in, As<TypeValue>(winner), args.positional[1], args.positional[2], args.positional[3], {.keyword = args.keyword});
}

Outcome BuiltinReturnsNothing(Interp& in, Args&, Tail) {
  return in.Done(in.s.None());
}

Outcome BuiltinTypePrepare(Interp& in, Args&, Tail) {
  return in.Done(in.s.Dict());
}

Outcome BuiltinInitSubclass(Interp& in, Args& args, Tail) {
  auto* type = args.positional.empty() ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (args.keyword.empty() && args.positional.size() == 1)
    return in.Done(in.s.None());
  return in.Raise("builtins:TypeError", StrCat(type == nullptr ? "?" : TypeName(type), ".__init_subclass__() takes no keyword arguments"));
}

Outcome BuiltinTypeSetAttr(Interp& in, Args& args, Tail) {
  auto* type = args.positional.size() != 3 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  const Constant* name = type == nullptr ? nullptr : ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
  return name == nullptr ? WrongArguments(in, "type.__setattr__") : SetTypeAttribute(in, type, name->text, args.positional[2]);
}

Outcome BuiltinTypeDelAttr(Interp& in, Args& args, Tail) {
  auto* type = args.positional.size() != 2 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  const Constant* name = type == nullptr ? nullptr : ConstantOf(in.s, args.positional[1], ConstantKind::kStr);
  return name == nullptr ? WrongArguments(in, "type.__delattr__") : SetTypeAttribute(in, type, name->text, nullptr);
}

// type.__call__ of a class whose metaclass overrides it and calls up.
Outcome BuiltinTypeCall(Interp& in, Args& args, Tail tail) {
  auto* type = args.positional.empty() ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (type == nullptr)
    return WrongArguments(in, "type.__call__");
  args.positional.erase(args.positional.begin());
  return in.Construct(type, std::move(args), tail);
}

Outcome BuiltinTypeSubclassCheck(Interp& in, Args& args, Tail) {
  auto *base = args.positional.size() != 2 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0])), *type = base;
  if (base != nullptr)
    type = As<TypeValue>(in.s.Resolve(args.positional[1]));
  return type == nullptr || base == nullptr ? WrongArguments(in, "type.__subclasscheck__")
                                            : in.Done(in.s.Bool(in.s.IsSubclassOf(type, base)));
}

Outcome BuiltinTypeInstanceCheck(Interp& in, Args& args, Tail) {
  auto* base = args.positional.size() != 2 ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  TypeValue* type = base == nullptr ? nullptr : in.s.TypeOf(args.positional[1]);
  return type == nullptr ? WrongArguments(in, "type.__instancecheck__") : in.Done(in.s.Bool(in.s.IsSubclassOf(type, base)));
}

// Abstract methods, from the namespace and the bases.
Outcome BuiltinAbcInit(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* type = args.positional.size() != 1 ? nullptr : As<TypeValue>(s.Resolve(args.positional[0]));
  if (type == nullptr || type->is_real())
    return WrongArguments(in, "_abc_init");
  Values names;
  auto consider = [&](const std::string& name, V value) -> Outcome {
    Outcome flag = value == nullptr ? in.Done(nullptr) : in.GetAttr(value, "__isabstractmethod__");
    if (flag.flow == Flow::kRaise) {
      s.raised = nullptr;
      return in.Done(nullptr);
    }
    if (!flag.ok() || flag.value == nullptr)
      return flag;
    FRAMEGATE_TAKE(V truth, in.Truth(flag.value));
    if (truth == s.Bool(true))
      names.push_back(s.Str(name));
    return in.Done(nullptr);
  };
  auto own = type->own;
  for (const auto& [name, value] : own) {
    if (value == nullptr || AsConstant(s.Resolve(value)) != nullptr)
      continue;
    FRAMEGATE_TAKE([[maybe_unused]] V none, consider(name, value));
  }
  for (TypeValue* base : type->bases) {
    if (!base->Has(model::TypeFlag::kAbstract))
      continue;
    FRAMEGATE_TAKE(V inherited, in.GetAttr(base, "__abstractmethods__"));
    Values items;
    FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(inherited, &items));
    for (V item : items) {
      const Constant* name = ConstantOf(s, item, ConstantKind::kStr);
      if (name == nullptr)
        return in.Break(Reason::kUnsupportedCall, "abstract methods whose names are no strings");
      FRAMEGATE_TAKE([[maybe_unused]] V none, consider(name->text, s.TypeAttr(type, name->text)));
    }
  }
  s.Touch(type);
  if (!names.empty())
    type->flags |= static_cast<uint64_t>(model::TypeFlag::kAbstract);
  FRAMEGATE_TAKE(V set, in.CallBuiltin("builtins:frozenset", {.positional = {s.Tuple(names)}}, kSync));
  type->own.emplace_back("__abstractmethods__", set);
  type->own.emplace_back("_abc_impl", s.None());
  return in.Done(s.None());
}

namespace {

// Getter, setter, deleter and, where there is one, the text of property(...), whose arguments begin at a place; empty: too many.
Values PropertyParts(Interp& in, const Args& args, size_t begin) {
  static constexpr std::string_view kNames[] = {"fget", "fset", "fdel", "doc"};
  const auto is_unknown = [](const auto& given) {
    return std::find(std::begin(kNames), std::end(kNames), given.first) == std::end(kNames);
  };
  if (args.positional.size() > begin + 4 || std::any_of(args.keyword.begin(), args.keyword.end(), is_unknown))
    return {};
  Values parts(args.positional.begin() + static_cast<ptrdiff_t>(begin), args.positional.end());
  const size_t given = parts.size();
  parts.resize(4, in.s.None());
  for (size_t i = given; i < 4; ++i)
    if (V value = args.Keyword(kNames[i]))
      parts[i] = value;
  if (in.s.Resolve(parts[3]) == in.s.None())
    parts.pop_back();
  return parts;
}

}  // namespace

Outcome BuiltinProperty(Interp& in, Args& args, Tail) {
  Values parts = PropertyParts(in, args, 0);
  return parts.empty() ? WrongArguments(in, "property") : in.Done(Made(in, "property", std::move(parts)));
}

// Of an object made in the frame whose class is derived from property; it does not leave the frame.
Outcome BuiltinPropertyInit(Interp& in, Args& args, Tail) {
  auto* self = args.positional.empty() ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  Values parts = PropertyParts(in, args, 1);
  if (self == nullptr || self->is_real() || !in.s.IsSubclass(in.s.TypeOf(self), "builtins:property") || parts.empty())
    return WrongArguments(in, "property.__init__");
  in.s.Touch(self);
  self->arguments = std::move(parts);
  self->hint = "property of a derived class";
  return in.Done(in.s.None());
}

namespace {

Outcome PropertyWith(Interp& in, Args& args, size_t at) {
  TypeValue* type = args.positional.size() == 2 ? in.s.TypeOf(args.positional[0]) : nullptr;
  if (type == nullptr || !type->is("builtins:property"))
    return WrongArguments(in, "a property's decorator");
  Values parts;
  for (Step step : {Step::kPropertyGet, Step::kPropertySet, Step::kPropertyDel}) {
    V part = PartOf(in.s, args.positional[0], step);
    parts.push_back(part == nullptr ? in.s.None() : part);
  }
  parts[at] = args.positional[1];
  return in.Done(Made(in, "property", std::move(parts)));
}

}  // namespace

Outcome BuiltinPropertyGetter(Interp& in, Args& args, Tail) {
  return PropertyWith(in, args, 0);
}

Outcome BuiltinPropertySetter(Interp& in, Args& args, Tail) {
  return PropertyWith(in, args, 1);
}

Outcome BuiltinPropertyDeleter(Interp& in, Args& args, Tail) {
  return PropertyWith(in, args, 2);
}

Outcome BuiltinStaticMethod(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? in.Done(Made(in, "staticmethod", args.positional)) : WrongArguments(in, "staticmethod");
}

Outcome BuiltinClassMethod(Interp& in, Args& args, Tail) {
  return args.positional.size() == 1 ? in.Done(Made(in, "classmethod", args.positional)) : WrongArguments(in, "classmethod");
}

// tuple.__new__, int.__new__ and the like, called on a subclass.
Outcome BuiltinBaseNew(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto* type = args.positional.empty() ? nullptr : As<TypeValue>(s.Resolve(args.positional[0]));
  if (type == nullptr || type->Has(model::TypeFlag::kHasDel))
    return WrongArguments(in, "__new__");
  Args rest{.positional = Values(args.positional.begin() + 1, args.positional.end()), .keyword = args.keyword};
  if (type->Has(model::TypeFlag::kTupleSubclass)) {
    Values items;
    if (!rest.positional.empty()) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(rest.positional[0], &items));
    }
    if (!type->Has(model::TypeFlag::kHeapType) && !type->is("builtins:tuple"))
      return WrongArguments(in, "tuple.__new__");
    SequenceValue* tuple = s.Tuple(std::move(items));
    tuple->type = type;
    return in.Done(tuple);
  }
  const char* base = nullptr;
  for (const char* candidate : {"builtins:int", "builtins:float", "builtins:str", "builtins:complex", "builtins:bytes"})
    if (s.IsSubclass(type, candidate))
      base = candidate;
  if (base == nullptr)
    return WrongArguments(in, "__new__");
  FRAMEGATE_TAKE(V payload, in.CallBuiltin(base, std::move(rest), kSync));
  if (type->is(base))
    return in.Done(payload);
  if (AsConstant(s.Resolve(payload)) == nullptr)
    return in.Break(Reason::kUnsupportedValue, "an instance whose value is not known");
  auto* object = s.New<ObjectValue>();
  object->type = type;
  object->mutable_made = true;
  object->payload = s.Resolve(payload);
  return in.Done(object);
}

Outcome BuiltinMethod(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return in.Raise("builtins:TypeError", StrCat("method expected 2 arguments, got ", args.positional.size()));
  auto* method = in.s.New<MethodValue>();
  method->function = args.positional[0];
  method->self = args.positional[1];
  return in.Done(method);
}

namespace {

// The name under which a class holds a descriptor; "" where it does not know.
std::string NameOfDescriptor(Session& s, V descriptor) {
  descriptor = s.Resolve(descriptor);
  if (auto* builtin = As<BuiltinValue>(descriptor))
    return builtin->symbol.substr(builtin->symbol.rfind('.') + 1);
  auto* object = As<ObjectValue>(descriptor);
  return object == nullptr ? "" : object->hint;
}

}  // namespace

Outcome BuiltinDescriptorGet(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  if (args.positional.size() < 2 || args.positional.size() > 3)
    return WrongArguments(in, "__get__");
  V object = s.Resolve(args.positional[1]);
  auto* type = args.positional.size() > 2 ? As<TypeValue>(s.Resolve(args.positional[2])) : nullptr;
  bool none = object == s.None() && type != nullptr;
  if (auto* builtin = As<BuiltinValue>(s.Resolve(args.positional[0])); builtin != nullptr && !none) {
    auto* owner = As<TypeValue>(s.Resolve(s.Symbol(builtin->symbol.substr(0, builtin->symbol.rfind('.')))));
    TypeValue* actual = s.TypeOf(object);
    if (owner != nullptr && actual != nullptr && !s.IsSubclassOf(actual, owner))
      return in.Raise("builtins:TypeError", StrCat("descriptor '", NameOfDescriptor(s, builtin), "' for '", TypeName(owner),
                                                   "' objects doesn't apply to a '", TypeName(actual), "' object"));
  }
  if (type == nullptr)
    type = s.TypeOf(object);
  return type == nullptr ? WrongArguments(in, "__get__")
                         : DescriptorGet(in, args.positional[0], none ? nullptr : object, type, NameOfDescriptor(s, args.positional[0]));
}

Outcome BuiltinDescriptorSet(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 3)
    return WrongArguments(in, "__set__");
  FRAMEGATE_TAKE([[maybe_unused]] V none, DescriptorSet(in, args.positional[0], in.s.Resolve(args.positional[1]),
                                                        NameOfDescriptor(in.s, args.positional[0]), args.positional[2]));
  return in.Done(in.s.None());
}

}  // namespace framegate::translator
