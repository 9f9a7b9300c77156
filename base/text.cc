#include "base/text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/ascii.h"

namespace framegate::text {

namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  absl::StatusOr<Node> ReadNode(int depth) {
    if (depth > kMaxNesting)
      return Error("nesting is too deep");
    SkipSpace();
    if (at_ >= text_.size())
      return Error("the text ends early");
    if (text_[at_] == '(')
      return ReadList(depth);
    if (text_[at_] == '"')
      return ReadString();
    return ReadAtom();
  }

  absl::Status ExpectEnd() {
    SkipSpace();
    return at_ == text_.size() ? absl::OkStatus() : Error("text is left over");
  }

 private:
  absl::Status Error(std::string_view what) const { return absl::InvalidArgumentError(StrCat("parse: ", what, " in line ", line_)); }

  void SkipSpace() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ';')
        while (at_ < text_.size() && text_[at_] != '\n')
          ++at_;
      if (at_ >= text_.size() || !absl::ascii_isspace(static_cast<unsigned char>(text_[at_])))
        return;
      line_ += text_[at_] == '\n';
    }
  }

  absl::StatusOr<Node> ReadList(int depth) {
    ++at_;
    Node list;
    list.is_list = true;
    while (true) {
      SkipSpace();
      if (at_ < text_.size() && text_[at_] == ')') {
        ++at_;
        return list;
      }
      ASSIGN_OR_RETURN(Node item, ReadNode(depth + 1));
      list.items.push_back(std::move(item));
    }
  }

  absl::StatusOr<Node> ReadString() {
    Node node;
    node.quoted = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        node.atom.push_back(text_[at_]);
        continue;
      }
      if (++at_ >= text_.size())
        break;
      char c = text_[at_];
      if (c == 'n') {
        node.atom.push_back('\n');
      } else if (c == 'x') {
        uint32_t byte = 0;
        if (at_ + 2 >= text_.size() || !ParseInteger(text_.substr(at_ + 1, 2), &byte, 16))
          return Error("bad \\x escape");
        node.atom.push_back(static_cast<char>(byte));
        at_ += 2;
      } else {
        node.atom.push_back(c);
      }
    }
    if (at_ >= text_.size())
      return Error("a string does not end");
    ++at_;
    return node;
  }

  absl::StatusOr<Node> ReadAtom() {
    Node node;
    while (at_ < text_.size() && !absl::ascii_isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '(' && text_[at_] != ')')
      node.atom.push_back(text_[at_++]);
    if (node.atom.empty())
      return Error("expected a word");
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

absl::StatusOr<Node> ParseNode(std::string_view text) {
  Lexer lexer(text);
  ASSIGN_OR_RETURN(Node node, lexer.ReadNode(0));
  RETURN_IF_ERROR(lexer.ExpectEnd());
  return node;
}

std::string Quote(std::string_view bytes) {
  std::string out = "\"";
  for (unsigned char c : bytes) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c < 32 || c > 126) {
      char buffer[5];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
      out.append(buffer);
    } else {
      out.push_back(static_cast<char>(c));
    }
  }
  return out + "\"";
}

std::string PrintDouble(double value) {
  char buffer[64];
  if (std::isnan(value)) {  // a NaN's payload is part of its identity
    std::snprintf(buffer, sizeof buffer, "nan:%llx", static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
    return buffer;
  }
  std::snprintf(buffer, sizeof buffer, "%a", value);
  return buffer;
}

bool ParseDouble(std::string_view text, double* value) {
  uint64_t bits = 0;
  if (text.starts_with("nan:") && ParseInteger(text.substr(4), &bits, 16)) {
    *value = std::bit_cast<double>(bits);
    return true;
  }
  std::string copy(text);
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && *end == 0;
}

bool ParseSigned(std::string_view text, int64_t* value) {
  return ParseInteger(text, value);
}

bool ParseUnsigned(std::string_view text, uint64_t* value) {
  return ParseInteger(text, value);
}

}  // namespace framegate::text
