// Lookups in an array of (enumerator, text) rows made from a .def table. Private to model/.
#pragma once

#include <cstddef>
#include <string_view>

namespace framegate::model {

template <typename E>
struct EnumRow {
  E value;
  std::string_view text;
};

template <typename E, size_t N>
std::string_view FindRow(const EnumRow<E> (&rows)[N], E value) {
  for (const EnumRow<E>& row : rows)
    if (row.value == value)
      return row.text;
  return {};
}

template <typename E, size_t N>
bool FindRowByText(const EnumRow<E> (&rows)[N], std::string_view text, E* value) {
  for (const EnumRow<E>& row : rows) {
    if (row.text == text) {
      *value = row.value;
      return true;
    }
  }
  return false;
}

template <typename E, size_t N>
constexpr bool RowsAscend(const EnumRow<E> (&rows)[N]) {
  for (size_t i = 1; i < N; ++i)
    if (rows[i].value <= rows[i - 1].value)
      return false;
  return true;
}

// EnumText and EnumFromText of `Enum` over `rows`, whose numbers must ascend.
#define FRAMEGATE_DEFINE_ENUM(Enum, rows)                                \
  static_assert(RowsAscend(rows), "the numbers of a table must ascend"); \
  std::string_view EnumText(Enum value) {                                \
    return FindRow(rows, value);                                         \
  }                                                                      \
  bool EnumFromText(std::string_view text, Enum* value) {                \
    return FindRowByText(rows, text, value);                             \
  }

}  // namespace framegate::model
