#include "translator/slots/fold_constants.h"

#include <algorithm>
#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"

namespace framegate::translator {

using model::Constant;
using model::ConstantKind;

namespace {

using Result = std::optional<Constant>;
using Operands = std::span<const Constant* const>;

// Of an int that is converted without loss.
constexpr int64_t kExact = int64_t{1} << 53;

bool IsInteger(const Constant& c) {
  return c.is_int() || c.is_bool();
}

int64_t IntegerOf(const Constant& c) {
  return c.is_int() ? c.integer : c.is_true();
}

bool IsFloat(const Constant& c) {
  return c.kind == ConstantKind::kFloat;
}

// An int that no double is near to but itself, or a float.
bool IsExact(const Constant& c) {
  return IsFloat(c) || (IsInteger(c) && -kExact < IntegerOf(c) && IntegerOf(c) < kExact);
}

double DoubleOf(const Constant& c) {
  return IsFloat(c) ? c.real : static_cast<double>(IntegerOf(c));
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isascii(static_cast<unsigned char>(c)); });
}

template <typename Compare>
Result Integers(Operands args) {
  if (!IsInteger(*args[0]) || !IsInteger(*args[1]))
    return std::nullopt;
  return Constant::Bool(Compare()(IntegerOf(*args[0]), IntegerOf(*args[1])));
}

// UTF-8 orders as its code points do.
template <typename Compare>
Result Texts(Operands args) {
  if (!args[0]->is_str() || !args[1]->is_str())
    return std::nullopt;
  return Constant::Bool(Compare()(args[0]->text.compare(args[1]->text), 0));
}

template <typename Compare>
Result Compared(Operands args) {
  if (Result integers = Integers<Compare>(args))
    return integers;
  if (IsExact(*args[0]) && IsExact(*args[1]))
    return Constant::Bool(Compare()(DoubleOf(*args[0]), DoubleOf(*args[1])));
  return Texts<Compare>(args);
}

// Equality also of what is equal to nothing of another kind, and of tuples of such.
std::optional<bool> AreEqual(const Constant& a, const Constant& b) {
  const auto is_plain = [](const Constant& c) {
    return c.is_none() || c.is_str() || IsExact(c) || c.kind == ConstantKind::kDtype || c.kind == ConstantKind::kEllipsis ||
           c.kind == ConstantKind::kTuple;
  };
  if (!is_plain(a) || !is_plain(b))
    return std::nullopt;
  if (IsExact(a) && IsExact(b))
    return DoubleOf(a) == DoubleOf(b);
  if (a.kind != ConstantKind::kTuple || b.kind != ConstantKind::kTuple)
    return a == b;
  bool equal = a.items.size() == b.items.size();
  for (size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
    const std::optional<bool> same = AreEqual(a.items[i], b.items[i]);
    if (!same.has_value() || IsFloat(a.items[i]))  // one NaN object equals itself in a tuple
      return std::nullopt;
    equal = equal && *same;
  }
  return equal;
}

template <bool kEqual>
Result Equality(Operands args) {
  const std::optional<bool> equal = AreEqual(*args[0], *args[1]);
  return equal.has_value() ? Result(Constant::Bool(*equal == kEqual))
                           : Compared<std::conditional_t<kEqual, std::equal_to<>, std::not_equal_to<>>>(args);
}

template <bool (*kOverflows)(int64_t, int64_t, int64_t*), typename OfFloats>
Result Computed(Operands args) {
  int64_t result = 0;
  if (IsExact(*args[0]) && IsExact(*args[1]) && (IsFloat(*args[0]) || IsFloat(*args[1])))
    return Constant::Float(OfFloats()(DoubleOf(*args[0]), DoubleOf(*args[1])));
  if (!args[0]->is_int() || !args[1]->is_int() || kOverflows(args[0]->integer, args[1]->integer, &result))
    return std::nullopt;
  return Constant::Int(result);
}

bool Sum(int64_t a, int64_t b, int64_t* result) {
  return __builtin_add_overflow(a, b, result);
}

bool Difference(int64_t a, int64_t b, int64_t* result) {
  return __builtin_sub_overflow(a, b, result);
}

bool Product(int64_t a, int64_t b, int64_t* result) {
  return __builtin_mul_overflow(a, b, result);
}

Result Quotient(Operands args) {
  if (!IsExact(*args[0]) || !IsExact(*args[1]) || DoubleOf(*args[1]) == 0)
    return std::nullopt;
  return Constant::Float(DoubleOf(*args[0]) / DoubleOf(*args[1]));
}

Result Index(Operands args) {
  return args[0]->is_int() ? Result(*args[0]) : std::nullopt;
}

