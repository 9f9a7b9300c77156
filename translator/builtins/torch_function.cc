// __torch_function__: objects and modes that say themselves what a function of torch does to them. A mode that the frame has entered is
// known to the translator alone; it is entered for real where the segment ends inside it.
#include "translator/builtins/table.h"
#include "translator/slots/overrides.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

constexpr const char* kMethod = "__torch_function__";

// What DisableTorchFunction and DisableTorchFunctionSubclass have switched off.
constexpr int64_t kNoClasses = 1, kNothing = 2;

int64_t Disabled(Session& s) {
  const Constant part = s.AmbientPart(model::AmbientPart::kTorchFunction);
  return part.items.empty() || !part.items[0].is_int() ? kNothing : part.items[0].integer;
}

// One object of each class that has the method, subclasses before their bases, else in the order of the arguments.
void Collect(Session& s, V value, bool inside, Values* found) {
  value = s.Look(value);
  if (auto* sequence = As<SequenceValue>(value); sequence != nullptr && !inside) {
    for (V item : sequence->items)
      Collect(s, item, true, found);
    return;
  }
  const bool is_tensor = As<TensorValue>(value) != nullptr;
  TypeValue* type = is_tensor || As<ObjectValue>(value) != nullptr ? s.TypeOf(value) : nullptr;
  if (type == nullptr || (is_tensor ? !OverridesTorchFunction(s, type) : s.TypeAttr(type, kMethod) == nullptr))
    return;
  if (std::any_of(found->begin(), found->end(), [&](V other) { return s.TypeOf(other) == type; }))
    return;
  auto base = std::find_if(found->begin(), found->end(), [&](V other) { return s.IsSubclassOf(type, s.TypeOf(other)); });
  found->insert(base, value);
}

Values Owners(Session& s, const Args& args) {
  Values owners;
  for (V value : args.positional)
    Collect(s, value, false, &owners);
  for (const auto& [name, value] : args.keyword)
    Collect(s, value, false, &owners);
  return owners;
}

struct OperatorMethod {
  std::string_view name, method;
};

// The methods of tensors that operators call, under the names that they tell; those that Python code wraps are not here.
constexpr OperatorMethod kOperators[] = {{"add", "add"},
                                         {"sub", "sub"},
                                         {"mul", "mul"},
                                         {"truediv", "div"},
                                         {"matmul", "matmul"},
                                         {"mod", "remainder"},
                                         {"and_", "__and__"},
                                         {"or_", "__or__"},
                                         {"xor", "__xor__"},
                                         {"iadd", "add_"},
                                         {"isub", "sub_"},
                                         {"imul", "mul_"},
                                         {"itruediv", "div_"},
                                         {"lt", "lt"},
                                         {"le", "le"},
                                         {"gt", "gt"},
                                         {"ge", "ge"},
                                         {"neg", "neg"},
                                         {"invert", "bitwise_not"},
                                         {"getitem", "__getitem__"},
                                         {"setitem", "__setitem__"}};

// The function as __torch_function__ is told it, and its arguments in that order; null where that is not known.
V FunctionOf(Session& s, const std::string& symbol, Args* args) {
  constexpr std::string_view kOperator = "_operator:";
  if (!symbol.starts_with(kOperator))
    return symbol.starts_with("torch") ? s.Symbol(symbol) : nullptr;
  const std::string_view name = std::string_view(symbol).substr(kOperator.size());
  auto row = std::find_if(std::begin(kOperators), std::end(kOperators), [&](const OperatorMethod& each) { return each.name == name; });
  if (row == std::end(kOperators) || args->positional.empty())
    return nullptr;
  if (As<TensorValue>(s.Look(args->positional[0])) == nullptr) {  // the reflected form
    if ((name != "add" && name != "mul") || args->positional.size() != 2)
      return nullptr;
    std::swap(args->positional[0], args->positional[1]);
  }
  return s.Symbol(StrCat("torch._C:TensorBase.", row->method));
}

