// Calls: what is called, argument binding, frames, construction.
#include "translator/slots/overrides.h"
#include "translator/slots/slots.h"
#include "translator/builtins/table.h"

namespace framegate::translator {

using model::Reason;
using model::Resume;
using model::Step;
using model::TypeFlag;

namespace {

// It is given no chance to run Python code, and looks at nothing.
bool OnlyAppends(std::string_view symbol, const Args& args) {
  return symbol == "builtins:list.append" && args.positional.size() == 2 && args.keyword.empty();
}

// A break after a part of the work must not leave that part done: the instruction runs again, from its start.
Outcome RunAll(Interp& in, BuiltinBody body, Args& args, Tail tail) {
  auto may_run = [&](V argument) {
    V known = in.s.Look(argument);
    return known != nullptr && MayRunCode(known->kind);
  };
  if (std::none_of(args.positional.begin(), args.positional.end(), may_run) &&
      std::none_of(args.keyword.begin(), args.keyword.end(), [&](const auto& named) { return may_run(named.second); }))
    return body(in, args, tail);
  const Session::Mark mark = in.s.Snapshot();
  Outcome outcome = body(in, args, tail);
  if (outcome.flow == Flow::kBreak)
    in.s.Rollback(mark);
  else
    in.s.Release(mark);
  return outcome;
}

// What stands for an argument where only its kind may matter: (kind), or ("value", constant).
V StandIn(Session& s, V value) {
  Constant constant;
  if (ToConstant(s, value, &constant))
    return s.Tuple({s.Str("value"), value});
  value = s.Resolve(value);
  TypeValue* type = s.TypeOf(value);
  constexpr std::string_view kKinds[] = {"builtins:list",           "builtins:dict",          "builtins:set",
                                         "builtins:tuple",          "builtins:frozenset",     "collections:deque",
                                         "collections:OrderedDict", "collections:defaultdict"};
  const bool empty = type != nullptr && std::find(std::begin(kKinds), std::end(kKinds), type->symbol) != std::end(kKinds);
  return s.Tuple({s.Str(empty ? TypeName(type) : "any")});
}

bool IsWrongArguments(const Session& s, const Outcome& outcome) {
  return outcome.flow == Flow::kBreak && s.refusal.reason == Reason::kUnsupportedCall &&
         s.refusal.detail.ends_with(" with these arguments");
}

// The TypeError of a C function for arguments that it does not take, in the words of the version at hand.
Outcome Refused(Interp& in, const std::string& symbol, const Args& args, Outcome otherwise) {
  Session& s = in.s;
  Refusal why = s.refusal;
  Values positional;
  for (V value : args.positional)
    positional.push_back(StandIn(s, value));
  MappingValue* keyword = s.Dict();
  for (const auto& [name, value] : args.keyword)
    s.MappingSet(keyword, s.Str(name), StandIn(s, value));
  Outcome text = in.Fold("framegate._pure:refusal", {.positional = {s.Str(symbol), s.Tuple(std::move(positional)), keyword}});
  if (const Constant* said = text.ok() ? ConstantOf(s, text.value, ConstantKind::kStr) : nullptr)
    return in.Raise("builtins:TypeError", said->text);
  s.refusal = std::move(why);
  return otherwise;
}

}  // namespace

Outcome RunWhole(Interp& in, const std::string& symbol, BuiltinBody body, Args& args, Tail tail) {
  const Args given = args;
  Outcome outcome = RunAll(in, body, args, tail);
  if (outcome.flow == Flow::kBreak && tail.allowed &&
      std::any_of(given.positional.begin(), given.positional.end(), [&](V argument) { return RunsFrames(in.s, argument); }))
    if (const std::string_view consumer = FindConsumer(symbol); !consumer.empty())
      return in.Call(in.s.Symbol(StrCat("framegate.", consumer)), given, tail);
  return IsWrongArguments(in.s, outcome) ? Refused(in, symbol, given, outcome) : outcome;
}

namespace {

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'", as CPython lists names.
std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      text += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    text += StrCat("'", names[i], "'");
  }
  return text;
}

class Binder {
 public:
  Binder(Interp& in, FunctionValue* function, const Args& args, Values* slots)
      : in_(in), s_(in.s), f_(function), image_(*function->code->image), args_(args), slots_(*slots) {}

