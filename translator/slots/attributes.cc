// Attribute lookup and assignment as CPython's generic, type, module and super algorithms do them.
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;
using model::Step;
using model::TypeFlag;

namespace {

Outcome NoAttribute(Interp& in, V object, TypeValue* type, const std::string& name) {
  if (auto* self = As<TypeValue>(object))
    return in.Raise("builtins:AttributeError", StrCat("type object '", TypeName(self), "' has no attribute '", name, "'"));
  if (type != nullptr && type->is("builtins:module")) {
    V module = in.s.InstanceAttr(object, "__name__");
    const Constant* text = module == nullptr ? nullptr : AsConstant(in.s.Resolve(module));
    return in.Raise("builtins:AttributeError", StrCat("module '", text == nullptr ? "?" : text->text, "' has no attribute '", name, "'"));
  }
  return in.Raise("builtins:AttributeError", StrCat("'", TypeName(type), "' object has no attribute '", name, "'"));
}

V Bound(Interp& in, V function, V self) {
  auto* method = in.s.New<MethodValue>();
  method->function = function;
  method->self = self;
  return method;
}

// What exceptions of C types have besides their arguments; null: unknown.
V ExceptionMember(Session& s, ObjectValue* exception, const std::string& name) {
  TypeValue* type = s.TypeOf(exception);
  auto argument = [&](size_t at) { return at < exception->arguments.size() ? exception->arguments[at] : s.None(); };
  size_t count = exception->arguments.size();
  if (s.IsSubclass(type, "builtins:StopIteration") && name == "value")
    return argument(0);
  if (s.IsSubclass(type, "builtins:SystemExit") && name == "code")
    return count > 1 ? s.Tuple(exception->arguments) : argument(0);
  if (s.IsSubclass(type, "builtins:BaseExceptionGroup")) {
    if (name == "message")
      return argument(0);
    if (name == "exceptions" && exception->parts != nullptr)
      return exception->parts;
  }
  if (s.IsSubclass(type, "builtins:OSError") && count >= 2 && count <= 5) {
    if (name == "errno")
      return argument(0);
    if (name == "strerror")
      return argument(1);
    if (name == "filename")
      return argument(2);
  }
  bool named = s.IsSubclass(type, "builtins:NameError") || s.IsSubclass(type, "builtins:AttributeError") || s.IsSubclass(type, "builtins:ImportError");
  if (named && (name == "name" || name == "obj" || name == "path" || name == "name_from")) {
    for (const auto& [own, value] : exception->attributes)
      if (own == name)
        return value;
    return nullptr;
  }
  return nullptr;
}

Outcome PartialMember(Interp& in, PartialValue* partial, const std::string& name) {
  Session& s = in.s;
  if (name == "func")
    return in.Done(partial->function);
  if (name == "args")
    return in.Done(s.Tuple(partial->args));
  if (name != "keywords")
    return in.Break(Reason::kUnsupportedAttribute, StrCat("partial.", name));
  MappingValue* keywords = s.Dict();
  for (const auto& [key, value] : partial->kwargs)
    s.MappingSet(keywords, s.Str(key), value);
  return in.Done(keywords);
}

// __closure__, __doc__, __globals__, __builtins__ of a function.
Outcome FunctionMember(Interp& in, FunctionValue* function, const std::string& name) {
  Session& s = in.s;
  for (const auto& [own, value] : function->attributes)
    if (own == name)
      return in.Done(value == nullptr ? s.None() : value);
  if (!in.EnsureCode(function))
    return in.Break(Reason::kUnsupportedAttribute, StrCat("function.", name));
  const model::CodeImage& image = *function->code->image;
  if (name == "__closure__") {
    size_t count = 0;
    for (char kind : image.localspluskinds)
      count += (static_cast<unsigned char>(kind) & 0x80) != 0;
    for (size_t at = function->closure.size(); at < count && function->is_real(); ++at)
      function->closure.push_back(s.StepFrom(function, Step::kFuncClosure, static_cast<uint32_t>(at)));
    return in.Done(function->closure.empty() ? s.None() : s.Tuple(function->closure));
  }
  if (name == "__globals__") {
    if (function->globals == nullptr && function->is_real())
      function->globals = s.StepFrom(function, Step::kFuncGlobals);
    return function->globals == nullptr ? in.Break(Reason::kUnsupportedAttribute, name) : in.Done(function->globals);
  }
  if (name == "__doc__" && !function->is_real()) {
    bool has = !image.consts.empty() && image.consts[0].is_str() && (!s.Is313() || (image.flags & 0x4000000) != 0);
    return in.Done(has ? s.Const(image.consts[0]) : s.None());
  }
  return in.Break(Reason::kUnsupportedAttribute, StrCat("function.", name));
}

// C getset descriptors whose values the translator knows; null: unknown.
V KnownGetset(Interp& in, const std::string& name, V object) {
  Session& s = in.s;
  if (name == "__class__")
    return s.TypeOf(object);
  if (name == "__dict__") {
    auto* view = s.New<ViewValue>();
    view->form = ViewForm::kInstanceDict;
    view->target = object;
    view->type = s.TypeOfSymbol("builtins:dict");
    return view;
  }
  if (const Constant* constant = AsConstant(object))
    return TorchConstantAttr(s, *constant, name);
  if (auto* function = As<FunctionValue>(object)) {
    if (name == "__name__")
      return s.Str(function->is_real() ? s.ReadFact(function, Fact::kFunctionName).constant.text : function->name);
    if (name == "__qualname__") {
      if (function->is_real())
        s.ReadFact(function, Fact::kQualname);
      return s.Str(function->qualname);
    }
    if (name == "__module__")
      return function->module == nullptr ? s.None() : function->module;
    if (name == "__defaults__") {
      if (function->defaults == nullptr && function->is_real())
        function->defaults = s.StepFrom(function, Step::kFuncDefaults);
      return function->defaults == nullptr ? s.None() : function->defaults;
    }
    if (name == "__kwdefaults__") {
      if (function->kwdefaults == nullptr && function->is_real())
        function->kwdefaults = s.StepFrom(function, Step::kFuncKwdefaults);
      return function->kwdefaults == nullptr ? s.None() : function->kwdefaults;
    }
    return nullptr;
  }
  if (auto* type = As<TypeValue>(object)) {
    if (name == "__name__")
      return s.Str(TypeName(type));
    if (name == "__qualname__")
      return s.Str(type->symbol.substr(type->symbol.find(':') + 1));
    if (name == "__module__")
      return s.Str(type->symbol.substr(0, type->symbol.find(':')));
    if (name == "__doc__" || name == "__abstractmethods__") {
      V own = s.TypeAttr(type, name);
      bool is_str = own != nullptr && AsConstant(s.Resolve(own)) != nullptr;
      return own == nullptr || (name == "__doc__" && !is_str) ? nullptr : own;
    }
    if (name == "__bases__") {
      if (type->is_real())
        return nullptr;
      Values bases(type->bases.begin(), type->bases.end());
      return s.Tuple(std::move(bases));
    }
    if (name == "__annotations__" && type->Has(TypeFlag::kHeapType)) {
      for (const auto& [own, value] : type->own)
        if (own == name)
          return value;
      V own = type->is_real() ? s.StepFrom(type, Step::kTypeDictItem, name) : nullptr;
      if (own == nullptr && !type->is_real())
        s.SetTypeAttr(type, name, own = s.Dict());
      return own;
    }
    if (name == "__mro__") {
      Values mro(s.MroOf(type).begin(), s.MroOf(type).end());
      return s.Tuple(std::move(mro));
    }
    return nullptr;
  }
  if (auto* exception = As<ObjectValue>(object); exception != nullptr && !exception->is_real()) {
    if (name == "args")
      return s.Tuple(exception->arguments);
    if (name == "__cause__")
      return exception->cause == nullptr ? s.None() : exception->cause;
    if (name == "__context__")
      return exception->context == nullptr ? s.None() : exception->context;
    if (name == "__suppress_context__")
      return s.Bool(exception->suppress_context);
    if (name == "__traceback__")
      return exception->traceback == nullptr ? s.None() : exception->traceback;
    return ExceptionMember(s, exception, name);
  }
  return nullptr;
}

// A named tuple's field, by its place among the type's _fields.
Outcome TupleField(Interp& in, TypeValue* type, V object, const std::string& name) {
  V fields = in.s.TypeAttr(type, "_fields");
  auto* tuple = As<SequenceValue>(object);
  Values names;
  if (fields == nullptr || tuple == nullptr)
    return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name));
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(fields, &names));
  for (size_t at = 0; at < names.size() && at < tuple->items.size(); ++at) {
    const Constant* text = ConstantOf(in.s, names[at], ConstantKind::kStr);
    if (text != nullptr && text->text == name)
      return in.Done(tuple->items[at]);
  }
  return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name));
}

