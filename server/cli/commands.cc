#include "server/cli/commands.h"

#include <stdio.h>

#include <map>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/strings.h"
#include "model/entry.h"
#include "server/service/calls.h"
#include "server/service/socket.h"
#include "server/settings.h"

namespace framegate::server {
namespace {

constexpr int kFailed = 1;
constexpr int kNotRunning = 3;
// Longer than a daemon may take to drain.
constexpr absl::Duration kStopPatience = absl::Seconds(15);

// What to print, and the exit status, where a call did not work.
int Explain(const absl::Status& status, const Place& place) {
  std::string text(status.message());
  if (status.code() != absl::StatusCode::kNotFound) {
    absl::PrintF("%s\nThe daemon's log may say more: %s\n", text, place.log_file);
    return kFailed;
  }
  absl::PrintF("%s.\n", text);
  absl::PrintF(
      "One is started by the first compiled call of a Python process, or by hand:\n  framegated "
      "--socket %s --cache-dir %s\n",
      place.socket, place.cache_dir);
  absl::PrintF("Why the last one ended: %s.lock; its log: %s\n", place.socket, place.log_file);
  return kNotRunning;
}

// False, and said so, where the place makes no sense.
bool IsGood(const Place& place) {
  if (!place.error.empty())
    absl::PrintF("%s\n", place.error);
  return place.error.empty();
}

uint64_t ValueOf(const DaemonReport& report, std::string_view name) {
  for (const MetricReport& metric : report.metrics)
    if (metric.name == name)
      return metric.value;
  return 0;
}

void PrintAdvice(const DaemonReport& report) {
  Hash128 schema = model::SchemaHash();
  if (report.schema != std::string_view(reinterpret_cast<const char*>(schema.bytes.data()), schema.bytes.size()))
    absl::PrintF(
        "\nIt is of another build than this command: clients of this build run uncompiled. Run "
        "`framegate stop`.\n");
  for (const TierReport& tier : report.tiers)
    if (tier.state != "ok" && tier.state != "off")
      absl::PrintF(
          "\nThe %s tier does not work: %s. Translations are not kept beyond this daemon until it "
          "does;\n"
          "look at the disk, or give another --cache-dir.\n",
          tier.name, tier.state);
  if (uint64_t refused = ValueOf(report, "units_quarantined"); refused > 0)
    absl::PrintF(
        "\n%d translations were refused because their code crashed the daemon before. Please "
        "report the log.\n",
        refused);
}

}  // namespace

Place PlaceOf(const std::string& socket, const std::string& cache_dir) {
  std::vector<std::string> flags(SettingRows().size());
  for (size_t i = 0; i < flags.size(); ++i)
    flags[i] = SettingRows()[i].name == "socket" ? socket : SettingRows()[i].name == "cache_dir" ? cache_dir : "";
  absl::StatusOr<Settings> settings = ReadSettings(flags);
  if (!settings.ok())
    return {.error = std::string(settings.status().message())};
  return {settings->socket, settings->cache_dir, settings->log_file};
}

int RunStatus(const Place& place) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<DaemonReport> report = DaemonCalls(place.socket).Stats();
  if (!report.ok())
    return Explain(report.status(), place);
  int64_t now = absl::ToUnixMillis(absl::Now());
  absl::PrintF("running   pid %d, for %s, build %s\n", report->pid, PrintAge(now - report->start_ms), report->build);
  absl::PrintF("socket    %s\ncache     %s\nlog       %s\n", report->socket, report->cache_dir, report->log_file);
  absl::PrintF("memory    %s\nclients   %d connected, %d translating\n", PrintBytes(ValueOf(*report, "resident_bytes")),
               ValueOf(*report, "connections"), ValueOf(*report, "translating"));
  absl::PrintF("work      %d translations, %d shared, %d lookups of which %d hit\n", ValueOf(*report, "translations"),
               ValueOf(*report, "translations_shared"), ValueOf(*report, "lookups"), ValueOf(*report, "lookup_hits"));
  for (const TierReport& tier : report->tiers)
    absl::PrintF("%-9s %s, %d entries, %s\n", tier.name, tier.state, tier.entries, PrintBytes(tier.bytes));
  PrintAdvice(*report);
  return 0;
}

int RunStats(const Place& place) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<DaemonReport> report = DaemonCalls(place.socket).Stats();
  if (!report.ok())
    return Explain(report.status(), place);
  for (const MetricReport& metric : report->metrics)
    absl::PrintF("%12d  %-24s %s\n", metric.value, metric.name, metric.doc);
  absl::PrintF("\n");
  for (const SettingReport& setting : report->settings)
    absl::PrintF("%-18s %s (%s)\n", setting.name, setting.value.empty() ? "-" : setting.value, setting.origin);
  return 0;
}

