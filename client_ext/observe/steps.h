// One body per step of model/steps.def that goes on from an object; a row without a body does not link. Roots are PyProbe's.
// GIL held. Bodies run no Python code, allocate no Python object, raise nothing; results are borrowed.
#pragma once

#include "client_ext/pycompat/observe_instance.h"

#include "client_ext/observe/constants.h"
#include "guards/program/link.h"
#include "model/enums.h"

namespace framegate::client {

using guards::Operand;

// The operand of a step with a key points to a LinkedConstant; others hold an index. `hint` is the step's own: where it was found last.
// False: not known. *to stays null where there is nothing, also because the object is not of the kind that the step is for.
template <model::Step S>
bool TakeStep(PyObject* from, Operand operand, uint16_t* hint, PyObject** to) noexcept;

inline const LinkedConstant& KeyOf(Operand operand) {
  return *static_cast<const LinkedConstant*>(operand.pointer);
}

inline PyObject* NameOf(Operand operand) {
  return KeyOf(operand).object.get();
}

// The same with the step as a value; for what is not evaluation.
bool TakeStep(model::Step step, PyObject* from, Operand operand, PyObject** to) noexcept;
// The same with the operand as it is in subjects and questions. False also where the key cannot be made an object here.
bool TakeKeyedStep(model::Step step, uint32_t index, const model::Constant& key, PyObject* from, PyObject** to);

// --- bodies on the path of every call -------------------------------------------------------------

inline bool ValueUnderName(const pycompat::Items& items, PyObject* name, uint16_t* hint, PyObject** to) noexcept {
  return pycompat::FindName(items, name, hint, to) != pycompat::Lookup::kUnknown;
}

template <>
inline bool TakeStep<model::Step::kType>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  *to = reinterpret_cast<PyObject*>(Py_TYPE(from));
  return true;
}

template <>
inline bool TakeStep<model::Step::kAttr>(PyObject* from, Operand operand, uint16_t* hint, PyObject** to) noexcept {
  return ValueUnderName(pycompat::InstanceItems(from), NameOf(operand), hint, to);
}

void AdoptName(Operand operand, PyObject* name) noexcept;
bool TakeUnusualKey(PyObject* dict, const LinkedConstant& key, PyObject** to) noexcept;

template <>
inline bool TakeStep<model::Step::kDictItem>(PyObject* from, Operand operand, uint16_t* hint, PyObject** to) noexcept {
  const LinkedConstant& key = KeyOf(operand);
  if (!PyDict_Check(from))
    return true;
  if (PyUnicode_CheckExact(key.object.get())) {
    const pycompat::Items items = pycompat::ItemsOf(from);
    const bool known = ValueUnderName(items, key.object.get(), hint, to);
    // A dict's own str takes the place of ours, so that the next comparison is one of pointers.
    if (*to != nullptr && DK_IS_UNICODE(items.keys) && pycompat::NameAt(items, *hint) != key.object.get())
      AdoptName(operand, pycompat::NameAt(items, *hint));
    return known;
  }
  return TakeUnusualKey(from, key, to);
}

template <>
inline bool TakeStep<model::Step::kModuleDict>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyModule_Check(from))
    *to = PyModule_GetDict(from);
  return true;
}

template <>
inline bool TakeStep<model::Step::kCellContents>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyCell_Check(from))
    *to = PyCell_GET(from);
  return true;
}

}  // namespace framegate::client
