#include "client_ext/dispatch/misses.h"

#include <algorithm>

#include "base/strings.h"
#include "client_ext/dispatch/subjects.h"
#include "client_ext/region/stats.h"
#include "guards/program/notes.h"

namespace framegate::client {

namespace {

using guards::CheckOp;
using guards::Instruction;
using guards::Program;

std::string NameOf(const LiveUnit& live) {
  const char* name = PyUnicode_AsUTF8(live.frames.front().code->co_qualname);
  if (name == nullptr)
    PyErr_Clear();
  return name == nullptr ? "?" : name;
}

std::string SubjectName(const Installed& entry, const Instruction& in, model::SubjectId subject, const LiveUnit& live) {
  if (in.op == static_cast<uint8_t>(CheckOp::kCheckAmbient))
    return std::string(model::EnumText(static_cast<model::AmbientPart>(in.sub)));
  if (subject >= entry.entry->subjects.size())
    return "";
  return model::SubjectPath(entry.entry->subjects, subject, SlotNames(live));
}

// The check with all strides free, and all sizes but one.
guards::TensorCheck FreedBut(const guards::TensorCheck& check, uint32_t compared) {
  guards::TensorCheck freed = check;
  freed.free_strides.clear();
  for (uint32_t dimension = 0; dimension < check.facts.sizes.size(); ++dimension) {
    freed.free_strides.push_back(dimension);
    if (dimension != compared)
      freed.free_sizes.push_back(dimension);
  }
  std::sort(freed.free_sizes.begin(), freed.free_sizes.end());
  freed.free_sizes.erase(std::unique(freed.free_sizes.begin(), freed.free_sizes.end()), freed.free_sizes.end());
  return freed;
}

// Where the check compared sizes or a number that are others now, all else equal: what may become symbolic, `subject` for a number and
// `subject#dimension` for a size.
std::vector<std::string> Changed(const Installed& entry, const Program& program, const Instruction& in, model::SubjectId subject,
                                 const std::string& name, const LiveUnit& live) {
  std::vector<std::string> changed;
  if (!guards::IsFactOp(in.op) || (in.sub & guards::kUnknown))
    return changed;
  const auto& subjects = entry.entry->subjects;
  if (guards::FactOf(in.op) == model::Fact::kTensor) {
    const guards::TensorCheck& check = program.tensors[in.imm()];
    const auto rank = static_cast<uint32_t>(check.facts.sizes.size());
    if (!TensorPasses(subjects, subject, FreedBut(check, rank), live))
      return changed;
    for (uint32_t dimension = 0; dimension < rank; ++dimension)
      if (!TensorPasses(subjects, subject, FreedBut(check, dimension), live))
        changed.push_back(StrCat(name, "#", dimension));
    return changed;
  }
  if (guards::FactOf(in.op) != model::Fact::kValue)
    return changed;
  const model::Constant& before = program.constants[in.imm()];
  PyObject* object = FindSubject(subjects, subject, live);
  if (object != nullptr && PyFloat_CheckExact(object) && before.kind == model::ConstantKind::kFloat &&
      PyFloat_AS_DOUBLE(object) != before.real)
    changed.push_back(name);
  if (object == nullptr || !PyLong_CheckExact(object) || !before.is_int())
    return changed;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0 && value != before.integer)
    changed.push_back(name);
  return changed;
}

// All sizes and numbers that differ from what the entry was made for, not only the first.
void RecordChanged(Site& site, const Installed& entry, const LiveUnit& live) {
  const Program& program = entry.checks->program();
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& in = program.instructions[i];
    const model::SubjectId subject = program.subjects[i];
    if (!guards::IsFactOp(in.op) || subject >= entry.entry->subjects.size())
      continue;
    const std::string name = SubjectName(entry, in, subject, live);
    for (std::string& changed : Changed(entry, program, in, subject, name, live))
      site.AddDynamic(std::move(changed));
  }
}

}  // namespace

size_t RecordMisses(Site& site, const LiveUnit& live) {
  size_t count = 0;
  for (const auto& entry : site.entries) {
    const guards::Verdict verdict = entry->checks->Evaluate(live.frames.data(), live.frames.size(), KeptObjects());
    if (verdict.pass)
      continue;
    const CheckProgram::Miss miss = entry->checks->Explain(verdict.instruction, live.frames.data(), live.frames.size());
    const Program& program = entry->checks->program();
    const Instruction& in = program.instructions[verdict.instruction];
    const std::string subject = SubjectName(*entry, in, miss.subject, live);
    RecordChanged(site, *entry, live);
    site.AddSeparating(subject);
    AddMiss({NameOf(live), entry->id, subject, miss.expected, miss.actual, guards::LineOf(entry->entry->guards, verdict.instruction)});
    ++count;
  }
  return count;
}

}  // namespace framegate::client
