#include "translator/builtins/state.h"

#include <algorithm>
#include <iterator>

#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::AmbientPart;
using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

using enum AmbientPart;

constexpr uint32_t Bit(AmbientPart part) {
  return 1u << static_cast<uint32_t>(part);
}

// Its class, or the function that contextlib.contextmanager made it of.
std::string SymbolOf(Session& s, V manager) {
  TypeValue* type = s.TypeOf(manager);
  if (type == nullptr || !type->is("contextlib:_GeneratorContextManager"))
    return type == nullptr ? "" : type->symbol;
  V running = s.InstanceAttr(manager, "gen");
  auto* generator = running == nullptr ? nullptr : As<GeneratorValue>(s.Resolve(running));
  FunctionValue* function = generator == nullptr ? nullptr : generator->function;
  if (function == nullptr || !function->is_real())
    return type->symbol;
  s.ReadFact(function, model::Fact::kQualname);  // what its name leads to is what was made of it
  const Constant* module = function->module == nullptr ? nullptr : AsConstant(s.Resolve(function->module));
  return module == nullptr ? type->symbol : StrCat(module->text, ":", function->qualname);
}

std::optional<uint32_t> PartsOf(std::string_view symbol) {
#define FRAMEGATE_MANAGER(name, parts) \
  if (symbol == (name))                \
    return parts;
#include "translator/builtins/managers.def"
#undef FRAMEGATE_MANAGER
  return std::nullopt;
}

}  // namespace

void NoteManager(Session& s, V manager) {
  manager = s.Resolve(manager);
  const std::string symbol = SymbolOf(s, manager);
  if (!PartsOf(symbol).has_value())
    return;
  Constant before = s.ambient();
  if (symbol == "torch.autograd.grad_mode:set_grad_enabled") {  // switched when it was made
    V previous = s.InstanceAttr(manager, "prev");
    const Constant* mode = previous == nullptr ? nullptr : AsConstant(s.Resolve(previous));
    if (mode == nullptr || !mode->is_bool() || before.items.empty())
      return;
    before.items[static_cast<size_t>(kGradMode)] = *mode;
  }
  s.entered[manager] = std::move(before);
}

bool AfterManager(Session& s, V manager, Constant* ambient) {
  manager = s.Resolve(manager);
  auto it = manager == nullptr ? s.entered.end() : s.entered.find(manager);
  if (it == s.entered.end())
    return false;
  uint32_t parts = PartsOf(SymbolOf(s, manager)).value_or(0);
  for (size_t part = 0; part < ambient->items.size(); ++part)
    if ((parts & 1u << part) != 0)
      ambient->items[part] = it->second.items[part];
  return true;
}

