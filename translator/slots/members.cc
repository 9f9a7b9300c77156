#include "translator/slots/members.h"

#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Fact;
using model::Reason;
using model::Step;
using model::TypeFlag;

namespace {

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
  if (s.IsSubclass(type, "builtins:OSError")) {
    constexpr std::string_view kPlaces[] = {"errno", "strerror", "filename", "winerror", "filename2"};
    const auto* place = std::find(std::begin(kPlaces), std::end(kPlaces), name);
    if (place != std::end(kPlaces) && name != "winerror")
      return count >= 2 && count <= 5 ? argument(static_cast<size_t>(place - std::begin(kPlaces))) : s.None();
  }
  if (s.IsSubclass(type, "builtins:ImportError") && name == "msg")
    return count == 1 ? argument(0) : s.None();
  bool named = s.IsSubclass(type, "builtins:NameError") || s.IsSubclass(type, "builtins:AttributeError") ||
               s.IsSubclass(type, "builtins:ImportError");
  if (named && (name == "name" || name == "obj" || name == "path" || name == "name_from")) {
    for (const auto& [own, value] : exception->attributes)
      if (own == name)
        return value;
    return s.None();
  }
  return nullptr;
}

}  // namespace

bool IsTupleGetter(TypeValue* kind) {
  return kind->is("_collections:_tuplegetter") || kind->is("collections:_tuplegetter");
}

Outcome WrapperMember(Interp& in, V wrapper, TypeValue* type, const std::string& name) {
  Session& s = in.s;
  const bool of_property = type->is("builtins:property");
  if (!of_property && !type->is("builtins:classmethod") && !type->is("builtins:staticmethod"))
    return in.Done(nullptr);
  if (!of_property && (name == "__func__" || name == "__wrapped__"))
    return in.Done(PartOf(s, wrapper, Step::kMethodFunc));
  constexpr std::pair<std::string_view, Step> kParts[] = {
      {"fget", Step::kPropertyGet}, {"fset", Step::kPropertySet}, {"fdel", Step::kPropertyDel}};
  Values functions;
  for (const auto& [part, step] : kParts) {
    V function = of_property ? PartOf(s, wrapper, step) : nullptr;
    if (of_property && name == part)
      return in.Done(function == nullptr ? s.None() : function);
    if (function != nullptr)
      functions.push_back(function);
  }
  if (name != "__isabstractmethod__")
    return in.Done(nullptr);
  if (!of_property)
    functions.push_back(PartOf(s, wrapper, Step::kMethodFunc));
  for (V function : functions) {
    Outcome mark = in.GetAttr(function, name);
    if (mark.flow == Flow::kRaise && s.IsSubclass(s.TypeOf(s.raised), "builtins:AttributeError")) {
      s.raised = nullptr;
      continue;
    }
    FRAMEGATE_TAKE(V truth, mark.ok() ? in.Truth(mark.value) : mark);
    if (truth == s.Bool(true))
      return in.Done(truth);
  }
  return in.Done(s.Bool(false));
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
  if (name == "__module__") {
    if (function->is_real())
      s.ReadFact(function, Fact::kQualname);
    return in.Done(function->module == nullptr ? s.None() : function->module);
  }
  if (name == "__doc__" && function->is_real()) {
    V text = s.StepFrom(function, Step::kSlotMember, name);
    return in.Done(text == nullptr ? s.None() : text);
  }
  if (name == "__doc__") {
    bool has = !image.consts.empty() && image.consts[0].is_str();
    return in.Done(has ? s.Const(image.consts[0]) : s.None());
  }
  return in.Break(Reason::kUnsupportedAttribute, StrCat("function.", name));
}

namespace {

// What every exception from elsewhere has; null: unknown.
V OfException(Interp& in, ObjectValue* exception, const std::string& name) {
  if (name == "args")
    return in.s.StepFrom(exception, Step::kExcArgs);
  const bool is_cause = name == "__cause__";
  if (!is_cause && name != "__context__")
    return nullptr;
  V set = is_cause ? exception->cause : exception->context;
  if (set != nullptr && (set != in.outside || (set = in.s.HandledBefore()) != nullptr))
    return set;
  V linked = in.s.StepFrom(exception, is_cause ? Step::kExcCause : Step::kExcContext);
  return linked == nullptr ? in.s.None() : linked;
}

}  // namespace

