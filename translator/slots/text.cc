// str(), repr() and format() of values: parts known by value are written by the client, everything around them here.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

constexpr size_t kMaxParts = 100'000;

bool IsPython(Session& s, TypeValue* type, std::string_view name) {
  return As<FunctionValue>(s.Resolve(s.TypeAttr(type, name))) != nullptr;
}

// What a Python __str__, __repr__ or __format__ gives.
Outcome CallForText(Interp& in, V value, const char* method, Args args = {}) {
  FRAMEGATE_TAKE(V bound, in.LookupSpecial(value, method));
  FRAMEGATE_TAKE(V text, in.Call(bound, std::move(args)));
  V resolved = in.s.Resolve(text);
  if (ConstantOf(in.s, resolved, ConstantKind::kStr) != nullptr)
    return in.Done(resolved);
  TypeValue* type = in.s.TypeOf(resolved);
  if (type == nullptr || AsConstant(resolved) == nullptr)
    return in.Break(Reason::kUnsupportedValue, StrCat(method, " gives a value that is not known"));
  return in.Raise("builtins:TypeError",
                  StrCat(method, method == std::string_view("__format__") ? " must return a str, not " : " returned non-string (type ",
                         TypeName(type), method == std::string_view("__format__") ? "" : ")"));
}

// Containers whose text is being written: what contains itself is shortened.
class Open {
 public:
  Open(std::vector<V>* open, V value) : open_(open) { open_->push_back(value); }

  ~Open() { open_->pop_back(); }

 private:
  std::vector<V>* open_;
};

class Writer {
 public:
  explicit Writer(Interp& in) : in_(in), s_(in.s) {}

  // The text is in `text()` afterwards.
  Outcome Repr(V value) {
    if (++parts_ > kMaxParts)
      return in_.Break(Reason::kValueBudget, "repr() of a large value");
    value = s_.Resolve(value);
    if (value == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "repr() of NULL");
    if (const Constant* c = AsConstant(value))
      return Append(c->is_int() ? in_.Done(s_.Str(StrCat(c->integer))) : in_.Fold("builtins:repr", {.positional = {value}}));
    TypeValue* type = s_.TypeOf(value);
    if (type == nullptr || value->kind == ValueKind::kOpaque || value->kind == ValueKind::kResidual || value->kind == ValueKind::kTensor)
      return in_.Break(Reason::kOpaqueCall, StrCat("repr() of a ", type == nullptr ? "?" : type->symbol));
    if (IsPython(s_, type, "__repr__"))
      return Append(CallForText(in_, value, "__repr__"));
    if (auto* own = As<BuiltinValue>(s_.Resolve(s_.TypeAttr(type, "__repr__"))); own != nullptr && !FindPolyfill(own->symbol).empty())
      return Append(in_.CallBuiltin(own->symbol, {.positional = {value}}, kSync));
    for (V other : open_)
      if (other == value)
        return Shortened(value, type);
    Open open(&open_, value);
    return Builtin(value, type);
  }

  // What the builtin type writes, whatever a subclass overrides.
  Outcome ReprOfBase(V value) {
    TypeValue* type = s_.TypeOf(value);
    if (type == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "repr() of a value of unknown type");
    Open open(&open_, value);
    return Builtin(value, type);
  }

  std::string& text() { return text_; }

 private:
  Outcome Append(Outcome outcome) {
    if (!outcome.ok())
      return outcome;
    const Constant* c = ConstantOf(s_, outcome.value, ConstantKind::kStr);
    if (c == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "a text that is not known");
    text_ += c->text;
    return in_.Done(nullptr);
  }

  Outcome Add(std::string_view text) {
    text_ += text;
    return in_.Done(nullptr);
  }

  Outcome Shortened(V value, TypeValue* type) {
    if (As<MappingValue>(value) != nullptr)
      return Add("{...}");
    if (type->Has(TypeFlag::kTupleSubclass))
      return Add("(...)");
    if (As<SequenceValue>(value) != nullptr)
      return Add("[...]");
    if (As<SetValue>(value) != nullptr)
      return Add(StrCat(TypeName(type), "(...)"));
    return in_.Break(Reason::kUnsupportedValue, "repr() of what contains itself");
  }