  Outcome Bind() {
    size_t positional = image_.argcount, named = positional + image_.kwonlyargcount;
    bool has_varargs = (image_.flags & 0x4) != 0, has_varkeywords = (image_.flags & 0x8) != 0;
    size_t given = args_.positional.size();
    for (size_t i = 0; i < std::min(given, positional); ++i)
      slots_[i] = args_.positional[i];
    if (has_varargs) {
      Values rest(args_.positional.begin() + static_cast<ptrdiff_t>(std::min(given, positional)), args_.positional.end());
      slots_[named] = s_.Tuple(std::move(rest));
    }
    MappingValue* keywords = has_varkeywords ? s_.Dict() : nullptr;
    if (keywords != nullptr)
      slots_[named + has_varargs] = keywords;
    for (const auto& [name, value] : args_.keyword) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, Keyword(name, value, named, keywords));
    }
    if (given > positional && !has_varargs)
      return TooMany(given);
    FRAMEGATE_TAKE([[maybe_unused]] V defaulted, Defaults(given));
    return KeywordDefaults(named);
  }

 private:
  const std::string& Name(size_t slot) const { return image_.localsplusnames[slot]; }

  Outcome Keyword(const std::string& name, V value, size_t named, MappingValue* keywords) {
    for (size_t slot = image_.posonlyargcount; slot < named; ++slot) {
      if (Name(slot) != name)
        continue;
      if (slots_[slot] != nullptr)
        return in_.Raise("builtins:TypeError", StrCat(f_->qualname, "() got multiple values for argument '", name, "'"));
      slots_[slot] = value;
      return in_.Done(nullptr);
    }
    if (keywords != nullptr) {
      s_.MappingSet(keywords, s_.Str(name), value);
      return in_.Done(nullptr);
    }
    std::vector<std::string> as_keyword;
    for (size_t slot = 0; slot < image_.posonlyargcount; ++slot)
      for (const auto& [key, unused] : args_.keyword)
        if (Name(slot) == key)
          as_keyword.push_back(key);
    if (!as_keyword.empty())
      return in_.Raise("builtins:TypeError", StrCat(f_->qualname, "() got some positional-only arguments passed as keyword arguments: '",
                                                    StrJoin(as_keyword, ", "), "'"));
    return in_.Raise("builtins:TypeError", StrCat(f_->qualname, "() got an unexpected keyword argument '", name, "'"));
  }

  SequenceValue* DefaultsTuple() {
    if (f_->defaults == nullptr && f_->is_real())
      f_->defaults = s_.StepFrom(f_, Step::kFuncDefaults);
    return f_->defaults == nullptr ? nullptr : As<SequenceValue>(s_.Resolve(f_->defaults));
  }

  Outcome TooMany(size_t given) {
    SequenceValue* defaults = DefaultsTuple();
    size_t with_default = defaults == nullptr ? 0 : defaults->items.size(), positional = image_.argcount;
    size_t keyword_only = 0;
    for (size_t slot = positional; slot < positional + image_.kwonlyargcount; ++slot)
      keyword_only += slots_[slot] != nullptr;
    std::string takes = with_default > 0 ? StrCat("from ", positional - with_default, " to ", positional) : StrCat(positional);
    bool plural = with_default > 0 || positional != 1;
    std::string extra;
    if (keyword_only > 0)
      extra = StrCat(" positional argument", given != 1 ? "s" : "", " (and ", keyword_only, " keyword-only argument",
                     keyword_only != 1 ? "s" : "", ")");
    return in_.Raise("builtins:TypeError", StrCat(f_->qualname, "() takes ", takes, " positional argument", plural ? "s" : "", " but ",
                                                  given, extra, given == 1 && keyword_only == 0 ? " was" : " were", " given"));
  }

  Outcome Defaults(size_t given) {
    size_t positional = image_.argcount;
    if (given >= positional)
      return in_.Done(nullptr);
    SequenceValue* defaults = nullptr;
    bool looked = false;
    std::vector<std::string> missing;
    for (size_t slot = given; slot < positional; ++slot) {
      if (slots_[slot] != nullptr)
        continue;
      if (!looked)
        defaults = DefaultsTuple();
      looked = true;
      size_t count = defaults == nullptr ? 0 : defaults->items.size();
      if (slot + count >= positional)
        slots_[slot] = defaults->items[slot + count - positional];
      else
        missing.push_back(Name(slot));
    }
    return missing.empty() ? in_.Done(nullptr) : Missing(missing, "positional");
  }

  Outcome Missing(const std::vector<std::string>& names, std::string_view kind) {
    return in_.Raise("builtins:TypeError", StrCat(f_->qualname, "() missing ", names.size(), " required ", kind, " argument",
                                                  names.size() == 1 ? "" : "s", ": ", Listed(names)));
  }

  Outcome KeywordDefaults(size_t named) {
    std::vector<std::string> missing;
    for (size_t slot = image_.argcount; slot < named; ++slot) {
      if (slots_[slot] != nullptr)
        continue;
      if (f_->kwdefaults == nullptr && f_->is_real())
        f_->kwdefaults = s_.StepFrom(f_, Step::kFuncKwdefaults);
      auto* defaults = f_->kwdefaults == nullptr ? nullptr : As<MappingValue>(s_.Resolve(f_->kwdefaults));
      V value = defaults == nullptr ? nullptr : s_.MappingGet(defaults, s_.Str(Name(slot)));
      if (value == nullptr)
        missing.push_back(Name(slot));
      else
        slots_[slot] = value;
    }
    return missing.empty() ? in_.Done(nullptr) : Missing(missing, "keyword-only");
  }

  Interp& in_;
  Session& s_;
  FunctionValue* f_;
  const model::CodeImage& image_;
  const Args& args_;
  Values& slots_;
};

}  // namespace