int RunStop(const Place& place) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<uint64_t> pid = DaemonCalls(place.socket).Shutdown("framegate stop");
  if (!pid.ok())
    return Explain(pid.status(), place);
  absl::Time deadline = absl::Now() + kStopPatience;
  while (IsLockedBy(place.socket, *pid)) {
    if (absl::Now() > deadline) {
      absl::PrintF("The daemon (pid %d) is still finishing. To end it at once: kill %d\n", *pid, *pid);
      return kFailed;
    }
    absl::SleepFor(absl::Milliseconds(5));
  }
  absl::PrintF("stopped   pid %d. Stored entries stay; the next process that needs a daemon starts one.\n", *pid);
  return 0;
}

int RunWhy(const Place& place, const std::string& function, uint32_t limit) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<std::vector<WhyReport>> reports = DaemonCalls(place.socket).Why(function, limit);
  if (!reports.ok())
    return Explain(reports.status(), place);
  if (reports->empty())
    absl::PrintF(
        "This daemon has translated nothing%s for want of an entry that fits. Its first translation of a function needs no reason;\n"
        "framegate.misses() tells of misses that asked for none (recompile_limit, stances).\n",
        function.empty() ? "" : StrCat(" called ", function));
  int64_t now = absl::ToUnixMillis(absl::Now());
  for (const WhyReport& report : *reports) {
    absl::PrintF("%s (%s:%d), %s ago: translated, since\n", report.unit, report.filename, report.line, PrintAge(now - report.when_ms));
    for (const MissReport& miss : report.misses)
      absl::PrintF("    %s wants %s to be %s%s;\n        it is %s\n", miss.entry, miss.subject, miss.expected,
                   miss.line > 0 ? StrCat(" (line ", miss.line, ")") : "", miss.seen);
  }
  return 0;
}

int RunGuards(const Place& place, const std::string& function, uint32_t limit) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<std::vector<GuardsReport>> reports = DaemonCalls(place.socket).Guards(function, limit);
  if (!reports.ok())
    return Explain(reports.status(), place);
  if (reports->empty())
    absl::PrintF("This daemon has no stored entry%s.\n", function.empty() ? "" : StrCat(" of a function called ", function));
  for (const GuardsReport& report : *reports) {
    absl::PrintF("%s (%s:%d), %s: %d guards, about %d ns where nothing is remembered of earlier calls\n", report.unit,
                 report.filename.empty() ? "?" : report.filename, report.line, report.content, report.guards.size(), report.nanoseconds);
    std::map<int32_t, uint32_t> by_line;
    for (const GuardReport& guard : report.guards)
      by_line[guard.line] += guard.nanoseconds;
    for (const auto& [line, nanoseconds] : by_line) {
      absl::PrintF("  %s, %d ns\n", line > 0 ? StrCat("line ", line) : "no line of yours", nanoseconds);
      for (const GuardReport& guard : report.guards)
        if (guard.line == line)
          absl::PrintF("    %5d ns  %-12s %s: %s\n", guard.nanoseconds, guard.kind, guard.subject, guard.expected);
    }
  }
  return 0;
}

int RunCacheList(const Place& place, uint32_t limit) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<ListReport> list = DaemonCalls(place.socket).List(limit);
  if (!list.ok())
    return Explain(list.status(), place);
  int64_t now = absl::ToUnixMillis(absl::Now());
  absl::PrintF("%-8s  %-10s  %5s  %9s  %-40s  %s\n", "key", "used", "hits", "size", "unit", "answer");
  for (const EntryReport& entry : list->entries)
    absl::PrintF("%-8s  %-10s  %5d  %9s  %-40s  %s\n", entry.key.substr(0, 8), PrintAge(now - entry.used_ms), entry.hits,
                 PrintBytes(entry.bytes), entry.unit, entry.content);
  absl::PrintF("%d of %d entries", list->entries.size(), list->total);
  absl::PrintF(list->entries.size() < list->total ? "; more with --limit\n" : "\n");
  return 0;
}

int RunCacheClear(const Place& place) {
  if (!IsGood(place))
    return kFailed;
  absl::StatusOr<ClearReport> cleared = DaemonCalls(place.socket).Clear();
  if (!cleared.ok())
    return Explain(cleared.status(), place);
  absl::PrintF(
      "%d entries (%s) are forgotten. Processes that have installed some keep them; others "
      "translate anew.\n",
      cleared->entries, PrintBytes(cleared->bytes));
  return 0;
}

std::string PrintBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? StrCat(bytes, " B") : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string PrintAge(int64_t milliseconds) {
  int64_t seconds = std::max<int64_t>(0, milliseconds / 1000);
  if (seconds < 120)
    return StrCat(seconds, " s");
  if (seconds < 2 * 3600)
    return StrCat(seconds / 60, " min");
  return seconds < 48 * 3600 ? StrCat(seconds / 3600, " h") : StrCat(seconds / 86400, " days");
}

}  // namespace framegate::server