  Outcome List(std::string_view open, const Values& items, std::string_view close) {
    text_ += open;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        text_ += ", ";
      FRAMEGATE_TAKE([[maybe_unused]] V none, Repr(items[i]));
    }
    return Add(close);
  }

  Outcome Pairs(std::string_view open, MappingValue* mapping, std::string_view between, std::string_view close) {
    if (!s_.Complete(mapping))
      return in_.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
    text_ += open;
    auto items = mapping->items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        text_ += ", ";
      FRAMEGATE_TAKE([[maybe_unused]] V key, Repr(items[i].first));
      text_ += between;
      FRAMEGATE_TAKE([[maybe_unused]] V item, Repr(items[i].second));
    }
    return Add(close);
  }

  Outcome Builtin(V value, TypeValue* type) {
    if (auto* sequence = As<SequenceValue>(value))
      return Sequence(sequence, type);
    if (auto* mapping = As<MappingValue>(value))
      return Mapping(mapping, type);
    if (auto* set = As<SetValue>(value))
      return Set(set, type);
    if (auto* view = As<ViewValue>(value))
      return View(view);
    if (auto* cls = As<TypeValue>(value)) {
      std::string name = cls->symbol;
      size_t colon = name.find(':');
      if (name.starts_with("builtins:"))
        name = name.substr(colon + 1);
      else
        name[colon] = '.';
      return Add(StrCat("<class '", name, "'>"));
    }
    if (auto* slice = As<SliceValue>(value))
      return List("slice(", {slice->start, slice->stop, slice->step}, ")");
    auto* object = As<ObjectValue>(value);
    if (object != nullptr && s_.IsSubclass(type, "builtins:BaseException")) {
      FRAMEGATE_TAKE(V args, in_.GetAttr(object, "args"));
      Values items;
      FRAMEGATE_TAKE([[maybe_unused]] V none, in_.ToValues(args, &items));
      return List(StrCat(TypeName(type), "("), items, ")");
    }
    if (object != nullptr && (type->is("types:SimpleNamespace") || type->is("builtins:SimpleNamespace")))
      return Namespace(object);
    if (V payload = s_.Payload(value))
      return Repr(payload);
    return in_.Break(Reason::kOpaqueCall, StrCat("repr() of a ", type->symbol));
  }

  Outcome Sequence(SequenceValue* sequence, TypeValue* type) {
    if (s_.IsSubclass(type, "collections:deque")) {
      text_ += StrCat(TypeName(type), "(");
      FRAMEGATE_TAKE([[maybe_unused]] V none, List("[", sequence->items, "]"));
      return Add(sequence->maxlen.is_int() ? StrCat(", maxlen=", sequence->maxlen.integer, ")") : ")");
    }
    if (type->is("torch:Size"))
      return List("torch.Size([", sequence->items, "])");
    if (type->Has(TypeFlag::kTupleSubclass))
      return List("(", sequence->items, sequence->items.size() == 1 ? ",)" : ")");
    return List("[", sequence->items, "]");
  }

  Outcome Mapping(MappingValue* mapping, TypeValue* type) {
    if (s_.IsSubclass(type, "collections:OrderedDict")) {
      if (!s_.Complete(mapping))
        return in_.Break(Reason::kUnsupportedValue, "a dict whose keys cannot be known");
      if (mapping->items.empty())
        return Add(StrCat(TypeName(type), "()"));
      if (s_.Is311() || s_.request().version == model::PyVersion::k311)
        return Pairs(StrCat(TypeName(type), "([("), mapping, ", ", ")])", "), (");
      return Pairs(StrCat(TypeName(type), "({"), mapping, ": ", "})");
    }
    if (s_.IsSubclass(type, "collections:defaultdict")) {
      text_ += StrCat(TypeName(type), "(");
      FRAMEGATE_TAKE(V factory, in_.GetAttr(mapping, "default_factory"));
      FRAMEGATE_TAKE([[maybe_unused]] V none, Repr(factory));
      return Pairs(", {", mapping, ": ", "})");
    }
    return Pairs("{", mapping, ": ", "}");
  }

  Outcome Pairs(std::string_view open, MappingValue* mapping, std::string_view between, std::string_view close,
                std::string_view separator) {
    text_ += open;
    auto items = mapping->items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        text_ += separator;
      FRAMEGATE_TAKE([[maybe_unused]] V key, Repr(items[i].first));
      text_ += between;
      FRAMEGATE_TAKE([[maybe_unused]] V item, Repr(items[i].second));
    }
    return Add(close);
  }

  Outcome Set(SetValue* set, TypeValue* type) {
    if (set->items.empty())
      return Add(StrCat(TypeName(type), "()"));
    FRAMEGATE_TAKE([[maybe_unused]] V ordered, InOrder(in_, set));
    if (type->is("builtins:set"))
      return List("{", set->items, "}");
    return List(StrCat(TypeName(type), "({"), set->items, "})");
  }

  Outcome View(ViewValue* view) {
    if (view->form == ViewForm::kTypeDict)
      return in_.Break(Reason::kUnsupportedValue, "repr() of a class's dict");
    V target = s_.Resolve(view->target);
    auto* mapping = As<MappingValue>(target);
    if (view->form == ViewForm::kInstanceDict) {
      FRAMEGATE_TAKE(V copy, in_.CallBuiltin("builtins:dict.copy", {.positional = {view}}, kSync));
      return Repr(copy);
    }
    if (view->form == ViewForm::kProxy) {
      text_ += "mappingproxy(";
      FRAMEGATE_TAKE([[maybe_unused]] V none, Repr(target));
      return Add(")");
    }
    if (mapping == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "a view of something other than a dict");
    std::string prefix = s_.IsSubclass(s_.TypeOf(mapping), "collections:OrderedDict") ? "odict_" : "dict_";
    if (view->form == ViewForm::kItems)
      return Pairs(prefix + "items([(", mapping, ", ", ")])", "), (");
    Values items;
    FRAMEGATE_TAKE([[maybe_unused]] V none, in_.ToValues(view, &items));
    return List(prefix + (view->form == ViewForm::kKeys ? "keys([" : "values(["), items, "])");
  }

  Outcome Namespace(ObjectValue* object) {
    std::vector<std::string> names;
    if (!s_.InstanceNames(object, &names))
      return in_.Break(Reason::kUnsupportedValue, "an instance dict whose names cannot be known");
    text_ += "namespace(";
    for (size_t i = 0; i < names.size(); ++i) {
      text_ += StrCat(i > 0 ? ", " : "", names[i], "=");
      FRAMEGATE_TAKE([[maybe_unused]] V none, Repr(s_.InstanceAttr(object, names[i])));
    }
    return Add(")");
  }

  Interp& in_;
  Session& s_;
  std::string text_;
  std::vector<V> open_;
  size_t parts_ = 0;
};