namespace {

// A wrapper that torch.compiler.disable() makes.
// What functools.singledispatch looks a function up with: its cache does not show.
bool IsDispatch(const model::CodeImage& image) {
  return image.qualname == "singledispatch.<locals>.dispatch" && image.filename.ends_with("functools.py");
}

bool IsDisabledByTorch(const model::CodeImage& image) {
  return image.qualname == "DisableContext.__call__.<locals>._fn" && image.filename.ends_with("eval_frame.py");
}

// What a closure's function has under a name from outside.
Outcome FreeVariable(Interp& in, FunctionValue* function, std::string_view name) {
  FRAMEGATE_TAKE(V cells, in.GetAttr(function, "__closure__"));
  const model::CodeImage& image = *function->code->image;
  auto* closure = As<SequenceValue>(in.s.Resolve(cells));
  size_t at = 0;
  for (size_t slot = 0; closure != nullptr && slot < image.localsplusnames.size(); ++slot) {
    if ((static_cast<unsigned char>(image.localspluskinds[slot]) & 0x80) == 0)
      continue;
    auto* cell = at < closure->items.size() ? As<CellValue>(in.s.Resolve(closure->items[at])) : nullptr;
    if (V contents = image.localsplusnames[slot] == name && cell != nullptr ? in.s.CellContents(cell) : nullptr)
      return in.Done(contents);
    ++at;
  }
  return in.Break(Reason::kUnsupportedCall, StrCat(function->qualname, ": no ", name));
}

// An optimizer's step and what is around it, called from elsewhere: whole in the program as written. Averaged models are modules.
bool IsOptimizerOf(const model::CodeImage& image, const model::CodeImage& caller) {
  constexpr std::string_view kFolder = "/torch/optim/", kAveraging = "/torch/optim/swa_utils.py";
  return image.filename.find(kFolder) != std::string::npos && caller.filename.find(kFolder) == std::string::npos &&
         !image.filename.ends_with(kAveraging);
}

}  // namespace

Outcome Interp::PushFrame(FunctionValue* function, Args args, Tail tail) {
  if (!EnsureCode(function))
    return Break(Reason::kUnsupportedCall, StrCat(function->qualname, ": its code cannot be had"));
  if (frames_.size() > s.request().config.inline_depth)
    return Break(Reason::kInlineDepth, function->qualname);
  const model::CodeImage& image = *function->code->image;
  if (V find = IsDispatch(image) && args.positional.size() == 1 ? s.Symbol("framegate._polyfills_library:single_dispatch") : nullptr) {
    FRAMEGATE_TAKE(V registry, FreeVariable(*this, function, "registry"));
    return Call(find, {.positional = {registry, args.positional[0]}}, tail);
  }
  if (IsDisabledByTorch(image))
    return Break(Reason::kDisabledFunction, function->qualname);
  if (!frames_.empty() && IsOptimizerOf(image, *top().code->image))
    return Break(Reason::kUnsupportedCall, StrCat("an optimizer: ", image.qualname));
  std::shared_ptr<Frame> frame = NewFrame(function);
  Outcome bound = Binder(*this, function, args, &frame->slots).Bind();
  if (!bound.ok())
    return frame->hidden && bound.flow == Flow::kRaise ? WrongArguments(*this, function->name.c_str()) : bound;
  if (!tail.allowed)
    return RunSync(std::move(frame));
  NoteRetreat(*frame);
  top().waiting = tail.resume;
  frames_.push_back(std::move(frame));
  return {Flow::kFrame, nullptr};
}

