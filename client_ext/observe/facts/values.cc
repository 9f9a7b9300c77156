// What objects are by value.

#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"
#include "client_ext/pycompat/ref.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

using model::Constant;
using model::ConstantKind;
using model::Fact;

namespace {

const LinkedConstant& Expected(Operand operand) {
  return *static_cast<const LinkedConstant*>(operand.pointer);
}

// Tuples, sets and code have parts that are read by steps.
bool IsWhole(PyObject* object) {
  return !PyTuple_CheckExact(object) && !PyAnySet_Check(object) && !PyCode_Check(object);
}

bool ReadParts(PyObject* iterator, long long (&parts)[3]) {
  long long count = 0;
  return pycompat::IsRangeIterator(iterator) && pycompat::ReadRangeIterator(iterator, &parts[0], &parts[2], &count) &&
         !__builtin_mul_overflow(parts[2], count, &parts[1]) && !__builtin_add_overflow(parts[0], parts[1], &parts[1]);
}

// start, stop, step of what a range or range iterator will still give.
bool RangeLeft(PyObject* object, Constant* value) {
  if (PyRange_Check(object)) {
    Constant parts;
    if (!FromPython(object, &parts))
      return false;
    *value = Constant::Tuple(std::move(parts.items));
    return true;
  }
  long long parts[3];
  if (!ReadParts(object, parts))
    return false;
  *value = Constant::Tuple({Constant::Int(parts[0]), Constant::Int(parts[1]), Constant::Int(parts[2])});
  return true;
}

// A loop's iterator is compared once an iteration: without making constants.
bool IsRangeLeft(PyObject* object, const Constant& expected) {
  if (PyRange_Check(object)) {
    Constant actual;
    return RangeLeft(object, &actual) && actual == expected;
  }
  long long parts[3];
  if (!ReadParts(object, parts) || expected.items.size() != 3)
    return false;
  for (size_t i = 0; i < 3; ++i)
    if (!expected.items[i].is_int() || expected.items[i].integer != parts[i])
      return false;
  return true;
}

// An int or a float of numpy, by the names of its types, which no class statement can make.
bool IsNumberOfNumpy(const PyTypeObject* type, bool* is_float) {
  constexpr std::string_view kFloats[] = {"numpy.float16", "numpy.float32", "numpy.float64"};
  constexpr std::string_view kInts[] = {"numpy.int8",  "numpy.int16",  "numpy.int32",  "numpy.int64",
                                        "numpy.uint8", "numpy.uint16", "numpy.uint32", "numpy.uint64"};
  if (PyType_HasFeature(const_cast<PyTypeObject*>(type), Py_TPFLAGS_HEAPTYPE))
    return false;
  *is_float = std::find(std::begin(kFloats), std::end(kFloats), type->tp_name) != std::end(kFloats);
  return *is_float || std::find(std::begin(kInts), std::end(kInts), type->tp_name) != std::end(kInts);
}

// The value that an instance of a subclass of a constant's type has for its base, without running what the subclass overrides.
constexpr Py_ssize_t kMaxByteArray = Py_ssize_t{1} << 16;

bool PayloadOf(PyObject* object, Constant* value) {
  pycompat::Ref plain;
  bool is_float = false;
  if (IsNumberOfNumpy(Py_TYPE(object), &is_float))
    plain = pycompat::Ref::Steal(is_float ? PyNumber_Float(object) : PyNumber_Index(object));
  else if (PyLong_Check(object) && !PyLong_CheckExact(object) && !PyBool_Check(object))
    plain = pycompat::Ref::Steal(_PyLong_Copy(reinterpret_cast<PyLongObject*>(object)));
  else if (PyFloat_Check(object) && !PyFloat_CheckExact(object))
    plain = pycompat::Ref::Steal(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
  else if (PyComplex_Check(object) && !PyComplex_CheckExact(object))
    plain = pycompat::Ref::Steal(PyComplex_FromCComplex(reinterpret_cast<PyComplexObject*>(object)->cval));
  else if (PyUnicode_Check(object) && !PyUnicode_CheckExact(object))
    plain = pycompat::Ref::Steal(PyUnicode_FromObject(object));
  else if (PyBytes_Check(object) && !PyBytes_CheckExact(object))
    plain = pycompat::Ref::Steal(PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object)));
  else if (PyByteArray_CheckExact(object) && PyByteArray_GET_SIZE(object) <= kMaxByteArray)
    plain = pycompat::Ref::Steal(PyBytes_FromStringAndSize(PyByteArray_AS_STRING(object), PyByteArray_GET_SIZE(object)));
  if (!plain)
    PyErr_Clear();
  return plain && FromPython(plain.get(), value);
}

