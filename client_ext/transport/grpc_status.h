// What gRPC's trailers and HTTP/2's error codes mean as absl::Status. Pure functions; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace framegate::client {

// From the values of grpc-status and grpc-message (percent-encoded). A remote CANCELLED becomes Unavailable: here Cancelled means that a
// signal of this process ended the wait. Unknown numbers are Internal.
absl::Status StatusOfTrailers(std::string_view grpc_status, std::string_view grpc_message);

// Of a stream that ended without trailers: by its RST_STREAM or GOAWAY code and its HTTP status ("" where there was none).
absl::Status StatusOfReset(uint32_t http2_error, std::string_view http_status);

// The value of grpc-timeout; at most 8 digits.
std::string TimeoutText(std::chrono::milliseconds timeout);

}  // namespace framegate::client
