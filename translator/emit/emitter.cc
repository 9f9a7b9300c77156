#include "translator/emit/emitter.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "guards/passes/lower.h"
#include "translator/emit/term_guards.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Helper;
using model::LinkKind;
using model::LinkSlot;

Emitter::Emitter(Session& session, Interp& interp) : s_(session), in_(interp), code_(session.request().version), graph_(session) {
  const model::Unit& unit = s_.request().unit;
  for (size_t at = 0; at < unit.frames.size(); ++at) {
    std::shared_ptr<const DecodedCode> code = s_.CodeOf(unit.frames[at].code);
    const model::CodeImage& image = *code->image;
    frame_base_.push_back(static_cast<uint32_t>(locals_.size()));
    if (!unit.continuation) {
      uint32_t count = image.argcount + image.kwonlyargcount + ((image.flags & 0x4) != 0) + ((image.flags & 0x8) != 0);
      locals_.assign(image.localsplusnames.begin(), image.localsplusnames.begin() + count);
      break;
    }
    for (size_t slot = 0; slot < image.nlocalsplus(); ++slot)
      locals_.push_back(StrCat(".f", at, ".", image.localsplusnames[slot]));
    for (uint32_t cell = 0; cell < unit.frames[at].depth; ++cell)
      locals_.push_back(StrCat(".f", at, ".stack", cell));
  }
  parameters_ = static_cast<uint32_t>(locals_.size());
  // Tracebacks through new code show where the outermost frame stands at the segment's end.
  if (!in_.frames().empty())
    code_.SetOrigin(in_.frames()[0]->instruction().offset);
}

uint32_t Emitter::NewLocal(std::string name) {
  locals_.push_back(std::move(name));
  return static_cast<uint32_t>(locals_.size() - 1);
}

uint32_t Emitter::KeepLocal(SubjectId subject) {
  if (auto it = keeps_.find(subject); it != keeps_.end())
    return it->second;
  const model::SubjectNode& node = s_.subjects()[subject];
  const model::Unit& unit = s_.request().unit;
  uint32_t frame = model::FrameOf(node.index), index = model::IndexOf(node.index);
  if (node.step == model::Step::kSymbol)
    return keeps_[subject] = SymbolLocal(node.key.text);
  if (node.step == model::Step::kSlot && (unit.continuation || index < parameters_))
    return keeps_[subject] = frame_base_[frame] + index;
  if (node.step == model::Step::kStack) {
    uint32_t slots = static_cast<uint32_t>(s_.CodeOf(unit.frames[frame].code)->image->nlocalsplus());
    return keeps_[subject] = frame_base_[frame] + slots + index;
  }
  uint32_t local = NewLocal(StrCat(".keep", keeps_.size()));
  return keeps_[subject] = local;
}

bool Emitter::IsParameter(SubjectId subject) const {
  if (subject == model::kNoSubject || s_.subjects()[subject].step != model::Step::kSlot)
    return false;
  return s_.request().unit.continuation || model::IndexOf(s_.subjects()[subject].index) < parameters_;
}

uint32_t Emitter::LinkLocal(LinkSlot link) {
  link.local = 0;
  std::string key = Encode(link);
  if (auto it = link_locals_.find(key); it != link_locals_.end())
    return it->second;
  link.local = NewLocal(StrCat(".link", links_.size()));
  links_.push_back(link);
  return link_locals_[key] = link.local;
}

uint32_t Emitter::HelperLocal(Helper helper) {
  return LinkLocal({.kind = LinkKind::kHelper, .index = static_cast<uint32_t>(helper), .name = std::string(EnumText(helper))});
}

uint32_t Emitter::SymbolLocal(const std::string& symbol) {
  return LinkLocal({.kind = LinkKind::kSymbol, .name = symbol});
}

void Emitter::CallHelper(Helper helper, const std::function<void()>& arguments, uint32_t count) {
  code_.BeginCall(HelperLocal(helper));
  arguments();
  code_.Call(count);
}

void Emitter::Scan(V value) {
  if (value == nullptr)
    return;
  if (auto* lazy = As<LazyValue>(value)) {
    if (lazy->resolved == nullptr || lazy->resolved->is_real())
      return;
    value = lazy->resolved;
  }
  if (auto* tensor = As<TensorValue>(value)) {
    if (tensor->node != UINT32_MAX)
      graph_.AddOutput(tensor);
    return;
  }
  if (value->is_real())
    return;
  int state = state_[value];
  if (state == 1)  // everything on the way round
    for (size_t at = path_.size(); at-- > 0 && (cyclic_.insert(path_[at]), path_[at] != value);) {
    }
  if (state != 0)
    return;
  state_[value] = 1;
  path_.push_back(value);
  ScanParts(value);
  path_.pop_back();
  state_[value] = 2;
}

