// Text bricks over std::string_view. Debian's abseil is built with a string_view of its own, so StrCat and friends do not take
// std::string_view; these do. Thread-safe: pure functions.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace framegate {

namespace strings {

inline void Append(std::string* out, std::string_view piece) {
  out->append(piece);
}

inline void Append(std::string* out, char piece) {
  out->push_back(piece);
}

template <std::integral T>

requires(!std::same_as<T, bool> && !std::same_as<T, char>) void Append(std::string* out, T piece) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof buffer, piece).ptr);
}

}  // namespace strings

// The pieces one after the other: text, characters and integers in decimal.
template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (strings::Append(&out, pieces), ...);
  return out;
}

template <typename Range>
std::string StrJoin(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& piece : range) {
    if (!first)
      out.append(separator);
    first = false;
    strings::Append(&out, piece);
  }
  return out;
}

// False, and *value untouched, unless all of `text` is a number in `base` that fits.
template <std::integral T>
bool ParseInteger(std::string_view text, T* value, int base = 10) {
  T number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return false;
  *value = number;
  return true;
}

}  // namespace framegate
