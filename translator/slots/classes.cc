// Classes made in the frame: what type.__new__ does with a namespace.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::Step;
using model::TypeFlag;

V PartOf(Session& s, V object, Step step) {
  object = s.Resolve(object);
  if (object->is_real())
    return s.StepFrom(object, step);
  auto* made = As<ObjectValue>(object);
  size_t at = step == Step::kPropertySet ? 1 : step == Step::kPropertyDel ? 2 : 0;
  V part = made == nullptr || at >= made->arguments.size() ? nullptr : s.Resolve(made->arguments[at]);
  return part == s.None() ? nullptr : part;
}

bool IsProperty(Session& s, TypeValue* kind) {
  return kind->is("builtins:property") ||
         (kind->Has(TypeFlag::kHeapType) && !kind->Has(TypeFlag::kPythonDescriptor) && s.IsSubclass(kind, "builtins:property"));
}

V AttrAfter(Session& s, TypeValue* type, TypeValue* start, std::string_view name) {
  const std::vector<TypeValue*>& mro = s.MroOf(type);
  for (auto base = std::find(mro.begin(), mro.end(), start); base != mro.end(); ++base)
    if (*base != start)
      s.mirror().Expect((*base)->handle, Step::kTypeDictItem, name);
  bool after = false;
  for (TypeValue* base : mro) {
    if (!after) {
      after = base == start;
      continue;
    }
    auto own = std::find_if(base->own.begin(), base->own.end(), [&](const auto& pair) { return pair.first == name; });
    if (own != base->own.end()) {
      if (own->second != nullptr)
        return own->second;
      continue;
    }
    if (V value = base->is_real() ? s.StepFrom(base, Step::kTypeDictItem, name) : nullptr)
      return value;
  }
  return nullptr;
}

V OwnAttr(Session& s, TypeValue* type, std::string_view name) {
  for (const auto& [own, value] : type->own)
    if (own == name)
      return value;
  return type->is_real() ? s.StepFrom(type, Step::kTypeDictItem, name) : nullptr;
}

bool RefreshesFlags(std::string_view name) {
  return name != "__slots__" && name != "__dict__" && name != "__class__" && name != "__bases__" && name != "__mro__" &&
         name != "__del__" && name != "__abstractmethods__" && name != "__name__" && name != "__qualname__";
}

void SetSlotFlags(Session& s, TypeValue* type) {
  auto is_python = [&](std::string_view name) { return As<FunctionValue>(s.Resolve(s.TypeAttr(type, name))) != nullptr; };
  auto has = [&](std::string_view name) {
    V value = s.TypeAttr(type, name);
    return value != nullptr && s.Resolve(value) != s.None();
  };
  auto set = [&](TypeFlag flag, bool on) {
    type->flags = on ? type->flags | static_cast<uint64_t>(flag) : type->flags & ~static_cast<uint64_t>(flag);
  };
  auto is_objects = [&](std::string_view name) {
    auto* builtin = As<BuiltinValue>(s.Resolve(s.TypeAttr(type, name)));
    return builtin != nullptr && builtin->symbol == StrCat("builtins:object.", name);
  };
  bool python_getattr = is_python("__getattribute__") || is_python("__getattr__");
  set(TypeFlag::kPythonGetattr, python_getattr);
  if (python_getattr)
    set(TypeFlag::kGenericGetattr, false);
  bool python_setattr = is_python("__setattr__") || is_python("__delattr__");
  set(TypeFlag::kPythonSetattr, python_setattr);
  if (python_setattr)
    set(TypeFlag::kGenericSetattr, false);
  set(TypeFlag::kPythonHash, is_python("__hash__"));
  set(TypeFlag::kPythonEq, is_python("__eq__"));
  set(TypeFlag::kObjectEq, is_objects("__eq__"));
  set(TypeFlag::kObjectHash, is_objects("__hash__"));
  set(TypeFlag::kHasDel, s.TypeAttr(type, "__del__") != nullptr);
  set(TypeFlag::kDataDescriptor, has("__set__") || has("__delete__"));
  set(TypeFlag::kDescriptor, has("__get__"));
  set(TypeFlag::kPythonDescriptor, is_python("__get__") || is_python("__set__") || is_python("__delete__"));
  set(TypeFlag::kIterable, has("__iter__"));
  set(TypeFlag::kIterator, has("__next__"));
  set(TypeFlag::kCallable, has("__call__"));
  set(TypeFlag::kPythonCode, true);  // perhaps none, but nothing may rely on that
}

