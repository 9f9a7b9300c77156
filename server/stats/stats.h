// Counters and gauges of the daemon. One object per daemon, owned by it and handed down.
// Thread-safe; an update is one relaxed atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace framegate::server {

enum class Metric : uint8_t {
#define FRAMEGATE_METRIC(number, name, kind, text, doc) name = number,
#include "server/stats/metrics.def"
#undef FRAMEGATE_METRIC
};

struct MetricRow {
  Metric metric;
  std::string_view name;
  bool is_gauge;
  std::string_view doc;
};

// In the order of metrics.def.
const std::vector<MetricRow>& MetricRows();

class Stats {
 public:
  void Add(Metric metric, uint64_t count = 1) { At(metric).fetch_add(count, std::memory_order_relaxed); }

  // Of gauges.
  void Subtract(Metric metric, uint64_t count = 1) { At(metric).fetch_sub(count, std::memory_order_relaxed); }

  void Set(Metric metric, uint64_t value) { At(metric).store(value, std::memory_order_relaxed); }

  uint64_t Get(Metric metric) const { return values_[static_cast<size_t>(metric)].load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t>& At(Metric metric) { return values_[static_cast<size_t>(metric)]; }

  std::array<std::atomic<uint64_t>, 256> values_{};
};

// Of this process, from /proc; 0 where it cannot be read.
uint64_t ResidentBytes();

}  // namespace framegate::server
