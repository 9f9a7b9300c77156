#include "client_ext/observe/push/memo.h"

#include <algorithm>

#include "client_ext/observe/push/calm.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using guards::CheckOp;
using guards::OperandShape;
using Instruction = PyProbe::Instruction;
using Program = guards::Linked<PyProbe>;

struct Register {
  bool told = false;           // by witnesses; else by an instruction of the rest
  PyObject* object = nullptr;  // told: which
  uint32_t root = 0;           // told: from which, of the memo's roots
  bool late = false;
  uint32_t place = 0;  // among the registers of the rest
};

// Which fields of a linked instruction are object registers.
struct Fields {
  bool writes_a = false, reads_a = false, reads_b = false;
};

Fields FieldsOf(const Instruction& in) {
  if (guards::IsStepOp(in.op))
    return {.writes_a = true, .reads_b = !model::IsRoot(guards::StepOf(in.op))};
  if (guards::IsFactOp(in.op) || in.op == guards::kLacksFact || in.op == guards::kSliceEnd)
    return {.reads_a = true};
  if (in.op == guards::kAmbientBatch)
    return {};
  switch (guards::ShapeOf(static_cast<CheckOp>(in.op))) {
    case OperandShape::kO:
    case OperandShape::kOType:
    case OperandShape::kOHandle:
    case OperandShape::kSlot:
    case OperandShape::kBody:
      return {.reads_a = true};
    case OperandShape::kOO:
      return {.reads_a = true, .reads_b = true};
    case OperandShape::kDim:
    case OperandShape::kWFact:
    case OperandShape::kWO:
      return {.reads_b = true};
    case OperandShape::kNone:
    case OperandShape::kPart:
    case OperandShape::kWord:
    case OperandShape::kWWW:
    case OperandShape::kW:
      return {};
  }
  return {};
}

bool IsOp(const Instruction& in, CheckOp op) {
  return in.op == static_cast<uint8_t>(op);
}

bool UsesWords(const Instruction& in) {
  return in.op >= static_cast<uint8_t>(CheckOp::kWordConst) && in.op <= static_cast<uint8_t>(CheckOp::kCheckTrue);
}

class Recorder {
 public:
  Recorder(const Program& program, PyProbe& probe, const std::vector<bool>& varying, WitnessPolicy& policy)
      : code_(program.code()), slices_(program.slices()), probe_(probe), varying_(varying), memo_(std::make_unique<Memo>(policy)) {
    registers_.resize(program.objects());
  }

  std::unique_ptr<Memo> Run() {
    for (size_t i = 0; i < code_.size(); ++i) {
      const Instruction& in = code_[i];
      if (IsOp(in, CheckOp::kPass))
        break;
      if (IsOp(in, CheckOp::kSlice))
        i = AddSlice(i);
      else
        Add(i);
      if (memo_->objects.size() >= UINT16_MAX)
        return nullptr;
    }
    FlushGroup();
    for (auto* list : {&memo_->early, &memo_->late})
      list->push_back({.op = static_cast<uint8_t>(CheckOp::kPass)});
    memo_->words.Seal();
    return memo_->words.size() == 0 ? nullptr : std::move(memo_);
  }

 private:
  void Add(size_t at) {
    const Instruction& in = code_[at];
    if (guards::IsStepOp(in.op))
      return AddStep(at);
    if (IsOp(in, CheckOp::kGroupBegin))
      FlushGroup();
    const Fields fields = FieldsOf(in);
    if (UsesWords(in))
      return Emit(in, true);
    if (IsOp(in, CheckOp::kGroupBegin) || IsOp(in, CheckOp::kGroupAdd)) {
      group_.push_back(in);
      if (fields.reads_a)
        group_registers_.push_back(registers_[in.a]);
      return;
    }
    const bool told =
        (fields.reads_a || fields.reads_b) && (!fields.reads_a || registers_[in.a].told) && (!fields.reads_b || registers_[in.b].told);
    if (told) {
      memo_->words.From(registers_[in.a].root);
      if (IsTold(in))
        return;
    }
    Emit(in, false);
  }