namespace {

// C3. False where there is no order.
bool Linearize(Session& s, TypeValue* type, const std::vector<TypeValue*>& bases) {
  std::vector<std::vector<TypeValue*>> lists;
  for (TypeValue* base : bases)
    lists.push_back(s.MroOf(base));
  lists.push_back(bases);
  type->mro = {type};
  while (true) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty())
      return true;
    TypeValue* next = nullptr;
    for (const auto& list : lists) {
      bool blocked = std::any_of(lists.begin(), lists.end(),
                                 [&](const auto& other) { return std::find(other.begin() + 1, other.end(), list[0]) != other.end(); });
      if (!blocked) {
        next = list[0];
        break;
      }
    }
    if (next == nullptr)
      return false;
    type->mro.push_back(next);
    for (auto& list : lists)
      if (list[0] == next)
        list.erase(list.begin());
  }
}

constexpr std::string_view kNoBases[] = {"builtins:bool",         "builtins:NoneType",   "builtins:function",
                                         "builtins:method",       "builtins:range",      "builtins:slice",
                                         "builtins:generator",    "builtins:coroutine",  "builtins:builtin_function_or_method",
                                         "builtins:mappingproxy", "builtins:memoryview", "builtins:ellipsis",
                                         "builtins:dict_keys",    "builtins:dict_items", "builtins:dict_values"};

// Whether the C layout of instances is that of object, but for the dict that class statements add.
bool IsPlain(Session& s, TypeValue* base) {
  for (TypeValue* at : s.MroOf(base))
    if (!at->Has(TypeFlag::kHeapType) && !at->is("builtins:object"))
      return false;
  return true;
}

Outcome CheckBases(Interp& in, const Values& given, std::vector<TypeValue*>* bases) {
  TypeValue* solid = nullptr;
  for (V value : given) {
    auto* base = As<TypeValue>(in.s.Resolve(value));
    if (base == nullptr)
      return in.Raise("builtins:TypeError", "bases must be types");
    for (std::string_view name : kNoBases)
      if (base->is(name))
        return in.Raise("builtins:TypeError", StrCat("type '", TypeName(base), "' is not an acceptable base type"));
    if (base->Has(TypeFlag::kTensorSubclass) || base->Has(TypeFlag::kHasDel))
      return in.Break(Reason::kUnsupportedCall, StrCat("a class based on ", base->symbol));
    if (!IsPlain(in.s, base)) {
      if (solid != nullptr && !in.s.IsSubclassOf(base, solid) && !in.s.IsSubclassOf(solid, base))
        return in.Break(Reason::kUnsupportedCall, "a class based on several builtin types");
      solid = base;
    }
    bases->push_back(base);
  }
  return in.Done(nullptr);
}

ObjectValue* Wrapped(Session& s, const char* kind, V function) {
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol(StrCat("builtins:", kind));
  object->mutable_made = true;
  object->constructor = kind;
  object->arguments = {function};
  return object;
}

void CopyNamespace(Session& s, TypeValue* type, const std::vector<std::pair<V, V>>& items) {
  for (const auto& [key, value] : items) {
    const std::string& name = AsConstant(s.Resolve(key))->text;
    if (name == "__classcell__" || name == "__classdictcell__" || name == "__qualname__")
      continue;
    V own = s.Resolve(value);
    bool is_function = As<FunctionValue>(own) != nullptr;
    if (is_function && name == "__new__")
      own = Wrapped(s, "staticmethod", own);
    else if (is_function && (name == "__init_subclass__" || name == "__class_getitem__"))
      own = Wrapped(s, "classmethod", own);
    type->own.emplace_back(name, own);
  }
}