namespace {

// A part as in force now; what it was when the unit began is guarded.
Constant Read(Interp& in, AmbientPart part) {
  in.s.AddGuard({.kind = guards::GuardKind::kAmbientIs, .part = static_cast<uint32_t>(part), .constant = in.s.initial_ambient(part)});
  return in.s.AmbientPart(part);
}

const Constant* Argument(Interp& in, const Args& args, size_t place) {
  return place < args.positional.size() && args.keyword.empty() ? AsConstant(in.s.Resolve(args.positional[place])) : nullptr;
}

Outcome NotKnown(Interp& in, std::string_view what) {
  return in.Break(Reason::kUnsupportedCall, StrCat(what, " of what is not known"));
}

constexpr const char* kInference = "framegate._ambient:Inference";
constexpr const char* kEnterInference = "torch.autograd.grad_mode:_enter_inference_mode";
constexpr const char* kExitInference = "torch.autograd.grad_mode:_exit_inference_mode";

constexpr std::string_view kDevices[] = {"cpu", "cuda"};  // of the part of dtypes, in its order

size_t PlaceOf(std::string_view device) {
  return static_cast<size_t>(std::find(std::begin(kDevices), std::end(kDevices), device) - std::begin(kDevices));
}

// What autocast is for a device.
struct Autocast {
  bool enabled = false;
  Constant dtype;
};

bool IsEnabled(const Constant& rows, std::string_view device) {
  return std::any_of(rows.items.begin(), rows.items.end(),
                     [&](const Constant& row) { return row.items.size() == 2 && row.items[0].text == device; });
}

Constant DtypeOf(const Constant& dtypes, std::string_view device) {
  const size_t place = PlaceOf(device);
  return place < dtypes.items.size() ? dtypes.items[place] : Constant::None();
}

std::optional<Autocast> ReadAutocast(Interp& in, const std::string& device) {
  if (PlaceOf(device) == std::size(kDevices))
    return std::nullopt;
  return Autocast{IsEnabled(Read(in, kAutocast), device), DtypeOf(Read(in, kAutocastDtypes), device)};
}

void SetAutocast(Session& s, const std::string& device, const Autocast& state) {
  Constant rows = s.AmbientPart(kAutocast), dtypes = s.AmbientPart(kAutocastDtypes);
  std::erase_if(rows.items, [&](const Constant& row) { return row.items.size() == 2 && row.items[0].text == device; });
  if (state.enabled) {
    bool cpu_first = device == "cpu";  // the order in which the client reads them
    rows.items.insert(cpu_first ? rows.items.begin() : rows.items.end(), Constant::Tuple({Constant::Str(device), state.dtype}));
  }
  if (const size_t place = PlaceOf(device); place < dtypes.items.size())
    dtypes.items[place] = state.dtype;
  s.SetAmbient(kAutocast, std::move(rows));
  s.SetAmbient(kAutocastDtypes, std::move(dtypes));
}

Outcome Switched(Interp& in, AmbientPart part, const std::string& symbol, Args& args, const Constant& value) {
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.GraphState(symbol, args));
  in.s.SetAmbient(part, value);
  return in.Done(in.s.None());
}

}  // namespace

Outcome AnswerAmbientQuery(Interp& in, const AmbientQuery& query, const Args& args) {
  if (!args.positional.empty() || !args.keyword.empty())
    return NotKnown(in, query.symbol);
  const Constant now = Read(in, query.part);
  if (query.place < 0)
    return in.Done(in.s.Const(now));
  const auto place = static_cast<size_t>(query.place);
  return place < now.items.size() ? in.Done(in.s.Const(now.items[place])) : NotKnown(in, query.symbol);
}

Outcome SetAmbientSwitch(Interp& in, const AmbientQuery& setter, Args& args) {
  const Constant* wanted = Argument(in, args, 0);
  Constant now = Read(in, setter.part);
  const auto place = static_cast<size_t>(setter.place);
  if (args.positional.size() != 1 || wanted == nullptr || !wanted->is_bool() || place >= now.items.size())
    return NotKnown(in, setter.symbol);
  now.items[place] = *wanted;
  return Switched(in, setter.part, setter.symbol, args, now);
}

Outcome BuiltinIsGradEnabled(Interp& in, Args&, Tail) {
  return in.Done(in.s.Const(Read(in, kGradMode)));
}

Outcome BuiltinSetGradEnabled(Interp& in, Args& args, Tail) {
  const Constant* mode = Argument(in, args, 0);
  if (mode == nullptr || !mode->is_bool())
    return NotKnown(in, "_set_grad_enabled");
  return Switched(in, kGradMode, "torch._C:_set_grad_enabled", args, *mode);
}

Outcome BuiltinIsInferenceModeEnabled(Interp& in, Args&, Tail) {
  return in.Done(in.s.Const(Read(in, kInferenceMode)));
}

Outcome BuiltinGetDefaultDtype(Interp& in, Args&, Tail) {
  return in.Done(in.s.Const(Read(in, kDefaultDtype)));
}

Outcome BuiltinSetDefaultDtype(Interp& in, Args& args, Tail) {
  const Constant* dtype = Argument(in, args, 0);
  if (dtype == nullptr || dtype->kind != ConstantKind::kDtype || dtype->text.find("float") == std::string::npos)
    return NotKnown(in, "_set_default_dtype");
  return Switched(in, kDefaultDtype, "torch._C:_set_default_dtype", args, *dtype);
}

Outcome BuiltinGetNumThreads(Interp& in, Args&, Tail) {
  return in.Done(in.s.Const(Read(in, kThreads)));
}

Outcome BuiltinGetDeterministic(Interp& in, Args&, Tail) {
  Constant pair = Read(in, kDeterministic);
  return pair.items.size() == 2 ? in.Done(in.s.Const(pair.items[0])) : NotKnown(in, "_get_deterministic_algorithms");
}

