// Types and what instances keep outside their dict.

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"

namespace framegate::client {

using model::Step;

template <>
bool TakeStep<Step::kInstanceDict>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  PyObject* dict = pycompat::MaterializedDict(from);
  if (dict != nullptr && PyDict_Check(dict))
    *to = dict;
  return true;
}

template <>
bool TakeStep<Step::kTypeAttr>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  if (PyType_Check(from))
    *to = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(from), NameOf(operand));
  return true;
}

template <>
bool TakeStep<Step::kDataDescriptor>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject* value = PyType_Check(from) ? _PyType_Lookup(reinterpret_cast<PyTypeObject*>(from), NameOf(operand)) : nullptr;
  if (value != nullptr && Py_TYPE(value)->tp_descr_set != nullptr)
    *to = value;
  return true;
}

template <>
bool TakeStep<Step::kTypeDictItem>(PyObject* from, Operand operand, uint16_t* hint, PyObject** to) noexcept {
  PyObject* dict = PyType_Check(from) ? pycompat::TypeDict(reinterpret_cast<PyTypeObject*>(from)) : nullptr;
  return dict == nullptr || ValueUnderName(pycompat::ItemsOf(dict), NameOf(operand), hint, to);
}

template <>
bool TakeStep<Step::kMro>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject* mro = PyType_Check(from) ? reinterpret_cast<PyTypeObject*>(from)->tp_mro : nullptr;
  const Py_ssize_t place = static_cast<Py_ssize_t>(operand.word);
  if (mro != nullptr && place < PyTuple_GET_SIZE(mro))
    *to = PyTuple_GET_ITEM(mro, place);
  return true;
}

template <>
bool TakeStep<Step::kTypeBases>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyType_Check(from))
    *to = reinterpret_cast<PyTypeObject*>(from)->tp_bases;
  return true;
}

template <>
bool TakeStep<Step::kLocalDict>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (IsInstance(from, KnownType::kThreadLocal))
    *to = pycompat::LocalDict(from);
  return true;
}

template <>
bool TakeStep<Step::kSlotMember>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject* descriptor = _PyType_Lookup(Py_TYPE(from), NameOf(operand));
  if (descriptor == nullptr || !Py_IS_TYPE(descriptor, &PyMemberDescr_Type))
    return true;
  const PyMemberDef* member = pycompat::ObjectMember(descriptor);
  // A descriptor may be held by a type that is no subtype of its owner.
  if (member != nullptr && PyType_IsSubtype(Py_TYPE(from), reinterpret_cast<PyDescrObject*>(descriptor)->d_type))
    *to = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(from) + member->offset);
  return true;
}

}  // namespace framegate::client
