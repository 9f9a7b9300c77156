// Builtins about objects: types, attributes, calls.
#include "translator/builtins/table.h"
#include "translator/slots/members.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

const std::string* NameArgument(Interp& in, V value) {
  if (V payload = in.s.Payload(value))
    value = payload;
  const Constant* c = ConstantOf(in.s, value, ConstantKind::kStr);
  return c == nullptr ? nullptr : &c->text;
}

}  // namespace

Outcome BuiltinIsInstance(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "isinstance");
  return in.IsInstance(args.positional[0], args.positional[1]);
}

Outcome BuiltinIsSubclass(Interp& in, Args& args, Tail) {
  if (args.positional.size() != 2)
    return WrongArguments(in, "issubclass");
  auto* type = As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (type == nullptr)
    return in.Raise("builtins:TypeError", "issubclass() arg 1 must be a class");
  V bases = in.s.Resolve(args.positional[1]);
  if (auto* tuple = As<SequenceValue>(bases)) {
    for (V base : tuple->items) {
      Args one{.positional = {type, base}};
      FRAMEGATE_TAKE(V found, BuiltinIsSubclass(in, one, kSync));
      if (found == in.s.Bool(true))
        return in.Done(found);
    }
    return in.Done(in.s.Bool(false));
  }
  auto* base = As<TypeValue>(bases);
  if (base == nullptr) {
    TypeValue* kind = in.s.TypeOf(bases);
    if (V own = kind == nullptr ? nullptr : in.s.TypeAttr(kind, "__subclasscheck__"); As<FunctionValue>(in.s.Resolve(own)) != nullptr) {
      FRAMEGATE_TAKE(V found, in.Call(own, {.positional = {bases, type}}));
      return in.Truth(found);
    }
    if (kind != nullptr && kind->is("types:UnionType")) {
      FRAMEGATE_TAKE(V sides, in.GetAttr(bases, "__args__"));
      Args each{.positional = {type, sides}};
      return BuiltinIsSubclass(in, each, kSync);
    }
    if (kind == nullptr || in.s.TypeAttr(kind, "__subclasscheck__") != nullptr)
      return in.Break(Reason::kUnsupportedCall, "issubclass(..., an object that decides)");
    return in.Raise("builtins:TypeError", "issubclass() arg 2 must be a class, a tuple of classes, or a union");
  }
  TypeValue* metatype = in.s.TypeOf(base);
  V check = metatype == nullptr ? nullptr : in.s.Resolve(in.s.TypeAttr(metatype, "__subclasscheck__"));
  auto* builtin = As<BuiltinValue>(check);
  if (builtin != nullptr && builtin->symbol == "builtins:type.__subclasscheck__")
    return in.Done(in.s.Bool(in.s.IsSubclassOf(type, base)));
  auto* function = As<FunctionValue>(check);
  if (function != nullptr && function->symbol != "abc:ABCMeta.__subclasscheck__") {
    FRAMEGATE_TAKE(V found, in.Call(function, {.positional = {base, type}}));
    return in.Truth(found);
  }
  if (in.s.IsSubclassOf(type, base))
    return in.Done(in.s.Bool(true));
  return FoldSubclass(in, type, base);
}

// What ABCMeta.__instancecheck__ and ABCMeta.__subclasscheck__ call.
Outcome BuiltinAbcInstanceCheck(Interp& in, Args& args, Tail) {
  TypeValue* actual = args.positional.size() == 2 ? in.s.TypeOf(args.positional[1]) : nullptr;
  if (actual == nullptr)
    return WrongArguments(in, "_abc_instancecheck");
  FRAMEGATE_TAKE(V check, in.GetAttr(args.positional[0], "__subclasscheck__"));
  FRAMEGATE_TAKE(V found, in.Call(check, {.positional = {actual}}));
  return in.Truth(found);
}

Outcome BuiltinAbcSubclassCheck(Interp& in, Args& args, Tail) {
  auto* base = args.positional.size() == 2 ? As<TypeValue>(in.s.Resolve(args.positional[0])) : nullptr;
  auto* type = base == nullptr ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[1]));
  if (type == nullptr)
    return WrongArguments(in, "_abc_subclasscheck");
  return in.s.IsSubclassOf(type, base) ? in.Done(in.s.Bool(true)) : FoldSubclass(in, type, base);
}

Outcome BuiltinType(Interp& in, Args& args, Tail) {
  if (args.positional.size() == 3) {
    args.positional.insert(args.positional.begin(), in.s.TypeOfSymbol("builtins:type"));
    return in.CallBuiltin("builtins:type.__new__", std::move(args), kSync);
  }
  if (args.positional.size() != 1 || !args.keyword.empty())
    return in.Raise("builtins:TypeError", "type() takes 1 or 3 arguments");
  TypeValue* type = in.s.TypeOf(args.positional[0]);
  return type == nullptr ? WrongArguments(in, "type") : in.Done(type);
}

