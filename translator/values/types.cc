// Types, MROs and instance dicts of real and made values.
#include "base/strings.h"
#include "translator/values/session.h"

namespace framegate::translator {

using guards::GuardKind;
using model::Fact;
using model::Step;
using model::TypeFlag;

TypeValue* Session::RealType(Handle handle, SubjectId subject, bool is_read) {
  if (handle == model::kAbsent)
    return nullptr;
  if (auto it = by_handle_.find(handle); it != by_handle_.end()) {
    // What is read of a class is read where it was met first; another one may have its name.
    auto* known = As<TypeValue>(it->second);
    if (is_read && known != nullptr && NeedsGuards(known->subject))
      GuardSame(subject, known->subject);
    return known;
  }
  const model::FactValue& name = mirror_.Fact(handle, Fact::kTypeName);
  const model::FactValue& flags = mirror_.Fact(handle, Fact::kTypeFlags);
  if (!name.known || name.constant.items.size() != 2)
    return nullptr;
  auto* type = New<TypeValue>();
  type->handle = handle;
  type->subject = subject;
  type->symbol = StrCat(name.constant.items[0].text, ":", name.constant.items[1].text);
  type->flags = flags.word;
  type->line = line;
  by_handle_[handle] = type;
  real_types_.push_back(type);
  // A static type follows from the guard on what led to it: the exact type of an object, or its own name.
  if (!model::HasFlag(type->flags, TypeFlag::kHeapType))
    MarkImmutable(subject);
  return type;
}

TypeValue* Session::ConstantType(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kNone:
      return TypeOfSymbol("types:NoneType");
    case ConstantKind::kFalse:
    case ConstantKind::kTrue:
      return TypeOfSymbol("builtins:bool");
    case ConstantKind::kEllipsis:
      return TypeOfSymbol("types:EllipsisType");
    case ConstantKind::kNotImplemented:
      return TypeOfSymbol("types:NotImplementedType");
    case ConstantKind::kInt:
    case ConstantKind::kBigInt:
      return TypeOfSymbol("builtins:int");
    case ConstantKind::kFloat:
      return TypeOfSymbol("builtins:float");
    case ConstantKind::kComplex:
      return TypeOfSymbol("builtins:complex");
    case ConstantKind::kStr:
      return TypeOfSymbol("builtins:str");
    case ConstantKind::kBytes:
      return TypeOfSymbol("builtins:bytes");
    case ConstantKind::kTuple:
      return TypeOfSymbol("builtins:tuple");
    case ConstantKind::kFrozenset:
      return TypeOfSymbol("builtins:frozenset");
    case ConstantKind::kSlice:
      return TypeOfSymbol("builtins:slice");
    case ConstantKind::kCode:
      return TypeOfSymbol("types:CodeType");
    case ConstantKind::kDtype:
      return TypeOfSymbol("torch:dtype");
    case ConstantKind::kDevice:
      return TypeOfSymbol("torch:device");
    case ConstantKind::kLayout:
      return TypeOfSymbol("torch:layout");
    case ConstantKind::kMemoryFormat:
      return TypeOfSymbol("torch:memory_format");
    case ConstantKind::kRange:
      return TypeOfSymbol("builtins:range");
    case ConstantKind::kSize:
      return TypeOfSymbol("torch:Size");
    case ConstantKind::kMember:
      return TypeOfSymbol(constant.text.substr(0, constant.text.rfind('.')));
  }
  return nullptr;
}

// A C method bound to an object is of another type than a function bound to one.
TypeValue* Session::MethodType(MethodValue* method) {
  auto* builtin = As<BuiltinValue>(Resolve(method->function));
  if (builtin == nullptr)
    return TypeOfSymbol("types:MethodType");
  TypeValue* kind = TypeOf(builtin);
  return TypeOfSymbol(kind != nullptr && kind->is("builtins:wrapper_descriptor") ? "types:MethodWrapperType" : "types:BuiltinFunctionType");
}

