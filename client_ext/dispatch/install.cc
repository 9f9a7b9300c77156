#include "client_ext/dispatch/install.h"

#include <algorithm>

#include "base/strings.h"
#include "client_ext/dispatch/conditions.h"
#include "client_ext/dispatch/errors.h"
#include "client_ext/dispatch/filter.h"
#include "client_ext/dispatch/subjects.h"
#include "client_ext/dispatch/verify.h"
#include "client_ext/link/link.h"
#include "client_ext/pycompat/exceptions.h"
#include "client_ext/region/graph.h"
#include "client_ext/region/region.h"
#include "client_ext/region/stats.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using model::Reason;
using pycompat::Ref;
using std::chrono::steady_clock;

int64_t next_number = 0;  // of sites, in compile ids

struct Attempt {
  Site& site;
  const LiveUnit& live;
  const HandleTable* handles;
  std::shared_ptr<Installed> made = std::make_shared<Installed>();
  std::chrono::nanoseconds backend{0};

  const model::Entry& entry() const { return *made->entry; }

  bool Passes() const { return made->checks->Evaluate(live.frames.data(), live.frames.size(), KeptObjects()).pass; }
};

Tried Refuse(Reason) {
  Count(Counter::kRefusedEntries);
  return Tried::kRefused;
}

bool LinkChecks(Attempt& attempt, std::string_view program) {
  absl::StatusOr<std::unique_ptr<CheckProgram>> checks = CheckProgram::Link(program, attempt.handles);
  if (!checks.ok())
    return false;
  attempt.made->checks = *std::move(checks);
  ReserveKept(attempt.made->checks->keep_slots().size());
  return true;
}

// Under fullgraph what is no single graph is an error; a mark that is violated always is.
bool IsRefusedByFullgraph(const Attempt& attempt) {
  const model::Entry& entry = attempt.entry();
  if (!attempt.site.region->options.fullgraph && entry.reason != model::Reason::kFixedDynamic)
    return false;
  if (entry.original && IsRefusal(entry.reason)) {
    RaiseAsked({.kind = "unsupported", .reason = entry.reason, .detail = entry.detail}, attempt.live);
    return true;
  }
  for (const model::BreakPlan& plan : entry.plans) {
    if (!IsRefusal(plan.reason))
      continue;
    RaiseAsked({.kind = "unsupported", .reason = plan.reason, .detail = plan.detail, .filename = plan.filename, .line = plan.line},
               attempt.live);
    return true;
  }
  return false;
}

// Whether new code without a graph is worth its checks. A rough model: an interpreted instruction takes some 15 ns, one of new code
// less, for it is straight-line; the checks know their cost.
bool IsWorthwhile(const Attempt& attempt) {
  const model::Entry& entry = attempt.entry();
  if (entry.graph || !entry.plans.empty() || Options().graphless == "always")
    return true;
  if (Options().graphless == "never")
    return false;
  constexpr uint64_t kInstruction = 15, kNewUnit = 5, kFixed = 60;
  uint64_t checks = 0;
  for (const guards::Instruction& in : attempt.made->checks->program().instructions)
    checks += guards::CostOf(in.op);
  return entry.instructions * kInstruction > kFixed + checks + entry.code.image.units() * kNewUnit;
}

// A subject that new code reads where it lies: a slot or stack cell of the unit. Null for any other.
PyObject* InPlace(const Attempt& attempt, model::SubjectId subject) {
  const model::SubjectNode& node = attempt.entry().subjects[subject];
  const uint32_t frame = model::FrameOf(node.index), index = model::IndexOf(node.index);
  if (frame >= attempt.live.frames.size())
    return nullptr;
  const LiveFrame& live = attempt.live.frames[frame];
  if (node.step == model::Step::kSlot)
    return index < live.slot_count ? live.slots[index] : nullptr;
  return node.step == model::Step::kStack && index < live.depth ? live.stack[index] : nullptr;
}

