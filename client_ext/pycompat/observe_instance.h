// Attributes of an instance where they lie: in its dict, or in its inline values. Reading never makes a dict. GIL held; borrowed.
#pragma once

#include "client_ext/pycompat/observe_dict.h"

// In 3.11 a macro of the public header renames the function of the internal one, whose C linkage then clashes.
#undef _PyObject_LookupSpecial
#include <internal/pycore_object.h>

namespace framegate::pycompat {

inline bool CanHaveDict(const PyTypeObject* type) {
  return type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

// Where the dict pointer of a type with an offset of its own lies.
inline PyObject* DictAtOffset(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_ssize_t offset = type->tp_dictoffset;
  if (offset == 0)
    return nullptr;
  if (offset < 0) {  // counted from the end of an object of variable size
    const Py_ssize_t size = _PyObject_VAR_SIZE(type, std::abs(Py_SIZE(object)));
    offset += size;
  }
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

#if PY_VERSION_HEX >= 0x030D0000

inline PyObject* MaterializedDict(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0)
    return DictAtOffset(object);
  return reinterpret_cast<PyObject*>(_PyObject_ManagedDictPointer(object)->dict);
}

inline const PyDictValues* InlineValues(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_INLINE_VALUES) == 0)
    return nullptr;
  const PyDictValues* values = _PyObject_InlineValues(object);
  return values->valid ? values : nullptr;
}

#elif PY_VERSION_HEX >= 0x030C0000

inline PyObject* MaterializedDict(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0)
    return DictAtOffset(object);
  const PyDictOrValues place = *_PyObject_DictOrValuesPointer(object);
  return _PyDictOrValues_IsValues(place) ? nullptr : _PyDictOrValues_GetDict(place);
}

inline const PyDictValues* InlineValues(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0)
    return nullptr;
  const PyDictOrValues place = *_PyObject_DictOrValuesPointer(object);
  return _PyDictOrValues_IsValues(place) ? _PyDictOrValues_GetValues(place) : nullptr;
}

#else

inline PyObject* MaterializedDict(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0)
    return DictAtOffset(object);
  return *_PyObject_ManagedDictPointer(object);
}

inline const PyDictValues* InlineValues(PyObject* object) {
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0)
    return nullptr;
  return *_PyObject_ValuesPointer(object);
}

#endif

// Where an instance says where its attributes are. `dict` null: it has no fixed place for a dict.
struct InstancePlace {
  const void* values = nullptr;  // bytes that tell whether they lie in the object; null where they never do
  size_t values_size = 0;
  PyObject* const* dict = nullptr;
  bool values_go_with_dict = false;  // an object has no values from when it has a dict, or has none of both
};

// REQUIRES: CanHaveDict(its type).
inline InstancePlace PlaceOf(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if ((type->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0) {
    if (type->tp_dictoffset <= 0)
      return {};
    return {.dict = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + type->tp_dictoffset)};
  }
#if PY_VERSION_HEX >= 0x030D0000
  InstancePlace place{.dict = reinterpret_cast<PyObject* const*>(&_PyObject_ManagedDictPointer(object)->dict)};
  if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) != 0) {
    const PyDictValues* values = _PyObject_InlineValues(object);
    place.values = &values->valid;
    place.values_size = sizeof values->valid;
  }
  return place;
#elif PY_VERSION_HEX >= 0x030C0000
  const void* place = _PyObject_DictOrValuesPointer(object);
  return {.values = place, .values_size = sizeof(PyDictOrValues), .dict = static_cast<PyObject* const*>(place)};
#else
  return {.values = _PyObject_ValuesPointer(object),
          .values_size = sizeof(PyDictValues*),
          .dict = const_cast<PyObject* const*>(_PyObject_ManagedDictPointer(object)),
          .values_go_with_dict = true};
#endif
}

// The instance's attributes; no items where it has none.
inline Items InstanceItems(PyObject* object) {
  if (const PyDictValues* values = InlineValues(object))
    return {reinterpret_cast<PyHeapTypeObject*>(Py_TYPE(object))->ht_cached_keys, values, -1};
  PyObject* dict = MaterializedDict(object);
  return dict != nullptr && PyDict_Check(dict) ? ItemsOf(dict) : Items();
}

}  // namespace framegate::pycompat