Outcome Ask(Interp& in, V owner, V function, V types, const Args& args) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V method, in.GetAttr(As<TensorValue>(owner) == nullptr ? owner : s.TypeOf(owner), kMethod));
  Args given{.positional = {function, types, s.Tuple(args.positional)}};
  if (!args.keyword.empty()) {
    MappingValue* keyword = s.Dict();
    for (const auto& [name, value] : args.keyword)
      s.MappingSet(keyword, s.Str(name), value);
    given.positional.push_back(keyword);
  }
  return in.Call(method, std::move(given));
}

// The innermost mode is left while it is asked.
Outcome AskMode(Interp& in, V function, V types, const Args& args) {
  Session& s = in.s;
  SequenceValue* modes = s.function_modes;
  s.Touch(modes);
  V mode = modes->items.back();
  modes->items.pop_back();
  Outcome outcome = Ask(in, mode, function, types, args);
  s.Touch(modes);
  modes->items.push_back(mode);
  return outcome;
}

Outcome AskAll(Interp& in, bool mode, const Values& owners, V function, const Args& args) {
  Session& s = in.s;
  Values types;
  for (V owner : owners)
    types.push_back(s.TypeOf(owner));
  V told = s.Tuple(std::move(types));
  if (mode)
    return AskMode(in, function, told, args);
  for (V owner : owners) {
    FRAMEGATE_TAKE(V value, Ask(in, owner, function, told, args));
    if (!IsNotImplemented(s, value))
      return in.Done(value);
  }
  return in.Break(Reason::kUserException, "no __torch_function__ has an implementation");  // eager says it best
}

Outcome Dispatch(Interp& in, V function, const Args& args) {
  const bool mode = InFunctionMode(in.s);
  const Values owners = Disabled(in.s) >= kNoClasses ? Values{} : Owners(in.s, args);
  const Session::Mark mark = in.s.Snapshot();
  Outcome outcome = AskAll(in, mode, owners, function, args);
  if (outcome.flow == Flow::kBreak)
    in.s.Rollback(mark);
  else
    in.s.Release(mark);
  return outcome;
}

// A subclass's tensor as torch's own functions see it, so that none of them asks the class again.
Outcome AsPlain(Interp& in, V value, std::vector<std::pair<V, V>>* made) {
  Session& s = in.s;
  value = s.Look(value);
  auto* tensor = As<TensorValue>(value);
  if (tensor != nullptr && OverridesTorchFunction(s, s.TypeOf(tensor))) {
    for (const auto& [plain, original] : *made)
      if (original == tensor)
        return in.Done(plain);
    const model::TensorFacts* facts = s.FactsOf(tensor);
    if (facts == nullptr)
      return in.Break(Reason::kUnsupportedTensor, "metadata that is not known");
    model::Operand result{.tensor = *facts};
    result.tensor->is_leaf = facts->is_leaf && !facts->requires_grad;
    FRAMEGATE_TAKE(V plain, in.GraphResult("framegate._graph_calls:as_plain", {.positional = {tensor}}, result));
    if (auto* same = As<TensorValue>(plain))
      same->base = tensor;
    made->emplace_back(plain, tensor);
    return in.Done(plain);
  }
  auto* sequence = As<SequenceValue>(value);
  if (sequence == nullptr || !in.HasTensor(value))
    return in.Done(value);
  Values items;
  for (V item : sequence->items) {
    FRAMEGATE_TAKE(items.emplace_back(), AsPlain(in, item, made));
  }
  return in.Done(s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass) ? s.List(std::move(items)) : s.Tuple(std::move(items)));
}

