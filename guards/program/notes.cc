#include "guards/program/notes.h"

#include "base/strings.h"
#include "guards/program/program.h"
#include "guards/program/shape.h"
#include "guards/program/verify.h"

namespace framegate::guards {

namespace {

bool Is(const Instruction& in, CheckOp op) {
  return in.op == static_cast<uint8_t>(op);
}

// An optional step whose presence is no longer checked, but whose object is used: nothing found then is a failure of the step itself.
void RequireWhatIsUsed(Program* program, const std::vector<bool>& presence_dropped) {
  std::vector<int> optional_writer(program->objects, -1);
  for (size_t i = 0; i < program->instructions.size(); ++i) {
    Instruction& in = program->instructions[i];
    const Registers registers = RegistersOf(in);
    const bool tests_presence = Is(in, CheckOp::kCheckPresent) || Is(in, CheckOp::kCheckAbsent);
    for (uint16_t r : registers.reads_objects) {
      const int writer = optional_writer[r];
      if (!tests_presence && writer >= 0 && presence_dropped[static_cast<size_t>(writer)])
        program->instructions[static_cast<size_t>(writer)].sub &= static_cast<uint8_t>(~kOptional);
    }
    if (registers.writes_object >= 0)
      optional_writer[static_cast<size_t>(registers.writes_object)] = IsStepOp(in.op) && in.sub & kOptional ? static_cast<int>(i) : -1;
  }
}

// Marks which optional steps lose their check_present, then takes the checks away.
std::vector<bool> DropChecks(Program* program, const std::vector<bool>& drop) {
  std::vector<bool> presence_dropped(program->instructions.size(), false);
  std::vector<size_t> writer(program->objects, 0);
  for (size_t i = 0; i < program->instructions.size(); ++i) {
    Instruction& in = program->instructions[i];
    const Registers registers = RegistersOf(in);
    if (registers.writes_object >= 0)
      writer[static_cast<size_t>(registers.writes_object)] = i;
    if (!drop[i])
      continue;
    if (Is(in, CheckOp::kCheckPresent))
      presence_dropped[writer[in.a]] = true;
    in = {};
  }
  return presence_dropped;
}

// Backwards: steps and words whose register nothing reads before it is written again, and slices whose body is gone.
void DropUnused(Program* program) {
  std::vector<bool> object_used(program->objects, false), word_used(program->words, false);
  std::vector<uint32_t> live(program->instructions.size() + 1, 0);  // instructions left from a place on
  for (size_t i = program->instructions.size(); i-- > 0;) {
    Instruction& in = program->instructions[i];
    const Registers registers = RegistersOf(in);
    const bool unused = (registers.writes_object >= 0 && !object_used[static_cast<size_t>(registers.writes_object)]) ||
                        (registers.writes_word >= 0 && !word_used[static_cast<size_t>(registers.writes_word)]);
    if (unused || (Is(in, CheckOp::kSlice) && live[i + 1] == live[i + 1 + in.imm()]))
      in = {};
    live[i] = live[i + 1] + !Is(in, CheckOp::kNop);
    if (Is(in, CheckOp::kNop))
      continue;
    if (registers.writes_object >= 0)
      object_used[static_cast<size_t>(registers.writes_object)] = false;
    if (registers.writes_word >= 0)
      word_used[static_cast<size_t>(registers.writes_word)] = false;
    for (uint16_t r : registers.reads_objects)
      object_used[r] = true;
    for (uint16_t r : registers.reads_words)
      word_used[r] = true;
  }
}

}  // namespace

absl::StatusOr<std::string> WithoutNotes(std::string_view bytes, const std::vector<model::GuardNote>& notes,
                                         const std::vector<bool>& dropped) {
  ASSIGN_OR_RETURN(Program program, DecodeProgram(bytes));
  RETURN_IF_ERROR(Verify(program).ToStatus());
  if (dropped.size() != notes.size())
    return absl::InvalidArgumentError(StrCat(notes.size(), " notes, ", dropped.size(), " answers"));
  std::vector<bool> drop(program.instructions.size(), false);
  for (size_t n = 0; n < notes.size(); ++n) {
    if (notes[n].first > notes[n].last || notes[n].last > program.instructions.size())
      return absl::InvalidArgumentError(StrCat("note ", n, ": no such instructions"));
    for (uint32_t i = notes[n].first; dropped[n] && i < notes[n].last; ++i) {
      const uint8_t op = program.instructions[i].op;
      drop[i] = !IsStepOp(op) && op != static_cast<uint8_t>(CheckOp::kKeep) && op != static_cast<uint8_t>(CheckOp::kSlice) &&
                op != static_cast<uint8_t>(CheckOp::kPass);
    }
  }
  RequireWhatIsUsed(&program, DropChecks(&program, drop));
  DropUnused(&program);
  RETURN_IF_ERROR(Verify(program).ToStatus());
  return EncodeProgram(program);
}

int32_t LineOf(const std::vector<model::GuardNote>& notes, uint32_t instruction) {
  for (const model::GuardNote& note : notes)
    if (note.first <= instruction && instruction < note.last && note.line > 0)
      return note.line;
  return 0;
}

}  // namespace framegate::guards
