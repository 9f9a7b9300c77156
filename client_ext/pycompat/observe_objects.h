// Objects of CPython whose layout no public header tells: ranges, iterators, properties, methods, descriptors. The layouts are the same in
// 3.11, 3.12 and 3.13 where nothing else is said. GIL held; borrowed; each REQUIRES an object of its type.
#pragma once

#include "client_ext/pycompat/python.h"

#include <structmember.h>

#include <string>
#include <vector>

namespace framegate::pycompat {

struct RangeObject {
  PyObject_HEAD PyObject* start;
  PyObject* stop;
  PyObject* step;
  PyObject* length;
};

// start, stop and step: ints.
inline PyObject* const* RangeParts(PyObject* range) {
  return &reinterpret_cast<RangeObject*>(range)->start;
}

inline PyObject* RangeLength(PyObject* range) {
  return reinterpret_cast<RangeObject*>(range)->length;
}

struct SequenceIterator {  // of lists and tuples
  PyObject_HEAD Py_ssize_t index;
  PyObject* sequence;  // null: exhausted
};

struct DictIterator {
  PyObject_HEAD PyDictObject* dict;  // null: exhausted
  Py_ssize_t used;
  Py_ssize_t position;  // place of the entry to look at next
  PyObject* result;
  Py_ssize_t remaining;
};

inline bool IsDictIterator(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyDictIterKey_Type || type == &PyDictIterValue_Type || type == &PyDictIterItem_Type;
}

struct SetIterator {
  PyObject_HEAD PySetObject* set;  // null: exhausted
  Py_ssize_t used;
  Py_ssize_t position;
  Py_ssize_t remaining;
};

struct Enumerate {
  PyObject_HEAD Py_ssize_t index;
  PyObject* iterator;
  PyObject* result;
  PyObject* large_index;  // in place of the index once it does not fit
};

struct Zip {
  PyObject_HEAD Py_ssize_t count;
  PyObject* iterators;  // a tuple
  PyObject* result;
  int strict;
};

struct Map {
  PyObject_HEAD PyObject* iterators;  // a tuple
  PyObject* function;
};

struct CountIterator {            // itertools.count
  PyObject_HEAD Py_ssize_t next;  // PY_SSIZE_T_MAX: it counts by `large_next` and `step`
  PyObject* large_next;
  PyObject* step;
};

struct Repeat {  // itertools.repeat
  PyObject_HEAD PyObject* element;
  Py_ssize_t left;  // negative: without end
};

struct Chain {                     // itertools.chain
  PyObject_HEAD PyObject* source;  // null: exhausted
  PyObject* active;
};

struct BoundSlot {  // method-wrapper
  PyObject_HEAD PyDescrObject* descriptor;
  PyObject* self;
};

struct ReverseIterator {           // reversed() of lists and of other sequences
  PyObject_HEAD Py_ssize_t index;  // of the item to give next
  PyObject* sequence;              // null: exhausted
};

inline bool IsReverseIterator(PyObject* object) {
  return Py_IS_TYPE(object, &PyReversed_Type) || Py_IS_TYPE(object, &PyListRevIter_Type);
}

// Walks a set or frozenset in order; `at` starts at 0. Borrowed.
bool NextElement(PyObject* set, Py_ssize_t* at, PyObject** element);

// What is left of a range iterator: start, step and number of items. False where they do not fit in 64 bits.
bool ReadRangeIterator(PyObject* iterator, long long* start, long long* step, long long* count);

// Exactly a range iterator.
inline bool IsRangeIterator(PyObject* object) {
  return Py_IS_TYPE(object, &PyRangeIter_Type) || Py_IS_TYPE(object, &PyLongRangeIter_Type);
}

struct Property {
  PyObject_HEAD PyObject* get;
  PyObject* set;
  PyObject* del;
};

struct MethodWrapper {  // classmethod, staticmethod
  PyObject_HEAD PyObject* callable;
};

struct Partial {
  PyObject_HEAD PyObject* function;
  PyObject* args;
  PyObject* keywords;
};

// The dict that a threading.local has for the calling thread; null where it has none yet.
PyObject* LocalDict(PyObject* local);

struct MappingProxy {
  PyObject_HEAD PyObject* mapping;
};

// The object that a weak reference refers to; null where it is dead.
inline PyObject* WeakrefTarget(PyObject* reference) {
  PyObject* target = reinterpret_cast<PyWeakReference*>(reference)->wr_object;
  return target == Py_None || Py_REFCNT(target) <= 0 ? nullptr : target;
}

// The member that a slot descriptor describes; null for members that hold no object.
const PyMemberDef* ObjectMember(PyObject* descriptor);
// Of the type's own members, those of __slots__ among them.
std::vector<std::string> MemberNames(const PyTypeObject* type);

// How often a class was registered with an abstract one (abc.get_cache_token()), where that number lies; null where it is not found.
const uint64_t* AbcCounter();

// A new int of decimal digits of any length, or null with an exception set.
PyObject* NewBigInt(const std::string& digits);

// Where a function keeps its type parameters; null before 3.12.
PyObject* const* TypeParamsOf(PyObject* function);

// Whether it is a BoundSlot. Its type has no public name from 3.13 on, so it is told by what an object has.
bool IsBoundSlot(PyObject* object);

// Builtins of a function.
inline PyObject* BuiltinsOf(PyObject* function) {
  return reinterpret_cast<PyFunctionObject*>(function)->func_builtins;
}

}  // namespace framegate::pycompat
