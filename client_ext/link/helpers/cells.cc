// Cells, which new code holds as plain values.
#include "client_ext/link/helpers.h"

namespace framegate::client {

PyObject* HelperkCellNew(PyObject* const* args, Py_ssize_t count) {
  return PyCell_New(count > 0 ? args[0] : nullptr);
}

PyObject* HelperkCellSet(PyObject* const* args, Py_ssize_t) {
  return PyCell_Set(args[0], args[1]) == 0 ? Py_NewRef(Py_None) : nullptr;
}

PyObject* HelperkCellClear(PyObject* const* args, Py_ssize_t) {
  return PyCell_Set(args[0], nullptr) == 0 ? Py_NewRef(Py_None) : nullptr;
}

}  // namespace framegate::client
