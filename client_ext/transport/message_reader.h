// gRPC's framing of messages inside a stream: one byte "compressed", four bytes of length, the message. Value type. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace framegate::client {

// The five bytes before a message.
std::string MessagePrefix(size_t size);

class MessageReader {
 public:
  explicit MessageReader(size_t limit) : limit_(limit) {}

  // Takes bytes as they come. ResourceExhausted: a message over the limit; Internal: a compressed one (we ask for none).
  absl::Status Feed(std::string_view bytes);
  // The oldest whole message.
  std::optional<std::string> Take();

  bool has_whole() const { return !whole_.empty(); }

  // False while a message has begun and not ended.
  bool between_messages() const { return prefix_.empty(); }

 private:
  absl::Status BeginMessage();

  size_t limit_;
  std::string prefix_;
  std::string message_;  // grows as bytes come: an announced length alone costs nothing
  size_t size_ = 0;
  std::deque<std::string> whole_;
};

}  // namespace framegate::client
