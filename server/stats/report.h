// What the daemon says about itself, as plain values: what Stats and List carry, what the command
// line prints. Value types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace framegate::server {

struct TierReport {
  std::string name;
  std::string state;  // "ok", or why it is not used
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

struct MetricReport {
  std::string name;
  bool is_gauge = false;
  uint64_t value = 0;
  std::string doc;
};

struct SettingReport {
  std::string name;
  std::string value;
  std::string origin;  // default, flag, environment
};

struct DaemonReport {
  std::string build;
  std::string schema;  // 16 bytes
  uint64_t pid = 0;
  int64_t start_ms = 0;
  std::string socket;
  std::string cache_dir;
  std::string log_file;
  std::vector<TierReport> tiers;
  std::vector<MetricReport> metrics;
  std::vector<SettingReport> settings;
};

// One cached entry.
struct EntryReport {
  std::string key;   // hex
  std::string unit;  // what was translated
  std::string python;
  std::string torch;
  std::string content;  // what the answer is, in words
  uint64_t bytes = 0;
  uint64_t hits = 0;
  int64_t created_ms = 0;
  int64_t used_ms = 0;
  std::string material;  // encoded model::KeyMaterial; stays in the daemon
};

struct ListReport {
  std::vector<EntryReport> entries;
  uint64_t total = 0;
};

// What kept one entry from answering.
struct MissReport {
  std::string entry;
  std::string subject;  // a Python path, or the name of a part of the ambient state
  std::string expected;
  std::string seen;
  int32_t line = 0;  // of the user's code that made the check; 0: none did
};

// Why a unit was translated although entries for it were there.
struct WhyReport {
  int64_t when_ms = 0;
  std::string unit;
  std::string filename;
  int32_t line = 0;
  std::vector<MissReport> misses;  // the nearest entry first
};

// One guard of a stored entry.
struct GuardReport {
  std::string kind;
  std::string subject;  // as in MissReport
  std::string expected;
  int32_t line = 0;          // as in MissReport
  uint32_t nanoseconds = 0;  // about; steps that several guards take are the first one's
};

// What a stored entry checks.
struct GuardsReport {
  std::string unit;
  std::string content;  // what the answer is, in words
  std::string filename;
  int32_t line = 0;
  uint32_t nanoseconds = 0;  // about, of the whole program
  std::vector<GuardReport> guards;
};

struct ClearReport {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

}  // namespace framegate::server
