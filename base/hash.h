// 128-bit content hash (XXH3). Identifies code and keys; not a defence against a writer who may write the store anyway.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace framegate {

struct Hash128 {
  std::array<uint8_t, 16> bytes{};

  auto operator<=>(const Hash128&) const = default;

  bool is_zero() const { return *this == Hash128{}; }

  // 32 lower-case hex digits.
  std::string Hex() const;
  // False, and *out untouched, unless `text` is exactly 32 hex digits.
  static bool FromHex(std::string_view text, Hash128* out);

  template <typename H>
  friend H AbslHashValue(H h, const Hash128& value) {
    uint64_t word;
    std::memcpy(&word, value.bytes.data(), sizeof word);
    return H::combine(std::move(h), word);
  }
};

Hash128 HashBytes(std::string_view bytes);

}  // namespace framegate
