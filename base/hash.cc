#include "base/hash.h"

#include <xxhash.h>

namespace framegate {

std::string Hash128::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

bool Hash128::FromHex(std::string_view text, Hash128* out) {
  if (text.size() != 32)
    return false;
  Hash128 value;
  for (size_t i = 0; i < 32; ++i) {
    char c = text[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0)
      return false;
    value.bytes[i / 2] = static_cast<uint8_t>(value.bytes[i / 2] << 4 | digit);
  }
  *out = value;
  return true;
}

Hash128 HashBytes(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Hash128 value;
  std::memcpy(value.bytes.data(), canonical.digest, 16);
  return value;
}

}  // namespace framegate
