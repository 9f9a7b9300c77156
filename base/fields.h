// One list of fields per struct; encoding, decoding, printing, parsing and the schema hash are derived from it.
//
// A noun declares
//     template <typename V, typename S> static void VisitFields(V& v, S& s) { v("name", s.name); v("args", s.args); }
// and gets
//     std::string Encode(const T&)             bytes: varints and lengths, little-endian; no field names
//     Status      Decode(std::string_view, T*) InvalidArgument on malformed, truncated or trailing bytes, ResourceExhausted on depth
//     std::string Print(const T&)              ((name "f") (args (1 2))); a field that equals its default is left out
//     Status      Parse(std::string_view, T*)  the inverse of Print; unknown fields are InvalidArgument
//     void        AddSchema(SchemaText&)       names and types, for the payload schema hash
// Supported members: bool, integers, double (by bits), enums with EnumText/EnumFromText found by ADL, std::string, Hash128,
// std::vector, std::optional, std::pair, std::shared_ptr<const T> (never null when encoded) and structs with VisitFields.
// Thread-safe: pure functions.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/boxed.h"
#include "base/hash.h"
#include "base/shared.h"
#include "base/status.h"
#include "base/strings.h"

namespace framegate {

inline constexpr int kMaxNesting = 64;

namespace fields {

struct Probe {
  template <typename T>
  void operator()(const char*, T&) {}
};

template <typename T>
concept Struct = requires(Probe& v, T& t) {
  std::remove_cvref_t<T>::VisitFields(v, t);
};

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_optional<Boxed<T>> = true;
template <typename T>
inline constexpr bool is_optional<Shared<T>> = true;
template <typename T>
inline constexpr bool is_pair = false;
template <typename A, typename B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <typename T>
inline constexpr bool is_shared = false;
template <typename T>
inline constexpr bool is_shared<std::shared_ptr<const T>> = true;

template <typename T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

class Encoder {
 public:
  explicit Encoder(std::string* out) : out_(out) {}

  template <typename T>
  void operator()(const char*, const T& value) {
    Put(value);
  }

  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_->push_back(value ? 1 : 0);
    } else if constexpr (std::is_same_v<T, double>) {
      PutFixed64(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      PutVarint(static_cast<uint64_t>(value));
    } else if constexpr (Integer<T>) {
      if constexpr (std::is_signed_v<T>)
        PutVarint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(value) >> 63));
      else
        PutVarint(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      PutVarint(value.size());
      out_->append(value);
    } else if constexpr (std::is_same_v<T, Hash128>) {
      out_->append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    } else if constexpr (is_vector<T>) {
      PutVarint(value.size());
      for (const auto& item : value)
        Put(item);
    } else if constexpr (is_optional<T>) {
      Put(value.has_value());
      if (value)
        Put(*value);
    } else if constexpr (is_pair<T>) {
      Put(value.first);
      Put(value.second);
    } else if constexpr (is_shared<T>) {
      Put(*value);
    } else {
      T::VisitFields(*this, value);
    }
  }

 private:
  void PutVarint(uint64_t value) {
    while (value >= 0x80) {
      out_->push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_->push_back(static_cast<char>(value));
  }

  void PutFixed64(uint64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; ++i)
      bytes[i] = static_cast<char>(value >> (8 * i));
    out_->append(bytes, sizeof bytes);
  }

