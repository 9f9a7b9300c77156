// What iterators, weak references, proxies and tensors lead to.

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_dict.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

using model::Step;

namespace {

// Of a list or tuple iterator; null for others.
const pycompat::SequenceIterator* AsSequenceIterator(PyObject* object) {
  return Py_IS_TYPE(object, &PyListIter_Type) || Py_IS_TYPE(object, &PyTupleIter_Type)
             ? reinterpret_cast<pycompat::SequenceIterator*>(object)
             : nullptr;
}

bool IsDictView(PyObject* object) {
  return Py_IS_TYPE(object, &PyDictKeys_Type) || Py_IS_TYPE(object, &PyDictValues_Type) || Py_IS_TYPE(object, &PyDictItems_Type);
}

}  // namespace

template <>
bool TakeStep<Step::kIterSource>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (const pycompat::SequenceIterator* it = AsSequenceIterator(from))
    *to = it->sequence;
  else if (pycompat::IsDictIterator(from))
    *to = reinterpret_cast<PyObject*>(reinterpret_cast<pycompat::DictIterator*>(from)->dict);
  else if (Py_IS_TYPE(from, &PySetIter_Type))
    *to = reinterpret_cast<PyObject*>(reinterpret_cast<pycompat::SetIterator*>(from)->set);
  else if (pycompat::IsReverseIterator(from))
    *to = reinterpret_cast<pycompat::ReverseIterator*>(from)->sequence;
  else if (Py_IS_TYPE(from, &PyEnum_Type))
    *to = reinterpret_cast<pycompat::Enumerate*>(from)->iterator;
  else if (Py_IS_TYPE(from, &PyZip_Type) && reinterpret_cast<pycompat::Zip*>(from)->strict == 0)
    *to = reinterpret_cast<pycompat::Zip*>(from)->iterators;
  else if (Py_IS_TYPE(from, &PyMap_Type))
    *to = reinterpret_cast<pycompat::Map*>(from)->iterators;
  else if (IsInstance(from, KnownType::kChain))
    *to = reinterpret_cast<pycompat::Chain*>(from)->source;
  return true;
}

template <>
bool TakeStep<Step::kMapFunction>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (Py_IS_TYPE(from, &PyMap_Type))
    *to = reinterpret_cast<pycompat::Map*>(from)->function;
  return true;
}

namespace {

PyObject* ItemAt(PyObject* sequence, Py_ssize_t place) {
  if (PyList_Check(sequence) && place >= 0 && place < PyList_GET_SIZE(sequence))
    return PyList_GET_ITEM(sequence, place);
  if (PyTuple_Check(sequence) && place >= 0 && place < PyTuple_GET_SIZE(sequence))
    return PyTuple_GET_ITEM(sequence, place);
  return nullptr;
}

// What a dict iterator will give after skipping some. False where it is exhausted or its dict has changed.
bool DictEntry(PyObject* from, uint64_t skipped, PyObject** key, PyObject** value) {
  const auto* it = reinterpret_cast<pycompat::DictIterator*>(from);
  if (it->dict == nullptr || it->used != it->dict->ma_used)
    return false;
  const Py_ssize_t given = it->used - it->remaining;
  return pycompat::NthItem(pycompat::ItemsOf(reinterpret_cast<PyObject*>(it->dict)), given + static_cast<Py_ssize_t>(skipped), key, value);
}

PyObject* SetElement(PyObject* from, uint64_t skipped) {
  const auto* it = reinterpret_cast<pycompat::SetIterator*>(from);
  PyObject* element = nullptr;
  if (it->set == nullptr || it->used != it->set->used)
    return nullptr;
  Py_ssize_t at = it->position;
  for (uint64_t i = 0; i <= skipped; ++i)
    if (!pycompat::NextElement(reinterpret_cast<PyObject*>(it->set), &at, &element))
      return nullptr;
  return element;
}

}  // namespace

template <>
bool TakeStep<Step::kIterItem>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  const Py_ssize_t skipped = static_cast<Py_ssize_t>(operand.word);
  if (const pycompat::SequenceIterator* it = AsSequenceIterator(from)) {
    *to = it->sequence == nullptr ? nullptr : ItemAt(it->sequence, it->index + skipped);
  } else if (pycompat::IsReverseIterator(from)) {
    const auto* reverse = reinterpret_cast<pycompat::ReverseIterator*>(from);
    *to = reverse->sequence == nullptr ? nullptr : ItemAt(reverse->sequence, reverse->index - skipped);
  } else if (pycompat::IsDictIterator(from)) {
    PyObject *key = nullptr, *value = nullptr;
    if (DictEntry(from, operand.word, &key, &value))
      *to = Py_IS_TYPE(from, &PyDictIterKey_Type) ? key : value;
  } else if (Py_IS_TYPE(from, &PySetIter_Type)) {
    *to = SetElement(from, operand.word);
  } else if (IsInstance(from, KnownType::kRepeat)) {
    *to = reinterpret_cast<pycompat::Repeat*>(from)->element;
  }
  return true;
}

template <>
bool TakeStep<Step::kChained>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (IsInstance(from, KnownType::kChain))
    *to = reinterpret_cast<pycompat::Chain*>(from)->active;
  return true;
}

template <>
bool TakeStep<Step::kIterKey>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject *key = nullptr, *value = nullptr;
  if (Py_IS_TYPE(from, &PyDictIterItem_Type) && DictEntry(from, operand.word, &key, &value))
    *to = key;
  return true;
}

template <>
bool TakeStep<Step::kExcArgs>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyExceptionInstance_Check(from))
    *to = reinterpret_cast<PyBaseExceptionObject*>(from)->args;
  return true;
}

template <>
bool TakeStep<Step::kExcCause>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyExceptionInstance_Check(from))
    *to = reinterpret_cast<PyBaseExceptionObject*>(from)->cause;
  return true;
}

template <>
bool TakeStep<Step::kExcContext>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyExceptionInstance_Check(from))
    *to = reinterpret_cast<PyBaseExceptionObject*>(from)->context;
  return true;
}

template <>
bool TakeStep<Step::kWeakrefTarget>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyWeakref_Check(from))
    *to = pycompat::WeakrefTarget(from);
  return true;
}

template <>
bool TakeStep<Step::kProxyTarget>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (Py_IS_TYPE(from, &PyDictProxy_Type))
    *to = reinterpret_cast<pycompat::MappingProxy*>(from)->mapping;
  else if (IsDictView(from))
    *to = reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(from)->dv_dict);
  return true;
}

template <>
bool TakeStep<Step::kTensorGrad>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  // The getter of the C base itself; a subclass that overrides functions would be asked by it.
  PyTypeObject* base = FindKnownType(KnownType::kTensorBase);
  if (base == nullptr || (Py_TYPE(from) != FindKnownType(KnownType::kTensor) && Py_TYPE(from) != FindKnownType(KnownType::kParameter)))
    return true;
  PyObject* getter = _PyType_Lookup(base, GetNames().grad);
  if (getter == nullptr || !Py_IS_TYPE(getter, &PyGetSetDescr_Type))
    return true;
  const PyGetSetDef* getset = reinterpret_cast<PyGetSetDescrObject*>(getter)->d_getset;
  PyObject* grad = getset->get(from, getset->closure);
  if (grad == nullptr)
    PyErr_Clear();
  else if (grad != Py_None)
    *to = grad;
  Py_XDECREF(grad);  // the tensor keeps its gradient, and a gradient its Python object
  return true;
}

}  // namespace framegate::client