// real, imag, numerator and denominator of numbers; start, stop and step of ranges.
Outcome ConstantMember(Interp& in, V object, const std::string& name) {
  Session& s = in.s;
  if (V payload = s.Payload(object))
    object = payload;
  const Constant& c = *AsConstant(s.Resolve(object));
  if (c.kind == ConstantKind::kComplex && (name == "real" || name == "imag"))
    return in.Done(s.Const(Constant::Float(name == "real" ? c.real : c.imaginary)));
  bool integer = c.is_int() || c.is_bool() || c.kind == ConstantKind::kBigInt;
  if (name == "real" || (integer && name == "numerator"))
    return in.Done(c.is_bool() ? s.Int(IntValue(c)) : object);
  if (name == "imag")
    return in.Done(integer ? s.Int(0) : s.Const(Constant::Float(0)));
  if (integer && name == "denominator")
    return in.Done(s.Int(1));
  const std::vector<std::string> parts = {"start", "stop", "step"};
  auto at = std::find(parts.begin(), parts.end(), name);
  if ((c.kind == ConstantKind::kRange || c.kind == ConstantKind::kSlice) && at != parts.end())
    return in.Done(s.Const(c.items[static_cast<size_t>(at - parts.begin())]));
  if (name == "__doc__" || name == "__class__")
    return name == "__class__" ? in.Done(s.TypeOf(object)) : in.Break(Reason::kUnsupportedAttribute, name);
  return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(s.TypeOf(object)), ".", name));
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