// C getset descriptors whose values the translator knows; null: unknown.
V KnownGetset(Interp& in, const std::string& name, V object) {
  Session& s = in.s;
  if (name == "__class__")
    return s.TypeOf(object);
  if (name == "__dict__" && As<TypeValue>(object) != nullptr) {
    auto* view = s.New<ViewValue>();
    view->form = ViewForm::kTypeDict;
    view->target = object;
    view->type = s.TypeOfSymbol("types:MappingProxyType");
    return view;
  }
  if (name == "__dict__") {
    auto* view = s.New<ViewValue>();
    view->form = ViewForm::kInstanceDict;
    view->target = object;
    view->type = s.TypeOfSymbol("builtins:dict");
    return view;
  }
  if (const Constant* c = AsConstant(object); c != nullptr && c->kind == ConstantKind::kCode && c->code.size() == 1)
    return CodeMember(s, *c->code[0], name);
  if (const Constant* constant = AsConstant(object))
    return TorchConstantAttr(s, *constant, name);
  if (auto* cell = As<CellValue>(object); cell != nullptr && name == "cell_contents")
    return s.CellContents(cell);
  if (auto* view = As<ViewValue>(object); view != nullptr && name == "mapping") {
    auto* proxy = s.New<ViewValue>();
    proxy->form = ViewForm::kProxy;
    proxy->target = view->target;
    proxy->type = s.TypeOfSymbol("types:MappingProxyType");
    return proxy;
  }
  if (auto* builtin = As<BuiltinValue>(object)) {
    size_t colon = builtin->symbol.find(':');
    if (name == "__name__")
      return s.Str(builtin->symbol.substr(builtin->symbol.find_last_of(":.") + 1));
    return name == "__qualname__" ? s.Str(builtin->symbol.substr(colon + 1)) : nullptr;
  }
  if (auto* generator = As<GeneratorValue>(object)) {
    if (name == "gi_running" || name == "cr_running")
      return s.Bool(generator->running);
    if (name == "gi_suspended" || name == "cr_suspended")
      return s.Bool(generator->started && !generator->running && generator->frame != nullptr);
    if ((name == "gi_frame" || name == "cr_frame") && generator->frame == nullptr)
      return s.None();
    if (name == "gi_frame" || name == "cr_frame") {
      auto* frame = s.New<ObjectValue>();
      frame->type = s.TypeOfSymbol("types:FrameType");
      frame->hint = "frame";
      return frame;
    }
    if ((name == "__name__" || name == "__qualname__") && generator->function != nullptr)
      return s.Str(name == "__name__" ? generator->function->name : generator->function->qualname);
    return nullptr;
  }
  if (auto* function = As<FunctionValue>(object)) {
    for (const auto& [own, value] : function->attributes)
      if (own == name && value != nullptr)
        return value;
    if (name == "__code__" && in.EnsureCode(function))
      return s.Const({.kind = ConstantKind::kCode, .code = {function->code->image}});
    if (name == "__name__")
      return s.Str(function->is_real() ? s.ReadFact(function, Fact::kName).constant.text : function->name);
    if (name == "__annotations__") {
      if (function->annotations == nullptr && function->is_real())
        function->annotations = s.StepFrom(function, Step::kFuncAnnotations);
      if (auto* dict = function->annotations == nullptr ? nullptr : As<MappingValue>(s.Resolve(function->annotations)))
        return dict;
      MappingValue* annotations = s.Dict();  // stored as a flat tuple of names and values until somebody asks
      auto* pairs = function->annotations == nullptr ? nullptr : As<SequenceValue>(s.Resolve(function->annotations));
      for (size_t i = 0; pairs != nullptr && i + 1 < pairs->items.size(); i += 2)
        s.MappingSet(annotations, pairs->items[i], pairs->items[i + 1]);
      if (function->annotations != nullptr && pairs == nullptr)
        return nullptr;
      s.Touch(function);
      function->annotations = nullptr;
      s.SetInstanceAttr(function, name, annotations);
      return annotations;
    }
    if (name == "__type_params__") {
      V own = function->is_real() ? s.StepFrom(function, Step::kFuncTypeParams) : nullptr;
      return own == nullptr ? s.Tuple({}) : own;
    }
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
      return s.Str(NameOf(in, type));
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
        return s.StepFrom(type, Step::kTypeBases);
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
      if (own == nullptr) {  // the class would keep the one that it makes
        own = s.Dict();
        own->frozen = true;
      }
      return own;
    }
    if (name == "__type_params__") {
      V own = type->Has(TypeFlag::kHeapType) ? OwnAttr(s, type, name) : nullptr;
      return own == nullptr ? s.Tuple({}) : own;
    }
    if (name == "__mro__") {
      Values mro(s.MroOf(type).begin(), s.MroOf(type).end());
      return s.Tuple(std::move(mro));
    }
    return nullptr;
  }
  if (auto* exception = As<ObjectValue>(object); exception != nullptr && !exception->is_real()) {
    if (name == "args") {  // the same tuple every time, unless they were changed
      Values shown = exception->arguments;
      if (shown.size() > 2 && shown.size() <= 5 && s.IsSubclass(s.TypeOf(exception), "builtins:OSError"))
        shown.resize(2);  // names of files are apart
      auto* last = As<SequenceValue>(exception->args_tuple);
      if (last == nullptr || last->items != shown)
        exception->args_tuple = last = s.Tuple(std::move(shown));
      return last;
    }
    if (name == "__cause__")
      return exception->cause == nullptr ? s.None() : exception->cause;
    if (name == "__context__") {
      V context = exception->context == in.outside ? s.HandledBefore() : exception->context;
      return context == nullptr ? s.None() : context;
    }
    if (name == "__suppress_context__")
      return s.Bool(exception->suppress_context);
    if (name == "__traceback__")
      return exception->traceback == nullptr ? s.None() : exception->traceback;
    return ExceptionMember(s, exception, name);
  }
  if (auto* exception = As<ObjectValue>(object); exception != nullptr && s.IsSubclass(s.TypeOf(exception), "builtins:BaseException"))
    return OfException(in, exception, name);
  return nullptr;
}