Outcome BuiltinGetAttr(Interp& in, Args& args, Tail tail) {
  size_t count = args.positional.size();
  const std::string* name = count == 2 || count == 3 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr && (count == 2 || count == 3) && AsConstant(in.s.Resolve(args.positional[1])) != nullptr)
    return in.Raise("builtins:TypeError", StrCat("attribute name must be string, not '", TypeName(in.s.TypeOf(args.positional[1])), "'"));
  if (name == nullptr)
    return WrongArguments(in, "getattr");
  if (count == 2)
    return in.GetAttr(args.positional[0], *name, tail);
  Outcome outcome = in.GetAttr(args.positional[0], *name);
  if (outcome.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError")) {
    in.s.raised = nullptr;
    return in.Done(args.positional[2]);
  }
  return outcome;
}

Outcome BuiltinHasAttr(Interp& in, Args& args, Tail) {
  const std::string* name = args.positional.size() == 2 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "hasattr");
  Outcome outcome = in.GetAttr(args.positional[0], *name);
  if (outcome.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError")) {
    in.s.raised = nullptr;
    return in.Done(in.s.Bool(false));
  }
  return outcome.ok() ? in.Done(in.s.Bool(true)) : outcome;
}

Outcome BuiltinSetAttr(Interp& in, Args& args, Tail tail) {
  const std::string* name = args.positional.size() == 3 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "setattr");
  (void)tail;  // the value of setattr is None, not that of __setattr__
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetAttr(args.positional[0], *name, args.positional[2]));
  return in.Done(in.s.None());
}

Outcome BuiltinDelAttr(Interp& in, Args& args, Tail) {
  const std::string* name = args.positional.size() == 2 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "delattr");
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetAttr(args.positional[0], *name, nullptr));
  return in.Done(in.s.None());
}

Outcome BuiltinObjectSetAttr(Interp& in, Args& args, Tail) {
  const std::string* name = args.positional.size() == 3 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "object.__setattr__");
  FRAMEGATE_TAKE([[maybe_unused]] V none, SetAttrGeneric(in, in.s.Resolve(args.positional[0]), *name, args.positional[2], kSync));
  return in.Done(in.s.None());
}

Outcome BuiltinObjectDelAttr(Interp& in, Args& args, Tail) {
  const std::string* name = args.positional.size() == 2 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "object.__delattr__");
  FRAMEGATE_TAKE([[maybe_unused]] V none, SetAttrGeneric(in, in.s.Resolve(args.positional[0]), *name, nullptr, kSync));
  return in.Done(in.s.None());
}

Outcome BuiltinObjectGetAttribute(Interp& in, Args& args, Tail tail) {
  const std::string* name = args.positional.size() == 2 ? NameArgument(in, args.positional[1]) : nullptr;
  if (name == nullptr)
    return WrongArguments(in, "object.__getattribute__");
  return GetAttrGeneric(in, in.s.Resolve(args.positional[0]), *name, tail);
}

Outcome BuiltinModuleGetAttribute(Interp& in, Args& args, Tail tail) {
  const std::string* name = args.positional.size() == 2 && args.keyword.empty() ? NameArgument(in, args.positional[1]) : nullptr;
  TypeValue* type = name == nullptr ? nullptr : in.s.TypeOf(args.positional[0]);
  if (type == nullptr || !type->is("builtins:module"))
    return in.Break(Reason::kUnsupportedCall, "module.__getattribute__");
  return in.GetAttr(args.positional[0], *name, tail);
}

Outcome BuiltinCallable(Interp& in, Args& args, Tail) {
  TypeValue* type = args.positional.size() == 1 ? in.s.TypeOf(args.positional[0]) : nullptr;
  if (type == nullptr)
    return WrongArguments(in, "callable");
  return in.Done(in.s.Bool(type->Has(model::TypeFlag::kCallable)));
}

