// An optional value that lies elsewhere: for what is large and seldom there. Otherwise as std::optional; copies are deep.
// Thread-compatible.
#pragma once

#include <memory>
#include <utility>

namespace framegate {

template <typename T>
class Boxed {
 public:
  Boxed() = default;

  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: as std::optional's

  Boxed(const Boxed& other) : value_(other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_)) {}

  Boxed(Boxed&&) noexcept = default;

  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  explicit operator bool() const { return value_ != nullptr; }

  bool has_value() const { return value_ != nullptr; }

  T& emplace() { return *(value_ = std::make_unique<T>()); }

  void reset() { value_.reset(); }

  T& operator*() { return *value_; }

  const T& operator*() const { return *value_; }

  T* operator->() { return value_.get(); }

  const T* operator->() const { return value_.get(); }

  bool operator==(const Boxed& other) const {
    return value_ == nullptr || other.value_ == nullptr ? value_ == other.value_ : *value_ == *other.value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace framegate