// Null where no module holds the type.
TypeValue* Session::ViewType(ViewValue* view) {
  TypeValue* of = TypeOf(view->target);
  if (of == nullptr || IsSubclass(of, "collections:OrderedDict"))
    return nullptr;
  switch (view->form) {
    case ViewForm::kKeys:
      return TypeOfSymbol("_collections_abc:dict_keys");
    case ViewForm::kValues:
      return TypeOfSymbol("_collections_abc:dict_values");
    case ViewForm::kItems:
      return TypeOfSymbol("_collections_abc:dict_items");
    case ViewForm::kProxy:
    case ViewForm::kInstanceDict:
    case ViewForm::kTypeDict:
      return nullptr;  // made with it
  }
  return nullptr;
}

TypeValue* Session::IteratorType(IteratorValue* iterator) {
  V source = iterator->source == nullptr ? nullptr : Resolve(iterator->source);
  switch (iterator->form) {
    case IteratorForm::kSequence: {
      TypeValue* of = TypeOf(source);
      return of->Has(TypeFlag::kListSubclass)    ? TypeOfSymbol("_collections_abc:list_iterator")
             : of->Has(TypeFlag::kTupleSubclass) ? TypeOfSymbol("_collections_abc:tuple_iterator")
                                                 : nullptr;
    }
    case IteratorForm::kRange:
      return TypeOfSymbol("_collections_abc:range_iterator");
    case IteratorForm::kMapping: {
      auto* view = As<ViewValue>(source);
      if (TypeValue* of = TypeOf(view != nullptr ? view->target : source); of == nullptr || IsSubclass(of, "collections:OrderedDict"))
        return nullptr;
      const ViewForm form = view != nullptr ? view->form : ViewForm::kKeys;
      return TypeOfSymbol(form == ViewForm::kValues  ? "_collections_abc:dict_valueiterator"
                          : form == ViewForm::kItems ? "_collections_abc:dict_itemiterator"
                                                     : "_collections_abc:dict_keyiterator");
    }
    case IteratorForm::kFixed:
      if (const Constant* of = AsConstant(source); of != nullptr && of->kind == ConstantKind::kBytes)
        return TypeOfSymbol("_collections_abc:bytes_iterator");
      return As<SetValue>(source) != nullptr ? TypeOfSymbol("_collections_abc:set_iterator") : nullptr;
    case IteratorForm::kReal:
    case IteratorForm::kEnumerate:
    case IteratorForm::kZip:
    case IteratorForm::kMap:
    case IteratorForm::kReversed:
    case IteratorForm::kCallable:
      return nullptr;  // made with it, or no module holds it
  }
  return nullptr;
}

TypeValue* Session::TypeOf(V value) {
  if (auto* count = As<ResidualValue>(value); count != nullptr && count->is_count)
    return count->type;
  value = Look(value);
  if (auto* symbol = As<SymbolValue>(value))
    return ConstantType(symbol->now);
  if (value == nullptr)
    return nullptr;
  if (value->type != nullptr)
    return value->type;
  if (auto* c = As<ConstantValue>(value))
    return value->type = ConstantType(c->constant);
  switch (value->kind) {
    case ValueKind::kFunction:
      value->type = TypeOfSymbol("types:FunctionType");
      break;
    case ValueKind::kMethod:
      value->type = MethodType(As<MethodValue>(value));
      break;
    case ValueKind::kCell:
      value->type = TypeOfSymbol("types:CellType");
      break;
    case ValueKind::kGenerator:
      value->type = TypeOfSymbol("types:GeneratorType");
      break;
    case ValueKind::kSlice:
      value->type = TypeOfSymbol("builtins:slice");
      break;
    case ValueKind::kSuper:
      value->type = TypeOfSymbol("builtins:super");
      break;
    case ValueKind::kTensor:
      value->type = TypeOfSymbol("torch:Tensor");
      break;
    case ValueKind::kSet:
      value->type = TypeOfSymbol("builtins:set");
      break;
    case ValueKind::kPartial:
      value->type = TypeOfSymbol("functools:partial");
      break;
    case ValueKind::kView:
      value->type = ViewType(As<ViewValue>(value));
      break;
    case ValueKind::kIterator:
      value->type = IteratorType(As<IteratorValue>(value));
      break;
    default:
      break;  // made with their type, or not modelled
  }
  if (value->type == nullptr && value->is_real()) {
    Handle handle = mirror_.Step(value->handle, Step::kType);
    SubjectId subject = subjects_.Child(value->subject, Step::kType);
    value->type = RealType(handle, subject);
    if (value->type != nullptr)
      AddGuard({.kind = GuardKind::kTypeIs, .subject = value->subject, .type = value->type->symbol});
  }
  return value->type;
}