// Its tensors as instances of the class, those that were arguments as they were.
Outcome AsInstances(Interp& in, V value, TypeValue* type, const std::vector<std::pair<V, V>>& made) {
  Session& s = in.s;
  value = s.Look(value);
  for (const auto& [plain, original] : made)
    if (plain == value)
      return in.Done(original);
  if (auto* tensor = As<TensorValue>(value)) {
    const model::TensorFacts* facts = s.FactsOf(tensor);
    if (facts == nullptr || tensor->node == UINT32_MAX)
      return in.Break(Reason::kUnsupportedTensor, "a result that was there before");
    model::Operand result{.tensor = *facts};
    result.tensor->is_leaf = facts->is_leaf && !facts->requires_grad;
    FRAMEGATE_TAKE(V instance, in.GraphResult("torch._C:TensorBase.as_subclass", {.positional = {tensor, type}}, result));
    if (auto* same = As<TensorValue>(instance)) {
      same->type = type;
      same->base = tensor;
    }
    return in.Done(instance);
  }
  auto* sequence = As<SequenceValue>(value);
  if (sequence == nullptr || !in.HasTensor(value))
    return in.Done(value);
  TypeValue* kind = s.TypeOf(sequence);
  if (!kind->is("builtins:tuple") && !kind->is("builtins:list"))
    return in.Break(Reason::kUnsupportedTensor, "a named result of a subclass's tensors");
  Values items;
  for (V item : sequence->items) {
    FRAMEGATE_TAKE(items.emplace_back(), AsInstances(in, item, type, made));
  }
  return in.Done(kind->is("builtins:list") ? s.List(std::move(items)) : s.Tuple(std::move(items)));
}

// What changes an argument gives it back as it is, which only torch itself can do.
bool Changes(Session& s, V function, const std::vector<std::pair<std::string, V>>& keyword) {
  auto* builtin = As<BuiltinValue>(s.Look(function));
  auto* python = As<FunctionValue>(s.Look(function));
  std::string_view name = builtin != nullptr ? std::string_view(builtin->symbol) : python != nullptr ? std::string_view(python->name) : "";
  name = name.substr(name.find_last_of(":.") == std::string_view::npos ? 0 : name.find_last_of(":.") + 1);
  const bool named =
      std::any_of(keyword.begin(), keyword.end(), [](const auto& each) { return each.first == "out" || each.first == "inplace"; });
  return name.empty() || named || (name.ends_with('_') && !name.ends_with("__")) || name == "__setitem__" || name.starts_with("__i");
}

}  // namespace

bool OverridesTorchFunction(Session& s, TypeValue* type) {
  if (type == nullptr || type->is("torch:Tensor") || type->is("torch.nn.parameter:Parameter") || type->is("torch.nn.parameter:Buffer") ||
      !type->Has(model::TypeFlag::kTensorSubclass))
    return false;
  V own = s.TypeAttr(type, kMethod), torchs = s.TypeAttr(s.TypeOfSymbol("torch:Tensor"), kMethod);
  V none = s.Symbol("torch._C:_disabled_torch_function_impl");
  return own != nullptr && torchs != nullptr && own->handle != torchs->handle && (none == nullptr || own->handle != none->handle);
}

bool AsksNobody(std::string_view symbol) {
  constexpr std::string_view kSuch[] = {"torch._C:TensorBase.as_subclass", "torch._C:TensorBase._make_subclass",
                                        "torch._C:TensorBase._make_wrapper_subclass"};
  return std::find(std::begin(kSuch), std::end(kSuch), symbol) != std::end(kSuch);
}

