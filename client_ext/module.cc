// The extension module framegate._framegate.
#include "client_ext/pycompat/python.h"

#include <string_view>

#include "client_ext/dispatch/code_extra.h"
#include "client_ext/dispatch/testing.h"
#include "client_ext/drive/drive.h"
#include "client_ext/drive/enter.h"
#include "client_ext/drive/levels.h"
#include "client_ext/hook/thread.h"
#include "client_ext/link/helpers.h"
#include "client_ext/region/graph.h"
#include "client_ext/region/held_inputs.h"
#include "client_ext/region/options.h"
#include "client_ext/region/region.h"
#include "client_ext/region/stats.h"
#include "client_ext/region/wrapper.h"

namespace framegate::client {

namespace {

PyObject* PySetOption(PyObject*, PyObject* args) {
  PyObject *name = nullptr, *value = nullptr;
  return PyArg_ParseTuple(args, "OO:set_option", &name, &value) ? SetOption(name, value) : nullptr;
}

PyObject* PyGetOption(PyObject*, PyObject* name) {
  return GetOption(name);
}

PyObject* PyStats(PyObject*, PyObject*) {
  return StatsDict();
}

PyObject* PyMisses(PyObject*, PyObject*) {
  return MissList();
}

PyObject* PyResetStats(PyObject*, PyObject*) {
  ResetStats();
  Py_RETURN_NONE;
}

PyObject* PyReset(PyObject*, PyObject*) {
  ResetAllRegions();
  Py_RETURN_NONE;
}

PyObject* PyRegionActive(PyObject*, PyObject*) {
  return PyBool_FromLong(this_thread.live != nullptr);
}

constexpr std::string_view kStances[] = {
#define FRAMEGATE_STANCE(name, text) text,
    FRAMEGATE_STANCES(FRAMEGATE_STANCE)
#undef FRAMEGATE_STANCE
};

PyObject* PySetStance(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stance", "skip_guard_eval_unsafe", nullptr};
  const char* wanted = nullptr;
  int skip = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|p:set_stance", const_cast<char**>(names), &wanted, &skip))
    return nullptr;
  for (size_t i = 0; i < std::size(kStances); ++i) {
    if (kStances[i] != wanted)
      continue;
    PyObject* before =
        Py_BuildValue("(s O)", kStances[static_cast<size_t>(this_thread.stance)].data(), this_thread.skip_guard_eval ? Py_True : Py_False);
    this_thread.stance = static_cast<Stance>(i);
    this_thread.skip_guard_eval = skip != 0;
    return before;
  }
  PyErr_Format(PyExc_RuntimeError, "unknown stance '%s'", wanted);
  return nullptr;
}

PyMethodDef functions[] = {
    {"set_option", PySetOption, METH_VARARGS, nullptr},
    {"get_option", PyGetOption, METH_O, nullptr},
    {"set_stance", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(PySetStance)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"stats", PyStats, METH_NOARGS, nullptr},
    {"reset_stats", PyResetStats, METH_NOARGS, nullptr},
    {"misses", PyMisses, METH_NOARGS, nullptr},
    {"reset", PyReset, METH_NOARGS, nullptr},
    {"region_active", PyRegionActive, METH_NOARGS, nullptr},
    {}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "framegate._framegate", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

bool Init(PyObject* module) {
  return CodeExtra::Init() && InitStubs() && InitHelpers() && InitLevels() && InitDriveTypes() && InitRegionType(module) &&
         InitWrapperTypes(module) && InitGraphTypes(module) && InitHeldInputsType(module) && InitTesting(module);
}

}  // namespace

}  // namespace framegate::client

PyMODINIT_FUNC PyInit__framegate(void);

PyMODINIT_FUNC PyInit__framegate(void) {
  PyObject* module = PyModule_Create(&framegate::client::definition);
  if (module != nullptr && !framegate::client::Init(module))
    Py_CLEAR(module);
  return module;
}