const std::vector<TypeValue*>& Session::MroOf(TypeValue* type) {
  type->mro_read = true;
  return BasesOf(type);
}

const std::vector<TypeValue*>& Session::BasesOf(TypeValue* type) {
  if (!type->mro.empty() || !type->is_real())
    return type->mro;
  uint64_t length = mirror_.Fact(type->handle, Fact::kMroLength).word;
  for (uint32_t i = 0; i < length; ++i) {
    TypeValue* base = RealType(mirror_.Step(type->handle, Step::kMro, i), subjects_.Child(type->subject, Step::kMro, i), false);
    if (base != nullptr)
      type->mro.push_back(base);
  }
  return type->mro;
}

bool Session::IsSubclass(TypeValue* type, std::string_view symbol) {
  if (type == nullptr)
    return false;
  if (type->symbol == symbol)
    return true;
  for (TypeValue* base : MroOf(type))
    if (base->symbol == symbol)
      return true;
  return false;
}

bool Session::IsSubclassOf(TypeValue* type, TypeValue* base) {
  if (type == base)
    return true;
  for (TypeValue* at : MroOf(type))
    if (at == base)
      return true;
  return false;
}

namespace {

void SetIn(std::vector<std::pair<std::string, V>>* attributes, std::string_view name, V value, bool is_real) {
  for (auto it = attributes->begin(); it != attributes->end(); ++it) {
    if (it->first != name)
      continue;
    if (value == nullptr && !is_real)
      attributes->erase(it);
    else if (value != nullptr && it->second == nullptr) {  // deleted, then set again: it moves to the end
      attributes->erase(it);
      attributes->emplace_back(name, value);
    } else {
      it->second = value;
    }
    return;
  }
  if (value != nullptr || is_real)
    attributes->emplace_back(name, value);
}

}  // namespace

V Session::TypeAttr(TypeValue* type, std::string_view name, V instance) {
  const std::vector<TypeValue*>& mro = BasesOf(type);
  if (type->is_real() && !types_changed)
    return RealTypeAttr(type, name, instance);
  for (size_t at = 0; at < mro.size(); ++at) {
    TypeValue* base = mro[at];
    auto own = std::find_if(base->own.begin(), base->own.end(), [&](const auto& pair) { return pair.first == name; });
    if (own != base->own.end()) {
      if (own->second != nullptr)
        return own->second;
      continue;  // deleted here: a base's shows
    }
    if (!base->is_real())
      continue;
    // The rest of the MRO is the base's own: one look-up, where nothing of it was changed.
    const std::vector<TypeValue*>& rest = BasesOf(base);
    bool is_tail = rest.size() == mro.size() - at && std::equal(rest.begin(), rest.end(), mro.begin() + static_cast<ptrdiff_t>(at));
    if (is_tail && std::all_of(rest.begin(), rest.end(), [](TypeValue* t) { return t->own.empty(); }))
      return RealTypeAttr(base, name);
    if (V value = StepFrom(base, Step::kTypeDictItem, name))
      return value;
  }
  return nullptr;
}

V Session::RealTypeAttr(TypeValue* type, std::string_view name, V instance) {
  std::string key = StrCat(type->handle, ".", name);
  if (auto it = type_attrs_.find(key); it != type_attrs_.end())
    return it->second;
  if (instance != nullptr)
    mirror_.Expect(instance->handle, instance->kind == ValueKind::kType ? Step::kTypeAttr : Step::kAttr, name);
  V value = StepFrom(type, Step::kTypeAttr, name);
  type_attrs_[key] = value;
  return value;
}

