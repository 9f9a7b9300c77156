// The daemon's settings: one row each in settings.def, from flags and the environment. A value
// type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/stats/report.h"

namespace framegate::server {

struct Settings {
  using Text = std::string;
  using Count = uint64_t;
  using Seconds = double;
  using Switch = bool;
#define FRAMEGATE_SETTING(field, type, value, flag, variable, doc) type field = value;
#include "server/settings.def"
#undef FRAMEGATE_SETTING

  // Parallel to SettingRows(): "default", "flag" or "environment".
  std::vector<std::string> origins;
};

struct SettingRow {
  std::string_view name;
  std::string_view flag;
  std::string_view variable;
  std::string_view doc;
  bool is_switch;
  // InvalidArgument where `text` is no value of the setting's type.
  std::function<absl::Status(std::string_view text, Settings*)> assign;
  std::function<std::string(const Settings&)> print;
};

// In the order of settings.def.
const std::vector<SettingRow>& SettingRows();

// `flags` holds the text of each flag that was given, "" for the others, parallel to SettingRows();
// an empty variable counts as unset. InvalidArgument names the flag or variable. Fills in the
// defaults that depend on the machine: socket, cache_dir, log_file.
absl::StatusOr<Settings> ReadSettings(const std::vector<std::string>& flags);

std::vector<SettingReport> Describe(const Settings& settings);

}  // namespace framegate::server