void Emitter::ScanParts(V value) {
  VisitParts(value, [this](V part) { Scan(part); });
}

void Emitter::ScanState(const model::BreakPlan&, V exception) {
  for (const auto& frame : in_.frames()) {
    Scan(frame->function);
    for (V value : frame->slots)
      Scan(value);
    for (V value : frame->stack)
      Scan(value);
  }
  if (in_.handled != in_.outside)
    Scan(in_.handled);
  Scan(exception);
}

// A real object, one of its sizes, or a float as a tensor.
void Emitter::LoadInput(SubjectId subject, uint32_t dimension) {
  if (dimension == model::kWhole)
    return code_.LoadFast(KeepLocal(subject));
  if (dimension == model::kNumber)
    return Construct(
        "number_as_tensor", [&] { code_.LoadFast(KeepLocal(subject)); }, 1);
  CallHelper(
      Helper::kTensorSize,
      [&] {
        code_.LoadFast(KeepLocal(subject));
        code_.LoadConst(Constant::Int(dimension));
      },
      2);
}

void Emitter::LoadTerm(uint32_t number) {
  const Term term = s_.terms().at(number);
  if (term.op == TermOp::kConstant)
    return code_.LoadConst(Constant::Int(term.value));
  if (term.op == TermOp::kSize || term.op == TermOp::kInt)
    return LoadInput(term.subject, term.op == TermOp::kSize ? term.dimension : model::kWhole);
  if (auto it = term_locals_.find(number); it != term_locals_.end())
    return code_.LoadFast(it->second);
  LoadTerm(term.left);
  LoadTerm(term.right);
  code_.BinaryOp(NumberOfTerm(term.op));
  const uint32_t local = term_locals_[number] = NewLocal(StrCat(".term", number));
  code_.StoreFast(local);
  code_.LoadFast(local);
}

void Emitter::LoadSymbol(SymbolValue* symbol) {
  if (symbol->known != nullptr)
    return Load(symbol->known);
  if (symbol->term != 0)
    return LoadTerm(symbol->term);
  if (symbol->is_real())
    return LoadReal(symbol);
  if (auto it = remembered_.find(symbol); it != remembered_.end())
    return code_.LoadFast(it->second);
  Load(symbol->left);
  Load(symbol->right);
  if (symbol->comparison >= 0)
    code_.CompareOp(symbol->comparison);
  else
    code_.BinaryOp(symbol->op);
  Remember(symbol);
}

void Emitter::CallGraph() {
  for (const Effect& effect : s_.effects())
    for (V value : effect.args)
      Scan(value);
  for (V changed : s_.mutated)
    if (As<GeneratorValue>(changed) != nullptr)
      ScanParts(changed);
  if (s_.function_modes != nullptr)
    Scan(s_.function_modes);
  absl::Status status = graph_.Finish();
  if (!status.ok()) {
    Problem(std::string(status.message()));
    return;
  }
  if (graph_.empty())
    return;
  ReplayEffects(EarlyEffects());
  code_.BeginCall(LinkLocal({.kind = LinkKind::kGraph}));
  for (size_t at = 0; at < graph_.inputs().size(); ++at)
    LoadInput(graph_.inputs()[at], graph_.SizeOfInput(at));
  const uint32_t end = code_.origin();
  if (s_.raiser_offset != UINT32_MAX)  // a traceback has the line of what most likely raises
    code_.SetOrigin(s_.raiser_offset);
  code_.Call(static_cast<uint32_t>(graph_.inputs().size()));
  code_.SetOrigin(end);
  uint32_t outputs = static_cast<uint32_t>(graph_.outputs());
  if (outputs == 0) {
    code_.PopTop();
    return;
  }
  code_.UnpackSequence(outputs);
  graph_outputs_ = static_cast<uint32_t>(locals_.size());
  for (uint32_t i = 0; i < outputs; ++i)
    NewLocal(StrCat(".out", i));
  for (uint32_t i = 0; i < outputs; ++i)
    code_.StoreFast(graph_outputs_ + i);
}

