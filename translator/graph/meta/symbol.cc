#include "translator/graph/meta/symbol.h"

#include "base/strings.h"

namespace framegate::translator::meta {
namespace {

struct Module {
  std::string_view name;
  Place place;
  std::string_view prefix;  // of the names in it
};

constexpr Module kModules[] = {
    {"", kMethod, ""},
    {"torch.Tensor", kMethod, ""},
    {"torch._tensor.Tensor", kMethod, ""},
    {"torch._tensor.TensorBase", kMethod, ""},
    {"torch._C.TensorBase", kMethod, ""},
    {"torch", kTorch, ""},
    {"torch.functional", kTorch, ""},
    {"torch._VF", kTorch, ""},
    {"torch._C._VariableFunctions", kTorch, ""},
    {"torch._C._VariableFunctionsClass", kTorch, ""},
    {"torch.nn.functional", kFunctional, ""},
    {"torch._C._nn", kFunctional, ""},
    {"operator", kOperator, ""},
    {"_operator", kOperator, ""},
    {"builtins", kOperator, ""},
    {"torch.special", kSpecial, ""},
    {"torch._C._special", kSpecial, "special_"},
    {"torch.linalg", kLinalg, ""},
    {"torch._C._linalg", kLinalg, "linalg_"},
};

// __add__ -> add; other names unchanged, and false.
bool StripDunder(std::string* name) {
  if (name->size() < 5 || !name->starts_with("__") || !name->ends_with("__"))
    return false;
  *name = name->substr(2, name->size() - 4);
  return true;
}

// radd -> add, but not rshift -> shift.
bool StripReflection(std::string* name) {
  constexpr std::string_view kReflected[] = {"radd", "rsub",    "rmul", "rdiv", "rtruediv", "rfloordiv", "rmod",
                                             "rpow", "rmatmul", "rand", "ror",  "rxor",     "rlshift",   "rrshift"};
  for (std::string_view reflected : kReflected) {
    if (*name == reflected) {
      name->erase(0, 1);
      return true;
    }
  }
  return false;
}

}  // namespace

bool ReadSymbol(std::string_view symbol, Spelling* spelling) {
  std::string path(symbol);
  if (size_t colon = path.find(':'); colon != std::string::npos)
    path[colon] = '.';
  size_t dot = path.rfind('.');
  std::string_view module = dot == std::string::npos ? std::string_view() : std::string_view(path).substr(0, dot);
  std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  for (const Module& row : kModules) {
    if (row.name != module)
      continue;
    spelling->place = row.place;
    if (name.starts_with(row.prefix))
      name.erase(0, row.prefix.size());
    if (row.place == kMethod && StripDunder(&name)) {
      spelling->place = kOperator;
      spelling->reflected = StripReflection(&name);
    } else if (row.place == kOperator) {
      StripDunder(&name);
      if (name.ends_with('_'))  // and_, or_, not_
        name.pop_back();
    }
    spelling->name = std::move(name);
    return true;
  }
  return false;
}

}  // namespace framegate::translator::meta