Outcome AliasMember(Interp& in, ObjectValue* alias, const std::string& name, Tail tail) {
  Session& s = in.s;
  constexpr std::string_view kOwn[] = {"__class__",       "__unpacked__",  "__parameters__", "__typing_unpacked_tuple_args__",
                                       "__mro_entries__", "__reduce_ex__", "__reduce__",     "__copy__",
                                       "__deepcopy__",    "__eq__",        "__hash__"};
  auto part = [&](const char* of, size_t at) { return alias->is_real() ? s.StepFrom(alias, Step::kSlotMember, of) : alias->arguments[at]; };
  if (name == "__origin__")
    return in.Done(part("__origin__", 0));
  if (name == "__args__") {
    V args = s.Resolve(part("__args__", 1));
    TypeValue* type = s.TypeOf(args);
    return in.Done(type != nullptr && type->is("builtins:tuple") ? args : s.Tuple({args}));
  }
  if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn))
    return GetAttrGeneric(in, alias, name, tail);
  return in.GetAttr(part("__origin__", 0), name, tail);
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

namespace {

// co_* of a code object.
Outcome CodeMember(Interp& in, const model::CodeImage& image, const std::string& name) {
  Session& s = in.s;
  auto names = [&](unsigned char wanted, unsigned char unwanted) {
    Values found;
    for (size_t i = 0; i < image.localsplusnames.size(); ++i) {
      unsigned char kind = static_cast<unsigned char>(image.localspluskinds[i]);
      if ((kind & wanted) != 0 && (kind & unwanted) == 0)
        found.push_back(s.Str(image.localsplusnames[i]));
    }
    return s.Tuple(std::move(found));
  };
  constexpr unsigned char kLocal = 0x20, kCell = 0x40, kFree = 0x80;
  if (name == "co_argcount")
    return in.Done(s.Int(image.argcount));
  if (name == "co_posonlyargcount")
    return in.Done(s.Int(image.posonlyargcount));
  if (name == "co_kwonlyargcount")
    return in.Done(s.Int(image.kwonlyargcount));
  if (name == "co_flags")
    return in.Done(s.Int(image.flags));
  if (name == "co_name" || name == "co_qualname")
    return in.Done(s.Str(name == "co_name" ? image.name : image.qualname));
  if (name == "co_varnames")
    return in.Done(names(kLocal, 0));
  if (name == "co_cellvars")
    return in.Done(names(kCell, 0));
  if (name == "co_freevars")
    return in.Done(names(kFree, 0));
  return in.Break(Reason::kUnsupportedAttribute, StrCat("code.", name));
}

}  // namespace

// real, imag, numerator and denominator of numbers; start, stop and step of ranges.
Outcome ConstantMember(Interp& in, V object, const std::string& name) {
  Session& s = in.s;
  if (name == "__class__")
    return in.Done(s.TypeOf(object));
  if (V payload = s.Payload(object))
    object = payload;
  const Constant& c = *AsConstant(s.Resolve(object));
  if (c.kind == ConstantKind::kCode && !c.code.empty())
    return CodeMember(in, *c.code[0], name);
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
  if (V value = TorchConstantAttr(s, c, name))
    return in.Done(value);
  if (name == "__doc__" || name == "__class__")
    return name == "__class__" ? in.Done(s.TypeOf(object)) : in.Break(Reason::kUnsupportedAttribute, name);
  return in.Break(Reason::kUnsupportedAttribute, StrCat(TypeName(s.TypeOf(object)), ".", name));
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

bool IsThreadLocal(Session& s, V object, TypeValue* type) {
  return object->is_real() && As<ObjectValue>(object) != nullptr && !type->Has(TypeFlag::kGenericGetattr) &&
         s.IsSubclass(type, "_thread:_local");
}

V LocalDict(Session& s, V local) {
  V dict = s.StepFrom(local, Step::kLocalDict);
  return dict == nullptr ? nullptr : s.Resolve(dict);
}

}  // namespace framegate::translator
