#include "client_ext/observe/constants.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fields.h"
#include "base/strings.h"
#include "client_ext/capture/code.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::ConstantKind;
using pycompat::Ref;

constexpr int kMaxDepth = 32;

PyObject* NewTuple(const std::vector<Constant>& items) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; tuple && i < items.size(); ++i) {
    PyObject* item = ToPython(items[i]);
    if (item == nullptr)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple.release();
}

PyObject* NewFromParts(const Constant& constant) {
  const Ref items = Ref::Steal(NewTuple(constant.items));
  if (!items)
    return nullptr;
  if (constant.kind == ConstantKind::kFrozenset)
    return PyFrozenSet_New(items.get());
  if (constant.items.size() != 3) {
    PyErr_SetString(PyExc_ValueError, "a slice or range has three parts");
    return nullptr;
  }
  PyObject* const* part = &PyTuple_GET_ITEM(items.get(), 0);
  return constant.kind == ConstantKind::kSlice ? PySlice_New(part[0], part[1], part[2])
                                               : PyObject_CallObject(reinterpret_cast<PyObject*>(&PyRange_Type), items.get());
}

PyObject* NewOfTorch(const Constant& constant) {
  if (const TorchTable* torch = LoadTorch())
    return torch->object_of(constant);
  PyErr_SetString(PyExc_ImportError, "a constant of torch, and torch is not loaded");
  return nullptr;
}

PyObject* NewStr(const std::string& text) {
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
  if (object != nullptr)
    PyUnicode_InternInPlace(&object);
  return object;
}

PyObject* NewCode(const Constant& constant) {
  PyCodeObject* code = constant.code.size() == 1 ? FindCode(model::IdOf(*constant.code[0])) : nullptr;
  if (code != nullptr)
    return Py_NewRef(reinterpret_cast<PyObject*>(code));
  PyErr_SetString(PyExc_LookupError, "a code object that this process does not have");
  return nullptr;
}

bool FromObject(PyObject* object, Constant* constant, int depth);

bool FromItems(PyObject* const* items, Py_ssize_t count, ConstantKind kind, Constant* constant, int depth) {
  Constant made{.kind = kind};
  made.items.resize(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!FromObject(items[i], &made.items[static_cast<size_t>(i)], depth + 1))
      return false;
  *constant = std::move(made);
  return true;
}

bool FromFrozenset(PyObject* object, Constant* constant, int depth) {
  Constant made{.kind = ConstantKind::kFrozenset};
  PyObject* element = nullptr;
  for (Py_ssize_t at = 0; pycompat::NextElement(object, &at, &element);)
    if (!FromObject(element, &made.items.emplace_back(), depth + 1))
      return false;
  std::sort(made.items.begin(), made.items.end(), [](const Constant& a, const Constant& b) { return Encode(a) < Encode(b); });
  *constant = std::move(made);
  return true;
}

bool FromInt(PyObject* object, Constant* constant) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    *constant = Constant::Int(value);
    return true;
  }
  const Ref text = Ref::Steal(PyLong_Type.tp_repr(object));
  if (!text) {
    PyErr_Clear();
    return false;
  }
  *constant = Constant::Of(ConstantKind::kBigInt);
  return TextOf(text.get(), &constant->text);
}

bool FromCode(PyObject* object, Constant* constant) {
  auto image = ImageOf(reinterpret_cast<PyCodeObject*>(object));
  if (!image.ok())
    return false;
  *constant = Constant::Of(ConstantKind::kCode);
  constant->code = {*image};
  return true;
}

bool FromSingleton(PyObject* object, Constant* constant) {
  const ConstantKind kind = object == Py_None       ? ConstantKind::kNone
                            : object == Py_True     ? ConstantKind::kTrue
                            : object == Py_False    ? ConstantKind::kFalse
                            : object == Py_Ellipsis ? ConstantKind::kEllipsis
                                                    : ConstantKind::kNotImplemented;
  *constant = Constant::Of(kind);
  return true;
}

