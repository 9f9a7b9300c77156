// Attribute lookup and assignment as CPython's generic, type, module and super algorithms do them.
#include "translator/slots/members.h"
#include "translator/slots/missing.h"
#include "translator/slots/slots.h"
#include "translator/slots/type_parameters.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;
using model::Step;
using model::TypeFlag;

namespace {

V Bound(Interp& in, V function, V self) {
  auto* method = in.s.New<MethodValue>();
  method->function = function;
  method->self = self;
  return method;
}

// functools.cached_property: what it stored, or its function's value, stored now.
Outcome CachedProperty(Interp& in, V descriptor, V object) {
  FRAMEGATE_TAKE(V name, in.GetAttr(descriptor, "attrname"));
  const Constant* text = ConstantOf(in.s, name, ConstantKind::kStr);
  FRAMEGATE_TAKE(V function, in.GetAttr(descriptor, "func"));
  if (text == nullptr)
    return in.Break(Reason::kUnsupportedAttribute, "cached_property without a name");
  if (V stored = in.s.InstanceAttr(object, text->text))
    return in.Done(stored);
  FRAMEGATE_TAKE(V value, in.Call(function, {.positional = {object}}));
  in.s.SetInstanceAttr(object, text->text, value);
  return in.Done(value);
}

// A member of Python code's `__slots__`. Members of C types may hold something other than an object.
bool IsSlot(Session& s, TypeValue* type, const std::string& name) {
  for (TypeValue* base : s.MroOf(type))
    if (OwnAttr(s, base, name) != nullptr)
      return base->Has(TypeFlag::kHeapType) && OwnAttr(s, base, "__slots__") != nullptr;
  return false;
}

// A classmethod binds a function; what has a __get__ of its own is asked for it before Python 3.13.
Outcome BindClassMethod(Interp& in, V function, TypeValue* type) {
  if (function == nullptr)
    return in.Break(Reason::kUnsupportedAttribute, "a classmethod of nothing");
  TypeValue* kind = in.s.TypeOf(function);
  if (kind == nullptr || (kind->Has(TypeFlag::kPythonDescriptor) && !in.s.Is313()) || IsProperty(in.s, kind))
    return in.Break(Reason::kUnsupportedAttribute, "a classmethod of a descriptor");
  return in.Done(Bound(in, function, type));
}

// A member descriptor: what a slot of the object holds, or a field of a C type.
Outcome ThroughMember(Interp& in, V object, TypeValue* type, const std::string& name) {
  Session& s = in.s;
  if (V value = NamedResult(in, type, object, name))
    return in.Done(value);
  if (AsConstant(object) != nullptr || As<SliceValue>(object) != nullptr ||
      (As<ObjectValue>(object) != nullptr && s.Payload(object) != nullptr && !type->Has(TypeFlag::kPythonCode))) {
    auto* slice = As<SliceValue>(object);
    if (slice == nullptr)
      return ConstantMember(in, object, name);
    return in.Done(name == "start" ? slice->start : name == "stop" ? slice->stop : slice->step);
  }
  if (auto* exception = As<ObjectValue>(object); exception != nullptr && !exception->is_real() && type->Has(TypeFlag::kExceptionSubclass))
    if (V value = KnownGetset(in, name, object))
      return in.Done(value);
  if (auto* partial = As<PartialValue>(object))
    return PartialMember(in, partial, name);
  if (auto* mapping = As<MappingValue>(object); mapping != nullptr && name == "default_factory") {
    auto* set = As<ObjectValue>(mapping->attributes);
    for (size_t at = 0; mapping->is_real() && set != nullptr && at < set->attributes.size(); ++at)
      if (set->attributes[at].first == name)
        return in.Done(set->attributes[at].second);
    if (!mapping->is_real())
      return in.Done(mapping->default_factory == nullptr ? s.None() : mapping->default_factory);
  }
  if (auto* function = As<FunctionValue>(object))
    return FunctionMember(in, function, name);
  if (As<TypeValue>(object) != nullptr || name == "__dict__") {
    V value = object == nullptr ? nullptr : KnownGetset(in, name, object);
    return value != nullptr ? in.Done(value) : in.Break(Reason::kUnsupportedAttribute, StrCat("type.", name));
  }
  bool deleted = false;  // in the frame
  if (auto* o = As<ObjectValue>(object))
    for (const auto& [own, value] : o->attributes) {
      if (own == name && value != nullptr)
        return in.Done(value);
      deleted = deleted || own == name;
    }
  V value = object->is_real() ? s.StepFrom(object, Step::kSlotMember, name) : nullptr;
  if (deleted)
    value = nullptr;
  if (value == nullptr && !deleted && !IsSlot(s, type, name))
    return in.Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name));
  if (value == nullptr && s.Is313())
    return RaiseMissing(in, object, name, StrCat("'", FullName(in, type), "' object has no attribute '", name, "'"));
  return value == nullptr ? NoAttribute(in, object, type, name) : in.Done(value);
}

