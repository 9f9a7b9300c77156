#include "client_ext/dispatch/misses.h"

#include <algorithm>

#include "client_ext/dispatch/subjects.h"
#include "client_ext/region/stats.h"

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

// Whether the check compared a size or an int that is another one now, all else equal: what may become symbolic.
bool OnlyNumberDiffers(const Installed& entry, const Program& program, const Instruction& in, model::SubjectId subject,
                       const LiveUnit& live) {
  if (!guards::IsFactOp(in.op) || (in.sub & guards::kUnknown))
    return false;
  const auto& subjects = entry.entry->subjects;
  if (guards::FactOf(in.op) == model::Fact::kTensor) {
    guards::TensorCheck check = program.tensors[in.imm()];
    for (uint32_t dimension = 0; dimension < check.facts.sizes.size(); ++dimension) {
      check.free_sizes.push_back(dimension);
      check.free_strides.push_back(dimension);
    }
    for (auto* dimensions : {&check.free_sizes, &check.free_strides}) {
      std::sort(dimensions->begin(), dimensions->end());
      dimensions->erase(std::unique(dimensions->begin(), dimensions->end()), dimensions->end());
    }
    return TensorPasses(subjects, subject, check, live);
  }
  if (guards::FactOf(in.op) != model::Fact::kValue || !program.constants[in.imm()].is_int())
    return false;
  PyObject* object = FindSubject(subjects, subject, live);
  return object != nullptr && PyLong_CheckExact(object);
}

void AddSorted(std::vector<std::string>* texts, std::string text) {
  const auto at = std::lower_bound(texts->begin(), texts->end(), text);
  if (at == texts->end() || *at != text)
    texts->insert(at, std::move(text));
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
    if (OnlyNumberDiffers(*entry, program, in, miss.subject, live))
      AddSorted(&site.dynamic_subjects, subject);
    AddSorted(&site.separating, subject);
    AddMiss({NameOf(live), entry->id, subject, miss.expected, miss.actual});
    ++count;
  }
  return count;
}

}  // namespace framegate::client
