#include "client_ext/torch_bridge/native/constants.h"

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

#include "client_ext/torch_bridge/native/names.h"

namespace framegate::client::native {

namespace {

using model::Constant;
using model::ConstantKind;

// False where an item is no exact int of 64 bits (a symbolic size).
bool SizeOf(PyObject* size, Constant* constant) {
  *constant = Constant::Of(ConstantKind::kSize);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(size); ++i) {
    PyObject* item = PyTuple_GET_ITEM(size, i);
    int overflow = 0;
    const long long value = PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : 0;
    if (!PyLong_CheckExact(item) || overflow != 0)
      return false;
    constant->items.push_back(Constant::Int(value));
  }
  return true;
}

PyObject* NewSize(const Constant& constant) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(constant.items.size()));
  if (tuple == nullptr)
    return nullptr;
  for (size_t i = 0; i < constant.items.size(); ++i) {
    PyObject* item = PyLong_FromLongLong(constant.items[i].integer);
    if (item == nullptr) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), item);
  }
  PyObject* size = PyObject_CallOneArg(reinterpret_cast<PyObject*>(&THPSizeType), tuple);
  Py_DECREF(tuple);
  return size;
}

PyObject* Unknown(const Constant& constant) {
  PyErr_Format(PyExc_ValueError, "this torch has no %s", constant.text.c_str());
  return nullptr;
}

template <typename Object>
PyObject* Shared(Object* object) {
  return Py_XNewRef(reinterpret_cast<PyObject*>(object));
}

}  // namespace

bool ConstantOf(PyObject* object, Constant* constant) {
  if (THPDtype_Check(object))
    *constant = Constant::Named(ConstantKind::kDtype, TextOf(reinterpret_cast<THPDtype*>(object)->scalar_type));
  else if (THPDevice_Check(object))
    *constant = Constant::Named(ConstantKind::kDevice, TextOf(reinterpret_cast<THPDevice*>(object)->device));
  else if (THPLayout_Check(object))
    *constant = Constant::Named(ConstantKind::kLayout, reinterpret_cast<THPLayout*>(object)->name);
  else if (THPMemoryFormat_Check(object))
    *constant = Constant::Named(ConstantKind::kMemoryFormat, reinterpret_cast<THPMemoryFormat*>(object)->name);
  else
    return THPSize_Check(object) && SizeOf(object, constant);
  return true;
}

PyObject* ObjectOf(const Constant& constant) {
  if (constant.kind == ConstantKind::kSize)
    return NewSize(constant);
  if (constant.kind == ConstantKind::kDtype)
    if (std::optional<c10::ScalarType> dtype = DtypeOf(constant.text))
      return Shared(torch::getTHPDtype(*dtype));
  if (constant.kind == ConstantKind::kDevice)
    if (std::optional<c10::Device> device = DeviceOf(constant.text))
      return THPDevice_New(*device);
  if (constant.kind == ConstantKind::kLayout)
    if (std::optional<c10::Layout> layout = LayoutOf(constant.text))
      return Shared(torch::getTHPLayout(*layout));
  if (constant.kind == ConstantKind::kMemoryFormat)
    if (std::optional<c10::MemoryFormat> format = MemoryFormatOf(constant.text))
      return Shared(torch::utils::getTHPMemoryFormat(*format));
  return Unknown(constant);
}

}  // namespace framegate::client::native