// A getset descriptor of a C type.
Outcome ThroughGetset(Interp& in, V object, TypeValue* type, const std::string& name) {
  Session& s = in.s;
  if (auto* made = As<ObjectValue>(object); made != nullptr && !made->is_real())
    for (const auto& [own, value] : made->attributes)
      if (own == name && value != nullptr)
        return in.Done(value);
  if (auto* deque = As<SequenceValue>(object); deque != nullptr && name == "maxlen")
    return in.Done(s.Const(deque->maxlen));
  if (AsConstant(object) != nullptr || s.Payload(object) != nullptr)
    return ConstantMember(in, object, name);
  if (V value = KnownGetset(in, name, object))
    return in.Done(value);
  if (As<BuiltinValue>(object) != nullptr)
    return in.Fold("builtins:getattr", {.positional = {object, s.Str(name)}});
  return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name));
}

// `descriptor.__get__(object, type)`; object null for access through the class.
Outcome GetThrough(Interp& in, V descriptor, V object, TypeValue* type, const std::string& name, Tail tail) {
  Session& s = in.s;
  descriptor = s.Resolve(descriptor);
  if (As<FunctionValue>(descriptor) != nullptr)
    return in.Done(object == nullptr ? descriptor : Bound(in, descriptor, object));
  TypeValue* kind = s.TypeOf(descriptor);
  if (kind == nullptr)
    return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name));
  if (kind->is("builtins:staticmethod"))
    return in.Done(PartOf(s, descriptor, Step::kMethodFunc));
  if (kind->is("builtins:classmethod"))
    return BindClassMethod(in, PartOf(s, descriptor, Step::kMethodFunc), type);
  if (kind->is("builtins:classmethod_descriptor"))
    return in.Done(Bound(in, descriptor, type));
  if (IsProperty(s, kind)) {
    if (object == nullptr)
      return in.Done(descriptor);
    V getter = PartOf(s, descriptor, Step::kPropertyGet);
    if (getter == nullptr)
      return in.Raise("builtins:AttributeError", StrCat("property '", name, "' of '", TypeName(type), "' object has no getter"));
    return in.Call(getter, {.positional = {object}}, tail);
  }
  if (object == nullptr && kind->symbol.starts_with("builtins:") && !kind->Has(TypeFlag::kPythonDescriptor))
    return in.Done(descriptor);
  if (kind->is("functools:cached_property"))
    return object == nullptr ? in.Done(descriptor) : CachedProperty(in, descriptor, object);
  if (kind->is("framegate._framegate:Disabled") || kind->is("framegate._framegate:Optimized"))
    return in.Done(object == nullptr ? descriptor : Bound(in, descriptor, object));
  if (kind->is("builtins:method_descriptor") || kind->is("builtins:wrapper_descriptor"))
    return in.Done(Bound(in, descriptor, object));
  if (const Constant* c = AsConstant(object); c != nullptr && c->kind == ConstantKind::kCode)
    if (V value = KnownGetset(in, name, object))
      return in.Done(value);
  if (kind->is("builtins:member_descriptor") || kind->is("builtins:getset_descriptor")) {
    FRAMEGATE_TAKE(V own, TypeParameterMember(in, object, name));
    if (own == nullptr && object != nullptr) {
      FRAMEGATE_TAKE(own, WrapperMember(in, object, type, name));
    }
    if (own != nullptr)
      return in.Done(own);
  }
  if (kind->is("builtins:member_descriptor"))
    return ThroughMember(in, object, type, name);
  if (IsTupleGetter(kind) && object != nullptr)
    return TupleField(in, type, object, name);
  if (auto* cell = As<CellValue>(object); cell != nullptr && name == "cell_contents" && s.CellContents(cell) == nullptr)
    return in.Raise("builtins:ValueError", "Cell is empty");
  if (auto* self = As<TypeValue>(object);
      self != nullptr && name == "__abstractmethods__" && kind->is("builtins:getset_descriptor") && OwnAttr(s, self, name) == nullptr)
    return in.Raise("builtins:AttributeError", name);
  if (kind->is("builtins:getset_descriptor"))
    return ThroughGetset(in, object, type, name);
  if (kind->is("functools:_lru_cache_wrapper")) {
    if (object == nullptr)
      return in.Done(descriptor);
    auto* method = s.New<MethodValue>();
    method->function = descriptor;
    method->self = object;
    return in.Done(method);
  }
  if (kind->Has(TypeFlag::kPythonDescriptor)) {
    V get = s.TypeAttr(kind, "__get__");
    if (get == nullptr)
      return in.Done(descriptor);
    return in.Call(get, {.positional = {descriptor, object == nullptr ? s.None() : object, type}}, tail);
  }
  if (!kind->Has(TypeFlag::kDescriptor))
    return in.Done(descriptor);
  return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name, ", a ", kind->symbol));
}