// Of two bools a bool.
template <typename Combine>
Result Bits(Operands args) {
  const Constant &a = *args[0], &b = *args[1];
  if (!IsInteger(a) || !IsInteger(b))
    return std::nullopt;
  const int64_t result = Combine()(IntegerOf(a), IntegerOf(b));
  return a.is_bool() && b.is_bool() ? Constant::Bool(result != 0) : Constant::Int(result);
}

Result StartsWith(Operands args) {
  if (!args[0]->is_str() || !args[1]->is_str())
    return std::nullopt;
  return Constant::Bool(std::string_view(args[0]->text).starts_with(args[1]->text));
}

Result EndsWith(Operands args) {
  if (!args[0]->is_str() || !args[1]->is_str())
    return std::nullopt;
  return Constant::Bool(std::string_view(args[0]->text).ends_with(args[1]->text));
}

Result IsIdentifier(Operands args) {
  if (!args[0]->is_str() || !IsAscii(args[0]->text))
    return std::nullopt;
  const std::string& text = args[0]->text;
  const auto is_part = [](char c) { return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  return Constant::Bool(!text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
                        std::all_of(text.begin(), text.end(), is_part));
}

// One character of a text in which each is one byte.
Result Item(Operands args) {
  if (!args[0]->is_str() || !args[1]->is_int() || !IsAscii(args[0]->text))
    return std::nullopt;
  const auto size = static_cast<int64_t>(args[0]->text.size());
  const int64_t at = args[1]->integer < 0 ? args[1]->integer + size : args[1]->integer;
  if (at < 0 || at >= size)
    return std::nullopt;
  return Constant::Str(args[0]->text.substr(static_cast<size_t>(at), 1));
}

// A text in a text.
Result Contains(Operands args) {
  if (!args[0]->is_str() || !args[1]->is_str())
    return std::nullopt;
  return Constant::Bool(args[0]->text.find(args[1]->text) != std::string::npos);
}

struct Row {
  size_t arity;
  Result (*body)(Operands);
};

const Row* FindRow(std::string_view symbol) {
  static const absl::flat_hash_map<std::string_view, Row> rows = {
      {"_operator:eq", {2, Equality<true>}},
      {"_operator:ne", {2, Equality<false>}},
      {"_operator:lt", {2, Compared<std::less<>>}},
      {"_operator:le", {2, Compared<std::less_equal<>>}},
      {"_operator:gt", {2, Compared<std::greater<>>}},
      {"_operator:ge", {2, Compared<std::greater_equal<>>}},
      {"builtins:int.__eq__", {2, Integers<std::equal_to<>>}},
      {"builtins:int.__ne__", {2, Integers<std::not_equal_to<>>}},
      {"builtins:int.__lt__", {2, Integers<std::less<>>}},
      {"builtins:int.__le__", {2, Integers<std::less_equal<>>}},
      {"builtins:int.__gt__", {2, Integers<std::greater<>>}},
      {"builtins:int.__ge__", {2, Integers<std::greater_equal<>>}},
      {"builtins:str.__eq__", {2, Texts<std::equal_to<>>}},
      {"builtins:str.__ne__", {2, Texts<std::not_equal_to<>>}},
      {"builtins:str.__lt__", {2, Texts<std::less<>>}},
      {"builtins:str.__le__", {2, Texts<std::less_equal<>>}},
      {"builtins:str.__gt__", {2, Texts<std::greater<>>}},
      {"builtins:str.__ge__", {2, Texts<std::greater_equal<>>}},
      {"_operator:add", {2, Computed<Sum, std::plus<>>}},
      {"_operator:sub", {2, Computed<Difference, std::minus<>>}},
      {"_operator:mul", {2, Computed<Product, std::multiplies<>>}},
      {"_operator:truediv", {2, Quotient}},
      {"_operator:index", {1, Index}},
      {"_operator:and_", {2, Bits<std::bit_and<>>}},
      {"_operator:or_", {2, Bits<std::bit_or<>>}},
      {"_operator:xor", {2, Bits<std::bit_xor<>>}},
      {"_operator:getitem", {2, Item}},
      {"_operator:contains", {2, Contains}},
      {"builtins:str.__contains__", {2, Contains}},
      {"builtins:str.startswith", {2, StartsWith}},
      {"builtins:str.endswith", {2, EndsWith}},
      {"builtins:str.isidentifier", {1, IsIdentifier}},
  };
  const auto it = rows.find(symbol);
  return it == rows.end() ? nullptr : &it->second;
}

}  // namespace

std::optional<Constant> FoldConstants(std::string_view symbol, Operands args) {
  const Row* row = FindRow(symbol);
  return row == nullptr || row->arity != args.size() ? std::nullopt : row->body(args);
}

}  // namespace framegate::translator