V OwnOf(TypeValue* type, std::string_view name) {
  for (const auto& [own, value] : type->own)
    if (own == name)
      return value;
  return nullptr;
}

Outcome AddSlots(Interp& in, TypeValue* type, bool base_has_dict) {
  Session& s = in.s;
  V slots = OwnOf(type, "__slots__");
  bool has_dict = slots == nullptr;
  if (slots != nullptr) {
    Values names;
    if (ConstantOf(s, slots, ConstantKind::kStr) != nullptr) {
      names = {slots};
    } else {
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(slots, &names));
    }
    for (V value : names) {
      const Constant* name = ConstantOf(s, value, ConstantKind::kStr);
      if (name == nullptr)
        return in.Raise("builtins:TypeError", StrCat("__slots__ items must be strings, not '", TypeName(s.TypeOf(value)), "'"));
      if (name->text == "__dict__") {
        has_dict = true;
        continue;
      }
      if (name->text == "__weakref__")
        continue;
      if (OwnOf(type, name->text) != nullptr)
        return in.Raise("builtins:ValueError", StrCat("'", name->text, "' in __slots__ conflicts with class variable"));
      if (name->text.starts_with("__") && !name->text.ends_with("__"))
        return in.Break(Reason::kUnsupportedCall, "a private name in __slots__");
      auto* member = s.New<ObjectValue>();
      member->type = s.TypeOfSymbol("types:MemberDescriptorType");
      member->hint = name->text;
      member->mutable_made = true;
      type->own.emplace_back(name->text, member);
    }
  }
  if (has_dict || base_has_dict)
    type->flags |= static_cast<uint64_t>(TypeFlag::kInstancesHaveDict);
  return in.Done(nullptr);
}

// __set_name__ of what the namespace holds, then __init_subclass__ of the parent.
Outcome RunHooks(Interp& in, TypeValue* type, Args keywords) {
  Session& s = in.s;
  auto own = type->own;
  for (const auto& [name, value] : own) {
    TypeValue* kind = value == nullptr || AsConstant(s.Resolve(value)) != nullptr ? nullptr : s.TypeOf(value);
    V hook = kind == nullptr || !kind->Has(TypeFlag::kHeapType) ? nullptr : s.TypeAttr(kind, "__set_name__");
    if (hook == nullptr)
      continue;
    Outcome outcome = in.Call(hook, {.positional = {value, type, s.Str(name)}});
    if (outcome.flow == Flow::kRaise)
      return in.Break(Reason::kUnsupportedCall, "__set_name__ that raises");
    if (!outcome.ok())
      return outcome;
  }
  auto* super = s.New<SuperValue>();
  super->start = super->self_type = type;
  super->self = type;
  FRAMEGATE_TAKE(V hook, in.GetAttr(super, "__init_subclass__"));
  return in.Call(hook, std::move(keywords));
}

}  // namespace

Outcome WinningMetatype(Interp& in, TypeValue* metatype, const Values& bases) {
  Session& s = in.s;
  TypeValue* winner = metatype;
  for (V base : bases) {
    TypeValue* other = s.TypeOf(base);
    if (other == nullptr)
      return in.Break(Reason::kUnsupportedCall, "a base class of unknown type");
    if (s.IsSubclassOf(winner, other))
      continue;
    if (!s.IsSubclassOf(other, winner))
      return in.Raise(
          "builtins:TypeError",
          "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases");
    winner = other;
  }
  return in.Done(winner);
}