// torch.nn.Module.__getattr__: parameters, buffers, submodules.
Outcome ModuleGetattr(Interp& in, V object, TypeValue* type, const std::string& name) {
  V key = in.s.Str(name);
  for (const char* table : {"_parameters", "_buffers", "_modules"}) {
    V dict = in.s.InstanceAttr(object, table);
    auto* mapping = dict == nullptr ? nullptr : As<MappingValue>(in.s.Resolve(dict));
    if (mapping == nullptr)
      continue;
    if (V value = in.s.MappingGet(mapping, key))
      return in.Done(value);
  }
  return NoAttribute(in, object, type, name);
}

Outcome FallBack(Interp& in, V object, TypeValue* type, const std::string& name, Tail tail) {
  V getattr = type->Has(TypeFlag::kPythonGetattr) ? in.s.TypeAttr(type, "__getattr__") : nullptr;
  if (getattr == nullptr)
    return NoAttribute(in, object, type, name);
  auto* function = As<FunctionValue>(in.s.Resolve(getattr));
  if (function != nullptr && function->symbol == "torch.nn.modules.module:Module.__getattr__")
    return ModuleGetattr(in, object, type, name);
  return in.Call(getattr, {.positional = {object, in.s.Str(name)}}, tail);
}

Outcome Generic(Interp& in, V object, TypeValue* type, const std::string& name, Tail tail, bool fall_back) {
  Session& s = in.s;
  if (V value = s.HidingAttr(object, type, name))
    return in.Done(value);
  V meta = s.TypeAttr(type, name, object);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  bool has_fallback = fall_back && type->Has(TypeFlag::kPythonGetattr) && s.TypeAttr(type, "__getattr__") != nullptr;
  auto through = [&]() -> Outcome {
    Outcome outcome = GetThrough(in, meta, object, type, name, has_fallback ? kSync : tail);
    if (!has_fallback || outcome.flow != Flow::kRaise || !s.IsSubclass(s.TypeOf(s.raised), "builtins:AttributeError"))
      return outcome;
    return FallBack(in, object, type, name, tail);
  };
  if (kind != nullptr && kind->Has(TypeFlag::kDataDescriptor))
    return through();
  if (meta == nullptr && name == "__dict__" && !type->is_real() && type->Has(TypeFlag::kInstancesHaveDict))
    return in.Done(KnownGetset(in, name, object));  // a descriptor that every class statement adds
  if (V value = s.InstanceAttr(object, name))
    return in.Done(value);
  if (meta != nullptr)
    return through();
  return fall_back ? FallBack(in, object, type, name, tail) : NoAttribute(in, object, type, name);
}

