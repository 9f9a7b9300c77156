// Dicts as they lie in memory: lookups that run no Python code, allocate nothing and raise nothing. GIL held; nothing is kept.
#pragma once

#include "client_ext/pycompat/python.h"

#include <internal/pycore_dict.h>

#include <cstdint>
#include <cstring>

namespace framegate::pycompat {

// The items of a dict, or of an instance whose attributes are not in a dict yet.
struct Items {
  PyDictKeysObject* keys = nullptr;      // null: no items
  const PyDictValues* values = nullptr;  // split table: values apart from keys
  Py_ssize_t used = -1;                  // number of items; -1: not known, count them
};

inline Items ItemsOf(PyObject* dict) {
  auto* d = reinterpret_cast<PyDictObject*>(dict);
  return {d->ma_keys, d->ma_values, d->ma_used};
}

// A number that no other state of any dict has had.
inline const uint64_t& DictVersionField(const PyDictObject* dict) {
#if PY_VERSION_HEX >= 0x030C0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return dict->ma_version_tag;
#pragma GCC diagnostic pop
#else
  return dict->ma_version_tag;
#endif
}

// Whether every change of the items gives it another one. From 3.13 on a dict may share the values of an instance, whose stores pass it by.
inline bool VersionTellsAll(const PyDictObject* dict) {
#if PY_VERSION_HEX >= 0x030D0000
  return dict->ma_values == nullptr;
#else
  return dict != nullptr;
#endif
}

// Makes a change in a dict of its own and gives that dict's version: one above the last that any dict has had. 0 where they do not count
// all changes of all dicts of the process, in one row.
uint64_t NextDictVersion();

enum class Lookup : uint8_t { kFound, kAbsent, kUnknown };  // unknown: only Python code could tell whether a key is equal

// Two exact str objects with cached hashes.
inline bool SameText(PyObject* a, PyObject* b) {
  if (a == b)
    return true;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
  return reinterpret_cast<PyASCIIObject*>(a)->hash == reinterpret_cast<PyASCIIObject*>(b)->hash && length == PyUnicode_GET_LENGTH(b) &&
         PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<size_t>(length) * PyUnicode_KIND(a)) == 0;
}

// Value of the entry at a place; null where it is empty.
inline PyObject* ValueAt(const Items& items, Py_ssize_t place) {
  if (items.values != nullptr)
    return items.values->values[place];
  PyDictKeysObject* keys = items.keys;
  return DK_IS_UNICODE(keys) ? DK_UNICODE_ENTRIES(keys)[place].me_value : DK_ENTRIES(keys)[place].me_value;
}

// REQUIRES: the keys are all str.
inline PyObject* NameAt(const Items& items, Py_ssize_t place) {
  return DK_UNICODE_ENTRIES(items.keys)[place].me_key;
}

// Entry in the hash table of a slot: a place, or negative for empty (-1) and deleted (-2).
inline Py_ssize_t IndexAt(const PyDictKeysObject* keys, size_t slot) {
  if (keys->dk_log2_size < 8)
    return reinterpret_cast<const int8_t*>(keys->dk_indices)[slot];
  if (keys->dk_log2_size < 16)
    return reinterpret_cast<const int16_t*>(keys->dk_indices)[slot];
  if (keys->dk_log2_size < 32)
    return reinterpret_cast<const int32_t*>(keys->dk_indices)[slot];
  return reinterpret_cast<const int64_t*>(keys->dk_indices)[slot];
}

// Bytes of such an entry.
inline size_t IndexSize(const PyDictKeysObject* keys) {
  return keys->dk_log2_size < 8 ? 1 : keys->dk_log2_size < 16 ? 2 : keys->dk_log2_size < 32 ? 4 : 8;
}

// Visits the places whose hash may be `hash` in CPython's probe order until `matches(place)` says kFound or kUnknown.
template <typename F>
Lookup Probe(const PyDictKeysObject* keys, Py_hash_t hash, Py_ssize_t* place, F matches) {
  const size_t mask = (size_t{1} << keys->dk_log2_size) - 1;
  size_t perturb = static_cast<size_t>(hash), slot = perturb & mask;
  for (;;) {
    const Py_ssize_t index = IndexAt(keys, slot);
    if (index == -1)
      return Lookup::kAbsent;
    if (index >= 0) {
      const Lookup answer = matches(index);
      if (answer != Lookup::kAbsent) {
        *place = index;
        return answer;
      }
    }
    perturb >>= 5;
    slot = (slot * 5 + perturb + 1) & mask;
  }
}