// BaseException.__str__ and what its subclasses in C make of it.
Outcome ExceptionText(Interp& in, V value, TypeValue* type) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V args, in.GetAttr(value, "args"));
  Values items;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(args, &items));
  if (s.IsSubclass(type, "builtins:BaseExceptionGroup")) {
    if (items.size() != 2)
      return in.Break(Reason::kUnsupportedValue, "an exception group without its two arguments");
    FRAMEGATE_TAKE(V message, Str(in, items[0]));
    FRAMEGATE_TAKE(V count, in.Length(items[1]));
    int64_t number = AsConstant(s.Resolve(count))->integer;
    return in.Done(s.Str(StrCat(AsConstant(message)->text, " (", number, " sub-exception", number == 1 ? ")" : "s)")));
  }
  if (s.IsSubclass(type, "builtins:KeyError") && items.size() == 1)
    return Repr(in, items[0]);
  if (s.IsSubclass(type, "builtins:OSError") && items.size() >= 2 && items.size() <= 5) {
    if (value->is_real())  // the file it names is in no argument
      return in.Break(Reason::kUnsupportedCall, StrCat("str() of a ", type->symbol));
    items = As<ObjectValue>(value)->arguments;
    FRAMEGATE_TAKE(V number, Str(in, items[0]));
    FRAMEGATE_TAKE(V text, Str(in, items[1]));
    std::string shown = StrCat("[Errno ", AsConstant(number)->text, "] ", AsConstant(text)->text);
    if (items.size() > 2 && s.Resolve(items[2]) != s.None()) {
      FRAMEGATE_TAKE(V name, Repr(in, items[2]));
      shown += StrCat(": ", AsConstant(name)->text);
      if (items.size() > 4 && s.Resolve(items[4]) != s.None()) {
        FRAMEGATE_TAKE(V other, Repr(in, items[4]));
        shown += StrCat(" -> ", AsConstant(other)->text);
      }
    }
    return in.Done(s.Str(std::move(shown)));
  }
  for (const char* special : {"builtins:SyntaxError", "builtins:UnicodeError"})
    if (s.IsSubclass(type, special))
      return in.Break(Reason::kUnsupportedCall, StrCat("str() of a ", type->symbol));
  if (items.empty())
    return in.Done(s.Str(""));
  return items.size() == 1 ? Str(in, items[0]) : Repr(in, s.Tuple(std::move(items)));
}

}  // namespace