// A classmethod binds a function; what has a __get__ of its own is asked for it before Python 3.13.
Outcome BindClassMethod(Interp& in, V function, TypeValue* type) {
  if (function == nullptr)
    return in.Break(Reason::kUnsupportedAttribute, "a classmethod of nothing");
  TypeValue* kind = in.s.TypeOf(function);
  if (kind == nullptr || (kind->Has(TypeFlag::kPythonDescriptor) && !in.s.Is313()) || kind->is("builtins:property"))
    return in.Break(Reason::kUnsupportedAttribute, "a classmethod of a descriptor");
  return in.Done(Bound(in, function, type));
}

// A field of a struct sequence, such as torch.return_types; null: it is none.
V NamedResult(Interp& in, TypeValue* type, V object, const std::string& name) {
  auto* sequence = As<SequenceValue>(object);
  V names = sequence == nullptr || !type->symbol.starts_with("torch.return_types:") ? nullptr : in.s.TypeAttr(type, "__match_args__");
  auto* fields = names == nullptr ? nullptr : As<SequenceValue>(in.s.Resolve(names));
  for (size_t at = 0; fields != nullptr && at < fields->items.size() && at < sequence->items.size(); ++at)
    if (const Constant* field = AsConstant(in.s.Resolve(fields->items[at])); field != nullptr && field->text == name)
      return sequence->items[at];
  return nullptr;
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
  if (kind->is("builtins:property")) {
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
  if (kind->is("builtins:method_descriptor") || kind->is("builtins:wrapper_descriptor"))
    return in.Done(Bound(in, descriptor, object));
  if (kind->is("builtins:member_descriptor")) {
    if (V value = NamedResult(in, type, object, name))
      return in.Done(value);
    if (AsConstant(object) != nullptr || As<SliceValue>(object) != nullptr || (As<ObjectValue>(object) != nullptr && s.Payload(object) != nullptr &&
                                                                              !type->Has(TypeFlag::kPythonCode)))
      if (auto* slice = As<SliceValue>(object); slice == nullptr)
        return ConstantMember(in, object, name);
      else
        return in.Done(name == "start" ? slice->start : name == "stop" ? slice->stop : slice->step);
    if (auto* exception = As<ObjectValue>(object); exception != nullptr && !exception->is_real() && type->Has(TypeFlag::kExceptionSubclass))
      if (V value = KnownGetset(in, name, object))
        return in.Done(value);
    if (auto* partial = As<PartialValue>(object))
      return PartialMember(in, partial, name);
    if (auto* mapping = As<MappingValue>(object); mapping != nullptr && name == "default_factory" && !mapping->is_real())
      return in.Done(mapping->default_factory == nullptr ? s.None() : mapping->default_factory);
    if (auto* function = As<FunctionValue>(object))
      return FunctionMember(in, function, name);
    if (auto* o = As<ObjectValue>(object))
      for (const auto& [own, value] : o->attributes)
        if (own == name && value != nullptr)
          return in.Done(value);
    V value = object->is_real() ? s.StepFrom(object, Step::kSlotMember, name) : nullptr;
    for (const auto* own = As<ObjectValue>(object); own != nullptr;) {  // deleted in the frame
      for (const auto& [set, now] : own->attributes)
        if (set == name && now == nullptr)
          value = nullptr;
      break;
    }
    return value == nullptr ? NoAttribute(in, object, type, name) : in.Done(value);
  }
  if (kind->is("_collections:_tuplegetter") && object != nullptr)
    return TupleField(in, type, object, name);
  if (kind->is("builtins:getset_descriptor")) {
    if (auto* deque = As<SequenceValue>(object); deque != nullptr && name == "maxlen")
      return in.Done(s.Const(deque->maxlen));
    if (AsConstant(object) != nullptr || s.Payload(object) != nullptr)
      return ConstantMember(in, object, name);
    if (V value = KnownGetset(in, name, object))
      return in.Done(value);
    return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(type), ".", name));
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
  V meta = s.TypeAttr(type, name);
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
  if (V value = s.InstanceAttr(object, name))
    return in.Done(value);
  if (meta != nullptr)
    return through();
  return fall_back ? FallBack(in, object, type, name, tail) : NoAttribute(in, object, type, name);
}

