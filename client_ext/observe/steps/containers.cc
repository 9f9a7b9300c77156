// Items of dicts, sequences and sets.

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

using model::Step;
using pycompat::ItemsOf;

void AdoptName(Operand operand, PyObject* name) noexcept {
  auto* key = static_cast<LinkedConstant*>(const_cast<void*>(operand.pointer));
  // The hint may be no place at all where there are more entries than it can count.
  if (pycompat::SameText(key->object.get(), name))
    key->object = pycompat::Ref::Share(name);
}

bool TakeUnusualKey(PyObject* dict, const LinkedConstant& key, PyObject** to) noexcept {
  Py_ssize_t place = 0;
  if (key.hash == -1)
    return true;
  const pycompat::Items items = ItemsOf(dict);
  const pycompat::Lookup answer = pycompat::FindConstant(items, key.object.get(), key.hash, &place);
  if (answer == pycompat::Lookup::kFound)
    *to = pycompat::ValueAt(items, place);
  return answer != pycompat::Lookup::kUnknown;
}

namespace {

// Key and value at a place in iteration order; an OrderedDict has an order of its own.
bool NthOf(PyObject* dict, uint64_t nth, PyObject** key, PyObject** value) noexcept {
  if (!PyDict_Check(dict))
    return false;
  if (!pycompat::IsOrderedDict(dict))
    return pycompat::NthItem(ItemsOf(dict), static_cast<Py_ssize_t>(nth), key, value);
  const void* node = nullptr;
  for (uint64_t i = 0; i <= nth; ++i)
    if ((node = pycompat::NextOrderedNode(dict, node, key)) == nullptr)
      return false;
  Py_ssize_t place = 0;
  const pycompat::Items items = ItemsOf(dict);
  const Py_hash_t hash = PyUnicode_CheckExact(*key) ? reinterpret_cast<PyASCIIObject*>(*key)->hash : -1;
  if (hash != -1) {
    if (pycompat::FindConstant(items, *key, hash, &place) != pycompat::Lookup::kFound)
      return false;
    *value = pycompat::ValueAt(items, place);
    return *value != nullptr;
  }
  for (pycompat::ItemCursor cursor(items); cursor.Next();) {  // by identity: a hash might run Python code
    if (cursor.key == *key) {
      *value = cursor.value;
      return true;
    }
  }
  return false;
}

}  // namespace

template <>
bool TakeStep<Step::kDictKey>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject *key = nullptr, *value = nullptr;
  if (NthOf(from, operand.word, &key, &value))
    *to = key;
  return true;
}

template <>
bool TakeStep<Step::kDictValue>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  PyObject *key = nullptr, *value = nullptr;
  if (NthOf(from, operand.word, &key, &value))
    *to = value;
  return true;
}

template <>
bool TakeStep<Step::kItem>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  const Py_ssize_t place = static_cast<Py_ssize_t>(operand.word);
  if (PyList_Check(from)) {
    if (place < PyList_GET_SIZE(from))
      *to = PyList_GET_ITEM(from, place);
  } else if (PyTuple_Check(from)) {
    if (place < PyTuple_GET_SIZE(from))
      *to = PyTuple_GET_ITEM(from, place);
  } else if (IsInstance(from, KnownType::kDeque)) {
    PyObject* item = place < Py_SIZE(from) ? FindKnownType(KnownType::kDeque)->tp_as_sequence->sq_item(from, place) : nullptr;
    *to = item;
    Py_XDECREF(item);  // the deque holds it
  } else if (PySlice_Check(from) && place < 3) {
    *to = (&reinterpret_cast<PySliceObject*>(from)->start)[place];
  }
  return true;
}

template <>
bool TakeStep<Step::kSetItem>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  if (!PyAnySet_Check(from))
    return true;
  PyObject* element = nullptr;
  Py_ssize_t at = 0;
  for (uint64_t i = 0; pycompat::NextElement(from, &at, &element); ++i) {
    if (i == operand.word) {
      *to = element;
      break;
    }
  }
  return true;
}

}  // namespace framegate::client