void Session::SetTypeAttr(TypeValue* type, std::string_view name, V value) {
  Touch(type);
  SetIn(&type->own, name, value, type->is_real());
  if (!type->is_real())
    return;
  types_changed = true;
  V key = Str(std::string(name));
  if (value == nullptr)
    AddEffect({.helper = model::Helper::kTypeDelAttr, .args = {type, key}});
  else
    AddEffect({.helper = model::Helper::kTypeSetAttr, .args = {type, key, value}});
}

V Session::Payload(V value) {
  auto* object = As<ObjectValue>(Resolve(value));
  if (object == nullptr || object->payload != nullptr || !object->is_real())
    return object == nullptr ? nullptr : object->payload;
  TypeValue* type = TypeOf(object);
  if (type == nullptr || !type->Has(TypeFlag::kHeapType) || type->Has(TypeFlag::kModuleSubclass) ||
      !(type->Has(TypeFlag::kLongSubclass) || type->Has(TypeFlag::kStrSubclass) || type->Has(TypeFlag::kBytesSubclass) ||
        IsSubclass(type, "builtins:float") || IsSubclass(type, "builtins:complex")))
    return nullptr;
  const model::FactValue& payload = ReadFact(object, Fact::kPayload);
  if (payload.known)
    object->payload = Const(payload.constant);
  return object->payload;
}

namespace {

using Attributes = std::vector<std::pair<std::string, V>>;

// What was set on the object in the frame; null where nothing was, or can be.
Attributes* AttributesOf(V object) {
  if (auto* o = As<ObjectValue>(object))
    return &o->attributes;
  if (auto* t = As<TensorValue>(object))
    return &t->attributes;
  if (auto* f = As<FunctionValue>(object))
    return &f->attributes;
  if (auto* p = As<PartialValue>(object))
    return &p->attributes;
  auto* s = As<SequenceValue>(object);
  auto* m = As<MappingValue>(object);
  auto* kept = As<ObjectValue>(s != nullptr ? s->attributes : m != nullptr ? m->attributes : nullptr);
  return kept == nullptr ? nullptr : &kept->attributes;
}

// Attributes of functions that are no names of their dicts.
bool IsFunctionField(std::string_view name) {
  constexpr std::string_view kFields[] = {"__name__",     "__qualname__",   "__doc__",         "__module__", "__annotations__",
                                          "__defaults__", "__kwdefaults__", "__type_params__", "__code__"};
  return std::find(std::begin(kFields), std::end(kFields), name) != std::end(kFields);
}

}  // namespace

V Session::InstanceAttr(V object, std::string_view name) {
  if (const Attributes* attributes = AttributesOf(object))
    for (const auto& [own, value] : *attributes)
      if (own == name)
        return value;
  if (!object->is_real())
    return nullptr;
  TypeValue* type = TypeOf(object);
  if (type != nullptr && (type->is("builtins:module") || IsSubclass(type, "builtins:module"))) {
    V dict = StepFrom(object, Step::kModuleDict);
    if (auto* mapping = As<MappingValue>(Resolve(dict)))
      return MappingGet(mapping, Str(std::string(name)));
    return nullptr;
  }
  if (type != nullptr && IsSubclass(type, "_thread:_local")) {
    auto* dict = As<MappingValue>(Resolve(StepFrom(object, Step::kLocalDict)));
    return dict == nullptr ? nullptr : MappingGet(dict, Str(std::string(name)));
  }
  if (type != nullptr && !type->Has(TypeFlag::kInstancesHaveDict))
    return nullptr;
  return StepFrom(object, Step::kAttr, name);
}

V Session::HidingAttr(V object, TypeValue* type, std::string_view name) {
  mirror_.Expect(object->handle, Step::kAttr, name);
  if (!IsHidden(type, name))
    return nullptr;
  const Attributes* attributes = AttributesOf(object);
  const bool is_set = attributes != nullptr && std::any_of(attributes->begin(), attributes->end(),
                                                           [&](const auto& own) { return own.first == name && own.second != nullptr; });
  if (!is_set &&
      (!object->is_real() || !type->Has(TypeFlag::kInstancesHaveDict) || mirror_.Step(object->handle, Step::kAttr, name) == model::kAbsent))
    return nullptr;
  V value = InstanceAttr(object, name);
  return value != nullptr && LacksDataDescriptor(type, name) ? value : nullptr;
}

