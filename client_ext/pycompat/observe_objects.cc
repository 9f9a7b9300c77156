#include "client_ext/pycompat/observe_objects.h"

#include "client_ext/pycompat/observe_dict.h"

#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_setobject.h>
#endif

namespace framegate::pycompat {

namespace {

#if PY_VERSION_HEX >= 0x030C0000

struct RangeIterator {
  PyObject_HEAD long start;
  long step;
  long remaining;
};

bool ReadShort(PyObject* iterator, long long* start, long long* step, long long* count) {
  const auto* it = reinterpret_cast<RangeIterator*>(iterator);
  *start = it->start;
  *step = it->step;
  *count = it->remaining;
  return true;
}

// start, step and remaining are ints that move on.
struct LongRangeIterator {
  PyObject_HEAD PyObject* start;
  PyObject* step;
  PyObject* remaining;
};

bool ReadLong(PyObject* iterator, long long* start, long long* step, long long* count) {
  const auto* it = reinterpret_cast<LongRangeIterator*>(iterator);
  int overflow[3] = {};
  *start = PyLong_AsLongLongAndOverflow(it->start, &overflow[0]);
  *step = PyLong_AsLongLongAndOverflow(it->step, &overflow[1]);
  *count = PyLong_AsLongLongAndOverflow(it->remaining, &overflow[2]);
  return overflow[0] == 0 && overflow[1] == 0 && overflow[2] == 0;
}

#else

struct RangeIterator {
  PyObject_HEAD long index;
  long start;
  long step;
  long length;
};

bool ReadShort(PyObject* iterator, long long* start, long long* step, long long* count) {
  const auto* it = reinterpret_cast<RangeIterator*>(iterator);
  *start = it->start + it->index * it->step;
  *step = it->step;
  *count = it->length - it->index;
  return true;
}

struct LongRangeIterator {
  PyObject_HEAD PyObject* index;
  PyObject* start;
  PyObject* step;
  PyObject* length;
};

bool ReadLong(PyObject* iterator, long long* start, long long* step, long long* count) {
  const auto* it = reinterpret_cast<LongRangeIterator*>(iterator);
  int overflow[4] = {};
  const long long index = PyLong_AsLongLongAndOverflow(it->index, &overflow[0]);
  const long long first = PyLong_AsLongLongAndOverflow(it->start, &overflow[1]);
  *step = PyLong_AsLongLongAndOverflow(it->step, &overflow[2]);
  const long long length = PyLong_AsLongLongAndOverflow(it->length, &overflow[3]);
  *count = length - index;
  return overflow[0] == 0 && overflow[1] == 0 && overflow[2] == 0 && overflow[3] == 0 && !__builtin_mul_overflow(index, *step, start) &&
         !__builtin_add_overflow(first, *start, start);
}

#endif

}  // namespace

bool ReadRangeIterator(PyObject* iterator, long long* start, long long* step, long long* count) {
  return Py_IS_TYPE(iterator, &PyRangeIter_Type) ? ReadShort(iterator, start, step, count) : ReadLong(iterator, start, step, count);
}

bool NextElement(PyObject* set, Py_ssize_t* at, PyObject** element) {
  Py_hash_t hash = 0;
  return _PySet_NextEntry(set, at, element, &hash) != 0;
}

const PyMemberDef* ObjectMember(PyObject* descriptor) {
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
  return member->type == T_OBJECT_EX || member->type == T_OBJECT ? member : nullptr;
}

#if PY_VERSION_HEX >= 0x030D0000

namespace {

struct ThreadLocal {
  PyObject_HEAD PyObject* args;
  PyObject* kwargs;
  PyObject* weakrefs;
  PyObject* dicts;  // by the key of each thread, an object that is equal to itself alone
};

}  // namespace

PyObject* LocalDict(PyObject* local) {
  PyObject *key = PyThreadState_Get()->threading_local_key, *dicts = reinterpret_cast<ThreadLocal*>(local)->dicts;
  if (key == nullptr || dicts == nullptr)
    return nullptr;
  for (ItemCursor cursor(ItemsOf(dicts)); cursor.Next();)
    if (cursor.key == key)
      return PyDict_CheckExact(cursor.value) ? cursor.value : nullptr;
  return nullptr;
}

#else

namespace {

struct ThreadLocal {
  PyObject_HEAD PyObject* key;  // of each thread's share, in the dict of its state
};

struct ThreadShare {
  PyObject_HEAD PyObject* dict;
};

}  // namespace

PyObject* LocalDict(PyObject* local) {
  PyObject *states = PyThreadState_Get()->dict, *share = nullptr;
  uint16_t hint = 0;
  if (states == nullptr || FindName(ItemsOf(states), reinterpret_cast<ThreadLocal*>(local)->key, &hint, &share) != Lookup::kFound)
    return nullptr;
  PyObject* dict = reinterpret_cast<ThreadShare*>(share)->dict;
  return dict != nullptr && PyDict_CheckExact(dict) ? dict : nullptr;
}

#endif

std::vector<std::string> MemberNames(const PyTypeObject* type) {
  std::vector<std::string> names;
  for (const PyMemberDef* member = type->tp_members; member != nullptr && member->name != nullptr; ++member)
    names.emplace_back(member->name);
  return names;
}

const uint64_t* AbcCounter() {
  // The state of the module _abc, in all versions.
  struct State {
    PyTypeObject* data_type;
    unsigned long long counter;
  };

  static_assert(sizeof(unsigned long long) == sizeof(uint64_t));

  static const uint64_t* const counter = []() -> const uint64_t* {
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* module = modules == nullptr ? nullptr : PyDict_GetItemString(modules, "_abc");
    auto* state = module == nullptr || !PyModule_Check(module) ? nullptr : static_cast<State*>(PyModule_GetState(module));
    PyObject* token = state == nullptr ? nullptr : PyObject_CallMethod(module, "get_cache_token", nullptr);
    const bool found = token != nullptr && PyLong_CheckExact(token) && PyLong_AsUnsignedLongLong(token) == state->counter;
    Py_XDECREF(token);
    PyErr_Clear();
    return found ? reinterpret_cast<const uint64_t*>(&state->counter) : nullptr;
  }();
  return counter;
}

PyObject* NewBigInt(const std::string& digits) {
  // In pieces: a limit on the digits of one conversion (sys.set_int_max_str_digits) does not apply to them.
  constexpr size_t kPiece = 18;
  const bool negative = digits.starts_with('-');
  PyObject* value = PyLong_FromLong(0);
  for (size_t at = negative; value != nullptr && at < digits.size(); at += kPiece) {
    const std::string piece = digits.substr(at, kPiece);
    PyObject* scale = PyLong_FromString(("1" + std::string(piece.size(), '0')).c_str(), nullptr, 10);
    PyObject* low = scale == nullptr ? nullptr : PyLong_FromString(piece.c_str(), nullptr, 10);
    PyObject* high = low == nullptr ? nullptr : PyNumber_Multiply(value, scale);
    Py_SETREF(value, high == nullptr ? nullptr : PyNumber_Add(high, low));
    Py_XDECREF(scale);
    Py_XDECREF(low);
    Py_XDECREF(high);
  }
  if (value != nullptr && negative)
    Py_SETREF(value, PyNumber_Negative(value));
  return value;
}

#if PY_VERSION_HEX >= 0x030C0000

PyObject* const* TypeParamsOf(PyObject* function) {
  return &reinterpret_cast<PyFunctionObject*>(function)->func_typeparams;
}

#else

PyObject* const* TypeParamsOf(PyObject*) {
  return nullptr;
}

#endif

bool IsBoundSlot(PyObject* object) {
  static const PyTypeObject* const type = [] {
    PyObject* slot = PyObject_GetAttrString(Py_None, "__repr__");
    const PyTypeObject* found = slot == nullptr ? nullptr : Py_TYPE(slot);
    Py_XDECREF(slot);
    return found;
  }();
  return Py_TYPE(object) == type;
}

}  // namespace framegate::pycompat
