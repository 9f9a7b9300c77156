// The spellings of an operator. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace framegate::translator::meta {

// Where an operator is reached. Bits, so that a row of operators.def can name several.
enum Place : uint32_t {
  kTorch = 1 << 0,       // torch.relu
  kMethod = 1 << 1,      // Tensor.relu
  kFunctional = 1 << 2,  // torch.nn.functional and its C part torch._C._nn
  kOperator = 1 << 3,    // operators of Python, by the names of module operator: also Tensor.__add__
                         // and builtins
  kSpecial = 1 << 4,     // torch.special
  kLinalg = 1 << 5,      // torch.linalg
};

struct Spelling {
  Place place = kTorch;
  std::string name;        // as rows of operators.def have it: without the module, dunder or trailing
                           // underscores of keywords
  bool reflected = false;  // __radd__: the first argument is the right one
};

// False where the module is none that operators live in.
bool ReadSymbol(std::string_view symbol, Spelling* spelling);

}  // namespace framegate::translator::meta