// A deque's own `maxlen`, which only its C attribute tells.
bool MaxlenOf(PyObject* object, Constant* value) {
  if (!IsInstance(object, KnownType::kDeque))
    return false;
  PyObject* attribute = PyDict_GetItemString(pycompat::TypeDict(FindKnownType(KnownType::kDeque)), "maxlen");
  if (attribute == nullptr || Py_TYPE(attribute)->tp_descr_get == nullptr)
    return false;
  const pycompat::Ref maxlen = pycompat::Ref::Steal(
      Py_TYPE(attribute)->tp_descr_get(attribute, object, reinterpret_cast<PyObject*>(FindKnownType(KnownType::kDeque))));
  if (!maxlen)
    PyErr_Clear();
  return maxlen && FromPython(maxlen.get(), value);
}

// What a compiled regular expression was compiled from: it is one and the same for it.
bool PatternOf(PyObject* object, Constant* value) {
  PyTypeObject* type = FindKnownType(KnownType::kPattern);
  if (type == nullptr || Py_TYPE(object) != type)
    return false;
  *value = Constant::Tuple({});
  for (const char* name : {"pattern", "flags"}) {
    const pycompat::Ref part = pycompat::Ref::Steal(PyObject_GetAttrString(object, name));
    if (!part || !FromPython(part.get(), &value->items.emplace_back())) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

}  // namespace

template <>
bool ReadFact<Fact::kValue>(PyObject* object, model::FactValue* value) {
  return IsWhole(object) && FromPython(object, &value->constant);
}

bool ValueIs(PyObject* object, const LinkedConstant& expected) noexcept {
  return SameConstant(object, expected.object.get());
}

template <>
bool ReadFact<Fact::kRange>(PyObject* object, model::FactValue* value) {
  return RangeLeft(object, &value->constant);
}

template <>
bool FactIs<Fact::kRange>(PyObject* object, Operand operand, uint16_t*) noexcept {
  return IsRangeLeft(object, Expected(operand).value);
}

template <>
bool ReadFact<Fact::kPayload>(PyObject* object, model::FactValue* value) {
  return PayloadOf(object, &value->constant);
}

template <>
bool FactIs<Fact::kPayload>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Constant actual;
  return PayloadOf(object, &actual) && actual == Expected(operand).value;
}

template <>
bool ReadFact<Fact::kMaxlen>(PyObject* object, model::FactValue* value) {
  return MaxlenOf(object, &value->constant);
}

template <>
bool FactIs<Fact::kMaxlen>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Constant actual;
  return MaxlenOf(object, &actual) && actual == Expected(operand).value;
}

template <>
bool ReadFact<Fact::kPattern>(PyObject* object, model::FactValue* value) {
  return PatternOf(object, &value->constant);
}

template <>
bool FactIs<Fact::kPattern>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Constant actual;
  return PatternOf(object, &actual) && actual == Expected(operand).value;
}

template <>
bool ReadFact<Fact::kSizes>(PyObject* object, model::FactValue* value) {
  model::TensorFacts facts;
  if (Torch() == nullptr || !Torch()->read_tensor(object, &facts))
    return false;
  value->constant = Constant::Of(ConstantKind::kTuple);
  for (int64_t size : facts.sizes)
    value->constant.items.push_back(Constant::Int(size));
  return true;
}

template <>
bool FactIs<Fact::kSizes>(PyObject* object, Operand operand, uint16_t*) noexcept {
  const std::vector<Constant>& expected = Expected(operand).value.items;
  const TorchTable* torch = Torch();
  if (torch == nullptr || !torch->is_tensor(object) || torch->tensor_rank(object) != static_cast<int>(expected.size()))
    return false;
  int64_t size = 0;
  for (uint32_t i = 0; i < expected.size(); ++i)
    if (!torch->tensor_size(object, i, &size) || size != expected[i].integer)
      return false;
  return true;
}

}  // namespace framegate::client
