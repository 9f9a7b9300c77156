#include "client_ext/transport/message_reader.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace framegate::client {

namespace {

constexpr size_t kPrefix = 5;

}  // namespace

std::string MessagePrefix(size_t size) {
  std::string prefix(kPrefix, '\0');
  for (size_t i = 0; i < 4; ++i)
    prefix[1 + i] = static_cast<char>(size >> (24 - 8 * i));
  return prefix;
}

absl::Status MessageReader::BeginMessage() {
  if (prefix_[0] != 0)
    return absl::InternalError("the daemon sent a compressed message");
  size_ = 0;
  for (size_t i = 1; i < kPrefix; ++i)
    size_ = size_ << 8 | static_cast<unsigned char>(prefix_[i]);
  if (size_ > limit_)
    return absl::ResourceExhaustedError(StrCat("the daemon sends a message of ", size_, " bytes, at most ", limit_));
  return absl::OkStatus();
}

absl::Status MessageReader::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (prefix_.size() < kPrefix) {
      size_t part = std::min(kPrefix - prefix_.size(), bytes.size());
      prefix_.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (prefix_.size() < kPrefix)
        break;
      RETURN_IF_ERROR(BeginMessage());
    }
    size_t part = std::min(size_ - message_.size(), bytes.size());
    message_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (message_.size() == size_) {
      whole_.push_back(std::exchange(message_, {}));
      prefix_.clear();
    }
  }
  return absl::OkStatus();
}

std::optional<std::string> MessageReader::Take() {
  if (whole_.empty())
    return std::nullopt;
  std::string message = std::move(whole_.front());
  whole_.pop_front();
  return message;
}

}  // namespace framegate::client