Outcome MakeType(Interp& in, TypeValue* metatype, V name, V bases_tuple, V space, Args keywords) {
  Session& s = in.s;
  const Constant* text = ConstantOf(s, name, ConstantKind::kStr);
  Values given;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(bases_tuple, &given));
  auto* mapping = As<MappingValue>(s.Resolve(space));
  if (text == nullptr || mapping == nullptr || !s.Complete(mapping))
    return in.Break(Reason::kUnsupportedCall, "type.__new__ with these arguments");
  for (const auto& [key, value] : mapping->items)
    if (ConstantOf(s, key, ConstantKind::kStr) == nullptr || value == nullptr)
      return in.Break(Reason::kUnsupportedCall, "a class namespace whose names are no strings");
  std::vector<TypeValue*> bases;
  FRAMEGATE_TAKE([[maybe_unused]] V checked, CheckBases(in, given, &bases));
  if (bases.empty())
    bases = {s.TypeOfSymbol("builtins:object")};
  auto get = [&](const char* key) { return s.MappingGet(mapping, s.Str(key)); };
  V module = get("__module__"), qualname = get("__qualname__");
  if (module == nullptr) {
    FunctionValue* function = in.top().function;
    auto* globals = function == nullptr ? nullptr : As<MappingValue>(s.Resolve(function->globals));
    module = globals == nullptr ? nullptr : s.MappingGet(globals, s.Str("__name__"));
  }
  const Constant* module_text = module == nullptr ? nullptr : ConstantOf(s, module, ConstantKind::kStr);
  const Constant* qualname_text = qualname == nullptr ? text : ConstantOf(s, qualname, ConstantKind::kStr);
  if (module_text == nullptr || qualname_text == nullptr)
    return in.Break(Reason::kUnsupportedCall, "a class whose module is not known");
  auto* type = s.New<TypeValue>();
  type->mutable_made = true;
  type->type = metatype;
  type->symbol = StrCat(module_text->text, ":", qualname_text->text);
  type->bases = bases;
  if (!Linearize(s, type, bases)) {
    std::string names;
    for (TypeValue* base : bases)
      names += StrCat(names.empty() ? "" : ", ", TypeName(base));
    return in.Raise("builtins:TypeError", StrCat("Cannot create a consistent method resolution\norder (MRO) for bases ", names));
  }
  bool base_has_dict = false;
  for (TypeValue* base : bases) {
    type->flags |= base->flags & ~static_cast<uint64_t>(TypeFlag::kAbstract);
    base_has_dict = base_has_dict || base->Has(TypeFlag::kInstancesHaveDict);
  }
  type->flags &= ~static_cast<uint64_t>(TypeFlag::kInstancesHaveDict);
  type->flags |= static_cast<uint64_t>(TypeFlag::kHeapType);
  if (get("__module__") == nullptr)
    type->own.emplace_back("__module__", module);
  CopyNamespace(s, type, mapping->items);
  if (OwnOf(type, "__doc__") == nullptr)
    type->own.emplace_back("__doc__", s.None());
  if (OwnOf(type, "__eq__") != nullptr && OwnOf(type, "__hash__") == nullptr)
    type->own.emplace_back("__hash__", s.None());
  FRAMEGATE_TAKE([[maybe_unused]] V slots, AddSlots(in, type, base_has_dict));
  SetSlotFlags(s, type);
  if (type->Has(TypeFlag::kHasDel))
    return in.Break(Reason::kUnsupportedCall, "a class with __del__");
  if (V cell = get("__classcell__")) {
    auto* made = As<CellValue>(s.Resolve(cell));
    if (made == nullptr)
      return in.Break(Reason::kUnsupportedCall, "a __classcell__ that is no cell");
    s.Touch(made);
    made->contents = type;
  }
  if (auto* cell = As<CellValue>(get("__classdictcell__") == nullptr ? nullptr : s.Resolve(get("__classdictcell__")))) {
    auto* dict = s.New<ViewValue>();
    dict->form = ViewForm::kTypeDict;
    dict->target = type;
    dict->type = s.TypeOfSymbol("types:MappingProxyType");
    s.Touch(cell);
    cell->contents = dict;
  }
  FRAMEGATE_TAKE([[maybe_unused]] V hooks, RunHooks(in, type, std::move(keywords)));
  return in.Done(type);
}

}  // namespace framegate::translator
