// `%` and str.format() on values of which some are known by their parts alone.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

Outcome Ascii(Interp& in, V value) {
  return in.CallBuiltin("builtins:ascii", {.positional = {value}}, kSync);
}

// One conversion of a `%` format: its text as written without the key, and what it converts.
struct Conversion {
  std::string text;
  std::string key;
  bool has_key = false;
  size_t stars = 0;
  char kind = 0;
};

// Reads a conversion at `at`, which is after the '%'. False: it is incomplete.
bool ReadConversion(const std::string& format, size_t* at, Conversion* conversion) {
  conversion->text = "%";
  if (*at < format.size() && format[*at] == '(') {
    int depth = 1;
    size_t from = ++*at;
    for (; *at < format.size() && depth > 0; ++*at)
      depth += format[*at] == '(' ? 1 : format[*at] == ')' ? -1 : 0;
    if (depth > 0)
      return false;
    conversion->key = format.substr(from, *at - 1 - from);
    conversion->has_key = true;
  }
  for (; *at < format.size(); ++*at) {
    char c = format[*at];
    if (std::string_view("#0- +.123456789").find(c) != std::string_view::npos) {
      conversion->text.push_back(c);
    } else if (c == '*') {
      conversion->text.push_back(c);
      ++conversion->stars;
    } else if (c != 'h' && c != 'l' && c != 'L') {
      conversion->kind = c;
      ++*at;
      return true;
    }
  }
  return false;
}

class Percent {
 public:
  Percent(Interp& in, V given) : in_(in), given_(in.s.Resolve(given)) {
    auto* tuple = As<SequenceValue>(given_);
    is_tuple_ = tuple != nullptr && in.s.TypeOf(tuple)->Has(model::TypeFlag::kTupleSubclass);
    if (is_tuple_)
      items_ = tuple->items;
    else
      items_ = {given_};
  }

  Outcome Write(const std::string& format) {
    for (size_t at = 0; at < format.size();) {
      if (format[at] != '%') {
        text_.push_back(format[at++]);
        continue;
      }
      Conversion conversion;
      if (!ReadConversion(format, &++at, &conversion))
        return in_.Raise("builtins:ValueError", conversion.has_key || at < format.size() ? "incomplete format key" : "incomplete format");
      if (conversion.kind == '%') {
        text_.push_back('%');
        continue;
      }
      FRAMEGATE_TAKE([[maybe_unused]] V none, Convert(conversion));
    }
    bool is_mapping = As<MappingValue>(given_) != nullptr;
    if (next_ < items_.size() && !keyed_ && !is_mapping)
      return in_.Raise("builtins:TypeError", "not all arguments converted during string formatting");
    return in_.Done(in_.s.Str(std::move(text_)));
  }

 private:
  Outcome Take(V* value) {
    if (next_ >= items_.size())
      return in_.Raise("builtins:TypeError", "not enough arguments for format string");
    *value = in_.s.Resolve(items_[next_++]);
    return in_.Done(nullptr);
  }

  Outcome Convert(const Conversion& conversion) {
    Values operands;
    V value = nullptr;
    if (conversion.has_key) {
      keyed_ = true;
      if (is_tuple_ || (As<MappingValue>(given_) == nullptr && given_->kind != ValueKind::kObject && As<ViewValue>(given_) == nullptr))
        return in_.Raise("builtins:TypeError", "format requires a mapping");
      FRAMEGATE_TAKE(value, in_.GetItem(given_, in_.s.Str(conversion.key)));
      value = in_.s.Resolve(value);
    } else {
      for (size_t i = 0; i < conversion.stars; ++i) {
        V star = nullptr;
        FRAMEGATE_TAKE([[maybe_unused]] V none, Take(&star));
        operands.push_back(star);
      }
      FRAMEGATE_TAKE([[maybe_unused]] V none, Take(&value));
    }
    char kind = conversion.kind;
    if (kind == 's' || kind == 'r' || kind == 'a') {
      FRAMEGATE_TAKE(value, kind == 's' ? Str(in_, value) : kind == 'r' ? Repr(in_, value) : Ascii(in_, value));
      kind = 's';
    } else if (V payload = in_.s.Payload(value)) {
      value = payload;
    }
    operands.push_back(value);
    V format = in_.s.Str(conversion.text + kind);
    FRAMEGATE_TAKE(V text, in_.Fold("_operator:mod", {.positional = {format, in_.s.Tuple(std::move(operands))}}));
    const Constant* c = ConstantOf(in_.s, text, ConstantKind::kStr);
    if (c == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "a text that is not known");
    text_ += c->text;
    return in_.Done(nullptr);
  }

