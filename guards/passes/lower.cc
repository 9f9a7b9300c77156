#include "guards/passes/lower.h"

#include <set>

#include "base/strings.h"
#include "guards/kinds/kind.h"
#include "guards/passes/emitter.h"
#include "guards/passes/passes.h"
#include "guards/program/eval.h"
#include "guards/program/seen.h"
#include "guards/program/summary_probe.h"
#include "guards/program/verify.h"

namespace framegate::guards {

namespace {

using model::SubjectId;

absl::Status VerifySet(const GuardSet& set) {
  RETURN_IF_ERROR(model::VerifySubjects(set.subjects));
  if (set.subjects.size() >= kMaxRegisters)
    return absl::ResourceExhaustedError(StrCat("guards: ", set.subjects.size(), " subjects, fewer than ", kMaxRegisters, " allowed"));
  const auto exists = [&](SubjectId subject) { return subject < set.subjects.size(); };
  for (size_t i = 0; i < set.guards.size(); ++i) {
    const Guard& guard = set.guards[i];
    RETURN_IF_ERROR(VerifyGuard(guard));
    if (guard.subject != model::kNoSubject && !exists(guard.subject))
      return absl::InvalidArgumentError(StrCat("guard ", i, ": no subject ", guard.subject));
    for (SubjectId subject : NeedsOf(guard))
      if (!exists(subject))
        return absl::InvalidArgumentError(StrCat("guard ", i, " (", EnumText(guard.kind), "): no subject ", subject));
  }
  std::set<uint32_t> slots;
  for (const auto& [subject, slot] : set.keeps)
    if (!exists(subject) || !slots.insert(slot).second)
      return absl::InvalidArgumentError(StrCat("guards: slot ", slot, " is kept twice, or from no subject"));
  return absl::OkStatus();
}

// Steps that may find nothing: those whose absence or presence is itself guarded. Imply has left kPresent only where nothing needs it.
std::vector<bool> OptionalSubjects(const GuardSet& set) {
  std::vector<bool> optional(set.subjects.size(), false);
  for (const Guard& guard : set.guards)
    if (guard.kind == GuardKind::kAbsent || guard.kind == GuardKind::kPresent)
      optional[guard.subject] = true;
  return optional;
}

class Lowering {
 public:
  explicit Lowering(const GuardSet& set) : set_(set), emitter_(set.subjects, OptionalSubjects(set)), used_(set.subjects.size(), false) {}

  absl::StatusOr<Lowered> Run() {
    FindUsed();
    for (const CheckRun& run : Order(set_)) {
      if (run.type != model::kNoSubject)
        RETURN_IF_ERROR(AddSlice(run));
      else
        RETURN_IF_ERROR(AddCheck(set_.guards[run.guards[0]]));
    }
    for (const auto& [subject, slot] : set_.keeps) {
      RETURN_IF_ERROR(emitter_.Need(subject));
      emitter_.builder().AddImm(CheckOp::kKeep, 0, emitter_.Object(subject), slot, subject);
    }
    Program program = emitter_.Finish();
    AllocateRegisters(&program);
    RETURN_IF_ERROR(Verify(program).ToStatus());
    for (Note& note : notes_)
      note.words.expected = note.words.first == note.words.last ? "" : Expectation(program, note.expects);
    AddShapeNote();
    for (Note& note : notes_)
      lowered_.notes.push_back(std::move(note.words));
    lowered_.program = EncodeProgram(program);
    return std::move(lowered_);
  }

 private:
  struct Note {
    model::GuardNote words;
    uint32_t expects = 0;  // the instruction that says what is expected
  };

  void FindUsed() {
    const auto use = [this](SubjectId subject) {
      for (; subject != model::kNoSubject && !used_[subject]; subject = set_.subjects[subject].parent)
        used_[subject] = true;
    };
    for (const Guard& guard : set_.guards)
      for (SubjectId subject : NeedsOf(guard))
        use(subject);
    for (const auto& [subject, slot] : set_.keeps)
      use(subject);
  }

  absl::Status AddCheck(const Guard& guard) {
    for (SubjectId subject : NeedsOf(guard))
      RETURN_IF_ERROR(emitter_.Need(subject));
    const uint32_t first = static_cast<uint32_t>(emitter_.builder().size());
    RETURN_IF_ERROR(LowerGuard(guard, emitter_));
    const uint32_t last = static_cast<uint32_t>(emitter_.builder().size());
    notes_.push_back({.words = {.kind = std::string(EnumText(guard.kind)),
                                .torch_kind = std::string(TorchName(guard)),
                                .subject = guard.subject,
                                .first = first,
                                .last = last,
                                .line = guard.line},
                      .expects = last - 1});
    lowered_.durable = lowered_.durable && IsDurable(guard);
    return absl::OkStatus();
  }

  // The type's own steps that anything needs go into the body as well, so that a skip saves them.
  absl::Status AddSlice(const CheckRun& run) {
    RETURN_IF_ERROR(emitter_.Need(run.type));
    const uint32_t begin = emitter_.builder().AddImm(CheckOp::kSlice, 0, emitter_.Object(run.type), 0, run.type);
    for (SubjectId subject = run.type + 1; subject < set_.subjects.size(); ++subject)
      if (used_[subject] && !emitter_.is_emitted(subject) && SliceTypeOf(set_.subjects, subject) == run.type)
        RETURN_IF_ERROR(emitter_.Need(subject));
    for (size_t i : run.guards)
      RETURN_IF_ERROR(AddCheck(set_.guards[i]));
    emitter_.builder().at(begin).set_imm(static_cast<uint32_t>(emitter_.builder().size()) - begin - 1);
    return absl::OkStatus();
  }

