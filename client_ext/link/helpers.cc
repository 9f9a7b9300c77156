#include "client_ext/link/helpers.h"

#include <iterator>
#include <string>

namespace framegate::client {

namespace {

using Body = PyObject* (*)(PyObject* const* args, Py_ssize_t count);

template <Body body, int arguments>
PyObject* Checked(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (arguments >= 0 && count != arguments) {
    PyErr_Format(PyExc_SystemError, "framegate: a helper of %d arguments was given %zd", arguments, count);
    return nullptr;
  }
  return body(args, count);
}

template <Body body, int arguments>
PyCFunction Entry() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Checked<body, arguments>));
}

PyMethodDef definitions[] = {
#define FRAMEGATE_HELPER(number, name, text, arguments, doc) {text, Entry<Helper##name, arguments>(), METH_FASTCALL, doc},
#include "model/helpers.def"
#undef FRAMEGATE_HELPER
};

PyObject* helpers[std::size(definitions)];
PyObject* null_sentinel = nullptr;

PyObject* SentinelRepr(PyObject*) {
  return PyUnicode_FromString("<empty>");
}

PyType_Slot sentinel_slots[] = {{Py_tp_repr, reinterpret_cast<void*>(SentinelRepr)}, {0, nullptr}};
PyType_Spec sentinel_spec = {"framegate._framegate.Empty", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             sentinel_slots};

}  // namespace

bool InitHelpers() {
  for (size_t i = 0; i < std::size(definitions); ++i) {
    helpers[i] = PyCFunction_New(&definitions[i], nullptr);
    if (helpers[i] == nullptr)
      return false;
  }
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&sentinel_spec));
  null_sentinel = type == nullptr ? nullptr : type->tp_alloc(type, 0);
  return null_sentinel != nullptr;
}

PyObject* FindHelper(std::string_view name) {
  for (size_t i = 0; i < std::size(definitions); ++i)
    if (definitions[i].ml_name == name)
      return helpers[i];
  return nullptr;
}

PyObject* NullSentinel() {
  return null_sentinel;
}

}  // namespace framegate::client
