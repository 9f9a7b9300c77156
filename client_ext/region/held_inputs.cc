#include "client_ext/region/held_inputs.h"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "client_ext/pycompat/ref.h"
#include "structmember.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// One graph module: the tensors that are its attributes, and what the back-end made of it.
struct Variant {
  std::vector<Ref> held;  // in the order of positions
  Ref compiled;           // takes the other inputs
};

// An entry serves every object that its guards fit, so it may meet other tensors than the first module's: each set gets a module of its
// own.
constexpr size_t kMostVariants = 16;

struct Inputs {
  PyObject* make = nullptr;       // list of all inputs -> what takes the others
  std::vector<size_t> positions;  // of the held ones, ascending
  std::vector<Variant> variants;  // the last made last
};

struct HeldInputs {
  PyObject_HEAD vectorcallfunc vectorcall;
  Inputs* inputs;
};

HeldInputs* Self(PyObject* object) {
  return reinterpret_cast<HeldInputs*>(object);
}

bool Holds(const Variant& variant, const std::vector<size_t>& positions, PyObject* const* args) {
  for (size_t i = 0; i < positions.size(); ++i)
    if (variant.held[i].get() != args[positions[i]])
      return false;
  return true;
}

// What the back-end makes of a module that holds these; null with an exception set.
const Variant* MakeVariant(Inputs& inputs, PyObject* const* args, size_t count) {
  const Ref list = Ref::Steal(PyList_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; list && i < count; ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  Ref compiled = Ref::Steal(list ? PyObject_CallOneArg(inputs.make, list.get()) : nullptr);
  if (!compiled)
    return nullptr;
  Variant variant{.compiled = std::move(compiled)};
  for (const size_t position : inputs.positions)
    variant.held.push_back(Ref::Share(args[position]));
  if (inputs.variants.size() == kMostVariants)
    inputs.variants.erase(inputs.variants.begin());
  inputs.variants.push_back(std::move(variant));
  return &inputs.variants.back();
}

PyObject* CallHeld(PyObject* object, PyObject* const* args, size_t count_and_flag, PyObject* names) {
  Inputs& inputs = *Self(object)->inputs;
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(count_and_flag));
  if (names != nullptr || (!inputs.positions.empty() && inputs.positions.back() >= count)) {
    PyErr_SetString(PyExc_TypeError, "a graph takes its flat inputs, by position");
    return nullptr;
  }
  const Variant* fitting = nullptr;
  for (const Variant& variant : inputs.variants)
    if (Holds(variant, inputs.positions, args))
      fitting = &variant;
  if (fitting == nullptr)
    fitting = MakeVariant(inputs, args, count);
  if (fitting == nullptr)
    return nullptr;
  const Ref compiled = fitting->compiled;  // the call may make another variant
  std::vector<PyObject*> rest;
  rest.reserve(count);
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (next < inputs.positions.size() && inputs.positions[next] == i)
      ++next;
    else
      rest.push_back(args[i]);
  }
  return PyObject_Vectorcall(compiled.get(), rest.data(), rest.size(), nullptr);
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"positions", "make", "inputs", nullptr};
  PyObject *positions = nullptr, *make = nullptr, *first = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OO!:HeldInputs", const_cast<char**>(names), &PyList_Type, &positions, &make,
                                   &PyList_Type, &first))
    return nullptr;
  const Ref object = Ref::Steal(type->tp_alloc(type, 0));
  if (!object)
    return nullptr;
  Self(object.get())->vectorcall = CallHeld;
  Inputs* inputs = Self(object.get())->inputs = new Inputs{.make = Py_NewRef(make)};
  const auto count = static_cast<size_t>(PyList_GET_SIZE(first));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(positions); ++i) {
    const size_t position = PyLong_AsSize_t(PyList_GET_ITEM(positions, i));
    if (PyErr_Occurred() || position >= count || (i > 0 && position <= inputs->positions.back())) {
      PyErr_SetString(PyExc_ValueError, "positions are those of inputs, ascending");
      return nullptr;
    }
    inputs->positions.push_back(position);
  }
  std::vector<PyObject*> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(PyList_GET_ITEM(first, static_cast<Py_ssize_t>(i)));
  return MakeVariant(*inputs, values.data(), count) != nullptr ? Py_NewRef(object.get()) : nullptr;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  const Inputs* inputs = Self(object)->inputs;
  if (inputs == nullptr)
    return 0;
  Py_VISIT(inputs->make);
  for (const Variant& variant : inputs->variants) {
    Py_VISIT(variant.compiled.get());
    for (const Ref& held : variant.held)
      Py_VISIT(held.get());
  }
  return 0;
}

int Clear(PyObject* object) {
  const std::unique_ptr<Inputs> inputs(std::exchange(Self(object)->inputs, nullptr));
  if (inputs != nullptr)
    Py_CLEAR(inputs->make);
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Clear(object);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(HeldInputs, vectorcall), READONLY, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.HeldInputs", sizeof(HeldInputs), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

}  // namespace

bool InitHeldInputsType(PyObject* module) {
  const Ref type = Ref::Steal(PyType_FromSpec(&spec));
  return type && PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())) == 0;
}

}  // namespace framegate::client