  Interp& in_;
  V given_;
  Values items_;
  bool is_tuple_ = false, keyed_ = false;
  size_t next_ = 0;
  std::string text_;
};

// str.format(): literal text and replacement fields, nested in specs to a depth of two.
class Braces {
 public:
  Braces(Interp& in, const Args& args, size_t first) : in_(in), args_(args), first_(first) {}

  Outcome Write(std::string_view format, int depth, std::string* text) {
    if (depth < 0)
      return in_.Raise("builtins:ValueError", "Max string recursion exceeded");
    for (size_t at = 0; at < format.size();) {
      char c = format[at++];
      bool doubled = at < format.size() && format[at] == c;
      if (c == '{' && !(doubled && depth == 2)) {
        FRAMEGATE_TAKE([[maybe_unused]] V none, Field(format, &at, depth, text));
        continue;
      }
      if ((c == '{' || c == '}') && doubled)
        ++at;
      else if (c == '}' || (c == '{' && at == format.size()))
        return in_.Raise("builtins:ValueError", StrCat("Single '", std::string(1, c), "' encountered in format string"));
      text->push_back(c);
    }
    return in_.Done(nullptr);
  }

 private:
  Outcome Field(std::string_view format, size_t* at, int depth, std::string* text) {
    size_t from = *at, nesting = 1, bracket = 0, end = from;
    for (; end < format.size() && nesting > 0; ++end) {
      char c = format[end];
      bracket += c == '[';
      bracket -= c == ']' && bracket > 0;
      nesting += c == '{' && bracket == 0;
      nesting -= c == '}' && bracket == 0;
    }
    if (nesting > 0)
      return in_.Raise("builtins:ValueError",
                       from >= format.size() ? "Single '{' encountered in format string" : "expected '}' before end of string");
    std::string_view field = format.substr(from, end - 1 - from);
    *at = end;
    size_t cut = 0, depth_of = 0;
    for (; cut < field.size() && (depth_of > 0 || (field[cut] != '!' && field[cut] != ':')); ++cut)
      depth_of = field[cut] == '[' ? depth_of + 1 : field[cut] == ']' && depth_of > 0 ? depth_of - 1 : depth_of;
    FRAMEGATE_TAKE(V value, Lookup(std::string(field.substr(0, cut))));
    if (cut < field.size() && field[cut] == '!') {
      char kind = cut + 1 < field.size() ? field[cut + 1] : 0;
      if (kind == 's') {
        FRAMEGATE_TAKE(value, Str(in_, value));
      } else if (kind == 'r') {
        FRAMEGATE_TAKE(value, Repr(in_, value));
      } else if (kind == 'a') {
        FRAMEGATE_TAKE(value, Ascii(in_, value));
      } else {
        return in_.Break(Reason::kUnsupportedValue, "an unknown conversion in a format");
      }
      cut += 2;
      if (cut < field.size() && field[cut] != ':')
        return in_.Raise("builtins:ValueError", "expected ':' after conversion specifier");
    }
    std::string spec;
    if (cut < field.size()) {
      FRAMEGATE_TAKE([[maybe_unused]] V none, Write(field.substr(cut + 1), depth - 1, &spec));
    }
    FRAMEGATE_TAKE(V shown, Format(in_, value, in_.s.Str(std::move(spec))));
    const Constant* c = ConstantOf(in_.s, shown, ConstantKind::kStr);
    if (c == nullptr)
      return in_.Break(Reason::kUnsupportedValue, "a text that is not known");
    *text += c->text;
    return in_.Done(nullptr);
  }