// Tensor.__torch_function__(cls, func, types, args=(), kwargs=None): what super() of an override calls.
Outcome BuiltinTensorTorchFunction(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  args.positional.resize(std::max<size_t>(args.positional.size(), 5));
  for (auto& [name, value] : args.keyword)
    (name == "args" ? args.positional[3] : args.positional[4]) = value;
  auto* type = As<TypeValue>(s.Resolve(args.positional[0]));
  auto *types = As<SequenceValue>(s.Resolve(args.positional[2])), *given = As<SequenceValue>(s.Resolve(args.positional[3]));
  V named = args.positional[4] == nullptr ? s.None() : s.Resolve(args.positional[4]);
  auto* keyword = As<MappingValue>(named);
  if (type == nullptr || types == nullptr || given == nullptr || (keyword == nullptr && named != s.None()) ||
      (keyword != nullptr && !s.Complete(keyword)) || !s.PeekFact(type, model::Fact::kSymbolName).known)
    return WrongArguments(in, "Tensor.__torch_function__");
  for (V each : types->items)
    if (auto* other = As<TypeValue>(s.Resolve(each)); other == nullptr || !s.IsSubclassOf(type, other))
      return in.Done(s.Const(Constant::Of(ConstantKind::kNotImplemented)));
  Args call;
  std::vector<std::pair<V, V>> made;
  for (V value : given->items) {
    FRAMEGATE_TAKE(call.positional.emplace_back(), AsPlain(in, value, &made));
  }
  for (size_t at = 0; keyword != nullptr && at < keyword->items.size(); ++at) {
    const auto [key, value] = keyword->items[at];
    const Constant* name = value == nullptr ? nullptr : ConstantOf(s, key, ConstantKind::kStr);
    if (name == nullptr)
      continue;
    FRAMEGATE_TAKE(call.keyword.emplace_back(name->text, nullptr).second, AsPlain(in, value, &made));
  }
  V function = args.positional[1];
  if (Changes(s, function, call.keyword))
    return in.Break(Reason::kUnsupportedTensor, "an operation in place on a subclass's tensor");
  const Constant before = s.AmbientPart(model::AmbientPart::kTorchFunction);
  Constant without = before;
  without.items[0] = Constant::Int(std::max(kNoClasses, Disabled(s)));
  s.SetAmbient(model::AmbientPart::kTorchFunction, without);
  Outcome outcome = in.Call(function, std::move(call));
  s.SetAmbient(model::AmbientPart::kTorchFunction, before);
  return outcome.ok() ? AsInstances(in, outcome.value, type, made) : outcome;
}

bool InFunctionMode(Session& s) {
  return s.function_modes != nullptr && !s.function_modes->items.empty() && Disabled(s) < kNothing;
}

bool HasRealModes(Session& s) {
  const Constant part = s.AmbientPart(model::AmbientPart::kTorchFunction);
  return s.has_torch() && (part.items.size() < 2 || (!part.items[1].items.empty() && Disabled(s) < kNothing));
}

bool HasTorchFunction(Session& s, const Args& args) {
  return InFunctionMode(s) || (s.has_torch() && Disabled(s) < kNoClasses && !Owners(s, args).empty());
}

Outcome CallTorchFunction(Interp& in, const std::string& symbol, Args args) {
  V function = FunctionOf(in.s, symbol, &args);
  if (function == nullptr)
    return in.Break(Reason::kUnsupportedTensor, StrCat(symbol, " where a __torch_function__ has a say"));
  return Dispatch(in, function, args);
}

Outcome BuiltinHasTorchFunction(Interp& in, Args& args, Tail) {
  return in.Done(in.s.Bool(HasTorchFunction(in.s, args)));
}

// handle_torch_function(function, relevant arguments, *args, **kwargs)
Outcome BuiltinHandleTorchFunction(Interp& in, Args& args, Tail) {
  if (args.positional.size() < 2)
    return WrongArguments(in, "handle_torch_function");
  V function = args.positional[0];
  args.positional.erase(args.positional.begin(), args.positional.begin() + 2);
  return Dispatch(in, function, args);
}

Outcome BuiltinPushFunctionMode(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  TypeValue* type = args.positional.size() == 1 ? s.TypeOf(args.positional[0]) : nullptr;
  if (type == nullptr || type->is("torch.utils._device:DeviceContext") || HasRealModes(s))
    return in.Break(Reason::kUnsupportedCall, "a mode of __torch_function__ beside others");
  if (s.function_modes == nullptr)
    s.function_modes = s.List({});
  s.Touch(s.function_modes);
  s.function_modes->items.push_back(args.positional[0]);
  return in.Done(s.None());
}

Outcome BuiltinPopFunctionMode(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  if (!args.positional.empty() || s.function_modes == nullptr || s.function_modes->items.empty())
    return in.Break(Reason::kUnsupportedCall, "a mode of __torch_function__ that was entered elsewhere");
  s.Touch(s.function_modes);
  V mode = s.function_modes->items.back();
  s.function_modes->items.pop_back();
  return in.Done(mode);
}

}  // namespace framegate::translator