  // Torch has one guard for all relations between sizes, also where there are none; filters look for it.
  void AddShapeNote() {
    bool wanted = false;
    for (const Guard& guard : set_.guards) {
      if (guard.kind == GuardKind::kExpression)
        return;
      wanted = wanted || guard.kind == GuardKind::kTensorIs;
    }
    if (wanted)
      notes_.push_back(
          {.words = {.kind = std::string(EnumText(GuardKind::kExpression)), .torch_kind = std::string(TorchName(GuardKind::kExpression))}});
  }

  const GuardSet& set_;
  Emitter emitter_;
  std::vector<bool> used_;
  std::vector<Note> notes_;
  Lowered lowered_;
};

// Of what a client has told, for Seen.
struct SummaryTeller {
  using Node = SummaryIndex::Node;
  static constexpr const char* kNotTold = "not told";

  std::string Absent(const Instruction& step) const {
    static const model::Constant kNoKey;
    const Node* to = nullptr;
    const model::Step taken = StepOf(step.op);
    const uint32_t operand = model::IsRoot(taken) ? step.imm() : step.c;
    const bool keyed = model::OperandOf(taken) == model::StepOperand::kKey;
    const Node* from = model::IsRoot(taken) ? nullptr : registers.objects()[step.b];
    return index.Find(from, taken, keyed ? 0 : operand, keyed ? program.constants[operand] : kNoKey, &to) ? "absent" : kNotTold;
  }

  std::string Fact(model::Fact fact, const Node* node) const {
    const model::FactValue* value = SummaryIndex::FindFact(node, fact);
    return value != nullptr ? Repr(*value) : kNotTold;
  }

  std::string Type(const Node* node) const {
    const Node* type = nullptr;
    if (!index.Find(node, model::Step::kType, 0, {}, &type) || type == nullptr)
      return kNotTold;
    const model::FactValue* name = SummaryIndex::FindFact(type, model::Fact::kTypeName);
    if (name == nullptr || !name->known || name->constant.items.size() != 2)
      return kNotTold;
    return TypeRepr(StrCat(name->constant.items[0].text, ":", name->constant.items[1].text));
  }

  std::string Ambient(uint8_t part) const {
    const Node* ambient = nullptr;
    if (!index.Find(nullptr, model::Step::kAmbient, 0, {}, &ambient) || ambient == nullptr)
      return kNotTold;
    const model::FactValue* value = SummaryIndex::FindFact(ambient, model::Fact::kAmbient);
    return value != nullptr && part < value->constant.items.size() ? model::Repr(value->constant.items[part]) : kNotTold;
  }

  const SummaryIndex& index;
  const Program& program;
  Scratch<SummaryProbe>& registers;
};

absl::StatusOr<Verdict> EvaluateOn(const SummaryIndex& index, const Program& program, Scratch<SummaryProbe>* scratch) {
  RETURN_IF_ERROR(Verify(program).ToStatus());
  ASSIGN_OR_RETURN(Linked<SummaryProbe> linked, Linked<SummaryProbe>::Link(program, {}));
  SummaryProbe probe(index);
  scratch->Reserve(linked);
  std::vector<SummaryProbe::Object> kept(linked.keep_slots().size());
  return Evaluate(linked, probe, *scratch, kept.data());
}

}  // namespace

absl::StatusOr<Lowered> Lower(GuardSet set) {
  RETURN_IF_ERROR(VerifySet(set));
  Dedupe(&set);
  Group(&set);
  Imply(&set);
  return Lowering(set).Run();
}

SummaryJudge::SummaryJudge(const model::Summary& summary) : index_(std::make_shared<const SummaryIndex>(summary)) {}

absl::StatusOr<bool> SummaryJudge::operator()(std::string_view bytes) const {
  ASSIGN_OR_RETURN(const Program program, DecodeProgram(bytes));
  Scratch<SummaryProbe> scratch;
  ASSIGN_OR_RETURN(const Verdict verdict, EvaluateOn(*index_, program, &scratch));
  return verdict.pass;
}

absl::StatusOr<std::optional<Failure>> SummaryJudge::Explain(std::string_view bytes) const {
  ASSIGN_OR_RETURN(const Program program, DecodeProgram(bytes));
  Scratch<SummaryProbe> scratch;
  ASSIGN_OR_RETURN(const Verdict verdict, EvaluateOn(*index_, program, &scratch));
  if (verdict.pass)
    return std::nullopt;
  const Instruction& failed = program.instructions[verdict.instruction];
  Failure failure{.instruction = verdict.instruction,
                  .length = static_cast<uint32_t>(program.instructions.size()),
                  .subject = program.subjects[verdict.instruction],
                  .expected = Expectation(program, verdict.instruction),
                  .seen = Seen(failed, scratch, SummaryTeller{*index_, program, scratch})};
  if (failed.op == static_cast<uint8_t>(CheckOp::kCheckAmbient))
    failure.ambient = model::EnumText(static_cast<model::AmbientPart>(failed.sub));
  return failure;
}

}  // namespace framegate::guards
