// Values that only their constructor can make again.
#include <string_view>

#include "client_ext/link/helpers.h"
#include "client_ext/link/symbols.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

struct Constructor {
  std::string_view name, symbol;
};

constexpr Constructor kConstructors[] = {
#define FRAMEGATE_CONSTRUCTOR(name, symbol) {name, symbol},
#include "model/constructors.def"
#undef FRAMEGATE_CONSTRUCTOR
};

std::string_view SymbolOf(PyObject* name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
  if (text != nullptr)
    for (const Constructor& row : kConstructors)
      if (row.name == std::string_view(text, static_cast<size_t>(size)))
        return row.symbol;
  return {};
}

}  // namespace

PyObject* HelperkConstruct(PyObject* const* args, Py_ssize_t count) {
  const std::string_view symbol = count > 0 ? SymbolOf(args[0]) : std::string_view();
  if (symbol.empty()) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_SystemError, "framegate: construct was given no name of a constructor");
    return nullptr;
  }
  const Ref constructor = Ref::Steal(NewSymbolReference(symbol));
  return constructor ? PyObject_Vectorcall(constructor.get(), args + 1, static_cast<size_t>(count - 1), nullptr) : nullptr;
}

PyObject* HelperkMakePartial(PyObject* const* args, Py_ssize_t) {
  const Ref partial = Ref::Steal(NewSymbolReference("_functools:partial"));
  const Ref function = partial ? Ref::Steal(PyTuple_Pack(1, args[0])) : Ref();
  const Ref all = function ? Ref::Steal(PySequence_Concat(function.get(), args[1])) : Ref();
  return all ? PyObject_Call(partial.get(), all.get(), args[2]) : nullptr;
}

}  // namespace framegate::client
