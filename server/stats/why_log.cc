#include "server/stats/why_log.h"

#include <utility>

namespace framegate::server {

bool IsOfName(std::string_view unit, std::string_view function) {
  if (function.empty())
    return true;
  unit = unit.substr(0, unit.rfind('+'));
  if (!unit.ends_with(function))
    return false;
  return unit.size() == function.size() || unit[unit.size() - function.size() - 1] == '.';
}

void WhyLog::Add(WhyReport report) {
  absl::MutexLock lock(&mutex_);
  reports_.push_back(std::move(report));
  if (reports_.size() > kMost)
    reports_.pop_front();
}

std::vector<WhyReport> WhyLog::Find(std::string_view function, size_t limit) const {
  absl::MutexLock lock(&mutex_);
  std::vector<WhyReport> found;
  for (auto report = reports_.rbegin(); report != reports_.rend() && found.size() < limit; ++report)
    if (IsOfName(report->unit, function))
      found.push_back(*report);
  return found;
}

}  // namespace framegate::server