  // A check of objects that witnesses tell: whether they tell its outcome too.
  bool IsTold(const Instruction& in) {
    PyObject* object = registers_[in.a].object;
    if (guards::IsFactOp(in.op)) {
      const model::Fact fact = guards::FactOf(in.op);
      if (!WitnessFact(fact, object, in.operand, memo_->words))
        return false;
      if (fact == model::Fact::kTensor && !std::exchange(memo_->has_tensors, true))
        Torch()->thread_keys(memo_->thread_keys);
      return true;
    }
    if (in.op == guards::kLacksFact)
      return false;
    switch (static_cast<CheckOp>(in.op)) {
      case CheckOp::kCheckPresent:
      case CheckOp::kCheckAbsent:
      case CheckOp::kCheckSame:
      case CheckOp::kCheckDistinct:
        return true;
      case CheckOp::kCheckType:
        return memo_->words.Object(object);
      case CheckOp::kCheckSubclass:
        return PyType_Check(object) && memo_->words.Type(reinterpret_cast<PyTypeObject*>(object));
      case CheckOp::kKeep:
        memo_->kept.emplace_back(static_cast<uint32_t>(in.operand.word), object);
        return true;
      case CheckOp::kNop:
      case CheckOp::kPass:
      case CheckOp::kCheckAmbient:
      case CheckOp::kCheckObject:
      case CheckOp::kGroupBegin:
      case CheckOp::kGroupAdd:
      case CheckOp::kSlice:
      case CheckOp::kWordConst:
      case CheckOp::kWordSize:
      case CheckOp::kWordStride:
      case CheckOp::kWordOffset:
      case CheckOp::kWordInt:
      case CheckOp::kWordFact:
      case CheckOp::kWordAdd:
      case CheckOp::kWordSub:
      case CheckOp::kWordMul:
      case CheckOp::kWordFloorDiv:
      case CheckOp::kWordMod:
      case CheckOp::kWordMin:
      case CheckOp::kWordMax:
      case CheckOp::kWordEq:
      case CheckOp::kWordNe:
      case CheckOp::kWordLt:
      case CheckOp::kWordLe:
      case CheckOp::kWordAnd:
      case CheckOp::kWordOr:
      case CheckOp::kCheckTrue:
        return false;
    }
    return false;
  }

  void AddStep(size_t at) {
    const Instruction& in = code_[at];
    const model::Step step = guards::StepOf(in.op);
    if (model::IsRoot(step)) {
      if (varying_[at])
        return Emit(in, false);
      PyObject* object = TakeRoot(in, probe_);
      if (step == model::Step::kSymbol && object != nullptr) {
        memo_->words.From(0);
        if (WitnessSymbol(KeyOf(in.operand).value.text, object, memo_->words)) {
          registers_[in.a] = {.told = true, .object = object};
          return;
        }
      }
      registers_[in.a] = {.told = true, .object = object, .root = static_cast<uint32_t>(memo_->roots.size())};
      memo_->roots.push_back({static_cast<uint32_t>(at), object});
      return;
    }
    const Register from = registers_[in.b];
    PyObject* to = nullptr;
    memo_->words.From(from.root);
    if (!from.told || !TakeStep(step, from.object, in.operand, &to) || !WitnessStep(step, from.object, in.operand, to, memo_->words))
      return Emit(in, false);
    registers_[in.a] = {.told = true, .object = to, .root = from.root};
  }

  // Gives the index of its end.
  size_t AddSlice(size_t at) {
    const Instruction& begin = code_[at];
    const Register type = registers_[begin.a];
    const size_t end = slices_[begin.operand.word].end;
    if (type.told && PyType_Check(type.object) && memo_->words.Type(reinterpret_cast<PyTypeObject*>(type.object))) {
      for (size_t i = at + 1; i < end; ++i)
        if (guards::IsStepOp(code_[i].op))
          AddStep(i);
      return end;
    }
    const bool late = type.told || type.late;
    auto& list = late ? memo_->late : memo_->early;
    auto& slices = late ? memo_->late_slices : memo_->early_slices;
    const uint64_t index = slices.size();
    slices.emplace_back();
    for (size_t i = at; i <= end; ++i) {
      Instruction in = Renamed(code_[i]);
      if (i == at || i == end)
        in.operand = guards::Operand(index);
      else if (guards::IsStepOp(in.op))
        slices[index].outs.emplace_back(in.a, nullptr);
      list.push_back(in);
      if (guards::IsStepOp(code_[i].op))
        registers_[code_[i].a].late = late;
    }
    slices[index].end = static_cast<uint32_t>(list.size() - 1);
    return end;
  }