// In a table of any keys: the place of an exact str.
Lookup FindNameAmongAny(const Items& items, PyObject* name, Py_ssize_t* place);
// In any table: the place of a key that is a constant. `name` in FindName is faster for str.
Lookup FindConstant(const Items& items, PyObject* key, Py_hash_t hash, Py_ssize_t* place);
// In a table of str keys; the slow way of FindName.
Lookup FindNameAmongNames(const Items& items, PyObject* name, Py_ssize_t* place);

// The same, with visit(address of an entry of the hash table, its bytes, its place) for all that the search meets, an empty one last.
template <typename F>
Lookup FindNameAmongNames(const Items& items, PyObject* name, Py_ssize_t* place, F visit) {
  const PyDictKeysObject* keys = items.keys;
  const size_t mask = (size_t{1} << keys->dk_log2_size) - 1, size = IndexSize(keys);
  const Py_hash_t hash = reinterpret_cast<PyASCIIObject*>(name)->hash;
  size_t perturb = static_cast<size_t>(hash), slot = perturb & mask;
  for (;;) {
    const Py_ssize_t index = IndexAt(keys, slot);
    visit(reinterpret_cast<const char*>(keys->dk_indices) + slot * size, size, index);
    if (index == -1)
      return Lookup::kAbsent;
    PyObject* key = index >= 0 ? DK_UNICODE_ENTRIES(const_cast<PyDictKeysObject*>(keys))[index].me_key : nullptr;
    if (key != nullptr && SameText(key, name)) {
      *place = index;
      return Lookup::kFound;
    }
    perturb >>= 5;
    slot = (slot * 5 + perturb + 1) & mask;
  }
}

// The value under an exact str whose hash is cached. `hint` is a place where it was found before, and is where it is found now.
inline Lookup FindName(const Items& items, PyObject* name, uint16_t* hint, PyObject** value) {
  PyDictKeysObject* keys = items.keys;
  Py_ssize_t place = *hint;
  if (keys == nullptr)
    return Lookup::kAbsent;
  if (!DK_IS_UNICODE(keys) || place >= keys->dk_nentries || DK_UNICODE_ENTRIES(keys)[place].me_key != name) {
    const Lookup answer = DK_IS_UNICODE(keys) ? FindNameAmongNames(items, name, &place) : FindNameAmongAny(items, name, &place);
    if (answer != Lookup::kFound)
      return answer;
    *hint = place <= UINT16_MAX ? static_cast<uint16_t>(place) : 0;
  }
  *value = ValueAt(items, place);
  return *value != nullptr ? Lookup::kFound : Lookup::kAbsent;
}

// The place in a split table of the item that is `nth` in order.
inline Py_ssize_t SplitPlace(const PyDictValues* values, Py_ssize_t nth) {
#if PY_VERSION_HEX >= 0x030D0000
  return reinterpret_cast<const uint8_t*>(&values->values[values->capacity])[nth];
#else
  return reinterpret_cast<const uint8_t*>(values)[-3 - nth];
#endif
}

inline const uint8_t& SplitCountField(const PyDictValues* values) {
#if PY_VERSION_HEX >= 0x030D0000
  return values->size;
#else
  return reinterpret_cast<const uint8_t*>(values)[-2];
#endif
}

inline Py_ssize_t SplitCount(const PyDictValues* values) {
  return SplitCountField(values);
}

// The item that is `nth` in order; false where there are not so many.
bool NthItem(const Items& items, Py_ssize_t nth, PyObject** key, PyObject** value);
// Number of items.
Py_ssize_t Count(const Items& items);

// Walks items in order: for (ItemCursor c(items); c.Next();) use c.key, c.value.
class ItemCursor {
 public:
  explicit ItemCursor(const Items& items) : items_(items) {}

  bool Next();

  PyObject* key = nullptr;
  PyObject* value = nullptr;

 private:
  Items items_;
  Py_ssize_t at_ = 0;
};

// Whether two objects are equal as dict keys: kUnknown where only Python code could tell.
Lookup SameKey(PyObject* a, PyObject* b);

// The nodes of an OrderedDict, whose order is its own: `node` is null at first and at the end. The value is looked up by the key.
bool IsOrderedDict(PyObject* dict);
const void* NextOrderedNode(PyObject* dict, const void* node, PyObject** key);

}  // namespace framegate::pycompat
