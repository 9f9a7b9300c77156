#include "client_ext/hook/hook.h"
#include "client_ext/pycompat/ref.h"
#include "client_ext/region/graph.h"
#include "structmember.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

PyTypeObject* graph_call_type = nullptr;

struct GraphCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* compiled;
  GraphManners manners;
};

GraphCall* Self(PyObject* object) {
  return reinterpret_cast<GraphCall*>(object);
}

// A function of framegate._ambient.
PyObject* CallAmbient(const char* name, PyObject* argument) {
  const Ref module = Ref::Steal(PyImport_ImportModule("framegate._ambient"));
  const Ref function = Ref::Steal(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  return function ? PyObject_CallFunctionObjArgs(function.get(), argument, nullptr) : nullptr;
}

// Copies of inputs, beside them.
PyObject* Saved(const std::vector<uint32_t>& places, PyObject* const* args, size_t count) {
  const Ref tensors = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(places.size())));
  for (size_t i = 0; tensors && i < places.size(); ++i)
    PyTuple_SET_ITEM(tensors.get(), static_cast<Py_ssize_t>(i), Py_NewRef(places[i] < count ? args[places[i]] : Py_None));
  return tensors ? CallAmbient("save", tensors.get()) : nullptr;
}

PyObject* CallGraph(PyObject* object, PyObject* const* args, size_t count, PyObject* names) {
  if (this_thread.live == nullptr) [[likely]]  // new code runs without a live region
    return PyObject_Vectorcall(Self(object)->compiled, args, count, names);
  const LiveScope none(PyThreadState_Get(), nullptr);
  return PyObject_Vectorcall(Self(object)->compiled, args, count, names);
}

// Where the graph raises, ambient state, random numbers and inputs are what they were: as the exits of the managers around would have left
// the state, and as code that runs again must find them.
PyObject* CallRestoring(PyObject* object, PyObject* const* args, size_t count, PyObject* names) {
  const LiveScope none(PyThreadState_Get(), nullptr);
  const GraphManners& manners = Self(object)->manners;
  const Ref before = Ref::Steal(manners.restores ? CallAmbient("read", nullptr) : Py_NewRef(Py_None));
  const Ref random = Ref::Steal(manners.draws ? CallAmbient("read_random", nullptr) : Py_NewRef(Py_None));
  const Ref saved = Ref::Steal(manners.written != nullptr ? Saved(*manners.written, args, PyVectorcall_NARGS(count)) : Py_NewRef(Py_None));
  if (!before || !random || !saved)
    return nullptr;
  if (PyObject* result = PyObject_Vectorcall(Self(object)->compiled, args, count, names))
    return result;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (manners.restores && !Ref::Steal(CallAmbient("restore", before.get())))
    PyErr_Clear();
  if (manners.retry != nullptr && PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
    this_thread.failed = manners.retry;
    if (manners.draws && !Ref::Steal(CallAmbient("restore_random", random.get())))
      PyErr_Clear();
    if (manners.written != nullptr && !Ref::Steal(CallAmbient("put_back", saved.get())))
      PyErr_Clear();
  }
  PyErr_Restore(type, value, traceback);
  return nullptr;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(Self(object)->compiled);
  return 0;
}

int Clear(PyObject* object) {
  Py_CLEAR(Self(object)->compiled);
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Clear(object);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(GraphCall, vectorcall), READONLY, nullptr},
                         {"__wrapped__", T_OBJECT, offsetof(GraphCall, compiled), READONLY, nullptr},
                         {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.GraphCall", sizeof(GraphCall), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

bool InitGraphCallType() {
  graph_call_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return graph_call_type != nullptr;
}

PyObject* NewGraphCall(PyObject* compiled, GraphManners manners) {
  PyObject* object = graph_call_type->tp_alloc(graph_call_type, 0);
  if (object == nullptr)
    return nullptr;
  Self(object)->vectorcall = manners.restores || manners.retry != nullptr ? CallRestoring : CallGraph;
  Self(object)->manners = manners;
  Self(object)->compiled = Py_NewRef(compiled);
  return object;
}

}  // namespace framegate::client
