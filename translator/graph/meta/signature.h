// The parameters of an operator, as a row of operators.def writes them:
//
//     "input, other|exponent, *sizes, dim=None, *, dtype=None"
//
// `a|b` is one parameter under two names; `*sizes` takes the remaining positional arguments, or one
// sequence of them; after `*` parameters are given by name. A parameter without default is
// required. Defaults are None, True, False, numbers and 'text'. Thread-compatible; a signature is
// immutable once it is read.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/summary.h"

namespace framegate::translator::meta {

struct Parameter {
  std::string name, alias;
  std::optional<model::Operand> fallback;
  bool variadic = false;
  bool named_only = false;
};

class Signature {
 public:
  explicit Signature(std::string_view text);

  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The place of a parameter; -1 where there is none under this name.
  int Find(std::string_view name) const;

 private:
  std::vector<Parameter> parameters_;
};

// Arguments by parameter: pointers into what was bound, into the signature and into this object, all
// of which must live as long as they are used.
class Binding {
 public:
  // False where the arguments do not fit.
  bool Bind(const Signature& signature, const std::vector<model::Operand>& args,
            const std::vector<std::pair<std::string, model::Operand>>& kwargs);

  // Null where it is not given and has no default.
  const model::Operand* at(int place) const { return values_[static_cast<size_t>(place)]; }

  // The positional argument that a parameter was given as.
  std::optional<uint32_t> PositionOf(int place) const;

 private:
  bool BindPositional(const Signature& signature, const std::vector<model::Operand>& args);

  std::vector<const model::Operand*> values_;
  std::deque<model::Operand> gathered_;
  size_t positional_ = 0;
};

}  // namespace framegate::translator::meta
