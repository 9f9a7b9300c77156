#include <algorithm>
#include <utility>

#include "guards/program/program.h"
#include "server/engine/engine.h"

namespace framegate::server {
namespace {

constexpr size_t kMostListed = 100'000;

uint32_t CostOf(const guards::Program& program, uint32_t first, uint32_t last) {
  uint32_t cost = 0;
  for (uint32_t i = first; i < std::min<size_t>(last, program.instructions.size()); ++i)
    cost += guards::CostOf(program.instructions[i].op);
  return cost;
}

// `slots`: names of the slots, frame by frame; those that are missing have numbers.
std::vector<GuardReport> GuardsOf(const model::Entry& entry, const guards::Program& program,
                                  const std::vector<std::vector<std::string>>& slots) {
  std::vector<std::pair<uint32_t, GuardReport>> guards;
  for (const model::GuardNote& note : entry.guards) {
    GuardReport guard{
        .kind = note.kind, .expected = note.expected, .line = note.line, .nanoseconds = CostOf(program, note.first, note.last)};
    if (note.subject < entry.subjects.size())
      guard.subject = model::SubjectPath(entry.subjects, note.subject, slots);
    else if (note.first < program.instructions.size() && note.kind == "ambient_is")
      guard.subject = EnumText(static_cast<model::AmbientPart>(program.instructions[note.first].sub));
    guards.emplace_back(note.first, std::move(guard));
  }
  std::stable_sort(guards.begin(), guards.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GuardReport> reports;
  for (auto& [first, guard] : guards)
    reports.push_back(std::move(guard));
  return reports;
}

}  // namespace

std::vector<GuardsReport> Engine::Guards(std::string_view function, size_t limit) const {
  std::vector<GuardsReport> reports;
  std::vector<std::string> seen;
  for (const EntryReport& listed : cache_->List(kMostListed).entries) {
    model::KeyMaterial material;
    if (!IsOfName(listed.unit, function) || std::find(seen.begin(), seen.end(), listed.key) != seen.end() ||
        !Decode(listed.material, &material).ok())
      continue;
    seen.push_back(listed.key);
    const std::shared_ptr<const model::CodeImage> root = RootOf(material.unit);
    for (const EntryPtr& stored : cache_->All(KeyOfMaterial(material))) {
      model::Entry entry;
      const absl::StatusOr<guards::Program> program = guards::DecodeProgram(stored->program);
      if (!program.ok() || !Decode(stored->bytes, &entry).ok())
        continue;
      GuardsReport& report = reports.emplace_back();
      report.unit = stored->unit;
      report.content = stored->summary;
      report.nanoseconds = CostOf(*program, 0, static_cast<uint32_t>(program->instructions.size()));
      std::vector<std::vector<std::string>> slots;
      if (root != nullptr) {
        report.filename = root->filename;
        report.line = root->firstlineno;
        slots.push_back(root->localsplusnames);
      }
      report.guards = GuardsOf(entry, *program, slots);
      if (reports.size() == limit)
        return reports;
    }
  }
  return reports;
}

}  // namespace framegate::server
