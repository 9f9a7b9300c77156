// Contents of dicts, lists, sets and deques, subclasses included; methods that a subclass overrides are not called.
#include "client_ext/capture/set_order.h"
#include "client_ext/link/helpers.h"
#include "client_ext/link/symbols.h"
#include "client_ext/observe/constants.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

PyObject* NoneUnless(int failed) {
  return failed ? nullptr : Py_NewRef(Py_None);
}

// An OrderedDict keeps its order beside the dict: only its own functions keep the two together.
int Store(PyObject* dict, PyObject* key, PyObject* value) {
  return PyODict_Check(dict) ? PyODict_SetItem(dict, key, value) : PyDict_SetItem(dict, key, value);
}

int Empty(PyObject* dict) {
  if (!PyODict_Check(dict)) {
    PyDict_Clear(dict);
    return 0;
  }
  const Ref clear = Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyODict_Type), "clear"));
  const Ref done = clear ? Ref::Steal(PyObject_CallOneArg(clear.get(), dict)) : Ref();
  return done ? 0 : -1;
}

bool CheckTuple(PyObject* object) {
  if (PyTuple_Check(object))
    return true;
  PyErr_SetString(PyExc_SystemError, "framegate: a helper expected a tuple");
  return false;
}

}  // namespace

PyObject* HelperkDictSet(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(Store(args[0], args[1], args[2]));
}

PyObject* HelperkDictDel(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyODict_Check(args[0]) ? PyODict_DelItem(args[0], args[1]) : PyDict_DelItem(args[0], args[1]));
}

PyObject* HelperkDictClear(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(Empty(args[0]));
}

PyObject* HelperkDictReplace(PyObject* const* args, Py_ssize_t) {
  if (!CheckTuple(args[1]) || !CheckTuple(args[2]) || Empty(args[0]) != 0)
    return nullptr;
  const Py_ssize_t size = Py_MIN(PyTuple_GET_SIZE(args[1]), PyTuple_GET_SIZE(args[2]));
  for (Py_ssize_t i = 0; i < size; ++i)
    if (Store(args[0], PyTuple_GET_ITEM(args[1], i), PyTuple_GET_ITEM(args[2], i)) != 0)
      return nullptr;
  return Py_NewRef(Py_None);
}

PyObject* HelperkListAssign(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyList_SetSlice(args[0], 0, PY_SSIZE_T_MAX, args[1]));
}

PyObject* HelperkListAppend(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PyList_Append(args[0], args[1]));
}

PyObject* HelperkSetAdd(PyObject* const* args, Py_ssize_t) {
  return NoneUnless(PySet_Add(args[0], args[1]));
}

PyObject* HelperkSetAssign(PyObject* const* args, Py_ssize_t) {
  if (!CheckTuple(args[1]) || PySet_Clear(args[0]) != 0)
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); ++i)
    if (PySet_Add(args[0], PyTuple_GET_ITEM(args[1], i)) != 0)
      return nullptr;
  return Py_NewRef(Py_None);
}

PyObject* HelperkDequeAssign(PyObject* const* args, Py_ssize_t) {
  const Ref clear = Ref::Steal(NewSymbolReference("_collections:deque.clear"));
  const Ref extend = clear ? Ref::Steal(NewSymbolReference("_collections:deque.extend")) : Ref();
  const Ref cleared = extend ? Ref::Steal(PyObject_CallOneArg(clear.get(), args[0])) : Ref();
  return cleared ? PyObject_CallFunctionObjArgs(extend.get(), args[0], args[1], nullptr) : nullptr;
}

PyObject* HelperkSetReplay(PyObject* const* args, Py_ssize_t) {
  const bool frozen = args[0] == Py_True;
  model::Constant history;
  pycompat::Ref set = FromPython(args[1], &history) ? SetOf(history, frozen) : pycompat::Ref();
  const bool same = set && PySet_GET_SIZE(set.get()) == PyTuple_GET_SIZE(args[2]);
  return same ? set.release() : frozen ? PyFrozenSet_New(args[2]) : PySet_New(args[2]);
}

}  // namespace framegate::client