// The inputs that must be put back where the graph fails. False where one of the tensors is no input.
bool Emitter::FindWritten(model::Entry* entry) const {
  const std::vector<model::SubjectId>& inputs = entry->graph->inputs;
  const std::vector<uint32_t>& sizes = entry->graph->sizes;
  std::set<uint32_t> found;
  for (const Node& node : s_.graph().nodes())
    for (const TensorValue* tensor : node.written) {
      uint32_t at = 0;
      while (at < inputs.size() && (inputs[at] != tensor->subject || (at < sizes.size() && sizes[at] != model::kWhole)))
        ++at;
      if (at == inputs.size())
        return false;
      found.insert(at);
    }
  entry->written.assign(found.begin(), found.end());
  return true;
}

// Effects that come before the first operator that may raise on its data come before the graph, where they can.
size_t Emitter::EarlyEffects() const {
  if (s_.RunsAgain())
    return 0;
  for (size_t at = 0; at < s_.early_effects; ++at)
    for (V value : s_.effects()[at].args)
      if (HoldsGraphResult(value))
        return 0;
  return s_.early_effects;
}

// Those up to `end` that have not been replayed yet.
void Emitter::ReplayEffects(size_t end) {
  residuals_.resize(s_.effects().size(), UINT32_MAX);
  for (; replayed_ < end; ++replayed_) {
    const Effect& effect = s_.effects()[replayed_];
    CallHelper(
        effect.helper,
        [&] {
          for (V value : effect.args)
            Load(value);
        },
        static_cast<uint32_t>(effect.args.size()));
    if (effect.has_result) {
      residuals_[replayed_] = NewLocal(StrCat(".effect", replayed_));
      code_.StoreFast(residuals_[replayed_]);
    } else {
      code_.PopTop();
    }
  }
}

// All effects are replayed; generators stand where they have run to.
void Emitter::FinishEffects() {
  ReplayEffects(s_.effects().size());
  for (V changed : s_.mutated)
    if (auto* generator = As<GeneratorValue>(changed))
      RestateGenerator(generator);
  if (s_.function_modes != nullptr)
    for (V mode : s_.function_modes->items) {
      Construct(
          "push_function_mode", [&] { Load(mode); }, 1);
      code_.PopTop();
    }
}

absl::StatusOr<model::Entry> Emitter::Returned(V value) {
  Scan(value);
  CallGraph();
  FinishEffects();
  Load(value);
  code_.Return();
  return Finish({});
}

void Emitter::LoadState(const model::BreakPlan&) {
  for (const auto& frame : in_.frames()) {
    Load(frame->function);
    for (V value : frame->slots)
      Load(value);
    for (V value : frame->stack)
      Load(value);
  }
}

absl::StatusOr<model::Entry> Emitter::Broke(model::BreakPlan plan, V exception) {
  breaks_ = true;
  ScanState(plan, exception);
  CallGraph();
  FinishEffects();
  code_.BeginCall(LinkLocal({.kind = LinkKind::kDrive, .index = 0}));
  size_t count = 0;
  for (const auto& frame : in_.frames())
    count += 1 + frame->slots.size() + frame->stack.size();
  LoadState(plan);
  if (in_.handled != in_.outside) {
    Load(in_.handled == nullptr ? s_.None() : in_.handled);
    ++count;
  }
  if (exception != nullptr) {
    Load(exception);
    ++count;
  }
  code_.Call(static_cast<uint32_t>(count));
  code_.Return();
  return Finish({std::move(plan)});
}

// An object that was changed and a dict that was met (or the other way round) must not be the object and its own __dict__.
bool Emitter::GuardOwnDict(V object, V dict) {
  auto* mapping = As<MappingValue>(dict);
  if (As<ObjectValue>(object) == nullptr || mapping == nullptr || !object->is_real() || !mapping->is_real() ||
      mapping->subject == model::kNoSubject || object->subject == model::kNoSubject || !s_.TypeOf(mapping)->is("builtins:dict"))
    return true;
  const model::Step last = s_.subjects()[mapping->subject].step;
  if (last == model::Step::kAttr || last == model::Step::kModuleDict || last == model::Step::kFuncGlobals || last == model::Step::kGlobals)
    return true;  // what holds it is another one
  const Handle own = s_.mirror().Step(object->handle, model::Step::kInstanceDict);
  const SubjectId subject = s_.subjects().Child(object->subject, model::Step::kInstanceDict);
  if (own == model::kAbsent)
    s_.AddGuard({.kind = guards::GuardKind::kAbsent, .subject = subject});
  else
    s_.AddGuard({.kind = guards::GuardKind::kDistinct,
                 .subject = std::max(subject, mapping->subject),
                 .other = std::min(subject, mapping->subject)});
  return own != mapping->handle;
}

