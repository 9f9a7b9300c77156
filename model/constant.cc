#include "model/constant.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/strings.h"
#include "base/text.h"
#include "model/code_image.h"

namespace framegate::model {

bool operator==(const Constant& a, const Constant& b) {
  if (a.kind != b.kind || a.integer != b.integer || std::bit_cast<uint64_t>(a.real) != std::bit_cast<uint64_t>(b.real) ||
      std::bit_cast<uint64_t>(a.imaginary) != std::bit_cast<uint64_t>(b.imaginary) || a.text != b.text || a.items != b.items ||
      a.code.size() != b.code.size())
    return false;
  for (size_t i = 0; i < a.code.size(); ++i)
    if (a.code[i] != b.code[i] && !(*a.code[i] == *b.code[i]))
      return false;
  return true;
}

bool operator==(const CodeImage& a, const CodeImage& b) {
  return Encode(a) == Encode(b);
}

namespace {

std::string ReprFloat(double value) {
  std::string text = std::to_string(value);
  if (std::isfinite(value)) {
    char buffer[40];
    for (int digits = 15; digits <= 17; ++digits) {
      std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
      if (std::strtod(buffer, nullptr) == value)
        break;
    }
    text = buffer;
    if (text.find_first_of(".en") == std::string::npos)
      text += ".0";
  }
  return text;
}

std::string ReprItems(const Constant& value, std::string_view open, std::string_view close) {
  std::vector<std::string> items;
  for (const Constant& item : value.items)
    items.push_back(Repr(item));
  return StrCat(open, StrJoin(items, ", "), close);
}

std::string ReprText(std::string_view text) {
  std::string quoted = text::Quote(text);
  if (text.find('\'') == std::string_view::npos)
    quoted.front() = quoted.back() = '\'';
  return quoted;
}

}  // namespace

std::string Repr(const Constant& value) {
  switch (value.kind) {
    case ConstantKind::kNone:
    case ConstantKind::kFalse:
    case ConstantKind::kTrue:
    case ConstantKind::kEllipsis:
    case ConstantKind::kNotImplemented:
      return std::string(EnumText(value.kind));
    case ConstantKind::kInt:
      return StrCat(value.integer);
    case ConstantKind::kBigInt:
      return value.text;
    case ConstantKind::kFloat:
      return ReprFloat(value.real);
    case ConstantKind::kComplex:
      return StrCat("(", ReprFloat(value.real), value.imaginary < 0 ? "" : "+", ReprFloat(value.imaginary), "j)");
    case ConstantKind::kStr:
      return ReprText(value.text);
    case ConstantKind::kBytes:
      return StrCat("b", ReprText(value.text));
    case ConstantKind::kTuple:
      return ReprItems(value, "(", value.items.size() == 1 ? ",)" : ")");
    case ConstantKind::kFrozenset:
      return ReprItems(value, "frozenset({", "})");
    case ConstantKind::kSlice:
      return ReprItems(value, "slice(", ")");
    case ConstantKind::kRange:
      return ReprItems(value, "range(", ")");
    case ConstantKind::kSize:
      return ReprItems(value, "torch.Size([", "])");
    case ConstantKind::kCode:
      return StrCat("<code ", value.code.empty() ? "" : value.code[0]->qualname, ">");
    case ConstantKind::kDtype:
    case ConstantKind::kLayout:
    case ConstantKind::kMemoryFormat:
    case ConstantKind::kMember:
      return value.text;
    case ConstantKind::kDevice:
      return StrCat("device('", value.text, "')");
  }
  return "";
}

}  // namespace framegate::model