bool IsSingleton(PyObject* object) {
  return object == Py_None || object == Py_True || object == Py_False || object == Py_Ellipsis || object == Py_NotImplemented;
}

// Of pybind11's enumerations, which list their members, those whose members equal nothing but each other.
bool FromMember(PyObject* object, Constant* constant) {
  PyTypeObject* type = Py_TYPE(object);
  if (Py_TYPE(type) == &PyType_Type || !TypeIsNamed(Py_TYPE(type), "pybind11_builtins:pybind11_type"))
    return false;
  PyObject* entries = PyDict_GetItemString(pycompat::TypeDict(type), "__entries");
  std::string module, qualname, name;
  if (entries == nullptr || !PyDict_Check(entries) || !NameOfType(type, &module, &qualname))
    return false;
  PyObject *key = nullptr, *entry = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(entries, &at, &key, &entry);)
    if (PyTuple_Check(entry) && PyTuple_GET_SIZE(entry) > 0 && PyTuple_GET_ITEM(entry, 0) == object && !TextOf(key, &name))
      return false;
  for (const std::string& place : {module, std::string("torch._C")}) {  // torch renames the modules of some
    const std::string symbol = StrCat(place, ":", qualname, ".", name);
    if (name.empty() || FindSymbol(symbol) != object)
      continue;
    const Ref number = Ref::Steal(PyNumber_Long(object));
    const bool strict = number && PyObject_RichCompareBool(object, number.get(), Py_EQ) == 0;
    PyErr_Clear();
    *constant = Constant::Named(ConstantKind::kMember, symbol);
    return strict;
  }
  return false;
}

PyObject* NewMember(const Constant& constant) {
  if (PyObject* member = FindSymbol(constant.text))
    return Py_NewRef(member);
  return PyErr_Format(PyExc_ValueError, "nothing loaded is named %s", constant.text.c_str());
}

bool FromObject(PyObject* object, Constant* constant, int depth) {
  if (depth > kMaxDepth)
    return false;
  if (IsSingleton(object))
    return FromSingleton(object, constant);
  if (PyLong_CheckExact(object))
    return FromInt(object, constant);
  if (PyUnicode_CheckExact(object)) {
    *constant = Constant::Of(ConstantKind::kStr);
    return TextOf(object, &constant->text);
  }
  if (PyFloat_CheckExact(object)) {
    *constant = Constant::Float(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyTuple_CheckExact(object))
    return FromItems(&PyTuple_GET_ITEM(object, 0), PyTuple_GET_SIZE(object), ConstantKind::kTuple, constant, depth);
  if (PyBytes_CheckExact(object)) {
    *constant = Constant::Bytes({PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))});
    return true;
  }
  if (PyComplex_CheckExact(object)) {
    const Py_complex value = reinterpret_cast<PyComplexObject*>(object)->cval;
    *constant = {.kind = ConstantKind::kComplex, .real = value.real, .imaginary = value.imag};
    return true;
  }
  if (PyFrozenSet_CheckExact(object))
    return FromFrozenset(object, constant, depth);
  if (PySlice_Check(object))
    return FromItems(&reinterpret_cast<PySliceObject*>(object)->start, 3, ConstantKind::kSlice, constant, depth);
  if (PyRange_Check(object))
    return FromItems(pycompat::RangeParts(object), 3, ConstantKind::kRange, constant, depth);
  if (PyCode_Check(object))
    return FromCode(object, constant);
  if (FromMember(object, constant))
    return true;
  return Torch() != nullptr && Torch()->constant_of(object, constant);
}

bool SameItems(PyObject* const* a, PyObject* const* b, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!SameConstant(a[i], b[i]))
      return false;
  return true;
}

bool SameFrozenset(PyObject* a, PyObject* b) {
  Constant of_a, of_b;
  return PySet_GET_SIZE(a) == PySet_GET_SIZE(b) && FromPython(a, &of_a) && FromPython(b, &of_b) && of_a == of_b;
}

