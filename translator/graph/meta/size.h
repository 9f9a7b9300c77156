// A size, stride or other count that may be symbolic (terms.h). Rules compute with it as with a number: arithmetic builds terms, a
// comparison decides and is noted. Where one is read as a plain number it is fixed, so that a rule that knows nothing of symbols is right,
// though less general. A value type.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "translator/graph/meta/terms.h"

namespace framegate::translator {

class Size {
 public:
  template <std::integral T>
  Size(T value) : value_(static_cast<int64_t>(value)) {}  // NOLINT: numbers are sizes

  Size() = default;

  static Size Symbol(int64_t value, uint32_t term) {
    Size size(value);
    size.term_ = term;
    return size;
  }

  operator int64_t() const { return term_ == 0 ? value_ : Terms::Current()->Fix(term_); }  // NOLINT

  int64_t now() const { return value_; }

  uint32_t term() const { return term_; }

  Size& operator+=(const Size& other) { return *this = Combine(TermOp::kAdd, *this, other); }

  Size& operator-=(const Size& other) { return *this = Combine(TermOp::kSub, *this, other); }

  Size& operator*=(const Size& other) { return *this = Combine(TermOp::kMul, *this, other); }

  Size& operator++() { return *this += Size(1); }

  Size& operator--() { return *this -= Size(1); }

  static Size Combine(TermOp op, const Size& a, const Size& b);
  static bool Decide(TermRelation relation, const Size& a, const Size& b);

 private:
  int64_t value_ = 0;
  uint32_t term_ = 0;
};

// Every pair of a size and a size or an integer.
template <typename A, typename B>
concept SizePair = (std::same_as<A, Size> && (std::same_as<B, Size> || std::integral<B>)) || (std::integral<A> && std::same_as<B, Size>);

template <typename A, typename B>

requires SizePair<A, B> Size operator+(const A& a, const B& b) {
  return Size::Combine(TermOp::kAdd, a, b);
}

template <typename A, typename B>

requires SizePair<A, B> Size operator-(const A& a, const B& b) {
  return Size::Combine(TermOp::kSub, a, b);
}

template <typename A, typename B>

requires SizePair<A, B> Size operator*(const A& a, const B& b) {
  return Size::Combine(TermOp::kMul, a, b);
}

// As C++ divides: rounded to zero. Sizes are not negative; where the operands may be, they are fixed.
template <typename A, typename B>

requires SizePair<A, B> Size operator/(const A& a, const B& b) {
  return Size(a) < 0 || Size(b) <= 0 ? Size(static_cast<int64_t>(a) / static_cast<int64_t>(b)) : Size::Combine(TermOp::kFloorDiv, a, b);
}

template <typename A, typename B>

requires SizePair<A, B> Size operator%(const A& a, const B& b) {
  return Size(a) < 0 || Size(b) <= 0 ? Size(static_cast<int64_t>(a) % static_cast<int64_t>(b)) : Size::Combine(TermOp::kMod, a, b);
}

inline Size operator-(const Size& a) {
  return Size(0) - a;
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator==(const A& a, const B& b) {
  return Size::Decide(TermRelation::kEq, a, b);
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator!=(const A& a, const B& b) {
  return Size::Decide(TermRelation::kNe, a, b);
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator<(const A& a, const B& b) {
  return Size::Decide(TermRelation::kLt, a, b);
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator<=(const A& a, const B& b) {
  return Size::Decide(TermRelation::kLe, a, b);
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator>(const A& a, const B& b) {
  return Size::Decide(TermRelation::kLt, b, a);
}

template <typename A, typename B>
requires SizePair<A, B>

bool operator>=(const A& a, const B& b) {
  return Size::Decide(TermRelation::kLe, b, a);
}

using Dims = std::vector<Size>;

// Equal whatever the call, so that nothing is noted.
inline bool Identical(const Size& a, const Size& b) {
  return a.term() == b.term() && a.now() == b.now();
}

// Their numbers now, and their terms; no terms where all are plain.
void Split(const Dims& dims, std::vector<int64_t>* numbers, std::vector<uint32_t>* terms);

}  // namespace framegate::translator
