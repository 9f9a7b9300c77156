#include "server/stats/stats.h"

#include <unistd.h>

#include <cstdio>

namespace framegate::server {
namespace {

constexpr bool Counter = false;
constexpr bool Gauge = true;

}  // namespace

const std::vector<MetricRow>& MetricRows() {
  static const auto* rows = new std::vector<MetricRow>{
#define FRAMEGATE_METRIC(number, name, kind, text, doc) {Metric::name, text, kind, doc},
#include "server/stats/metrics.def"
#undef FRAMEGATE_METRIC
  };
  return *rows;
}

uint64_t ResidentBytes() {
  unsigned long pages = 0, resident = 0;
  if (FILE* file = fopen("/proc/self/statm", "re")) {
    if (fscanf(file, "%lu %lu", &pages, &resident) != 2)
      resident = 0;
    fclose(file);
  }
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace framegate::server