Outcome GetFromType(Interp& in, TypeValue* self, const std::string& name, Tail tail) {
  Session& s = in.s;
  TypeValue* metatype = s.TypeOf(self);
  V meta = metatype == nullptr ? nullptr : s.TypeAttr(metatype, name);
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
  return in.Raise("builtins:AttributeError", StrCat("'super' object has no attribute '", name, "'"));
}

Outcome GetFromMethod(Interp& in, MethodValue* method, TypeValue* type, const std::string& name, Tail tail) {
  if (name == "__self__")
    return in.Done(method->self);
  if (name == "__func__")
    return in.Done(method->function);
  if (V meta = in.s.TypeAttr(type, name); meta != nullptr && name != "__doc__" && name != "__name__")
    return GetThrough(in, meta, method, type, name, tail);
  return in.GetAttr(method->function, name, tail);
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
  if (type == nullptr)
    return Break(Reason::kUnsupportedAttribute, name);
  if (auto* method = As<MethodValue>(object))
    return GetFromMethod(*this, method, type, name, tail);
  if (As<OpaqueValue>(object) != nullptr || As<ResidualValue>(object) != nullptr)
    return Break(Reason::kUnsupportedAttribute, StrCat(type->symbol, ".", name));
  if (type->is("builtins:module")) {
    if (V value = s.InstanceAttr(object, name))
      return Done(value);
    if (V getattr = s.InstanceAttr(object, "__getattr__"))
      return Call(getattr, {.positional = {s.Str(name)}}, tail);
    return NoAttribute(*this, object, type, name);
  }
  if (type->Has(TypeFlag::kPythonGetattr)) {
    V getattribute = s.TypeAttr(type, "__getattribute__");
    if (auto* function = As<FunctionValue>(s.Resolve(getattribute))) {
      Outcome outcome = Call(function, {.positional = {object, s.Str(name)}});
      if (outcome.flow != Flow::kRaise || !s.IsSubclass(s.TypeOf(s.raised), "builtins:AttributeError"))
        return outcome;
      return FallBack(*this, object, type, name, tail);
    }
  } else if (!type->Has(TypeFlag::kGenericGetattr) && object->is_real() && As<ObjectValue>(object) != nullptr) {
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

// type.__setattr__ and __delattr__ (value null).
Outcome SetTypeAttribute(Interp& in, TypeValue* type, const std::string& name, V value) {
  Session& s = in.s;
  if (!type->Has(TypeFlag::kHeapType))
    return in.Raise("builtins:TypeError", StrCat("cannot set '", name, "' attribute of immutable type '", TypeName(type), "'"));
  TypeValue* metatype = s.TypeOf(type);
  V meta = metatype == nullptr ? nullptr : s.TypeAttr(metatype, name);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  bool is_data = kind != nullptr && kind->Has(TypeFlag::kDataDescriptor);
  // What decides how instances behave is read from the type's slots, which a change in the frame does not reach; so are abstract methods.
  bool special = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  bool harmless = name == "__doc__" || name == "__module__" || name == "__annotations__" || name == "__match_args__" ||
                  name == "__orig_bases__" || name == "__parameters__" || name == "__wrapped__" || name == "__post_init__";
  if ((is_data && !harmless) || (special && !harmless && !(value != nullptr && !type->is_real() && RefreshesFlags(name))))
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name, value == nullptr ? " deleted" : " set"));
  if (type->is_real() && type->subject == model::kNoSubject)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  if (value == nullptr) {
    bool has = type->is_real() && s.StepFrom(type, Step::kTypeDictItem, name) != nullptr;
    for (const auto& [own, set] : type->own)
      if (own == name)
        has = set != nullptr;
    if (!has)
      return in.Raise("builtins:AttributeError", s.Is311() ? name : StrCat("type object '", TypeName(type), "' has no attribute '", name, "'"));
  }
  s.SetTypeAttr(type, name, value);
  if (special && !type->is_real())
    SetSlotFlags(s, type);
  return in.Done(s.None());
}