Outcome Interp::CallFunction(FunctionValue* function, Args args, Tail tail) {
  if (!function->symbol.empty()) {
    if (function->symbol.starts_with("framegate._pure:") && IsPureCall(function->symbol))
      return Fold(function->symbol, args);
    if (const RunTimeCall* call = FindRunTimeCall(function->symbol)) {
      s.RelyOnSymbol(function);
      return CallAtRunTime(*this, *call, args);
    }
    if (IsGraphFunction(function->symbol) && HasTorchFunction(s, args))  // its code says what it hands over
      return PushFrame(function, std::move(args), tail);
    const BuiltinBody body = FindBuiltin(function->symbol);
    const std::string_view polyfill = FindPolyfill(function->symbol);
    if (V other = polyfill.empty() ? nullptr : s.Symbol(StrCat("framegate.", polyfill))) {
      s.RelyOnSymbol(function);
      return Call(other, std::move(args), tail);
    }
    const bool is_node = IsGraphFunction(function->symbol);
    const bool is_method = IsTensorMethod(function->symbol) && !function->name.starts_with("__");
    if (body != nullptr || is_node || is_method)
      s.RelyOnSymbol(function);
    if (body != nullptr)
      return body(*this, args, tail);
    if (is_node)
      return GraphCall(model::NodeOp::kCallFunction, function->symbol, std::move(args));
    if (is_method)
      return GraphCall(model::NodeOp::kCallMethod, function->symbol, std::move(args));
  }
  return PushFrame(function, std::move(args), tail);
}

Outcome Interp::Call(V callable, Args args, Tail tail) {
  callable = s.Resolve(callable);
  if (callable == nullptr)
    return Break(Reason::kUnsupportedCall, "NULL");
  switch (callable->kind) {
    case ValueKind::kFunction:
      return CallFunction(As<FunctionValue>(callable), std::move(args), tail);
    case ValueKind::kMethod: {
      auto* method = As<MethodValue>(callable);
      args.positional.insert(args.positional.begin(), method->self);
      return Call(method->function, std::move(args), tail);
    }
    case ValueKind::kBuiltin:
      return CallBuiltin(As<BuiltinValue>(callable)->symbol, std::move(args), tail);
    case ValueKind::kType:
      return CallType(As<TypeValue>(callable), std::move(args), tail);
    case ValueKind::kObject:
      if (auto* object = As<ObjectValue>(callable); object->stand_in != nullptr)
        return Call(object->stand_in, std::move(args), tail);
      break;
    case ValueKind::kPartial: {
      auto* partial = As<PartialValue>(callable);
      args.positional.insert(args.positional.begin(), partial->args.begin(), partial->args.end());
      auto keyword = partial->kwargs;
      for (auto& [name, value] : args.keyword) {
        auto it = std::find_if(keyword.begin(), keyword.end(), [&](const auto& k) { return k.first == name; });
        if (it != keyword.end())
          it->second = value;
        else
          keyword.emplace_back(name, value);
      }
      args.keyword = std::move(keyword);
      return Call(partial->function, std::move(args), tail);
    }
    default:
      break;
  }
  TypeValue* type = s.TypeOf(callable);
  if (type == nullptr)
    return Break(Reason::kOpaqueCall, "an object of unknown type");
  if (type->is("builtins:staticmethod"))
    return Call(PartOf(s, callable, Step::kMethodFunc), std::move(args), tail);
  if (BuiltinBody body = FindBuiltin(StrCat(type->symbol, ".__call__"))) {
    args.positional.insert(args.positional.begin(), callable);
    return body(*this, args, tail);
  }
  FRAMEGATE_TAKE(V call, LookupSpecial(callable, "__call__"));
  if (call == nullptr)
    return Raise("builtins:TypeError", StrCat("'", FullTypeName(type), "' object is not callable"));
  V bound = s.Resolve(call);
  auto* method = As<MethodValue>(bound);
  if (auto* builtin = As<BuiltinValue>(method != nullptr ? s.Resolve(method->function) : nullptr);
      builtin != nullptr && FindBuiltin(builtin->symbol) != nullptr)
    return Call(bound, std::move(args), tail);
  if (As<FunctionValue>(method != nullptr ? s.Resolve(method->function) : bound) == nullptr)  // C code all the way down
    return Break(Reason::kOpaqueCall, StrCat("an object of type ", type->symbol));
  return Call(bound, std::move(args), tail);
}

