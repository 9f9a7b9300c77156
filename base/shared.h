// An optional immutable value that copies share: for what is large and handed on. Otherwise as std::optional. Copies may be used on
// different threads.
#pragma once

#include <memory>
#include <utility>

namespace framegate {

template <typename T>
class Shared {
 public:
  Shared() = default;

  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: as std::optional's

  // Of a value that outlives all copies.
  static Shared Borrow(const T& value) {
    Shared shared;
    shared.value_ = std::shared_ptr<const T>(std::shared_ptr<const T>(), &value);
    return shared;
  }

  explicit operator bool() const { return value_ != nullptr; }

  bool has_value() const { return value_ != nullptr; }

  // A new one, which may be filled until it is copied.
  T& emplace() {
    auto made = std::make_shared<T>();
    value_ = made;
    return *made;
  }

  void reset() { value_.reset(); }

  const T& operator*() const { return *value_; }

  const T* operator->() const { return value_.get(); }

  bool operator==(const Shared& other) const {
    return value_ == other.value_ || (value_ != nullptr && other.value_ != nullptr && *value_ == *other.value_);
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace framegate