Outcome BuiltinIsAutocastEnabled(Interp& in, Args& args, Tail) {
  const Constant* device = Argument(in, args, 0);
  const std::string_view name = device == nullptr ? "cuda" : std::string_view(device->text);
  if (PlaceOf(name) == std::size(kDevices) || args.positional.size() > 1 || (device == nullptr && !args.positional.empty()))
    return NotKnown(in, "is_autocast_enabled");
  return in.Done(in.s.Bool(IsEnabled(Read(in, kAutocast), name)));
}

Outcome BuiltinGetAutocastDtype(Interp& in, Args& args, Tail) {
  const Constant* device = Argument(in, args, 0);
  if (device == nullptr || PlaceOf(device->text) == std::size(kDevices))
    return NotKnown(in, "get_autocast_dtype");
  return in.Done(in.s.Const(DtypeOf(Read(in, kAutocastDtypes), device->text)));
}

Outcome BuiltinIsAutocastCacheEnabled(Interp& in, Args&, Tail) {
  return in.Done(in.s.Const(Read(in, kAutocastCache)));
}

// What build of torch this is, which is part of every key.
Outcome BuiltinIsAutocastAvailable(Interp& in, Args& args, Tail) {
  const Constant* device = Argument(in, args, 0);
  if (device == nullptr || PlaceOf(device->text) == std::size(kDevices))
    return NotKnown(in, "is_autocast_available");
  return in.Done(in.s.Bool(true));
}

Outcome BuiltinPrivateBackendName(Interp& in, Args& args, Tail) {
  return args.positional.empty() ? in.Done(in.s.Str("privateuseone")) : NotKnown(in, "_get_privateuse1_backend_name");
}

namespace {

// The attributes of an autocast object, as constants.
struct AutocastObject {
  std::string device;
  Autocast wanted, before;
  Constant cache, cache_before;
};

Outcome ReadObject(Interp& in, V self, bool entered, AutocastObject* object) {
  auto read = [&](const char* name, Constant* constant) -> Outcome {
    FRAMEGATE_TAKE(V value, in.GetAttr(self, name));
    const Constant* known = AsConstant(in.s.Resolve(value));
    if (known == nullptr)
      return NotKnown(in, StrCat("autocast.", name));
    *constant = *known;
    return in.Done(nullptr);
  };
  Constant device, enabled, before;
  FRAMEGATE_TAKE([[maybe_unused]] V a, read("device", &device));
  object->device = device.text;
  if (!entered) {
    FRAMEGATE_TAKE([[maybe_unused]] V b, read("_enabled", &enabled));
    FRAMEGATE_TAKE([[maybe_unused]] V c, read("fast_dtype", &object->wanted.dtype));
    FRAMEGATE_TAKE([[maybe_unused]] V d, read("_cache_enabled", &object->cache));
    object->wanted.enabled = enabled.is_true();
    return in.Done(nullptr);
  }
  FRAMEGATE_TAKE([[maybe_unused]] V e, read("prev", &before));
  FRAMEGATE_TAKE([[maybe_unused]] V f, read("prev_fastdtype", &object->before.dtype));
  FRAMEGATE_TAKE([[maybe_unused]] V g, read("prev_cache_enabled", &object->cache_before));
  object->before.enabled = before.is_true();
  return in.Done(nullptr);
}

// A node whose value only later nodes see.
V StateNode(Interp& in, const std::string& symbol, Values args) {
  in.GraphState(symbol, {.positional = std::move(args)});
  auto* whole = in.s.New<TensorValue>();
  whole->node = static_cast<uint32_t>(in.s.graph().nodes().size() - 1);
  return whole;
}

}  // namespace