namespace {

Outcome SetOnType(Interp& in, TypeValue* type, const std::string& name, V value) {
  if (!type->Has(TypeFlag::kHeapType))
    return in.Raise("builtins:TypeError", StrCat("cannot set '", name, "' attribute of immutable type '", TypeName(type), "'"));
  TypeValue* metatype = in.s.TypeOf(type);
  V meta = metatype == nullptr ? nullptr : in.s.TypeAttr(metatype, value == nullptr ? "__delattr__" : "__setattr__");
  if (auto* function = As<FunctionValue>(in.s.Resolve(meta))) {
    Args args{.positional = {type, in.s.Str(name)}};
    if (value != nullptr)
      args.positional.push_back(value);
    FRAMEGATE_TAKE([[maybe_unused]] V none, in.Call(function, std::move(args)));
    return in.Done(in.s.None());
  }
  return SetTypeAttribute(in, type, name, value);
}

// C getset descriptors that the translator can set on what was made in the frame.
Outcome SetGetset(Interp& in, V object, const std::string& name, V value) {
  Session& s = in.s;
  TypeValue* type = s.TypeOf(object);
  auto* exception = As<ObjectValue>(object);
  V resolved = value == nullptr ? nullptr : s.Resolve(value);
  if (exception != nullptr && !exception->is_real() && resolved != nullptr && type->Has(TypeFlag::kExceptionSubclass)) {
    bool none = resolved == s.None();
    bool is_exception = none || s.IsSubclass(s.TypeOf(resolved), "builtins:BaseException");
    s.Touch(exception);
    if (name == "args") {
      Values items;
      FRAMEGATE_TAKE([[maybe_unused]] V all, in.ToValues(resolved, &items));
      exception->arguments = std::move(items);
      return in.Done(s.None());
    }
    if (name == "__traceback__") {
      exception->traceback = none ? nullptr : resolved;
      return in.Done(s.None());
    }
    if ((name == "__cause__" || name == "__context__") && is_exception) {
      (name == "__cause__" ? exception->cause : exception->context) = none ? nullptr : resolved;
      if (name == "__cause__")
        exception->suppress_context = true;
      return in.Done(s.None());
    }
  }
  auto* function = As<FunctionValue>(object);
  const Constant* text = resolved == nullptr ? nullptr : ConstantOf(s, resolved, ConstantKind::kStr);
  if (function != nullptr && !function->is_real() && (name == "__name__" || name == "__qualname__")) {
    if (text == nullptr)
      return in.Raise("builtins:TypeError", StrCat(name, " must be set to a string object"));
    s.Touch(function);
    (name == "__name__" ? function->name : function->qualname) = text->text;
    return in.Done(s.None());
  }
  if (function != nullptr && !function->is_real() && resolved != nullptr) {
    s.Touch(function);
    if (name == "__defaults__") {
      function->defaults = resolved == s.None() ? nullptr : resolved;
      return in.Done(s.None());
    }
    if (name == "__kwdefaults__") {
      function->kwdefaults = resolved == s.None() ? nullptr : resolved;
      return in.Done(s.None());
    }
    if (name == "__annotations__" || name == "__type_params__") {
      function->annotations = nullptr;
      s.SetInstanceAttr(function, name, resolved);
      return in.Done(s.None());
    }
  }
  return in.Break(Reason::kUnsupportedMutation, StrCat(TypeName(type), ".", name));
}

Outcome SetThrough(Interp& in, V descriptor, TypeValue* kind, V object, const std::string& name, V value, Tail tail) {
  Session& s = in.s;
  if (kind->is("builtins:property")) {
    V setter = PartOf(s, descriptor, value == nullptr ? Step::kPropertyDel : Step::kPropertySet);
    if (setter == nullptr)
      return in.Raise("builtins:AttributeError", StrCat("property '", name, "' of '", TypeName(s.TypeOf(object)), "' object has no ",
                                                        value == nullptr ? "deleter" : "setter"));
    Args args{.positional = {object}};
    if (value != nullptr)
      args.positional.push_back(value);
    return in.Call(setter, std::move(args), tail);
  }
  if (auto* exception = As<ObjectValue>(object);
      kind->is("builtins:member_descriptor") && exception != nullptr && !exception->is_real() && name == "__suppress_context__" && value != nullptr) {
    FRAMEGATE_TAKE(V truth, in.Truth(value));
    s.Touch(exception);
    exception->suppress_context = truth == s.Bool(true);
    return in.Done(s.None());
  }
  if (auto* function = As<FunctionValue>(object); kind->is("builtins:member_descriptor") && function != nullptr && value != nullptr && name == "__doc__") {
    s.SetInstanceAttr(function, name, value);
    return in.Done(s.None());
  }
  if (kind->is("builtins:member_descriptor") && As<ObjectValue>(object) != nullptr) {
    if (value == nullptr) {
      FRAMEGATE_TAKE([[maybe_unused]] V old, in.GetAttr(object, name));
    }
    s.SetInstanceAttr(object, name, value);
    return in.Done(s.None());
  }
  if (kind->Has(TypeFlag::kPythonDescriptor)) {
    V set = s.TypeAttr(kind, value == nullptr ? "__delete__" : "__set__");
    if (set == nullptr)
      return in.Raise("builtins:AttributeError", value == nullptr ? "__delete__" : "__set__");
    Args args{.positional = {descriptor, object}};
    if (value != nullptr)
      args.positional.push_back(value);
    return in.Call(set, std::move(args), tail);
  }
  if (kind->is("builtins:getset_descriptor"))
    return SetGetset(in, object, name, value);
  return in.Break(Reason::kUnsupportedMutation, StrCat(TypeName(s.TypeOf(object)), ".", name));
}

}  // namespace

