// Lengths and how far iterators are.

#include "client_ext/observe/facts/word.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

namespace {

bool Length(PyObject* object, uint64_t* word) noexcept {
  Py_ssize_t length = -1;
  if (PyList_Check(object))
    length = PyList_GET_SIZE(object);
  else if (PyTuple_Check(object))
    length = PyTuple_GET_SIZE(object);
  else if (PyDict_Check(object))
    length = PyDict_GET_SIZE(object);
  else if (PyUnicode_Check(object))
    length = PyUnicode_GET_LENGTH(object);
  else if (PyBytes_Check(object))
    length = PyBytes_GET_SIZE(object);
  else if (PyAnySet_Check(object))
    length = PySet_GET_SIZE(object);
  else if (PyRange_Check(object)) {
    int overflow = 0;
    length = PyLong_AsLongLongAndOverflow(pycompat::RangeLength(object), &overflow);
    if (overflow != 0)
      return false;
  } else if (IsInstance(object, KnownType::kDeque)) {
    length = Py_SIZE(object);
  }
  *word = static_cast<uint64_t>(length);
  return length >= 0;
}

bool IsSequenceIterator(PyObject* object) {
  return Py_IS_TYPE(object, &PyListIter_Type) || Py_IS_TYPE(object, &PyTupleIter_Type);
}

// Items given so far; not known of an exhausted iterator, which forgets.
bool Given(PyObject* object, uint64_t* word) noexcept {
  if (IsSequenceIterator(object)) {
    const auto* it = reinterpret_cast<pycompat::SequenceIterator*>(object);
    *word = static_cast<uint64_t>(it->index);
    return it->sequence != nullptr;
  }
  if (pycompat::IsDictIterator(object)) {
    const auto* it = reinterpret_cast<pycompat::DictIterator*>(object);
    *word = static_cast<uint64_t>(it->used - it->remaining);
    return it->dict != nullptr && it->used >= 0;
  }
  if (Py_IS_TYPE(object, &PyEnum_Type)) {
    const auto* it = reinterpret_cast<pycompat::Enumerate*>(object);
    *word = static_cast<uint64_t>(it->index);
    return it->large_index == nullptr;
  }
  if (IsInstance(object, KnownType::kCount)) {
    const auto* it = reinterpret_cast<pycompat::CountIterator*>(object);
    *word = static_cast<uint64_t>(it->next);
    return it->next != PY_SSIZE_T_MAX;
  }
  if (!Py_IS_TYPE(object, &PySetIter_Type))
    return false;
  const auto* it = reinterpret_cast<pycompat::SetIterator*>(object);
  *word = static_cast<uint64_t>(it->used - it->remaining);
  return it->set != nullptr && it->used >= 0;
}

bool Left(PyObject* object, uint64_t* word) noexcept {
  if (IsSequenceIterator(object)) {
    const auto* it = reinterpret_cast<pycompat::SequenceIterator*>(object);
    *word = 0;
    if (it->sequence == nullptr)
      return true;
    if (!PyList_Check(it->sequence) && !PyTuple_Check(it->sequence))
      return false;
    const Py_ssize_t size = Py_SIZE(it->sequence);
    *word = static_cast<uint64_t>(size > it->index ? size - it->index : 0);
    return true;
  }
  if (pycompat::IsRangeIterator(object)) {
    long long start = 0, step = 0, count = 0;
    const bool fits = pycompat::ReadRangeIterator(object, &start, &step, &count);
    *word = static_cast<uint64_t>(count);
    return fits;
  }
  if (pycompat::IsDictIterator(object)) {  // one whose dict has changed size since raises instead of giving items
    const auto* it = reinterpret_cast<pycompat::DictIterator*>(object);
    *word = it->dict == nullptr ? 0 : static_cast<uint64_t>(it->remaining);
    return it->dict == nullptr || it->used == it->dict->ma_used;
  }
  if (pycompat::IsReverseIterator(object)) {
    const auto* it = reinterpret_cast<pycompat::ReverseIterator*>(object);
    *word = 0;
    if (it->sequence == nullptr)
      return true;
    if (!PyList_Check(it->sequence) && !PyTuple_Check(it->sequence))
      return false;
    *word = it->index < Py_SIZE(it->sequence) ? static_cast<uint64_t>(it->index + 1) : 0;
    return true;
  }
  if (IsInstance(object, KnownType::kRepeat)) {
    const Py_ssize_t left = reinterpret_cast<pycompat::Repeat*>(object)->left;
    *word = static_cast<uint64_t>(left < 0 ? PY_SSIZE_T_MAX : left);
    return true;
  }
  if (!Py_IS_TYPE(object, &PySetIter_Type))
    return false;
  const auto* it = reinterpret_cast<pycompat::SetIterator*>(object);
  *word = it->set == nullptr ? 0 : static_cast<uint64_t>(it->remaining);
  return it->set == nullptr || it->used == it->set->used;
}

}  // namespace

template <>
bool ReadFact<model::Fact::kLength>(PyObject* object, model::FactValue* value) {
  return Length(object, &value->word);
}

bool LengthIs(PyObject* object, uint64_t expected) noexcept {
  uint64_t length = 0;
  return Length(object, &length) && length == expected;
}

FRAMEGATE_WORD_FACT(kIterIndex, Given)
FRAMEGATE_WORD_FACT(kIterRemaining, Left)

}  // namespace framegate::client
