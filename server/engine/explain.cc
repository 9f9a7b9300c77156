#include "server/engine/explain.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "base/strings.h"
#include "guards/program/notes.h"
#include "server/engine/engine.h"

namespace framegate::server {
namespace {

constexpr size_t kMostExplained = 8;

}  // namespace

std::string NameOf(const model::Unit& unit, const model::CodeImage* root) {
  if (unit.frames.empty())
    return "nothing";
  const model::UnitFrame& frame = unit.frames[0];
  const std::string name = root != nullptr ? root->qualname : frame.code.Hex();
  return unit.continuation ? StrCat(name, "+", frame.offset) : name;
}

MissReport ReportOf(const model::Entry& entry, std::string name, const guards::Failure& failure, const model::CodeImage* root) {
  std::vector<std::vector<std::string>> slots;
  if (root != nullptr)
    slots.push_back(root->localsplusnames);
  MissReport miss{.entry = std::move(name), .subject = failure.ambient, .expected = failure.expected, .seen = failure.seen};
  if (miss.subject.empty() && failure.subject < entry.subjects.size())
    miss.subject = model::SubjectPath(entry.subjects, failure.subject, slots);
  miss.line = guards::LineOf(entry.guards, failure.instruction);
  return miss;
}

std::shared_ptr<const model::CodeImage> Engine::RootOf(const model::Unit& unit) const {
  return unit.frames.empty() ? nullptr : doors_.code(unit.frames[0].code);
}

std::vector<MissReport> Engine::MissesOfStored(Ticket* leader, const Result& result, const model::CodeImage* root) {
  std::vector<std::pair<double, MissReport>> misses;  // by how much of the program is not reached
  for (const EntryPtr& stored : cache_->Nearest(leader->key())) {
    if (stored == result.entry)
      continue;
    const ProgramReader::Explained failure = doors_.programs.explain(leader->known(), stored->program);
    model::Entry entry;
    if (!failure.ok() || !*failure || !Decode(stored->bytes, &entry).ok())
      continue;
    const double left = 1 - static_cast<double>((*failure)->instruction) / std::max(1u, (*failure)->length);
    misses.emplace_back(left, ReportOf(entry, StrCat("a stored entry, ", stored->summary), **failure, root));
    if (misses.size() == kMostExplained)
      break;
  }
  std::stable_sort(misses.begin(), misses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<MissReport> reports;
  for (auto& [left, miss] : misses)
    reports.push_back(std::move(miss));
  return reports;
}

void Engine::Explain(Ticket* leader, const Result& result) {
  if (result.entry == nullptr || result.shared)
    return;
  const OpenRequest& open = leader->open();
  const std::shared_ptr<const model::CodeImage> root = RootOf(open.material.unit);
  WhyReport report{.when_ms = absl::ToUnixMillis(absl::Now()), .unit = NameOf(open.material.unit, root.get()), .misses = open.misses};
  if (root != nullptr) {
    report.filename = root->filename;
    report.line = root->firstlineno;
  }
  if (report.misses.empty())
    report.misses = MissesOfStored(leader, result, root.get());
  if (!report.misses.empty())
    why_.Add(std::move(report));
}

}  // namespace framegate::server