Outcome Repr(Interp& in, V value) {
  Writer writer(in);
  FRAMEGATE_TAKE([[maybe_unused]] V none, writer.Repr(value));
  return in.Done(in.s.Str(std::move(writer.text())));
}

Outcome ReprOfBase(Interp& in, V value) {
  Writer writer(in);
  FRAMEGATE_TAKE([[maybe_unused]] V none, writer.ReprOfBase(value));
  return in.Done(in.s.Str(std::move(writer.text())));
}

Outcome Str(Interp& in, V value) {
  Session& s = in.s;
  value = s.Resolve(value);
  if (const Constant* c = AsConstant(value))
    return c->is_str()   ? in.Done(value)
           : c->is_int() ? in.Done(s.Str(StrCat(c->integer)))
                         : in.Fold("builtins:str", {.positional = {value}});
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr || value->kind == ValueKind::kOpaque || value->kind == ValueKind::kResidual || value->kind == ValueKind::kTensor)
    return in.Break(value->kind == ValueKind::kTensor ? Reason::kTensorValue : Reason::kOpaqueCall,
                    StrCat("str() of a ", type == nullptr ? "?" : type->symbol));
  if (IsPython(s, type, "__str__"))
    return CallForText(in, value, "__str__");
  if (value->kind == ValueKind::kObject && s.IsSubclass(type, "builtins:BaseException"))
    return ExceptionText(in, value, type);
  V payload = s.Payload(value);
  if (payload != nullptr && type->Has(TypeFlag::kStrSubclass))
    return in.Done(payload);
  auto* method = As<BuiltinValue>(s.Resolve(s.TypeAttr(type, "__str__")));
  if (payload != nullptr && method != nullptr && method->symbol.ends_with(".__repr__"))  // as enums of ints have it
    return Repr(in, payload);
  return Repr(in, value);
}

Outcome Format(Interp& in, V value, V spec) {
  Session& s = in.s;
  value = s.Resolve(value);
  const Constant* text = ConstantOf(s, spec, ConstantKind::kStr);
  if (text == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a format that is not known");
  if (AsConstant(value) != nullptr)
    return text->text.empty() ? Str(in, value) : in.Fold("builtins:format", {.positional = {value, spec}});
  TypeValue* type = s.TypeOf(value);
  if (type == nullptr || value->kind == ValueKind::kTensor)
    return in.Break(Reason::kOpaqueCall, "format() of a value known only at run time");
  if (IsPython(s, type, "__format__"))
    return CallForText(in, value, "__format__", {.positional = {spec}});
  if (text->text.empty())
    return Str(in, value);
  if (V payload = s.Payload(value))
    return in.Fold("builtins:format", {.positional = {payload, spec}});
  auto* own = As<BuiltinValue>(s.Resolve(s.TypeAttr(type, "__format__")));
  if (own == nullptr || own->symbol != "builtins:object.__format__")
    return in.Break(Reason::kOpaqueCall, StrCat(type->symbol, ".__format__"));
  return in.Raise("builtins:TypeError", StrCat("unsupported format string passed to ", TypeName(type), ".__format__"));
}

}  // namespace framegate::translator