namespace {

// What setting (null: deleting) an attribute does to the names of all.
void SetOrDelete(std::vector<std::string>* names, const std::string& name, V value) {
  auto it = std::find(names->begin(), names->end(), name);
  if (value == nullptr && it != names->end())
    names->erase(it);
  else if (value != nullptr && it == names->end())
    names->push_back(name);
}

}  // namespace

bool Session::InstanceNames(V object, std::vector<std::string>* names) {
  names->clear();
  if (object->is_real()) {
    const model::FactValue& keys = ReadFact(object, Fact::kInstanceKeys);
    if (!keys.known)
      return false;
    for (const Constant& key : keys.constant.items)
      names->push_back(key.text);
  }
  const Attributes* attributes = AttributesOf(object);
  if (attributes == nullptr)
    return object->is_real() || As<SequenceValue>(object) != nullptr || As<MappingValue>(object) != nullptr;
  for (const auto& [name, value] : *attributes)
    if (As<FunctionValue>(object) == nullptr || !IsFunctionField(name))
      SetOrDelete(names, name, value);
  return true;
}

bool Session::TypeNames(TypeValue* type, std::vector<std::string>* names) {
  names->clear();
  if (type->is_real()) {
    const model::FactValue& keys = ReadFact(type, Fact::kTypeKeys);
    if (!keys.known)
      return false;
    for (const Constant& key : keys.constant.items)
      names->push_back(key.text);
    for (const std::string& name : *names)
      mirror_.Expect(type->handle, Step::kTypeDictItem, name);
  }
  for (const auto& [name, value] : type->own)
    SetOrDelete(names, name, value);
  return true;
}

void Session::SetInstanceAttr(V object, std::string_view name, V value) {
  Touch(object);
  auto* s = As<SequenceValue>(object);
  auto* m = As<MappingValue>(object);
  if (V* attributes = s != nullptr ? &s->attributes : m != nullptr ? &m->attributes : nullptr) {
    if (*attributes == nullptr)
      *attributes = New<ObjectValue>();
    Touch(*attributes);
  }
  Attributes* attributes = AttributesOf(object);
  if (attributes == nullptr)
    return;
  dropped_real = dropped_real || (object->is_real() && MayHoldObject(object, name));
  SetIn(attributes, name, value, object->is_real());
  if (!object->is_real())
    return;
  V key = Str(std::string(name));
  bool in_dict = NeedsInstanceDict(object, name);
  if (value == nullptr)
    AddEffect({.helper = in_dict ? model::Helper::kInstanceDictDel : model::Helper::kDelAttrGeneric, .args = {object, key}});
  else
    AddEffect({.helper = in_dict ? model::Helper::kInstanceDictSet : model::Helper::kSetAttrGeneric, .args = {object, key, value}});
}

// What is under the name is not known to be absent or a number or text.
bool Session::MayHoldObject(V object, std::string_view name) const {
  const std::optional<Handle> held = mirror_.Known(object->handle, Step::kAttr, Constant::Str(std::string(name)));
  if (!held.has_value() || *held == model::kAbsent)
    return !held.has_value();
  const auto it = by_handle_.find(*held);
  auto* lazy = it == by_handle_.end() ? nullptr : As<LazyValue>(it->second);
  return AsConstant(lazy == nullptr ? it == by_handle_.end() ? nullptr : it->second : lazy->resolved) == nullptr;
}

bool Session::NeedsInstanceDict(V object, std::string_view name) {
  TypeValue* type = TypeOf(object);
  V meta = type == nullptr || LacksDataDescriptor(type, name) ? nullptr : TypeAttr(type, name);
  TypeValue* kind = meta == nullptr ? nullptr : TypeOf(meta);
  return kind != nullptr && kind->Has(TypeFlag::kDataDescriptor) && !kind->is("builtins:member_descriptor") &&
         !kind->is("builtins:getset_descriptor");
}

V Session::CellContents(CellValue* cell) {
  if (!cell->loaded) {
    cell->contents = StepFrom(cell, Step::kCellContents);
    cell->loaded = true;
  }
  return cell->contents;
}

}  // namespace framegate::translator
