#include "client_ext/dispatch/unsafe.h"

#include <algorithm>

#include "client_ext/dispatch/subjects.h"
#include "guards/program/notes.h"

namespace framegate::client {

namespace {

bool IsArgument(const model::Entry& entry, model::SubjectId id) {
  return id < entry.subjects.size() && (entry.subjects[id].step == model::Step::kSlot || entry.subjects[id].step == model::Step::kStack);
}

bool Stays(const Site& site, const model::Entry& entry, const model::GuardNote& note,
           const std::vector<std::vector<std::string>>& slot_names) {
  if (note.subject >= entry.subjects.size())  // state of the thread
    return true;
  if (note.torch_kind == "TENSOR_MATCH" && IsArgument(entry, note.subject))
    return true;
  return std::binary_search(site.separating.begin(), site.separating.end(), model::SubjectPath(entry.subjects, note.subject, slot_names));
}

// Null where they cannot be made: the entry is then not used.
CheckProgram* ReducedChecks(const Site& site, Installed& installed, const LiveUnit& live) {
  if (installed.reduced != nullptr && installed.reduced_for == site.separating.size())
    return installed.reduced.get();
  const model::Entry& entry = *installed.entry;
  const auto slot_names = SlotNames(live);
  std::vector<bool> dropped;
  for (const model::GuardNote& note : entry.guards)
    dropped.push_back(!Stays(site, entry, note, slot_names));
  const auto program = guards::WithoutNotes(guards::EncodeProgram(installed.checks->program()), entry.guards, dropped);
  auto checks = program.ok() ? CheckProgram::Link(*program, nullptr) : program.status();
  installed.reduced = checks.ok() ? *std::move(checks) : nullptr;
  installed.reduced_for = site.separating.size();
  return installed.reduced.get();
}

}  // namespace

Installed* FindUnsafe(Site& site, const LiveUnit& live, PyObject** kept) {
  for (const auto& entry : site.entries) {
    const CheckProgram* checks = ReducedChecks(site, *entry, live);
    if (checks != nullptr && checks->Evaluate(live.frames.data(), live.frames.size(), kept).pass)
      return entry.get();
  }
  return nullptr;
}

}  // namespace framegate::client