// What a graph takes of an object, as the emitter's LoadInput has it; null with an exception set.
Ref PartOf(PyObject* object, uint32_t dimension) {
  if (dimension == model::kWhole)
    return Ref::Share(object);
  if (dimension == model::kNumber) {
    const Ref calls = Ref::Steal(PyImport_ImportModule("framegate._graph_calls"));
    return calls ? Ref::Steal(PyObject_CallMethod(calls.get(), "number_as_tensor", "O", object)) : Ref();
  }
  int64_t size = 0;
  if (!Torch()->tensor_size(object, dimension, &size)) {
    PyErr_SetString(PyExc_LookupError, "a tensor without that dimension");
    return {};
  }
  return Ref::Steal(PyLong_FromLongLong(size));
}

// The graph's inputs as they are now, in the order of its placeholders; null with an exception set.
Ref ExampleInputs(const Attempt& attempt) {
  const guards::Program& program = attempt.made->checks->program();
  const Ref list = Ref::Steal(PyList_New(0));
  const model::GraphBlob& blob = *attempt.entry().graph;
  for (size_t place = 0; place < blob.inputs.size(); ++place) {
    const model::SubjectId input = blob.inputs[place];
    PyObject* object = InPlace(attempt, input);
    for (size_t i = 0, kept = 0; i < program.instructions.size(); ++i) {
      if (program.instructions[i].op != static_cast<uint8_t>(guards::CheckOp::kKeep))
        continue;
      if (program.subjects[i] == input)
        object = KeptObjects()[kept];
      ++kept;
    }
    const Ref part = object == nullptr ? Ref() : PartOf(object, place < blob.sizes.size() ? blob.sizes[place] : model::kWhole);
    if (object != nullptr && !part)
      return {};
    object = part.get();
    if (!list || PyList_Append(list.get(), object == nullptr ? Py_None : object) != 0)
      return {};
  }
  return list;
}

bool SwitchesState(const model::GraphBlob& blob) {
  static constexpr std::string_view kSwitches[] = {
#define FRAMEGATE_AMBIENT_SWITCH(symbol) symbol,
#include "model/ambient_switches.def"
#undef FRAMEGATE_AMBIENT_SWITCH
  };
  for (const model::GraphNode& node : blob.nodes)
    for (std::string_view symbol : kSwitches)
      if (node.target == symbol)
        return true;
  return false;
}

// The checks of what the back-end relies on. False with an exception set.
bool AddConditions(Attempt& attempt, const std::vector<Condition>& conditions) {
  if (conditions.empty())
    return true;
  const auto program = WithConditions(attempt.made->checks->program(), attempt.entry(), conditions);
  if (program.ok() && LinkChecks(attempt, EncodeProgram(*program)))
    return true;
  PyErr_SetString(PyExc_LookupError, "what the back-end relies on cannot be checked");
  return false;
}

// What the back-end makes of the graph, callable from new code; null with an exception set.
Ref CompileGraph(Attempt& attempt) {
  const Ref inputs = ExampleInputs(attempt);
  const Ref graph = Ref::Steal(inputs ? NewGraph(attempt.made->entry, attempt.made->id, SlotNames(attempt.live)) : nullptr);
  if (!graph)
    return {};
  const model::Entry& entry = attempt.entry();
  const GraphManners manners{.restores = SwitchesState(*entry.graph),
                             .draws = entry.retries && entry.draws,
                             .written = entry.retries && !entry.written.empty() ? &entry.written : nullptr,
                             .retry = entry.retries ? &entry : nullptr};
  const Ref backend = attempt.site.region->options.backend;
  if (!backend) {
    const Ref forward = Ref::Steal(PyObject_GetAttrString(graph.get(), "forward"));
    return forward ? Ref::Steal(NewGraphCall(forward.get(), manners)) : Ref();
  }
  Count(Counter::kGraphs);
  const auto begin = steady_clock::now();
  const Ref compiled = Ref::Steal(PyObject_CallFunctionObjArgs(backend.get(), graph.get(), inputs.get(), nullptr));
  attempt.backend += steady_clock::now() - begin;
  if (compiled && !PyCallable_Check(compiled.get())) {
    PyErr_Format(PyExc_TypeError, "the back-end gave a %.200s, which is not callable", Py_TYPE(compiled.get())->tp_name);
    return {};
  }
  if (!compiled || !AddConditions(attempt, TakeConditions(graph.get())))
    return {};
  return Ref::Steal(NewGraphCall(compiled.get(), manners));
}