// super(type, obj), or without arguments: the __class__ cell and first argument of the frame that calls.
Outcome BuiltinSuper(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V start = nullptr, self = nullptr;
  if (args.positional.size() == 2) {
    start = s.Resolve(args.positional[0]);
    self = s.Resolve(args.positional[1]);
  } else if (args.positional.empty()) {
    Frame& f = in.top();
    const auto& names = f.code->image->localsplusnames;
    for (size_t slot = 0; slot < names.size(); ++slot)
      if (names[slot] == "__class__" && f.slots[slot] != nullptr)
        if (auto* cell = As<CellValue>(s.Resolve(f.slots[slot])))
          start = s.Resolve(s.CellContents(cell));
    self = f.slots.empty() ? nullptr : s.Resolve(f.slots[0]);
    if (auto* cell = As<CellValue>(self))
      self = s.Resolve(s.CellContents(cell));
  }
  auto* type = As<TypeValue>(start);
  if (type == nullptr || self == nullptr)
    return WrongArguments(in, "super");
  auto* super = s.New<SuperValue>();
  super->start = type;
  super->self = self;
  auto* as_type = As<TypeValue>(self);
  super->self_type = as_type != nullptr && s.IsSubclassOf(as_type, type) ? as_type : s.TypeOf(self);
  if (super->self_type == nullptr || !s.IsSubclassOf(super->self_type, type))
    return in.Raise("builtins:TypeError", "super(type, obj): obj must be an instance or subtype of type");
  return in.Done(super);
}

Outcome BuiltinObjectInit(Interp& in, Args&, Tail) {
  return in.Done(in.s.None());
}

Outcome BuiltinObjectNew(Interp& in, Args& args, Tail) {
  auto* type = args.positional.empty() ? nullptr : As<TypeValue>(in.s.Resolve(args.positional[0]));
  if (type == nullptr || !type->Has(model::TypeFlag::kHeapType) || type->Has(model::TypeFlag::kHasDel))
    return WrongArguments(in, "object.__new__");
  auto* object = in.s.New<ObjectValue>();
  object->type = type;
  object->mutable_made = true;
  return in.Done(object);
}

namespace {

// What __init__ of the exceptions that know what was missing takes beside the arguments.
bool TakesKeyword(Session& s, TypeValue* type, std::string_view name) {
  if (s.IsSubclass(type, "builtins:AttributeError"))
    return name == "name" || name == "obj";
  if (s.IsSubclass(type, "builtins:NameError"))
    return name == "name";
  return s.IsSubclass(type, "builtins:ImportError") && (name == "name" || name == "path");
}

}  // namespace

Outcome BuiltinExceptionInit(Interp& in, Args& args, Tail) {
  auto* object = args.positional.empty() ? nullptr : As<ObjectValue>(in.s.Resolve(args.positional[0]));
  if (object == nullptr || object->is_real())
    return WrongArguments(in, "BaseException.__init__");
  for (const auto& [name, value] : args.keyword)
    if (!TakesKeyword(in.s, object->type, name))
      return WrongArguments(in, "BaseException.__init__");
  in.s.Touch(object);
  for (const auto& [name, value] : args.keyword)
    object->attributes.emplace_back(name, value);
  object->arguments.assign(args.positional.begin() + 1, args.positional.end());
  return in.Done(in.s.None());
}

Outcome BuiltinVars(Interp& in, Args& args, Tail tail) {
  if (args.positional.size() != 1)
    return BuiltinLocals(in, args, tail);
  Outcome dict = in.GetAttr(args.positional[0], "__dict__", tail);
  const bool is_missing = dict.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:AttributeError");
  return is_missing ? in.Raise("builtins:TypeError", "vars() argument must have __dict__ attribute") : dict;
}

Outcome BuiltinGlobals(Interp& in, Args& args, Tail) {
  FunctionValue* function = in.top().function;
  if (!args.positional.empty() || function == nullptr || in.top().hidden)
    return WrongArguments(in, "globals");
  if (function->globals == nullptr && function->is_real())
    function->globals = in.s.StepFrom(function, model::Step::kFuncGlobals);
  return function->globals == nullptr ? in.Break(Reason::kFrameReader, "globals()") : in.Done(function->globals);
}

// A snapshot of the frame's names; in a class body, the namespace itself.
Outcome BuiltinLocals(Interp& in, Args& args, Tail) {
  Frame& f = in.top();
  if (!args.positional.empty() || f.hidden)
    return WrongArguments(in, "locals");
  if (f.locals != nullptr)
    return in.Done(f.locals);
  return in.Done(NamesOf(in.s, f));
}

Outcome BuiltinPartial(Interp& in, Args& args, Tail) {
  if (args.positional.empty())
    return in.Raise("builtins:TypeError", "type 'partial' takes at least one argument");
  auto* partial = in.s.New<PartialValue>();
  partial->mutable_made = true;
  partial->function = in.s.Resolve(args.positional[0]);
  if (auto* inner = As<PartialValue>(partial->function)) {  // one of one is one
    partial->function = inner->function;
    partial->args = inner->args;
    partial->kwargs = inner->kwargs;
  }
  partial->args.insert(partial->args.end(), args.positional.begin() + 1, args.positional.end());
  for (const auto& [name, value] : args.keyword) {
    auto it = std::find_if(partial->kwargs.begin(), partial->kwargs.end(), [&, &key = name](const auto& k) { return k.first == key; });
    if (it != partial->kwargs.end())
      it->second = value;
    else
      partial->kwargs.emplace_back(name, value);
  }
  return in.Done(partial);
}