Outcome GetFromType(Interp& in, TypeValue* self, const std::string& name, Tail tail) {
  Session& s = in.s;
  if (name == "__annotations__" && !self->Has(TypeFlag::kHeapType))
    return NoAttribute(in, self, nullptr, name);
  TypeValue* metatype = s.TypeOf(self);
  V meta = metatype == nullptr ? nullptr : s.TypeAttr(metatype, name, self);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  if (kind != nullptr && kind->Has(TypeFlag::kDataDescriptor))
    return GetThrough(in, meta, self, metatype, name, tail);
  if (V value = s.TypeAttr(self, name)) {
    TypeValue* value_type = As<ConstantValue>(s.Resolve(value)) != nullptr ? nullptr : s.TypeOf(value);
    if (value_type != nullptr && value_type->Has(TypeFlag::kDescriptor))
      return GetThrough(in, value, nullptr, self, name, tail);
    return in.Done(value);
  }
  if (meta != nullptr)
    return GetThrough(in, meta, self, metatype, name, tail);
  return metatype == nullptr ? NoAttribute(in, self, nullptr, name) : FallBack(in, self, metatype, name, tail);
}

Outcome GetFromSuper(Interp& in, SuperValue* super, const std::string& name, Tail tail) {
  V value = name == "__class__" ? nullptr : AttrAfter(in.s, super->self_type, super->start, name);
  if (value != nullptr) {
    TypeValue* kind = in.s.TypeOf(value);
    if (kind == nullptr || !kind->Has(TypeFlag::kDescriptor))
      return in.Done(value);
    bool through_class = As<TypeValue>(super->self) == super->self_type;
    return GetThrough(in, value, through_class ? nullptr : super->self, super->self_type, name, tail);
  }
  if (name == "__class__")
    return in.Done(in.s.TypeOfSymbol("builtins:super"));
  if (name == "__self__")
    return in.Done(super->self);
  if (name == "__thisclass__")
    return in.Done(super->start);
  if (name == "__self_class__")
    return in.Done(super->self_type);
  return RaiseMissing(in, super, name, StrCat("'super' object has no attribute '", name, "'"));
}

Outcome GetFromMethod(Interp& in, MethodValue* method, TypeValue* type, const std::string& name, Tail tail) {
  if (name == "__self__")
    return in.Done(method->self);
  if (name == "__func__")
    return in.Done(method->function);
  const bool of_function = name == "__doc__" || name == "__name__" || name == "__qualname__" || name == "__module__";
  if (V meta = in.s.TypeAttr(type, name); meta != nullptr && !of_function)
    return GetThrough(in, meta, method, type, name, tail);
  return in.GetAttr(method->function, name, tail);
}

// The C method that a real object of which nothing else is known has under a name, as any object of its type has it.
Outcome MethodOfOpaque(Interp& in, V object, TypeValue* type, const std::string& name) {
  Session& s = in.s;
  V meta = object->is_real() && type->Has(TypeFlag::kGenericGetattr) ? s.TypeAttr(type, name) : nullptr;
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  if (kind == nullptr || !kind->is("builtins:method_descriptor") || s.InstanceAttr(object, name) != nullptr)
    return in.Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name));
  return in.Done(Bound(in, meta, object));
}

}  // namespace