absl::Status Emitter::Guard(model::Entry* entry) {
  s_.GuardTypes();
  for (V changed : s_.mutated)
    for (V other : s_.met)
      if (!GuardOwnDict(changed, other) || !GuardOwnDict(other, changed))
        return absl::FailedPreconditionError("an object and its own __dict__, one of which is changed");
  guards::GuardSet set{.subjects = s_.subjects().nodes(), .guards = s_.guards()};
  AddTermGuards(s_, &set);
  const auto may_be_one = [](V changed, V other) {
    if (auto* unread = As<LazyValue>(changed))
      return unread->resolved == nullptr && As<SequenceValue>(other) != nullptr;
    return other->kind == changed->kind && other->type == changed->type;
  };
  for (V changed : s_.mutated)  // what was changed must not be one object with anything else that was read
    for (V other : s_.met)
      if (other != changed && may_be_one(changed, other) && changed->subject != model::kNoSubject && other->subject != model::kNoSubject)
        set.guards.push_back({.kind = guards::GuardKind::kDistinct,
                              .subject = std::max(changed->subject, other->subject),
                              .other = std::min(changed->subject, other->subject)});
  for (V met : s_.met)  // ... nor with what an iterator goes on over
    if (auto* iterator = As<IteratorValue>(met);
        iterator != nullptr && iterator->form == IteratorForm::kReal && iterator->source != nullptr)
      for (V changed : s_.mutated)
        if (changed->subject != model::kNoSubject && iterator->source->subject != changed->subject)
          set.guards.push_back(
              {.kind = changed->handle == iterator->source->handle ? guards::GuardKind::kSame : guards::GuardKind::kDistinct,
               .subject = std::max(changed->subject, iterator->source->subject),
               .other = std::min(changed->subject, iterator->source->subject)});
  for (const auto& [subject, local] : keeps_)
    if (local >= parameters_ && s_.subjects()[subject].step != model::Step::kSymbol)
      set.keeps.emplace_back(subject, local);
  std::sort(set.keeps.begin(), set.keeps.end());
  ASSIGN_OR_RETURN(guards::Lowered lowered, guards::Lower(std::move(set)));
  entry->program = std::move(lowered.program);
  entry->guards = std::move(lowered.notes);
  entry->local = !lowered.durable;
  entry->subjects = s_.subjects().nodes();
  return absl::OkStatus();
}

absl::StatusOr<model::Entry> Emitter::Finish(std::vector<model::BreakPlan> plans) {
  if (!problem_.empty())
    return absl::FailedPreconditionError(problem_);
  model::Entry entry;
  const model::Unit& unit = s_.request().unit;
  const model::CodeImage& image = *s_.CodeOf(unit.frames[0].code)->image;
  Assembler::Frame frame{.name = image.name, .qualname = image.qualname, .filename = image.filename, .firstlineno = image.firstlineno};
  frame.flags = 0x3;  // CO_OPTIMIZED | CO_NEWLOCALS
  if (!unit.continuation) {
    frame.argcount = image.argcount;
    frame.posonlyargcount = image.posonlyargcount;
    frame.kwonlyargcount = image.kwonlyargcount;
    frame.flags |= image.flags & 0xc;  // CO_VARARGS | CO_VARKEYWORDS
  }
  frame.localsplusnames = locals_;
  ASSIGN_OR_RETURN(entry.code, std::move(code_).Finish(frame));
  if (!graph_.empty()) {
    RETURN_IF_ERROR(graph_.WriteForward(&entry));
    entry.graph = graph_.TakeBlob();
    entry.retries = s_.RunsAgain();
    for (const Node& node : s_.graph().nodes())
      entry.draws = entry.draws || node.draws;
    if (entry.retries && !FindWritten(&entry))
      return absl::FailedPreconditionError("a tensor that the graph writes to and does not take");
  }
  entry.links = links_;
  entry.plans = std::move(plans);
  entry.instructions = in_.instructions();
  RETURN_IF_ERROR(Guard(&entry));
  return entry;
}

}  // namespace framegate::translator
