#include "client_ext/transport/grpc_status.h"

#include <nghttp2/nghttp2.h>

#include "base/strings.h"

namespace framegate::client {

namespace {

constexpr uint32_t kLastGrpcCode = 16;

std::string DecodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t byte = 0;
    if (text[i] == '%' && i + 2 < text.size() && ParseInteger(text.substr(i + 1, 2), &byte, 16)) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace

absl::Status StatusOfTrailers(std::string_view grpc_status, std::string_view grpc_message) {
  uint32_t number = 0;
  if (!ParseInteger(grpc_status, &number) || number > kLastGrpcCode)
    return absl::InternalError(StrCat("grpc-status is \"", grpc_status, "\""));
  if (number == 0)
    return absl::OkStatus();
  auto code = static_cast<absl::StatusCode>(number);  // the numbers are the same
  if (code == absl::StatusCode::kCancelled)
    code = absl::StatusCode::kUnavailable;
  return absl::Status(code, DecodePercent(grpc_message));
}

absl::Status StatusOfReset(uint32_t http2_error, std::string_view http_status) {
  std::string text = StrCat("the stream ended with ", nghttp2_http2_strerror(http2_error), " and no status");
  if (!http_status.empty() && http_status != "200")
    return absl::UnavailableError(StrCat(text, "; HTTP ", http_status));
  switch (http2_error) {  // somebody else's numbers: a default is right
    case NGHTTP2_REFUSED_STREAM:
    case NGHTTP2_CANCEL:
    case NGHTTP2_NO_ERROR:
      return absl::UnavailableError(text);
    case NGHTTP2_ENHANCE_YOUR_CALM:
      return absl::ResourceExhaustedError(text);
    default:
      return absl::InternalError(text);
  }
}

std::string TimeoutText(std::chrono::milliseconds timeout) {
  constexpr int64_t kMost = 99'999'999;
  int64_t count = timeout.count() < 1 ? 1 : timeout.count();
  return count <= kMost ? StrCat(count, "m") : StrCat(count / 1000 <= kMost ? count / 1000 : kMost, "S");
}

}  // namespace framegate::client