bool SameStr(PyObject* a, PyObject* b) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
  return length == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<size_t>(length) * PyUnicode_KIND(a)) == 0;
}

bool SameTorchConstant(PyObject* a, PyObject* b) {
  Constant of_a, of_b;
  return Torch() != nullptr && Torch()->constant_of(a, &of_a) && Torch()->constant_of(b, &of_b) && of_a == of_b;
}

}  // namespace

PyObject* ToPython(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kNone:
      return Py_NewRef(Py_None);
    case ConstantKind::kFalse:
      return Py_NewRef(Py_False);
    case ConstantKind::kTrue:
      return Py_NewRef(Py_True);
    case ConstantKind::kEllipsis:
      return Py_NewRef(Py_Ellipsis);
    case ConstantKind::kNotImplemented:
      return Py_NewRef(Py_NotImplemented);
    case ConstantKind::kInt:
      return PyLong_FromLongLong(constant.integer);
    case ConstantKind::kBigInt:
      return pycompat::NewBigInt(constant.text);
    case ConstantKind::kFloat:
      return PyFloat_FromDouble(constant.real);
    case ConstantKind::kComplex:
      return PyComplex_FromDoubles(constant.real, constant.imaginary);
    case ConstantKind::kStr:
      return NewStr(constant.text);
    case ConstantKind::kBytes:
      return PyBytes_FromStringAndSize(constant.text.data(), static_cast<Py_ssize_t>(constant.text.size()));
    case ConstantKind::kTuple:
      return NewTuple(constant.items);
    case ConstantKind::kFrozenset:
    case ConstantKind::kSlice:
    case ConstantKind::kRange:
      return NewFromParts(constant);
    case ConstantKind::kCode:
      return NewCode(constant);
    case ConstantKind::kDtype:
    case ConstantKind::kDevice:
    case ConstantKind::kLayout:
    case ConstantKind::kMemoryFormat:
    case ConstantKind::kSize:
      return NewOfTorch(constant);
    case ConstantKind::kMember:
      return NewMember(constant);
  }
  PyErr_SetString(PyExc_ValueError, "an unknown kind of constant");
  return nullptr;
}

bool FromPython(PyObject* object, Constant* constant) {
  return FromObject(object, constant, 0);
}

bool SameConstant(PyObject* a, PyObject* b) noexcept {
  if (a == b)
    return true;
  PyTypeObject* type = Py_TYPE(a);
  if (type != Py_TYPE(b) || IsSingleton(a))
    return false;
  if (type == &PyLong_Type)
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  if (type == &PyUnicode_Type)
    return SameStr(a, b);
  if (type == &PyFloat_Type)
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(a)) == std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(b));
  if (type == &PyTuple_Type)
    return PyTuple_GET_SIZE(a) == PyTuple_GET_SIZE(b) && SameItems(&PyTuple_GET_ITEM(a, 0), &PyTuple_GET_ITEM(b, 0), PyTuple_GET_SIZE(a));
  if (type == &PyBytes_Type)
    return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b) &&
           std::memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), static_cast<size_t>(PyBytes_GET_SIZE(a))) == 0;
  if (type == &PyComplex_Type)
    return std::memcmp(&reinterpret_cast<PyComplexObject*>(a)->cval, &reinterpret_cast<PyComplexObject*>(b)->cval, sizeof(Py_complex)) == 0;
  if (type == &PyFrozenSet_Type)
    return SameFrozenset(a, b);
  if (type == &PySlice_Type)
    return SameItems(&reinterpret_cast<PySliceObject*>(a)->start, &reinterpret_cast<PySliceObject*>(b)->start, 3);
  if (type == &PyRange_Type)
    return SameItems(pycompat::RangeParts(a), pycompat::RangeParts(b), 3);
  return SameTorchConstant(a, b);
}

}  // namespace framegate::client
