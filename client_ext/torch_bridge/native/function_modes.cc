#include "client_ext/pycompat/observe_dict.h"

#include "client_ext/torch_bridge/native/function_modes.h"

#include <ATen/PythonTorchFunctionTLS.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/PyInterpreter.h>

#include <cstring>

#include "base/strings.h"
#include "client_ext/torch_bridge/native/device_place.h"

namespace framegate::client {

namespace {

// A str for lookups: interned, its hash cached.
PyObject* Interned(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  PyObject_Hash(name);
  return name;
}

// The dict of a loaded module; null while it is not loaded.
PyObject* ModuleDict(PyObject* name) noexcept {
  PyObject* module = PyDict_GetItem(PyImport_GetModuleDict(), name);
  return module != nullptr && PyModule_Check(module) ? PyModule_GetDict(module) : nullptr;
}

PyTypeObject* DeviceContextType() noexcept {
  static PyObject* const module = Interned("torch.utils._device");
  static PyObject* const name = Interned("DeviceContext");
  static PyTypeObject* type = nullptr;  // kept: torch keeps it as well
  if (type == nullptr)
    if (PyObject* dict = ModuleDict(module))
      if (PyObject* found = PyDict_GetItem(dict, name); found != nullptr && PyType_Check(found))
        type = reinterpret_cast<PyTypeObject*>(Py_NewRef(found));
  return type;
}

PyObject* ModeAt(int64_t place) noexcept {
  return at::impl::PythonTorchFunctionTLS::get_stack_at(place)->ptr(getPyInterpreter());
}

int32_t DeviceOfContext(PyObject* mode) noexcept {
  static PyObject* const name = Interned("device");
  PyObject* device = PyObject_GenericGetAttr(mode, name);
  if (device == nullptr) {
    PyErr_Clear();
    return -1;
  }
  const int32_t place = THPDevice_Check(device) ? PlaceOf(reinterpret_cast<THPDevice*>(device)->device) : -1;
  Py_DECREF(device);
  return place;
}

// "module" of a type, borrowed: an exact str, or null.
PyObject* ModuleOf(PyTypeObject* type) noexcept {
  static PyObject* const name = Interned("__module__");
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0)
    return nullptr;
  PyObject* module = _PyType_Lookup(type, name);
  return module != nullptr && PyUnicode_CheckExact(module) ? module : nullptr;
}

std::string_view TextOfStr(PyObject* text) noexcept {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return {};
  }
  return {bytes, static_cast<size_t>(size)};
}

}  // namespace

void CountFunctionModes(int32_t* count, int32_t* device) noexcept {
  const int64_t all = at::impl::PythonTorchFunctionTLS::stack_len();
  PyTypeObject* context = DeviceContextType();
  *count = 0;
  *device = -1;
  for (int64_t place = 0; place < all; ++place) {
    PyObject* mode = ModeAt(place);
    if (context != nullptr && Py_TYPE(mode) == context)
      *device = DeviceOfContext(mode);
    else
      ++*count;
  }
}

PyTypeObject* FunctionMode(size_t nth) noexcept {
  const int64_t all = at::impl::PythonTorchFunctionTLS::stack_len();
  PyTypeObject* context = DeviceContextType();
  for (int64_t place = 0; place < all; ++place) {
    PyTypeObject* type = Py_TYPE(ModeAt(place));
    if (type != context && nth-- == 0)
      return type;
  }
  return nullptr;
}

std::vector<PyTypeObject*> FunctionModes() {
  std::vector<PyTypeObject*> types;
  while (PyTypeObject* type = FunctionMode(types.size()))
    types.push_back(type);
  return types;
}

std::string NameOfType(PyTypeObject* type) {
  PyObject* module = ModuleOf(type);
  if (module == nullptr)
    return {};
  return StrCat(TextOfStr(module), ":", TextOfStr(reinterpret_cast<PyHeapTypeObject*>(type)->ht_qualname));
}

bool IsNamed(PyTypeObject* type, const std::string& name) noexcept {
  PyObject* module = ModuleOf(type);
  if (module == nullptr)
    return false;
  const std::string_view front = TextOfStr(module);
  const std::string_view back = TextOfStr(reinterpret_cast<PyHeapTypeObject*>(type)->ht_qualname);
  return name.size() == front.size() + 1 + back.size() && name.starts_with(front) && name[front.size()] == ':' && name.ends_with(back);
}

int32_t ForwardLevel() noexcept {
  static PyObject* const module = Interned("torch.autograd.forward_ad");
  static PyObject* const name = Interned("_current_level");
  static PyObject* globals = nullptr;  // kept: torch keeps its modules
  if (globals == nullptr) {
    globals = ModuleDict(module);
    if (globals == nullptr)
      return -1;
    Py_INCREF(globals);
  }
  static uint16_t hint = 0;
  PyObject* level = nullptr;
  if (pycompat::FindName(pycompat::ItemsOf(globals), name, &hint, &level) != pycompat::Lookup::kFound || !PyLong_CheckExact(level))
    return -1;
  int overflow = 0;
  return static_cast<int32_t>(PyLong_AsLongAndOverflow(level, &overflow));
}

}  // namespace framegate::client
