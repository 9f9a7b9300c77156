#include "client_ext/region/wrapper.h"

#include <string_view>
#include <utility>

#include "client_ext/hook/hook.h"
#include "client_ext/observe/names.h"
#include "client_ext/pycompat/ref.h"
#include "client_ext/region/region.h"
#include "structmember.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

PyTypeObject* optimized_type = nullptr;
PyTypeObject* disabled_type = nullptr;

struct Wrapper {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* fn;    // what is called
  Region* region;  // null for Disabled
  PyObject* weakrefs;
};

Wrapper* Self(PyObject* object) {
  return reinterpret_cast<Wrapper*>(object);
}

// tp_call of classes that say in Python how their instances are called; null: not known.
ternaryfunc CallOfClasses() {
  static const ternaryfunc call = [] {
    const Ref made = Ref::Steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){sO}", "C", "__call__", Py_None));
    if (!made)
      PyErr_Clear();
    return made ? reinterpret_cast<PyTypeObject*>(made.get())->tp_call : nullptr;
  }();
  return call;
}

// The function that an instance of such a class is called by, borrowed; null where there is another way.
PyObject* FunctionCalledFor(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_call != CallOfClasses() || PyVectorcall_Function(object) != nullptr)
    return nullptr;
  PyObject* function = _PyType_Lookup(type, GetNames().call);
  return function != nullptr && PyFunction_Check(function) ? function : nullptr;
}

// PyObject_Vectorcall. A module's __call__ gets its arguments as they are, not by a tuple and a dict that are made only for this call.
PyObject* Call(PyObject* callable, PyObject* const* args, size_t count, PyObject* names) {
  PyObject* found = (count & PY_VECTORCALL_ARGUMENTS_OFFSET) != 0 ? FunctionCalledFor(callable) : nullptr;
  if (found == nullptr)
    return PyObject_Vectorcall(callable, args, count, names);
  const Ref function = Ref::Share(found);
  PyObject** with_self = const_cast<PyObject**>(args) - 1;
  PyObject* before = std::exchange(*with_self, callable);
  PyObject* result = PyObject_Vectorcall(function.get(), with_self, static_cast<size_t>(PyVectorcall_NARGS(count)) + 1, names);
  *with_self = before;
  return result;
}

PyObject* CallOptimized(PyObject* object, PyObject* const* args, size_t count, PyObject* names) {
  PyThreadState* thread = PyThreadState_Get();
  Wrapper* self = Self(object);
  if (this_thread.stance == Stance::kForceEager) [[unlikely]] {
    const LiveScope none(thread, nullptr);
    return PyObject_Vectorcall(self->fn, args, count, names);
  }
  const LiveScope live(thread, self->region);
  const bool direct = std::exchange(this_thread.direct, true);
  PyObject* result = Call(self->fn, args, count, names);
  this_thread.direct = direct;
  return result;
}

PyObject* CallDisabled(PyObject* object, PyObject* const* args, size_t count, PyObject* names) {
  const LiveScope none(PyThreadState_Get(), nullptr);
  return PyObject_Vectorcall(Self(object)->fn, args, count, names);
}

PyObject* Make(PyTypeObject* type, vectorcallfunc call, Region* region, PyObject* fn) {
  if (!PyCallable_Check(fn)) {
    PyErr_Format(PyExc_TypeError, "%s needs a callable, not %.200s", type->tp_name, Py_TYPE(fn)->tp_name);
    return nullptr;
  }
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr)
    return nullptr;
  Wrapper* self = Self(object);
  self->vectorcall = call;
  self->fn = Py_NewRef(fn);
  self->region = region;
  if (region != nullptr)
    Py_INCREF(AsObject(region));
  return object;
}

PyObject* NewOptimized(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"region", "fn", nullptr};
  PyObject *region = nullptr, *fn = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O:Optimized", const_cast<char**>(names), region_type, &region, &fn))
    return nullptr;
  return Make(type, CallOptimized, reinterpret_cast<Region*>(region), fn);
}

PyObject* NewDisabled(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"fn", nullptr};
  PyObject* fn = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Disabled", const_cast<char**>(names), &fn))
    return nullptr;
  return Make(type, CallDisabled, nullptr, fn);
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(Self(object)->fn);
  Py_VISIT(reinterpret_cast<PyObject*>(Self(object)->region));
  return 0;
}

