// The text form of nouns (see base/fields.h): symbolic expressions. Strings are quoted with C escapes (\xNN for bytes outside
// printable ASCII), integers are decimal, doubles are hexadecimal floats, enumerators are bare words.
// Thread-safe: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace framegate {

namespace text {

// A parsed expression: an atom (`quoted` tells "x" from x) or a list.
struct Node {
  bool is_list = false;
  bool quoted = false;
  std::string atom;
  std::vector<Node> items;
};

// One expression; InvalidArgument names the line.
absl::StatusOr<Node> ParseNode(std::string_view text);
std::string Quote(std::string_view bytes);
std::string PrintDouble(double value);
bool ParseDouble(std::string_view text, double* value);
bool ParseSigned(std::string_view text, int64_t* value);
bool ParseUnsigned(std::string_view text, uint64_t* value);

class Printer {
 public:
  // Fields of one struct, each on a line of its own when `indent` is not negative.
  Printer(std::string* out, int indent) : out_(out), indent_(indent) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    if (IsDefault(value))
      return;
    if (!first_)
      indent_ >= 0 ? (void)out_->append("\n").append(static_cast<size_t>(indent_), ' ') : (void)out_->append(" ");
    first_ = false;
    out_->append("(").append(name).append(" ");
    Put(value);
    out_->append(")");
  }

  template <typename T>
  void Put(const T& value) {
    using namespace fields;
    if constexpr (std::is_same_v<T, bool>) {
      out_->append(value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, double>) {
      out_->append(PrintDouble(value));
    } else if constexpr (std::is_enum_v<T>) {
      out_->append(EnumText(value));
    } else if constexpr (Integer<T>) {
      out_->append(std::to_string(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_->append(Quote(value));
    } else if constexpr (std::is_same_v<T, Hash128>) {
      out_->append(value.Hex());
    } else if constexpr (is_vector<T>) {
      PutList(value);
    } else if constexpr (is_optional<T>) {
      out_->append("(");
      if (value)
        Put(*value);
      out_->append(")");
    } else if constexpr (is_pair<T>) {
      out_->append("(");
      Put(value.first);
      out_->append(" ");
      Put(value.second);
      out_->append(")");
    } else if constexpr (is_shared<T>) {
      Put(*value);
    } else {
      out_->append("(");
      Printer inner(out_, -1);
      T::VisitFields(inner, value);
      out_->append(")");
    }
  }

 private:
  template <typename T>
  void PutList(const T& value) {
    out_->append("(");
    int outer = indent_;
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0)
        outer >= 0 && fields::Struct<typename T::value_type> ? (void)out_->append("\n  ").append(static_cast<size_t>(outer), ' ')
                                                             : (void)out_->append(" ");
      Put(value[i]);
    }
    out_->append(")");
  }

  template <typename T>
  static bool IsDefault(const T& value) {
    using namespace fields;
    if constexpr (std::is_same_v<T, bool>)
      return !value;
    else if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<uint64_t>(value) == 0;
    else if constexpr (std::is_enum_v<T>)
      return value == T{};
    else if constexpr (Integer<T>)
      return value == 0;
    else if constexpr (std::is_same_v<T, Hash128>)
      return value.is_zero();
    else if constexpr (std::is_same_v<T, std::string> || is_vector<T>)
      return value.empty();
    else if constexpr (is_optional<T>)
      return !value.has_value();
    else
      return false;
  }

  std::string* out_;
  int indent_;
  bool first_ = true;
};

class Reader {
 public:
  explicit Reader(const Node& node) : node_(node) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    ++known_;
    for (const Node& field : node_.items) {
      if (field.is_list && field.items.size() == 2 && !field.items[0].is_list && field.items[0].atom == name) {
        ++used_;
        Get(field.items[1], value);
        return;
      }
    }
    value = T{};
  }

  template <typename T>
  void Get(const Node& node, T& value) {
    using namespace fields;
    if constexpr (std::is_same_v<T, bool>) {
      value = node.atom == "true";
      Expect(value || node.atom == "false", node, "true or false");
    } else if constexpr (std::is_same_v<T, double>) {
      Expect(ParseDouble(node.atom, &value), node, "a number");
    } else if constexpr (std::is_enum_v<T>) {
      Expect(EnumFromText(node.atom, &value), node, "a known word");
    } else if constexpr (Integer<T>) {
      if constexpr (std::is_signed_v<T>) {
        int64_t number = 0;
        Expect(ParseSigned(node.atom, &number), node, "an integer");
        value = static_cast<T>(number);
      } else {
        uint64_t number = 0;
        Expect(ParseUnsigned(node.atom, &number), node, "a natural number");
        value = static_cast<T>(number);
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      Expect(node.quoted, node, "a quoted string");
      value = node.atom;
    } else if constexpr (std::is_same_v<T, Hash128>) {
      Expect(Hash128::FromHex(node.atom, &value), node, "32 hex digits");
    } else if constexpr (is_vector<T>) {
      Expect(node.is_list, node, "a list");
      value.clear();
      for (const Node& item : node.items)
        Get(item, value.emplace_back());
    } else if constexpr (is_optional<T>) {
      Expect(node.is_list && node.items.size() <= 1, node, "() or (value)");
      value.reset();
      if (!node.items.empty())
        Get(node.items[0], value.emplace());
    } else if constexpr (is_pair<T>) {
      if (Expect(node.is_list && node.items.size() == 2, node, "a pair")) {
        Get(node.items[0], value.first);
        Get(node.items[1], value.second);
      }
    } else if constexpr (is_shared<T>) {
      auto target = std::make_shared<std::remove_const_t<typename T::element_type>>();
      Get(node, *target);
      value = std::move(target);
    } else {
      Expect(node.is_list, node, "a list of fields");
      Reader inner(node);
      T::VisitFields(inner, value);
      Take(inner.Finish());
    }
  }

  absl::Status Finish() const {
    if (status_.ok() && used_ != node_.items.size())
      return absl::InvalidArgumentError(StrCat("parse: ", node_.items.size() - used_, " unknown or repeated field(s)"));
    return status_;
  }

 private:
  bool Expect(bool holds, const Node& node, std::string_view what) {
    if (!holds && status_.ok())
      status_ = absl::InvalidArgumentError(StrCat("parse: expected ", what, ", got ", node.is_list ? "a list" : node.atom));
    return holds;
  }

  void Take(absl::Status status) {
    if (status_.ok())
      status_ = std::move(status);
  }

  const Node& node_;
  size_t used_ = 0;
  size_t known_ = 0;
  absl::Status status_;
};

}  // namespace text

template <fields::Struct T>
std::string Print(const T& value) {
  std::string out = "(";
  text::Printer printer(&out, 1);
  T::VisitFields(printer, value);
  return out + ")\n";
}

template <fields::Struct T>
absl::Status Parse(std::string_view input, T* value) {
  ASSIGN_OR_RETURN(text::Node node, text::ParseNode(input));
  text::Reader reader(node);
  T::VisitFields(reader, *value);
  return reader.Finish();
}

}  // namespace framegate