  Outcome First(const std::string& name, V* value) {
    bool digits = !name.empty() && name.size() < 9 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!name.empty() && !digits) {
      *value = args_.Keyword(name);
      if (*value != nullptr)
        return in_.Done(nullptr);
      in_.Raise("builtins:KeyError", name);
      return {Flow::kRaise, nullptr};
    }
    if ((name.empty() && numbering_ == 2) || (digits && numbering_ == 1))
      return in_.Raise("builtins:ValueError", name.empty() ? "cannot switch from manual field specification to automatic field numbering"
                                                           : "cannot switch from automatic field numbering to manual field specification");
    numbering_ = name.empty() ? 1 : 2;
    size_t place = name.empty() ? next_++ : static_cast<size_t>(std::stoi(name));
    if (first_ + place >= args_.positional.size())
      return in_.Raise("builtins:IndexError", StrCat("Replacement index ", place, " out of range for positional args tuple"));
    *value = args_.positional[first_ + place];
    return in_.Done(nullptr);
  }

  Outcome Lookup(const std::string& path) {
    size_t at = std::min(path.find_first_of(".["), path.size());
    V value = nullptr;
    FRAMEGATE_TAKE([[maybe_unused]] V none, First(path.substr(0, at), &value));
    while (at < path.size()) {
      bool is_item = path[at] == '[';
      size_t end = is_item ? path.find(']', at) : std::min(path.find_first_of(".[", at + 1), path.size());
      if (end == std::string::npos || end <= at + 1)
        return in_.Raise("builtins:ValueError",
                         is_item && end == std::string::npos ? "Missing ']' in format string" : "Empty attribute in format string");
      std::string name = path.substr(at + 1, end - at - 1);
      if (is_item) {
        bool digits = name.size() < 9 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
        FRAMEGATE_TAKE(value, in_.GetItem(value, digits ? in_.s.Int(std::stoi(name)) : in_.s.Str(name)));
        at = end + 1;
      } else {
        FRAMEGATE_TAKE(value, in_.GetAttr(value, name));
        at = end;
      }
    }
    return in_.Done(value);
  }

  Interp& in_;
  const Args& args_;
  size_t first_;
  size_t next_ = 0;
  int numbering_ = 0;  // 1 automatic, 2 manual
};

}  // namespace

Outcome FormatPercent(Interp& in, const std::string& format, V given) {
  return Percent(in, given).Write(format);
}

Outcome BuiltinStrFormat(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  Constant unused;
  bool known = !args.positional.empty();
  for (V value : args.positional)
    known = known && ToConstant(s, value, &unused);
  for (const auto& [name, value] : args.keyword)
    known = known && ToConstant(s, value, &unused);
  V self = args.positional.empty() ? nullptr : s.Resolve(args.positional[0]);
  if (V payload = s.Payload(self))
    self = payload;
  const Constant* format = self == nullptr ? nullptr : ConstantOf(s, self, ConstantKind::kStr);
  if (known || format == nullptr)
    return in.Fold("builtins:str.format", args);
  std::string text;
  FRAMEGATE_TAKE([[maybe_unused]] V none, Braces(in, args, 1).Write(format->text, 2, &text));
  return in.Done(s.Str(std::move(text)));
}

// str.format_map(mapping).
Outcome BuiltinStrFormatMap(Interp& in, Args& args, Tail tail) {
  auto* mapping = args.positional.size() != 2 ? nullptr : As<MappingValue>(in.s.Resolve(args.positional[1]));
  if (mapping == nullptr || !in.s.TypeOf(mapping)->is("builtins:dict") || !in.s.Complete(mapping))
    return in.Break(Reason::kUnsupportedCall, "str.format_map with these arguments");
  Args all{.positional = {args.positional[0]}};
  for (const auto& [key, value] : mapping->items)
    if (const Constant* name = ConstantOf(in.s, key, ConstantKind::kStr))
      all.keyword.emplace_back(name->text, value);
  return BuiltinStrFormat(in, all, tail);
}

}  // namespace framegate::translator