// object.__setattr__ and __delattr__, without looking for an override.
Outcome SetAttrGeneric(Interp& in, V object, const std::string& name, V value, Tail tail) {
  Session& s = in.s;
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr || As<OpaqueValue>(object) != nullptr || As<ResidualValue>(object) != nullptr)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type == nullptr ? "?" : type->symbol, ".", name));
  V meta = s.TypeAttr(type, name);
  TypeValue* kind = meta == nullptr ? nullptr : s.TypeOf(meta);
  if (kind != nullptr && kind->Has(TypeFlag::kDataDescriptor))
    return SetThrough(in, s.Resolve(meta), kind, object, name, value, tail);
  bool has_dict = type->Has(TypeFlag::kInstancesHaveDict);
  if (!has_dict) {
    if (meta != nullptr)
      return in.Raise("builtins:AttributeError", StrCat("'", TypeName(type), "' object attribute '", name, "' is read-only"));
    return NoAttribute(in, object, type, name);
  }
  if (value == nullptr && s.InstanceAttr(object, name) == nullptr)
    return NoAttribute(in, object, type, name);
  if (As<ObjectValue>(object) == nullptr && As<SequenceValue>(object) == nullptr && As<MappingValue>(object) == nullptr &&
      As<FunctionValue>(object) == nullptr)
    return in.Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  s.SetInstanceAttr(object, name, value);
  return in.Done(s.None());
}

