// Reports of stats/report.h to and from their messages. Thread-safe: pure functions.
#pragma once

#include "framegate/v1/framegate.pb.h"

#include "server/stats/report.h"

namespace framegate::server {

void ToProto(const DaemonReport& report, v1::StatsReply* message);
DaemonReport FromProto(const v1::StatsReply& message);

void ToProto(const ListReport& report, v1::ListReply* message);
ListReport FromProto(const v1::ListReply& message);

void ToProto(const std::vector<WhyReport>& reports, v1::WhyReply* message);
std::vector<WhyReport> FromProto(const v1::WhyReply& message);
void ToProto(const std::vector<GuardsReport>& reports, v1::GuardsReply* message);
std::vector<GuardsReport> FromProto(const v1::GuardsReply& message);
MissReport FromProto(const v1::Miss& message);

void ToProto(const ClearReport& report, v1::ClearReply* message);
ClearReport FromProto(const v1::ClearReply& message);

}  // namespace framegate::server
