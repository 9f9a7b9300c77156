// What iterators, weak references, proxies and tensors lead to.

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/steps.h"
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
  return true;
}

template <>
bool TakeStep<Step::kIterItem>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::SequenceIterator* it = AsSequenceIterator(from);
  if (it == nullptr || it->sequence == nullptr)
    return true;
  const Py_ssize_t place = it->index + static_cast<Py_ssize_t>(operand.word);
  if (PyList_Check(it->sequence) && place < PyList_GET_SIZE(it->sequence))
    *to = PyList_GET_ITEM(it->sequence, place);
  else if (PyTuple_Check(it->sequence) && place < PyTuple_GET_SIZE(it->sequence))
    *to = PyTuple_GET_ITEM(it->sequence, place);
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