int Clear(PyObject* object) {
  Wrapper* self = Self(object);
  Py_CLEAR(self->fn);
  PyObject* region = reinterpret_cast<PyObject*>(std::exchange(self->region, nullptr));
  Py_XDECREF(region);
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (Self(object)->weakrefs != nullptr)
    PyObject_ClearWeakRefs(object);
  Clear(object);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

// Attributes that are the wrapper's own; every other one is the wrapped callable's, if it has it.
bool IsOwn(PyObject* name) {
  static constexpr std::string_view kOwn[] = {"__class__",    "__wrapped__", "__call__", "__get__",     "__reduce__",  "__reduce_ex__",
                                              "__deepcopy__", "__copy__",    "region",   "__setattr__", "__delattr__", "__repr__"};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  for (std::string_view own : kOwn)
    if (own == std::string_view(text, static_cast<size_t>(size)))
      return true;
  return false;
}

PyObject* GetAttribute(PyObject* object, PyObject* name) {
  PyObject* fn = Self(object)->fn;
  if (fn != nullptr && !IsOwn(name)) {
    PyObject* value = PyObject_GetAttr(fn, name);
    if (value != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError))
      return value;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(object, name);
}

int SetAttribute(PyObject* object, PyObject* name, PyObject* value) {
  if (!IsOwn(name) && Self(object)->fn != nullptr)
    return PyObject_SetAttr(Self(object)->fn, name, value);
  // functools.update_wrapper(wrapper, fn) says what is so already.
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0 && value == Self(object)->fn)
    return 0;
  PyErr_Format(PyExc_AttributeError, "attribute %R of %.200s cannot be changed", name, Py_TYPE(object)->tp_name);
  return -1;
}

PyObject* Bind(PyObject* object, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None)
    return Py_NewRef(object);
  return PyMethod_New(object, instance);
}

PyObject* Repr(PyObject* object) {
  return PyUnicode_FromFormat("<%s of %R>", Py_TYPE(object)->tp_name, Self(object)->fn);
}

PyObject* RegionOf(PyObject* object, void*) {
  return Py_NewRef(AsObject(Self(object)->region));
}

// By its name, as a function is.
PyObject* Reduce(PyObject* object, PyObject*) {
  return PyObject_GetAttrString(Self(object)->fn, "__qualname__");
}

PyObject* ReduceEx(PyObject* object, PyObject*) {
  return Reduce(object, nullptr);
}

// A function is its own copy; the wrapper of another callable wraps a copy of that.
PyObject* DeepCopy(PyObject* object, PyObject* memo) {
  Wrapper* self = Self(object);
  if (PyFunction_Check(self->fn) || PyCFunction_Check(self->fn))
    return Py_NewRef(object);
  const Ref copy = Ref::Steal(PyImport_ImportModule("copy"));
  const Ref twin = copy ? Ref::Steal(PyObject_CallMethod(copy.get(), "deepcopy", "OO", self->fn, memo)) : Ref();
  return twin ? Make(Py_TYPE(object), self->vectorcall, self->region, twin.get()) : nullptr;
}

PyObject* Copy(PyObject* object, PyObject*) {
  return Py_NewRef(object);
}

PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, nullptr},
                         {"__reduce_ex__", ReduceEx, METH_O, nullptr},
                         {"__deepcopy__", DeepCopy, METH_O, nullptr},
                         {"__copy__", Copy, METH_NOARGS, nullptr},
                         {}};
PyGetSetDef optimized_attributes[] = {{"region", RegionOf, nullptr, nullptr, nullptr}, {}};
PyGetSetDef disabled_attributes[] = {{}};
PyMemberDef members[] = {{"__wrapped__", T_OBJECT_EX, offsetof(Wrapper, fn), READONLY, nullptr},
                         {"__vectorcalloffset__", T_PYSSIZET, offsetof(Wrapper, vectorcall), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(Wrapper, weakrefs), READONLY, nullptr},
                         {}};

PyTypeObject* MakeType(const char* name, newfunc make, PyGetSetDef* attributes) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                         {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                         {Py_tp_descr_get, reinterpret_cast<void*>(Bind)},
                         {Py_tp_getattro, reinterpret_cast<void*>(GetAttribute)},
                         {Py_tp_setattro, reinterpret_cast<void*>(SetAttribute)},
                         {Py_tp_repr, reinterpret_cast<void*>(Repr)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, attributes},
                         {Py_tp_members, members},
                         {0, nullptr}};
  // A method descriptor: calling it through an instance makes no bound method first.
  constexpr unsigned long kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
  PyType_Spec spec = {name, sizeof(Wrapper), 0, kFlags, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace

bool InitWrapperTypes(PyObject* module) {
  optimized_type = MakeType("framegate._framegate.Optimized", NewOptimized, optimized_attributes);
  disabled_type = MakeType("framegate._framegate.Disabled", NewDisabled, disabled_attributes);
  return optimized_type != nullptr && disabled_type != nullptr && PyModule_AddType(module, optimized_type) == 0 &&
         PyModule_AddType(module, disabled_type) == 0;
}

bool IsOptimized(PyObject* object) {
  return Py_IS_TYPE(object, optimized_type);
}

bool IsDisabled(PyObject* object) {
  return Py_IS_TYPE(object, disabled_type);
}

}  // namespace framegate::client