Outcome BuiltinAutocastEnter(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  AutocastObject object;
  FRAMEGATE_TAKE([[maybe_unused]] V none, ReadObject(in, self, false, &object));
  std::optional<Autocast> before = ReadAutocast(in, object.device);
  if (!before.has_value())
    return NotKnown(in, "autocast for this device");
  Constant cache = Read(in, kAutocastCache);
  FRAMEGATE_TAKE([[maybe_unused]] V a, in.SetAttr(self, "prev_cache_enabled", s.Const(cache)));
  FRAMEGATE_TAKE([[maybe_unused]] V b, in.SetAttr(self, "prev", s.Bool(before->enabled)));
  FRAMEGATE_TAKE([[maybe_unused]] V c, in.SetAttr(self, "prev_fastdtype", s.Const(before->dtype)));
  s.state_nodes[self] =
      StateNode(in, "torch.amp.autocast_mode:_enter_autocast",
                {s.Str(object.device), s.Const(object.wanted.dtype), s.Bool(object.wanted.enabled), s.Const(object.cache)});
  SetAutocast(s, object.device, object.wanted);
  s.SetAmbient(kAutocastCache, object.cache);
  return in.Done(self);
}

Outcome BuiltinAutocastExit(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  AutocastObject object;
  FRAMEGATE_TAKE([[maybe_unused]] V none, ReadObject(in, self, true, &object));
  if (auto it = s.state_nodes.find(self); it != s.state_nodes.end())
    StateNode(in, "torch.amp.autocast_mode:_exit_autocast", {it->second});
  else  // entered before the unit began
    StateNode(in, "framegate._ambient:leave_autocast",
              {s.Str(object.device), s.Bool(object.before.enabled), s.Const(object.before.dtype), s.Const(object.cache_before)});
  s.state_nodes.erase(self);
  ReadAutocast(in, object.device);
  Read(in, kAutocastCache);
  SetAutocast(s, object.device, object.before);
  s.SetAmbient(kAutocastCache, object.cache_before);
  return in.Done(s.Bool(false));
}

Outcome BuiltinInferenceModeEnter(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  FRAMEGATE_TAKE(V value, in.GetAttr(self, "mode"));
  const Constant* mode = AsConstant(s.Resolve(value));
  if (mode == nullptr || !mode->is_bool())
    return NotKnown(in, "inference_mode");
  s.entered[self] = s.ambient();
  auto* context = s.New<ObjectValue>();  // made where the unit ends inside the block
  context->type = s.TypeOfSymbol(kInference);
  context->constructor = kInference;
  context->arguments = {s.Const(*mode), s.Const(Read(in, kInferenceMode)), s.Const(Read(in, kGradMode))};
  FRAMEGATE_TAKE([[maybe_unused]] V set, in.SetAttr(self, "_inference_mode_context", context));
  s.state_nodes[self] = StateNode(in, kEnterInference, {s.Const(*mode)});
  s.SetAmbient(kInferenceMode, *mode);
  s.SetAmbient(kGradMode, Constant::Bool(!mode->is_true()));
  return in.Done(s.None());
}

namespace {

// A block that was entered before the unit began: the graph enters what was in force before it, until its end.
Outcome LeaveEarlierMode(Interp& in, V self) {
  Session& s = in.s;
  FRAMEGATE_TAKE(V context, in.GetAttr(self, "_inference_mode_context"));
  context = s.Resolve(context);
  if (TypeValue* type = s.TypeOf(context); type == nullptr || !type->is(kInference) || !context->is_real())
    return NotKnown(in, "inference_mode");
  FRAMEGATE_TAKE(V inference, in.GetAttr(context, "inference_before"));
  FRAMEGATE_TAKE(V grad, in.GetAttr(context, "grad_before"));
  const Constant *mode = AsConstant(s.Resolve(inference)), *grad_mode = AsConstant(s.Resolve(grad));
  if (mode == nullptr || !mode->is_bool() || grad_mode == nullptr || !grad_mode->is_bool())
    return NotKnown(in, "inference_mode");
  Read(in, kInferenceMode);
  Read(in, kGradMode);
  s.state_nodes[context] = StateNode(in, kEnterInference, {s.Const(*mode)});
  StateNode(in, "torch._C:_set_grad_enabled", {s.Const(*grad_mode)});
  s.SetAmbient(kInferenceMode, *mode);
  s.SetAmbient(kGradMode, *grad_mode);
  return in.Done(s.None());
}

}  // namespace