  // Members of a group are looked at in one go; a group that witnesses tell whole is left out.
  void FlushGroup() {
    const bool told = std::all_of(group_registers_.begin(), group_registers_.end(), [](const Register& r) { return r.told; });
    size_t member = 0;
    for (Instruction in : group_) {
      if (told)
        break;
      if (IsOp(in, CheckOp::kGroupAdd))
        in.a = PlaceOf(&group_registers_[member++]);
      memo_->late.push_back(in);
    }
    group_.clear();
    group_registers_.clear();
  }

  void Emit(const Instruction& in, bool late) {
    const Fields fields = FieldsOf(in);
    late = late || (fields.reads_a && IsLate(in.a)) || (fields.reads_b && IsLate(in.b));
    const Instruction renamed = Renamed(in);
    if (fields.writes_a)
      registers_[in.a].late = late;
    (late ? memo_->late : memo_->early).push_back(renamed);
  }

  bool IsLate(uint16_t at) const { return registers_[at].told || registers_[at].late; }

  Instruction Renamed(Instruction in) {
    const Fields fields = FieldsOf(in);
    if (fields.reads_b)
      in.b = PlaceOf(&registers_[in.b]);
    if (fields.reads_a)
      in.a = PlaceOf(&registers_[in.a]);
    if (fields.writes_a) {  // each has a place of its own, so that the order of what is left may change
      registers_[in.a] = {.place = NewPlace(nullptr)};
      in.a = static_cast<uint16_t>(registers_[in.a].place);
    }
    return in;
  }

  uint16_t PlaceOf(Register* reg) {
    if (reg->told && reg->place == 0)
      reg->place = NewPlace(reg->object);
    return static_cast<uint16_t>(reg->place);
  }

  uint32_t NewPlace(PyObject* object) {
    if (memo_->objects.empty())
      memo_->objects.push_back(nullptr);  // place 0 is nobody's
    memo_->objects.push_back(object);
    return static_cast<uint32_t>(memo_->objects.size() - 1);
  }

  const std::vector<Instruction>& code_;
  const std::vector<Program::Slice>& slices_;
  PyProbe& probe_;
  const std::vector<bool>& varying_;
  std::unique_ptr<Memo> memo_;
  std::vector<Register> registers_;
  std::vector<Instruction> group_;
  std::vector<Register> group_registers_;
};

}  // namespace

PyObject* TakeRoot(const Instruction& in, PyProbe& probe) noexcept {
  PyObject* to = nullptr;
  switch (guards::StepOf(in.op)) {
#define FRAMEGATE_STEP(number, name, text, shape, doc) \
  case model::Step::name:                              \
    if constexpr (model::IsRoot(model::Step::name))    \
      probe.Take<model::Step::name>(nullptr, in, &to); \
    break;
#include "model/steps.def"
#undef FRAMEGATE_STEP
  }
  return to;
}

bool Memo::WordsHold(const LiveFrame& frame) noexcept {
  if (!words.GainsByCalm())
    return words.Hold(false);
  const uint64_t now = CalmPeriod(frame);
  const bool hold = words.Hold(now != 0 && now == period);
  period = hold ? now : 0;
  return hold;
}

Told Memo::Evaluate(PyProbe& probe, guards::Scratch<PyProbe>& scratch, PyObject** all_kept) noexcept {
  if (has_tensors) {
    uint64_t keys[2];
    Torch()->thread_keys(keys);
    if (keys[0] != thread_keys[0] || keys[1] != thread_keys[1]) {
      stale_at = words.size();
      return Told::kStale;
    }
  }
  if (!guards::Run<PyProbe>({early.data(), early_slices.data(), objects.data(), scratch.words(), all_kept}, probe, scratch).pass)
    return Told::kFail;
  if (!WordsHold(probe.frame())) {
    stale_at = words.FirstBroken();
    return Told::kStale;
  }
  if (!guards::Run<PyProbe>({late.data(), late_slices.data(), objects.data(), scratch.words(), all_kept}, probe, scratch).pass)
    return Told::kFail;
  for (const auto& [place, object] : kept)
    all_kept[place] = object;
  return Told::kPass;
}

std::unique_ptr<Memo> Record(const guards::Linked<PyProbe>& program, PyProbe& probe, const std::vector<bool>& varying,
                             WitnessPolicy& policy) {
  return Recorder(program, probe, varying, policy).Run();
}

}  // namespace framegate::client
