#include "translator/graph/meta/signature.h"

#include <cstdlib>

#include "base/strings.h"

namespace framegate::translator::meta {
namespace {

using model::Constant;
using model::Operand;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

Constant ReadDefault(std::string_view text) {
  if (text == "None")
    return Constant::None();
  if (text == "True" || text == "False")
    return Constant::Bool(text == "True");
  if (text.starts_with('\''))
    return Constant::Str(std::string(text.substr(1, text.size() - 2)));
  if (int64_t number = 0; ParseInteger(text, &number))
    return Constant::Int(number);
  return Constant::Float(std::strtod(std::string(text).c_str(), nullptr));
}

Parameter ReadParameter(std::string_view text) {
  Parameter parameter;
  if (text.starts_with('*')) {
    parameter.variadic = true;
    text.remove_prefix(1);
  }
  if (size_t equal = text.find('='); equal != std::string_view::npos) {
    parameter.fallback.emplace().constant = ReadDefault(text.substr(equal + 1));
    text = text.substr(0, equal);
  }
  if (size_t bar = text.find('|'); bar != std::string_view::npos) {
    parameter.alias = text.substr(bar + 1);
    text = text.substr(0, bar);
  }
  parameter.name = text;
  return parameter;
}

bool IsSequence(const Operand& operand) {
  if (!operand.sequence.empty())
    return true;
  return operand.constant &&
         (operand.constant->kind == model::ConstantKind::kTuple || operand.constant->kind == model::ConstantKind::kSize);
}

// Names that NumPy gives to parameters and torch takes as well.
std::string_view WithoutNumpyNames(std::string_view name) {
  if (name == "axis")
    return "dim";
  return name == "keepdims" ? "keepdim" : name;
}

}  // namespace

Signature::Signature(std::string_view text) {
  bool named_only = false;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view piece = Trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (piece == "*") {
      named_only = true;
      continue;
    }
    parameters_.push_back(ReadParameter(piece));
    parameters_.back().named_only = named_only;
  }
}

int Signature::Find(std::string_view name) const {
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name == name || (!parameters_[i].alias.empty() && parameters_[i].alias == name))
      return static_cast<int>(i);
  return -1;
}

bool Binding::BindPositional(const Signature& signature, const std::vector<Operand>& args) {
  size_t place = 0;
  for (positional_ = 0; positional_ < args.size(); ++positional_, ++place) {
    if (place == values_.size() || signature.parameters()[place].named_only)
      return false;
    if (!signature.parameters()[place].variadic) {
      values_[place] = &args[positional_];
      continue;
    }
    if (positional_ + 1 == args.size() && IsSequence(args[positional_])) {
      values_[place] = &args[positional_];
      continue;
    }
    Operand& all = gathered_.emplace_back();
    all.sequence = "tuple";
    all.items.assign(args.begin() + static_cast<ptrdiff_t>(positional_), args.end());
    values_[place] = &all;
    positional_ = args.size();
    return true;
  }
  return true;
}

bool Binding::Bind(const Signature& signature, const std::vector<Operand>& args,
                   const std::vector<std::pair<std::string, Operand>>& kwargs) {
  const std::vector<Parameter>& parameters = signature.parameters();
  values_.assign(parameters.size(), nullptr);
  if (!BindPositional(signature, args))
    return false;
  for (const auto& [name, operand] : kwargs) {
    if (name == "out" && operand.constant && operand.constant->is_none())
      continue;
    int place = signature.Find(name);
    if (place < 0)
      place = signature.Find(WithoutNumpyNames(name));
    if (place < 0 || values_[static_cast<size_t>(place)] != nullptr)
      return false;
    values_[static_cast<size_t>(place)] = &operand;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (values_[i] == nullptr && parameters[i].fallback)
      values_[i] = &*parameters[i].fallback;
    if (values_[i] == nullptr && !parameters[i].variadic)
      return false;
  }
  return true;
}

std::optional<uint32_t> Binding::PositionOf(int place) const {
  if (static_cast<size_t>(place) < positional_)
    return static_cast<uint32_t>(place);
  return std::nullopt;
}

}  // namespace framegate::translator::meta