void LeaveModes(Interp& in) {
  Session& s = in.s;
  std::vector<std::pair<V, TensorValue*>> open;
  for (const auto& [owner, node] : s.state_nodes)
    if (TypeValue* type = s.TypeOf(owner); type->is(kInference) || type->is("torch.autograd.grad_mode:inference_mode"))
      open.emplace_back(owner, As<TensorValue>(node));
  std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.second->node < b.second->node; });
  for (auto it = open.rbegin(); it != open.rend(); ++it)
    StateNode(in, kExitInference, {it->second});
  V grad = s.Const(s.AmbientPart(kGradMode));
  for (const auto& [owner, node] : open) {
    if (s.TypeOf(owner)->is(kInference))
      s.AddEffect({.helper = model::Helper::kConstruct, .args = {s.Str("leave_inference_mode"), owner, grad}});
    else if (auto* context = As<ObjectValue>(s.Resolve(s.InstanceAttr(owner, "_inference_mode_context"))))
      context->arguments.push_back(grad);
  }
}

Outcome BuiltinInferenceModeExit(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  auto it = s.state_nodes.find(self);
  Constant before = s.ambient();
  if (it == s.state_nodes.end())
    return LeaveEarlierMode(in, self);
  if (!AfterManager(s, self, &before))
    return NotKnown(in, "inference_mode");
  StateNode(in, kExitInference, {it->second});
  s.state_nodes.erase(it);
  FRAMEGATE_TAKE([[maybe_unused]] V cleared, in.SetAttr(self, "_inference_mode_context", nullptr));
  s.SetAmbient(kInferenceMode, before.items[static_cast<size_t>(kInferenceMode)]);
  s.SetAmbient(kGradMode, before.items[static_cast<size_t>(kGradMode)]);
  return in.Done(s.None());
}

Outcome BuiltinDeviceEnter(Interp& in, Args& args, Tail) {
  const Constant* device = Argument(in, args, 0);
  if (device == nullptr || device->kind != ConstantKind::kDevice)
    return NotKnown(in, "torch.device.__enter__");
  V self = in.s.Resolve(args.positional[0]);
  Read(in, kDefaultDevice);
  in.s.entered[self] = in.s.ambient();
  StateNode(in, "framegate._ambient:enter_device", {self});
  in.s.SetAmbient(kDefaultDevice, *device);
  return in.Done(self);
}

Outcome BuiltinDeviceExit(Interp& in, Args& args, Tail) {
  V self = args.positional.empty() ? nullptr : in.s.Resolve(args.positional[0]);
  Constant before = in.s.ambient();
  if (!AfterManager(in.s, self, &before))
    return in.Break(Reason::kUnsupportedCall, "the exit of a device that was entered before a break");
  StateNode(in, "framegate._ambient:leave_device", {self});
  in.s.SetAmbient(kDefaultDevice, before.items[static_cast<size_t>(kDefaultDevice)]);
  return in.Done(in.s.None());
}

// Ranges of the profiler are not part of a graph.
Outcome BuiltinRecordFunctionInit(Interp& in, Args& args, Tail) {
  if (args.positional.empty())
    return NotKnown(in, "record_function()");
  V self = args.positional[0];
  V name = args.positional.size() > 1 ? args.positional[1] : args.Keyword("name");
  V details = args.positional.size() > 2 ? args.positional[2] : args.Keyword("args");
  if (name == nullptr || args.positional.size() + args.keyword.size() != (details == nullptr ? 2u : 3u))
    return NotKnown(in, "record_function()");
  FRAMEGATE_TAKE([[maybe_unused]] V a, in.SetAttr(self, "name", name));
  FRAMEGATE_TAKE([[maybe_unused]] V b, in.SetAttr(self, "args", details == nullptr ? in.s.None() : details));
  FRAMEGATE_TAKE([[maybe_unused]] V c, in.SetAttr(self, "run_callbacks_on_exit", in.s.Bool(true)));
  FRAMEGATE_TAKE([[maybe_unused]] V d, in.SetAttr(self, "record", in.s.None()));
  return in.Done(in.s.None());
}

Outcome BuiltinRecordFunctionEnter(Interp& in, Args& args, Tail) {
  FRAMEGATE_TAKE([[maybe_unused]] V set, in.SetAttr(args.positional[0], "run_callbacks_on_exit", in.s.Bool(false)));
  return in.Done(args.positional[0]);
}

}  // namespace framegate::translator
