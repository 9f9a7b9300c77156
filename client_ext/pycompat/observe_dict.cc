#include "client_ext/pycompat/observe_dict.h"

#include <string_view>

namespace framegate::pycompat {

namespace {

bool IsNumber(PyObject* object) {
  return PyLong_CheckExact(object) || PyBool_Check(object) || PyFloat_CheckExact(object) || PyComplex_CheckExact(object);
}

Lookup SameTuple(PyObject* a, PyObject* b) {
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
    return Lookup::kAbsent;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    const Lookup answer = SameKey(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
    if (answer != Lookup::kFound)
      return answer;
  }
  return Lookup::kFound;
}

// Tuples, and instances of subclasses that compare as these do: torch.Size, named tuples.
bool IsTuple(PyObject* object) {
  return PyTuple_Check(object) && Py_TYPE(object)->tp_richcompare == PyTuple_Type.tp_richcompare;
}

// Its comparison is C code that looks at nothing else.
bool IsDevice(PyObject* object) {
  return (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 && std::string_view(Py_TYPE(object)->tp_name) == "torch.device";
}

// Types whose instances are equal to nothing but themselves and what the branches of SameKey know.
bool HasPlainEquality(PyObject* object) {
  return object == Py_None || IsNumber(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || IsTuple(object) ||
         IsDevice(object) || Py_TYPE(object)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

}  // namespace

uint64_t NextDictVersion() {
#if PY_VERSION_HEX >= 0x030C0000
  return 0;  // counted by interpreter, and on 3.13 not for what instances share with their dicts
#else
  static PyObject* const dict = PyDict_New();
  static PyObject* const name = PyUnicode_InternFromString("changes");
  static bool odd = false;
  odd = !odd;
  if (dict == nullptr || name == nullptr || PyDict_SetItem(dict, name, odd ? Py_True : Py_False) != 0) {
    PyErr_Clear();
    return 0;
  }
  return DictVersionField(reinterpret_cast<PyDictObject*>(dict));
#endif
}

Lookup SameKey(PyObject* a, PyObject* b) {
  if (a == b)
    return Lookup::kFound;
  if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b))
    return PyObject_Hash(a) != -1 && PyObject_Hash(b) != -1 && SameText(a, b) ? Lookup::kFound : Lookup::kAbsent;
  if (IsNumber(a) && IsNumber(b))
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1 ? Lookup::kFound : Lookup::kAbsent;
  if (PyBytes_CheckExact(a) && PyBytes_CheckExact(b))
    return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b) &&
                   std::memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), static_cast<size_t>(PyBytes_GET_SIZE(a))) == 0
               ? Lookup::kFound
               : Lookup::kAbsent;
  if (IsTuple(a) && IsTuple(b))
    return SameTuple(a, b);
  if (IsDevice(a) && IsDevice(b))
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1 ? Lookup::kFound : Lookup::kAbsent;
  return HasPlainEquality(a) && HasPlainEquality(b) ? Lookup::kAbsent : Lookup::kUnknown;
}

Lookup FindNameAmongNames(const Items& items, PyObject* name, Py_ssize_t* place) {
  const PyDictUnicodeEntry* entries = DK_UNICODE_ENTRIES(items.keys);
  return Probe(items.keys, reinterpret_cast<PyASCIIObject*>(name)->hash, place, [&](Py_ssize_t at) {
    PyObject* key = entries[at].me_key;
    return key != nullptr && SameText(key, name) ? Lookup::kFound : Lookup::kAbsent;
  });
}

Lookup FindNameAmongAny(const Items& items, PyObject* name, Py_ssize_t* place) {
  return FindConstant(items, name, reinterpret_cast<PyASCIIObject*>(name)->hash, place);
}

Lookup FindConstant(const Items& items, PyObject* key, Py_hash_t hash, Py_ssize_t* place) {
  if (items.keys == nullptr)
    return Lookup::kAbsent;
  if (DK_IS_UNICODE(items.keys)) {
    if (PyUnicode_CheckExact(key))
      return FindNameAmongNames(items, key, place);
    return HasPlainEquality(key) ? Lookup::kAbsent : Lookup::kUnknown;
  }
  const PyDictKeyEntry* entries = DK_ENTRIES(items.keys);
  return Probe(items.keys, hash, place, [&](Py_ssize_t at) {
    if (entries[at].me_key == nullptr || entries[at].me_hash != hash)
      return Lookup::kAbsent;
    return SameKey(entries[at].me_key, key);
  });
}

Py_ssize_t Count(const Items& items) {
  if (items.keys == nullptr)
    return 0;
  return items.used >= 0 ? items.used : SplitCount(items.values);
}

bool NthItem(const Items& items, Py_ssize_t nth, PyObject** key, PyObject** value) {
  if (nth >= Count(items))
    return false;
  if (items.values == nullptr && items.keys->dk_nentries != items.used) {  // some entries are empty
    ItemCursor cursor(items);
    for (Py_ssize_t i = 0; i <= nth; ++i)
      if (!cursor.Next())
        return false;
    *key = cursor.key;
    *value = cursor.value;
    return true;
  }
  const Py_ssize_t place = items.values != nullptr ? SplitPlace(items.values, nth) : nth;
  *key = DK_IS_UNICODE(items.keys) ? DK_UNICODE_ENTRIES(items.keys)[place].me_key : DK_ENTRIES(items.keys)[place].me_key;
  *value = ValueAt(items, place);
  return *value != nullptr;
}

bool ItemCursor::Next() {
  if (items_.keys == nullptr)
    return false;
  const bool split = items_.values != nullptr;
  const Py_ssize_t end = split ? SplitCount(items_.values) : items_.keys->dk_nentries;
  while (at_ < end) {
    const Py_ssize_t place = split ? SplitPlace(items_.values, at_) : at_;
    ++at_;
    value = ValueAt(items_, place);
    if (value == nullptr)
      continue;
    key = DK_IS_UNICODE(items_.keys) ? DK_UNICODE_ENTRIES(items_.keys)[place].me_key : DK_ENTRIES(items_.keys)[place].me_key;
    return true;
  }
  return false;
}

namespace {

// Of Objects/odictobject.c, the same in 3.11, 3.12 and 3.13.
struct OrderedNode {
  PyObject* key;
  Py_hash_t hash;
  OrderedNode* next;
  OrderedNode* previous;
};

struct OrderedDict {
  PyDictObject dict;
  OrderedNode* first;
  OrderedNode* last;
};

}  // namespace

bool IsOrderedDict(PyObject* dict) {
  return PyODict_Check(dict);
}

const void* NextOrderedNode(PyObject* dict, const void* node, PyObject** key) {
  const OrderedNode* next = node == nullptr ? reinterpret_cast<OrderedDict*>(dict)->first : static_cast<const OrderedNode*>(node)->next;
  if (next != nullptr)
    *key = next->key;
  return next;
}

}  // namespace framegate::pycompat
