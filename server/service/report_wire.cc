#include "server/service/report_wire.h"

namespace framegate::server {

void ToProto(const DaemonReport& report, v1::StatsReply* message) {
  message->set_server_build(report.build);
  message->set_schema_hash(report.schema);
  message->set_pid(report.pid);
  message->set_start_time_ms(static_cast<uint64_t>(report.start_ms));
  message->set_socket(report.socket);
  message->set_cache_dir(report.cache_dir);
  message->set_log_file(report.log_file);
  for (const TierReport& tier : report.tiers) {
    v1::Tier* out = message->add_tiers();
    out->set_name(tier.name);
    out->set_state(tier.state);
    out->set_entries(tier.entries);
    out->set_bytes(tier.bytes);
  }
  for (const MetricReport& metric : report.metrics) {
    v1::Metric* out = message->add_metrics();
    out->set_name(metric.name);
    out->set_kind(metric.is_gauge ? "gauge" : "counter");
    out->set_value(metric.value);
    out->set_doc(metric.doc);
  }
  for (const SettingReport& setting : report.settings) {
    v1::Setting* out = message->add_settings();
    out->set_name(setting.name);
    out->set_value(setting.value);
    out->set_origin(setting.origin);
  }
}

DaemonReport FromProto(const v1::StatsReply& message) {
  DaemonReport report;
  report.build = message.server_build();
  report.schema = message.schema_hash();
  report.pid = message.pid();
  report.start_ms = static_cast<int64_t>(message.start_time_ms());
  report.socket = message.socket();
  report.cache_dir = message.cache_dir();
  report.log_file = message.log_file();
  for (const v1::Tier& tier : message.tiers())
    report.tiers.push_back({tier.name(), tier.state(), tier.entries(), tier.bytes()});
  for (const v1::Metric& metric : message.metrics())
    report.metrics.push_back({metric.name(), metric.kind() == "gauge", metric.value(), metric.doc()});
  for (const v1::Setting& setting : message.settings())
    report.settings.push_back({setting.name(), setting.value(), setting.origin()});
  return report;
}

void ToProto(const ListReport& report, v1::ListReply* message) {
  message->set_total(report.total);
  for (const EntryReport& entry : report.entries) {
    v1::Record* out = message->add_records();
    out->set_key(entry.key);
    out->set_unit(entry.unit);
    out->set_python(entry.python);
    out->set_torch(entry.torch);
    out->set_content(entry.content);
    out->set_bytes(entry.bytes);
    out->set_hits(entry.hits);
    out->set_created_ms(static_cast<uint64_t>(entry.created_ms));
    out->set_used_ms(static_cast<uint64_t>(entry.used_ms));
  }
}

ListReport FromProto(const v1::ListReply& message) {
  ListReport report{.total = message.total()};
  for (const v1::Record& record : message.records())
    report.entries.push_back({record.key(), record.unit(), record.python(), record.torch(), record.content(), record.bytes(), record.hits(),
                              static_cast<int64_t>(record.created_ms()), static_cast<int64_t>(record.used_ms())});
  return report;
}

void ToProto(const std::vector<WhyReport>& reports, v1::WhyReply* message) {
  for (const WhyReport& report : reports) {
    v1::Why* out = message->add_records();
    out->set_when_ms(static_cast<uint64_t>(report.when_ms));
    out->set_unit(report.unit);
    out->set_filename(report.filename);
    out->set_line(report.line);
    for (const MissReport& miss : report.misses) {
      v1::Miss* to = out->add_misses();
      to->set_entry(miss.entry);
      to->set_subject(miss.subject);
      to->set_expected(miss.expected);
      to->set_seen(miss.seen);
      to->set_line(miss.line);
    }
  }
}

std::vector<WhyReport> FromProto(const v1::WhyReply& message) {
  std::vector<WhyReport> reports;
  for (const v1::Why& why : message.records()) {
    WhyReport& report = reports.emplace_back(WhyReport{static_cast<int64_t>(why.when_ms()), why.unit(), why.filename(), why.line(), {}});
    for (const v1::Miss& miss : why.misses())
      report.misses.push_back(FromProto(miss));
  }
  return reports;
}

MissReport FromProto(const v1::Miss& message) {
  return {message.entry(), message.subject(), message.expected(), message.seen(), message.line()};
}

void ToProto(const std::vector<GuardsReport>& reports, v1::GuardsReply* message) {
  for (const GuardsReport& report : reports) {
    v1::GuardedEntry* out = message->add_records();
    out->set_unit(report.unit);
    out->set_content(report.content);
    out->set_filename(report.filename);
    out->set_line(report.line);
    out->set_nanoseconds(report.nanoseconds);
    for (const GuardReport& guard : report.guards) {
      v1::Guard* to = out->add_guards();
      to->set_kind(guard.kind);
      to->set_subject(guard.subject);
      to->set_expected(guard.expected);
      to->set_line(guard.line);
      to->set_nanoseconds(guard.nanoseconds);
    }
  }
}

std::vector<GuardsReport> FromProto(const v1::GuardsReply& message) {
  std::vector<GuardsReport> reports;
  for (const v1::GuardedEntry& entry : message.records()) {
    GuardsReport& report =
        reports.emplace_back(GuardsReport{entry.unit(), entry.content(), entry.filename(), entry.line(), entry.nanoseconds(), {}});
    for (const v1::Guard& guard : entry.guards())
      report.guards.push_back({guard.kind(), guard.subject(), guard.expected(), guard.line(), guard.nanoseconds()});
  }
  return reports;
}

void ToProto(const ClearReport& report, v1::ClearReply* message) {
  message->set_entries(report.entries);
  message->set_bytes(report.bytes);
}

ClearReport FromProto(const v1::ClearReply& message) {
  return {.entries = message.entries(), .bytes = message.bytes()};
}

}  // namespace framegate::server
