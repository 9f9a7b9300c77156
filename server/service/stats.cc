#include <unistd.h>

#include "server/service/report_wire.h"
#include "server/service/service.h"

namespace framegate::server {

Service::Unary* Service::Stats(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::StatsRequest, v1::StatsReply>(
      context, in, out, [this](const v1::StatsRequest&, v1::StatsReply* reply) -> absl::Status {
        stats_->Set(Metric::kResidentBytes, ResidentBytes());
        DaemonReport report{.build = FRAMEGATE_BUILD,
                            .schema = std::string(BytesOf(model::SchemaHash())),
                            .pid = static_cast<uint64_t>(getpid()),
                            .start_ms = start_ms_,
                            .socket = settings_.socket,
                            .cache_dir = settings_.cache_dir,
                            .log_file = settings_.log_file,
                            .tiers = cache_->Report(),
                            .settings = Describe(settings_)};
        for (const MetricRow& row : MetricRows())
          report.metrics.push_back({std::string(row.name), row.is_gauge, stats_->Get(row.metric), std::string(row.doc)});
        ToProto(report, reply);
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
