#include "client_ext/link/forward.h"

#include "client_ext/link/code.h"
#include "client_ext/link/symbols.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

PyObject* NewForward(const model::Entry& entry) {
  using pycompat::Ref;
  const Ref globals = Ref::Steal(PyDict_New());
  if (!globals || PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins()) != 0)
    return nullptr;
  for (const model::ForwardTarget& target : entry.targets) {
    const Ref object = Ref::Steal(NewSymbolReference(target.symbol));
    if (!object || PyDict_SetItemString(globals.get(), target.global.c_str(), object.get()) != 0)
      return nullptr;
  }
  for (uint32_t number = 0; number < entry.bodies.size(); ++number) {
    const Ref code = Ref::Steal(reinterpret_cast<PyObject*>(NewForwardCode(entry.bodies[number])));
    const Ref body = Ref::Steal(code ? PyFunction_New(code.get(), globals.get()) : nullptr);
    if (!body || PyDict_SetItemString(globals.get(), model::NameOfBody(number).c_str(), body.get()) != 0)
      return nullptr;
  }
  const Ref code = Ref::Steal(reinterpret_cast<PyObject*>(NewForwardCode(entry.forward)));
  return code ? PyFunction_New(code.get(), globals.get()) : nullptr;
}

}  // namespace framegate::client