// Code, links and graph of an entry that has new code.
Tried MakeRunnable(Attempt& attempt) {
  if (!VerifyEntry(attempt.entry(), attempt.made->checks->keep_slots(), attempt.live, attempt.site.unit.continuation).ok())
    return Refuse(Reason::kCodeRejected);
  LinkContext context{.region = attempt.site.region, .continuation = attempt.site.unit.continuation, .live = &attempt.live};
  if (attempt.entry().graph) {
    context.graph = CompileGraph(attempt);
    if (!context.graph) {
      if (PyErr_ExceptionMatches(PyExc_LookupError)) {
        PyErr_Clear();
        return Refuse(Reason::kGraphRejected);
      }
      if (!Options().suppress_errors)
        return Tried::kRaised;
      PyErr_WriteUnraisable(attempt.site.region->options.backend.get());
      return Tried::kRefused;
    }
    if (attempt.site.region == nullptr)  // the back-end has reset the region
      return Tried::kRefused;
  }
  if (!Link(context, attempt.made.get()).ok())
    return Refuse(Reason::kLinkFailed);
  // What the back-end did may have changed what the checks look at; what they keep must be of now.
  return attempt.Passes() ? Tried::kInstalled : Refuse(Reason::kFirstCheckFailed);
}

Tried Try(Attempt& attempt, bool stored) {
  if (!LinkChecks(attempt, attempt.entry().program))
    return Refuse(Reason::kProgramRejected);
  if (!attempt.Passes())
    return stored ? Tried::kDoesNotFit : Refuse(Reason::kFirstCheckFailed);
  if (IsRefusedByFullgraph(attempt))
    return Tried::kRaised;
  if (const Ref filter = attempt.site.region->options.guard_filter) {
    const std::optional<std::string> program = Filtered(filter.get(), attempt.entry(), attempt.live);
    if (!program)
      return Tried::kRaised;
    if (!LinkChecks(attempt, *program) || !attempt.Passes())
      return Refuse(Reason::kProgramRejected);
  }
  if (attempt.entry().original || !IsWorthwhile(attempt)) {
    attempt.made->quiet = !attempt.entry().original || attempt.entry().reason == Reason::kNoGraph;
    return Tried::kInstalled;
  }
  return MakeRunnable(attempt);
}

// An exception of the user's own that leaves the frame is what the program does, not a break.
bool EndsInBreak(const model::Entry& entry) {
  return std::any_of(entry.plans.begin(), entry.plans.end(), [](const auto& plan) { return plan.kind != model::BreakKind::kRaise; });
}

void CountInstalled(const Site& site, const Installed& entry) {
  Count(Counter::kInstructions, entry.entry->instructions);
  if (!entry.code) {
    Count(Counter::kFramesSkipped);
    return;
  }
  Count(Counter::kEntries);
  if (EndsInBreak(*entry.entry))
    Count(Counter::kGraphBreaks);
  if (std::any_of(site.entries.begin(), site.entries.end(), [](const auto& other) { return bool(other->code); }))
    Count(Counter::kRecompiles);
}

}  // namespace

Trial Install(Site& site, std::shared_ptr<const model::Entry> entry, const LiveUnit& live, const HandleTable* handles) {
  Attempt attempt{site, live, handles};
  attempt.made->entry = std::move(entry);
  if (site.number < 0)
    site.number = next_number++;
  attempt.made->id = StrCat(site.number, "/", site.made);
  const Tried tried = Try(attempt, handles == nullptr);
  if (tried == Tried::kInstalled) {
    CountInstalled(site, *attempt.made);
    ++site.made;
    site.Add(attempt.made);
  }
  return {tried, std::move(attempt.made), attempt.backend};
}

}  // namespace framegate::client