// A real functools.partial: its parts are read where it is called.
Outcome BuiltinPartialCall(Interp& in, Args& args, Tail tail) {
  V self = args.positional[0];
  if (!self->is_real())
    return WrongArguments(in, "partial");
  Args all;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(in.s.StepFrom(self, model::Step::kPartialArgs), &all.positional));
  all.positional.insert(all.positional.end(), args.positional.begin() + 1, args.positional.end());
  auto* keywords = As<MappingValue>(in.s.Resolve(in.s.StepFrom(self, model::Step::kPartialKeywords)));
  if (keywords == nullptr || !in.s.Complete(keywords))
    return WrongArguments(in, "partial");
  for (const auto& [key, value] : keywords->items) {
    const std::string* name = NameArgument(in, key);
    if (name != nullptr && args.Keyword(*name) == nullptr)
      all.keyword.emplace_back(*name, value);
  }
  all.keyword.insert(all.keyword.end(), args.keyword.begin(), args.keyword.end());
  return in.Call(in.s.StepFrom(self, model::Step::kPartialFunc), std::move(all), tail);
}

Outcome BuiltinCast(Interp& in, Args& args, Tail) {
  return args.positional.size() == 2 ? in.Done(args.positional[1]) : WrongArguments(in, "cast");
}

// dir() lists the names of the frame, dir(object) what its class's __dir__ gives.
Outcome BuiltinDir(Interp& in, Args& args, Tail tail) {
  Args names;
  if (args.positional.empty()) {
    FRAMEGATE_TAKE(V locals, BuiltinLocals(in, args, tail));
    names.positional = {locals};
  } else {
    FRAMEGATE_TAKE(V method, in.LookupSpecial(args.positional[0], "__dir__"));
    if (method == nullptr || args.positional.size() != 1 || !args.keyword.empty())
      return WrongArguments(in, "dir");
    FRAMEGATE_TAKE(V given, in.Call(method, {}));
    names.positional = {given};
  }
  return in.CallBuiltin("builtins:sorted", std::move(names), kSync);
}

Outcome BuiltinLeftToItself(Interp& in, Args& args, Tail) {
  auto* builtin = args.positional.empty() ? nullptr : As<BuiltinValue>(in.s.Resolve(args.positional[0]));
  return in.Break(Reason::kOpaqueCall, builtin == nullptr ? "a C function" : builtin->symbol);
}

Outcome BuiltinGetFrame(Interp& in, Args& args, Tail) {
  const Constant* depth = args.positional.empty() ? nullptr : IntOf(in.s, args.positional[0]);
  if (args.positional.size() > 1 || (depth == nullptr && !args.positional.empty()) || (depth != nullptr && IntValue(*depth) < 0))
    return WrongArguments(in, "sys._getframe");
  if (depth == nullptr || IntValue(*depth) == 0)
    return in.Break(Reason::kFrameReader, "a function that reads its own frame");
  return FrameAbove(in, IntValue(*depth));
}

Outcome BuiltinGetFrameModule(Interp& in, Args& args, Tail) {
  const Constant* depth = args.positional.size() == 1 && args.keyword.empty() ? IntOf(in.s, args.positional[0]) : nullptr;
  if (depth == nullptr || IntValue(*depth) < 0)
    return WrongArguments(in, "sys._getframemodulename");
  FRAMEGATE_TAKE(V frame, FrameAbove(in, IntValue(*depth)));
  return in.GetAttr(As<ObjectValue>(frame)->of_frame->function, "__module__");
}

Outcome BuiltinReadsFrame(Interp& in, Args&, Tail) {
  return in.Break(Reason::kFrameReader, "a function that reads its caller's frame");
}

// What collections.namedtuple evaluates is known from its arguments.
Outcome BuiltinEval(Interp& in, Args& args, Tail tail) {
  Session& s = in.s;
  const model::CodeImage& caller = *in.top().code->image;
  if (caller.qualname != "namedtuple" || !caller.filename.ends_with("collections/__init__.py"))
    return BuiltinReadsFrame(in, args, tail);
  MappingValue* names = NamesOf(s, in.top());
  V type_name = s.MappingGet(names, s.Str("typename")), fields = s.MappingGet(names, s.Str("field_names"));
  V make = s.Symbol("framegate._polyfills_records:named_tuple_new");
  if (type_name == nullptr || fields == nullptr || make == nullptr)
    return BuiltinReadsFrame(in, args, tail);
  return in.Call(make, {.positional = {type_name, fields}});
}

Outcome BuiltinInputOutput(Interp& in, Args&, Tail) {
  return in.Break(Reason::kInputOutput, "input, output or the clock");
}

}  // namespace framegate::translator