namespace {

// Objects given to a function of numbers: what their __float__ or __index__ gives.
Outcome ToNumbers(Interp& in, std::string_view symbol, Args* args) {
  constexpr std::string_view kOfInts[] = {"math:gcd",   "math:lcm",     "math:factorial", "math:comb",    "math:perm",
                                          "math:isqrt", "builtins:hex", "builtins:oct",   "builtins:bin", "builtins:chr"};
  const bool of_ints = std::find(std::begin(kOfInts), std::end(kOfInts), symbol) != std::end(kOfInts);
  for (V& value : args->positional) {
    if (As<ObjectValue>(in.s.Resolve(value)) == nullptr || in.s.Payload(value) != nullptr)
      continue;
    V method = nullptr;
    if (!of_ints) {
      FRAMEGATE_TAKE(method, in.LookupSpecial(value, "__float__"));
    }
    if (method == nullptr) {
      FRAMEGATE_TAKE(method, in.LookupSpecial(value, "__index__"));
    }
    if (method == nullptr)
      return in.Raise("builtins:TypeError", of_ints
                                                ? StrCat("'", TypeName(in.s.TypeOf(value)), "' object cannot be interpreted as an integer")
                                                : StrCat("must be real number, not ", TypeName(in.s.TypeOf(value))));
    FRAMEGATE_TAKE(value, in.Call(method, {}));
  }
  return in.Done(nullptr);
}

}  // namespace

Outcome Interp::CallBuiltin(const std::string& symbol, Args args, Tail tail) {
  if (const RunTimeCall* call = FindRunTimeCall(symbol))
    return CallAtRunTime(*this, *call, args);
  if (IsTensorMethod(symbol) && !AsksNobody(symbol) && HasTorchFunction(s, args))
    return CallTorchFunction(*this, symbol, std::move(args));
  if (IsTensorMethod(symbol) && FindBuiltin(symbol) != nullptr && HasRealModes(s))
    return Break(Reason::kUnsupportedTensor, StrCat(symbol, " in a mode of __torch_function__"));
  if (Outcome fits = CheckArity(*this, symbol, args); !fits.ok())
    return IsWrongArguments(s, fits) ? Refused(*this, symbol, args, fits) : fits;
  if (BuiltinBody body = FindBuiltin(symbol))
    return OnlyAppends(symbol, args) ? body(*this, args, tail) : RunWhole(*this, symbol, body, args, tail);
  if (const AmbientQuery* query = symbol.starts_with("torch") ? FindAmbientQuery(symbol) : nullptr)
    return AnswerAmbientQuery(*this, *query, args);
  if (const AmbientQuery* setter = symbol.starts_with("torch") ? FindAmbientSetter(symbol) : nullptr)
    return SetAmbientSwitch(*this, *setter, args);
  if (std::string_view polyfill = FindPolyfill(symbol); !polyfill.empty() && !(IsPureCall(symbol) && AreConstant(s, args))) {
    if (V function = s.Symbol(StrCat("framegate.", polyfill))) {
      Outcome outcome = Call(function, args, tail);
      return IsWrongArguments(s, outcome) ? Refused(*this, symbol, args, outcome) : outcome;
    }
  }
  if (IsGraphFunction(symbol) || (HasTensor(args) && IsTensorMethod(symbol)))
    return GraphCall(IsTensorMethod(symbol) ? model::NodeOp::kCallMethod : model::NodeOp::kCallFunction, symbol, std::move(args));
  constexpr std::string_view kOperatorModule = "_operator:";
  if (Outcome outcome;
      symbol.starts_with(kOperatorModule) && CallOperator(*this, std::string_view(symbol).substr(kOperatorModule.size()), args, &outcome))
    return outcome;
  if (symbol == "builtins:pow" && args.positional.size() == 2 && args.keyword.empty() && !AreConstant(s, args))
    return BinaryOp(8, args.positional[0], args.positional[1]);
  const bool of_numbers = symbol.starts_with("math:") || symbol == "builtins:hex" || symbol == "builtins:oct" || symbol == "builtins:bin" ||
                          symbol == "builtins:chr";
  if (of_numbers && !AreConstant(s, args)) {
    FRAMEGATE_TAKE([[maybe_unused]] V none, ToNumbers(*this, symbol, &args));
  }
  return CallSlotWrapper(*this, symbol, std::move(args));
}

}  // namespace framegate::translator