Outcome Interp::GetAttr(V object, const std::string& name, Tail tail) {
  object = s.Resolve(object);
  if (object == nullptr)
    return Break(Reason::kUnsupportedAttribute, name);
  if (auto* tensor = As<TensorValue>(object))
    return TensorAttr(tensor, name, tail);
  if (auto* type = As<TypeValue>(object))
    return GetFromType(*this, type, name, tail);
  if (auto* super = As<SuperValue>(object))
    return GetFromSuper(*this, super, name, tail);
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr && As<IteratorValue>(object) != nullptr && (name == "__next__" || name == "__iter__"))
    return Done(Bound(*this, s.Symbol(name == "__next__" ? "builtins:next" : "builtins:iter"), object));
  if (type == nullptr)
    return Break(Reason::kUnsupportedAttribute, name);
  if (auto* alias = As<ObjectValue>(object); alias != nullptr && type->is("types:GenericAlias"))
    return AliasMember(*this, alias, name, tail);
  if (auto* frame = As<ObjectValue>(object); frame != nullptr && frame->of_frame != nullptr && name.starts_with("f_"))
    return FrameMember(*this, frame, name);
  if (auto* entry = As<ObjectValue>(object); entry != nullptr && entry->hint == "traceback" && name.starts_with("tb_"))
    return TracebackMember(*this, entry, name);
  if (type->symbol.starts_with("re:") && As<ObjectValue>(object) != nullptr) {
    FRAMEGATE_TAKE(V kept, RegexMember(*this, As<ObjectValue>(object), name));
    if (kept != nullptr)
      return Done(kept);
  }
  if (auto* method = As<MethodValue>(object))
    return GetFromMethod(*this, method, type, name, tail);
  if (As<OpaqueValue>(object) != nullptr)
    return MethodOfOpaque(*this, object, type, name);
  if (As<ResidualValue>(object) != nullptr)
    return Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name));
  if (type->is("builtins:module")) {
    if (V value = s.InstanceAttr(object, name))
      return Done(value);
    if (name == "__dict__")
      return Done(s.StepFrom(object, Step::kModuleDict));
    if (V getattr = s.InstanceAttr(object, "__getattr__"); getattr != nullptr && s.TypeAttr(type, name) == nullptr)
      return Call(getattr, {.positional = {s.Str(name)}}, tail);
    V of_type = s.TypeAttr(type, name);
    if (of_type != nullptr && name == "__getattribute__") {
      auto* method = s.New<MethodValue>();
      method->function = of_type;
      method->self = object;
      return Done(method);
    }
    if (of_type != nullptr)
      return Break(Reason::kUnsupportedAttribute, StrCat("module.", name));
    return NoAttribute(*this, object, type, name);
  }
  if (type->Has(TypeFlag::kPythonGetattr)) {
    V getattribute = s.TypeAttr(type, "__getattribute__");
    if (auto* function = As<FunctionValue>(s.Resolve(getattribute))) {
      Outcome outcome = Call(function, {.positional = {object, s.Str(name)}});
      if (outcome.flow != Flow::kRaise || !s.IsSubclass(s.TypeOf(s.raised), "builtins:AttributeError") ||
          s.TypeAttr(type, "__getattr__") == nullptr)
        return outcome;
      return FallBack(*this, object, type, name, tail);
    }
    if (As<BuiltinValue>(s.Resolve(getattribute)) == nullptr)
      return Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".__getattribute__, which is no function"));
  } else if (IsThreadLocal(s, object, type)) {
    V dict = LocalDict(s, object);
    if (dict == nullptr)
      return Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name, " in a thread that has not asked for any yet"));
    if (name == "__dict__")
      return Done(dict);
  } else if (!type->Has(TypeFlag::kGenericGetattr) && As<ObjectValue>(object) != nullptr &&
             (object->is_real() || !As<ObjectValue>(object)->constructor.empty())) {
    return Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name));
  }
  return Generic(*this, object, type, name, tail, true);
}

Outcome GetAttrGeneric(Interp& in, V object, const std::string& name, Tail tail) {
  TypeValue* type = in.s.TypeOf(object);
  if (type == nullptr || As<TensorValue>(object) != nullptr || As<OpaqueValue>(object) != nullptr || As<ResidualValue>(object) != nullptr)
    return in.Break(Reason::kUnsupportedAttribute, name);
  return Generic(in, object, type, name, tail, false);
}

Outcome Interp::LookupSpecial(V object, const std::string& name) {
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr)
    return Break(Reason::kUnsupportedAttribute, name);
  V meta = s.TypeAttr(type, name);
  if (meta == nullptr)
    return Done(nullptr);
  return GetThrough(*this, meta, s.Resolve(object), type, name, kSync);
}

Outcome DescriptorGet(Interp& in, V descriptor, V object, TypeValue* type, const std::string& name) {
  return GetThrough(in, descriptor, object, type, name, kSync);
}

}  // namespace framegate::translator
