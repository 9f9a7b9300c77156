#include "server/settings.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/socket_path.h"
#include "base/strings.h"
#include "model/entry.h"

namespace framegate::server {
namespace {

absl::Status ParseValue(std::string_view text, std::string* value) {
  *value = std::string(text);
  return absl::OkStatus();
}

absl::Status ParseValue(std::string_view text, uint64_t* value) {
  return ParseInteger(text, value) ? absl::OkStatus() : absl::InvalidArgumentError("is not a whole number");
}

absl::Status ParseValue(std::string_view text, double* value) {
  std::string copy(text);
  char* end = nullptr;
  double number = strtod(copy.c_str(), &end);
  if (end == copy.c_str() || *end != '\0' || !isfinite(number) || number < 0)
    return absl::InvalidArgumentError("is not a number of seconds");
  *value = number;
  return absl::OkStatus();
}

absl::Status ParseValue(std::string_view text, bool* value) {
  *value = text == "1" || text == "true" || text == "yes" || text == "on";
  if (*value || text == "0" || text == "false" || text == "no" || text == "off")
    return absl::OkStatus();
  return absl::InvalidArgumentError("is neither yes nor no");
}

std::string PrintValue(const std::string& value) {
  return value;
}

std::string PrintValue(uint64_t value) {
  return StrCat(value);
}

std::string PrintValue(double value) {
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string PrintValue(bool value) {
  return value ? "yes" : "no";
}

std::string DefaultCacheDirectory() {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/')
    return StrCat(cache, "/framegate");
  const char* home = getenv("HOME");
  if (home != nullptr && home[0] == '/')
    return StrCat(home, "/.cache/framegate");
  return StrCat("/tmp/framegate-", geteuid(), "/cache");
}

// The daemon leaves its working directory.
absl::Status MakeAbsolute(std::string* path) {
  char here[4096];
  if ((*path)[0] == '/')
    return absl::OkStatus();
  if (getcwd(here, sizeof here) == nullptr)
    return absl::InvalidArgumentError(StrCat(*path, " is relative, and the working directory is gone; give an absolute path"));
  *path = StrCat(std::string_view(here), "/", *path);
  return absl::OkStatus();
}

absl::Status OneOf(std::string_view name, const std::string& value, const std::vector<std::string>& allowed) {
  for (const std::string& word : allowed)
    if (word == value)
      return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(name, "=", value, ": give one of ", StrJoin(allowed, ", ")));
}

}  // namespace

const std::vector<SettingRow>& SettingRows() {
  static const auto* rows = new std::vector<SettingRow>{
#define FRAMEGATE_SETTING(field, type, value, flag, variable, doc)                               \
  {#field,                                                                                       \
   flag,                                                                                         \
   variable,                                                                                     \
   doc,                                                                                          \
   std::is_same_v<Settings::type, bool>,                                                         \
   [](std::string_view text, Settings* settings) { return ParseValue(text, &settings->field); }, \
   [](const Settings& settings) { return PrintValue(settings.field); }},
#include "server/settings.def"
#undef FRAMEGATE_SETTING
  };
  return *rows;
}

absl::StatusOr<Settings> ReadSettings(const std::vector<std::string>& flags) {
  Settings settings;
  const std::vector<SettingRow>& rows = SettingRows();
  for (size_t i = 0; i < rows.size(); ++i) {
    const char* variable = getenv(std::string(rows[i].variable).c_str());
    bool by_flag = !flags[i].empty();
    bool by_variable = !by_flag && variable != nullptr && variable[0] != '\0';
    std::string text = by_flag ? flags[i] : by_variable ? variable : "";
    settings.origins.push_back(by_flag ? "flag" : by_variable ? "environment" : "default");
    if (!by_flag && !by_variable)
      continue;
    if (absl::Status status = rows[i].assign(text, &settings); !status.ok())
      return absl::InvalidArgumentError(StrCat(by_flag ? rows[i].flag : rows[i].variable, "=", text, " ", std::string(status.message())));
  }
  RETURN_IF_ERROR(OneOf("store", settings.store, {"rw", "ro", "off"}));
  RETURN_IF_ERROR(OneOf("log_level", settings.log_level, {"debug", "info", "warning", "error", "off"}));
  // The flag goes the way of the variable, so that both are made absolute and measured alike.
  if (!settings.socket.empty())
    setenv("FRAMEGATE_SOCKET", settings.socket.c_str(), 1);
  ASSIGN_OR_RETURN(settings.socket, SocketPath(model::SchemaHash()));
  if (settings.cache_dir.empty())
    settings.cache_dir = DefaultCacheDirectory();
  RETURN_IF_ERROR(MakeAbsolute(&settings.cache_dir));
  if (settings.log_file.empty())
    settings.log_file = settings.cache_dir + "/framegated.log";
  RETURN_IF_ERROR(MakeAbsolute(&settings.log_file));
  return settings;
}

std::vector<SettingReport> Describe(const Settings& settings) {
  std::vector<SettingReport> reports;
  const std::vector<SettingRow>& rows = SettingRows();
  for (size_t i = 0; i < rows.size(); ++i)
    reports.push_back({std::string(rows[i].name), rows[i].print(settings), i < settings.origins.size() ? settings.origins[i] : "default"});
  return reports;
}

}  // namespace framegate::server