Outcome Interp::SetAttr(V object, const std::string& name, V value, Tail tail) {
  object = s.Resolve(object);
  if (object == nullptr)
    return Break(Reason::kUnsupportedMutation, name);
  if (auto* type = As<TypeValue>(object))
    return SetOnType(*this, type, name, value);
  if (auto* tensor = As<TensorValue>(object))
    return SetTensorAttr(tensor, name, value);
  TypeValue* type = s.TypeOf(object);
  if (type == nullptr)
    return Break(Reason::kUnsupportedMutation, name);
  if (type->is("builtins:module")) {
    auto* dict = As<MappingValue>(s.Resolve(s.StepFrom(object, Step::kModuleDict)));
    if (dict == nullptr)
      return Break(Reason::kUnsupportedMutation, name);
    if (value != nullptr)
      s.MappingSet(dict, s.Str(name), value);
    else if (!s.MappingDelete(dict, s.Str(name)))
      return NoAttribute(*this, object, type, name);
    return Done(s.None());
  }
  if (type->Has(TypeFlag::kPythonSetattr)) {
    V method = s.TypeAttr(type, value == nullptr ? "__delattr__" : "__setattr__");
    if (As<FunctionValue>(s.Resolve(method)) != nullptr) {
      Args args{.positional = {object, s.Str(name)}};
      if (value != nullptr)
        args.positional.push_back(value);
      return Call(method, std::move(args), tail);
    }
  } else if (!type->Has(TypeFlag::kGenericSetattr) && object->is_real()) {
    return Break(Reason::kUnsupportedMutation, StrCat(type->symbol, ".", name));
  }
  return SetAttrGeneric(*this, object, name, value, tail);
}

}  // namespace framegate::translator
