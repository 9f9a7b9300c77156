#include "server/log.h"

#include <grpc/support/log.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/strings.h"

namespace framegate::server {
namespace {

constexpr size_t kFileBytes = 8 << 20;
constexpr size_t kFiles = 3;

void TakeGrpcLine(gpr_log_func_args* line) {
  if (line->severity == GPR_LOG_SEVERITY_ERROR)
    spdlog::warn("grpc: {}", line->message);
}

}  // namespace

absl::Status OpenLog(const Settings& settings) {
  absl::Status status;
  std::vector<spdlog::sink_ptr> sinks;
  try {
    sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(settings.log_file, kFileBytes, kFiles));
  } catch (const spdlog::spdlog_ex& error) {
    status = absl::UnavailableError(StrCat("cannot write the log ", settings.log_file, ": ", std::string_view(error.what())));
  }
  if (settings.foreground || !status.ok())
    sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  auto logger = std::make_shared<spdlog::logger>("framegated", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::from_str(settings.log_level));
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %P %l %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(TakeGrpcLine);
  return status;
}

}  // namespace framegate::server