  std::string* out_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view in) : in_(in), size_(in.size()) {}

  template <typename T>
  void operator()(const char*, T& value) {
    Get(value);
  }

  template <typename T>
  void Get(T& value) {
    if (!status_.ok())
      return;
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = GetByte();
      if (byte > 1)
        Fail("a bool is neither 0 nor 1");
      value = byte == 1;
    } else if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(GetFixed64());
    } else if constexpr (std::is_enum_v<T>) {
      uint64_t number = GetVarint();
      value = static_cast<T>(number);
      if (static_cast<uint64_t>(value) != number || EnumText(value).empty())
        Fail("unknown enumerator");
    } else if constexpr (Integer<T>) {
      GetInteger(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(GetView(GetVarint()));
    } else if constexpr (std::is_same_v<T, Hash128>) {
      std::string_view view = GetView(16);
      if (view.size() == 16)
        std::memcpy(value.bytes.data(), view.data(), 16);
    } else if constexpr (is_vector<T>) {
      uint64_t count = GetVarint();
      if (count > in_.size())  // each element takes a byte or more
        return Fail("a count is larger than what follows");
      Nest nest(this);
      value.clear();
      value.reserve(count);
      for (uint64_t i = 0; i < count && status_.ok(); ++i)
        Get(value.emplace_back());
    } else if constexpr (is_optional<T>) {
      bool present = false;
      Get(present);
      if (present)
        Get(value.emplace());
      else
        value.reset();
    } else if constexpr (is_pair<T>) {
      Get(value.first);
      Get(value.second);
    } else if constexpr (is_shared<T>) {
      Nest nest(this);
      auto target = std::make_shared<std::remove_const_t<typename T::element_type>>();
      Get(*target);
      value = std::move(target);
    } else {
      Nest nest(this);
      T::VisitFields(*this, value);
    }
  }

  absl::Status Finish() {
    if (status_.ok() && !in_.empty())
      Fail("bytes are left over");
    return status_;
  }

 private:
  struct Nest {
    explicit Nest(Decoder* d) : decoder(d) {
      if (++decoder->depth_ > kMaxNesting && decoder->status_.ok())
        decoder->status_ = absl::ResourceExhaustedError(StrCat("nesting is deeper than ", kMaxNesting));
    }

    ~Nest() { --decoder->depth_; }

    Decoder* decoder;
  };

  void Fail(std::string_view what) {
    if (status_.ok())
      status_ = absl::InvalidArgumentError(StrCat("decode: ", what, " at byte ", size_ - in_.size()));
  }

  uint8_t GetByte() {
    if (in_.empty()) {
      Fail("truncated");
      return 0;
    }
    uint8_t byte = static_cast<uint8_t>(in_[0]);
    in_.remove_prefix(1);
    return byte;
  }

  uint64_t GetVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70 && status_.ok(); shift += 7) {
      uint8_t byte = GetByte();
      if (shift == 63 && byte > 1)
        Fail("a varint is too long");
      value |= static_cast<uint64_t>(byte & 0x7f) << (shift & 63);
      if (byte < 0x80)
        return value;
    }
    Fail("a varint is too long");
    return 0;
  }

  template <typename T>
  void GetInteger(T& value) {
    uint64_t raw = GetVarint();
    if constexpr (std::is_signed_v<T>) {
      int64_t number = static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
      value = static_cast<T>(number);
      if (value != number)
        Fail("an integer is out of range");
    } else {
      value = static_cast<T>(raw);
      if (value != raw)
        Fail("an integer is out of range");
    }
  }

  uint64_t GetFixed64() {
    std::string_view view = GetView(8);
    uint64_t value = 0;
    for (size_t i = 0; i < view.size(); ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(view[i])) << (8 * i);
    return value;
  }

  std::string_view GetView(uint64_t count) {
    if (count > in_.size()) {
      Fail("truncated");
      return {};
    }
    std::string_view view = in_.substr(0, count);
    in_.remove_prefix(count);
    return view;
  }

  std::string_view in_;
  size_t size_;
  int depth_ = 0;
  absl::Status status_;
};

}  // namespace fields

template <typename T>
std::string Encode(const T& value) {
  std::string out;
  fields::Encoder(&out).Put(value);
  return out;
}

template <typename T>
absl::Status Decode(std::string_view bytes, T* value) {
  fields::Decoder decoder(bytes);
  decoder.Get(*value);
  return decoder.Finish();
}

}  // namespace framegate
