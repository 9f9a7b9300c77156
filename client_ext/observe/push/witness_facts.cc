// Which words tell that a fact is as it was. A fact without a body here is compared anew on every call.

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/push/witness.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using model::Fact;

template <Fact F>
bool Tell(PyObject*, Operand, Witnesses&) {
  return false;
}

// Constants cannot change, and stay who they are while they are kept.
template <>
bool Tell<Fact::kValue>(PyObject* object, Operand, Witnesses& words) {
  words.Pin(object);
  return true;
}

template <>
bool Tell<Fact::kLength>(PyObject* object, Operand, Witnesses& words) {
  if (!words.Object(object))
    return false;
  if (PyList_Check(object) || PyTuple_Check(object))
    words.Field(reinterpret_cast<PyVarObject*>(object)->ob_size);
  else if (PyDict_Check(object))
    words.DictField(reinterpret_cast<PyDictObject*>(object)->ma_used);
  else if (PyAnySet_Check(object))
    words.Field(reinterpret_cast<PySetObject*>(object)->used);
  else
    return false;
  return true;
}

bool TellType(PyObject* object, Witnesses& words) {
  return PyType_Check(object) && words.Type(reinterpret_cast<PyTypeObject*>(object));
}

template <>
bool Tell<Fact::kTypeName>(PyObject* object, Operand, Witnesses& words) {
  return TellType(object, words);
}

template <>
bool Tell<Fact::kTypeFlags>(PyObject* object, Operand, Witnesses& words) {
  return TellType(object, words);
}

template <>
bool Tell<Fact::kMroLength>(PyObject* object, Operand, Witnesses& words) {
  return TellType(object, words);
}

template <>
bool Tell<Fact::kTypeKeys>(PyObject* object, Operand, Witnesses& words) {
  return TellType(object, words);
}

template <>
bool Tell<Fact::kAbcToken>(PyObject*, Operand, Witnesses& words) {
  if (pycompat::AbcCounter() != nullptr)
    words.Field(*pycompat::AbcCounter());
  return pycompat::AbcCounter() != nullptr;
}

template <>
bool Tell<Fact::kAbcAnswers>(PyObject* object, Operand operand, Witnesses& words) {
  return Tell<Fact::kAbcToken>(object, operand, words);
}

template <>
bool Tell<Fact::kHashSecret>(PyObject*, Operand, Witnesses&) {
  return true;  // a process has one
}

template <>
bool Tell<Fact::kCodeId>(PyObject* object, Operand, Witnesses& words) {
  if (!PyFunction_Check(object) || !words.Object(object))
    return false;
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  words.Field(function->func_code);
  words.Pin(function->func_code);
  return true;
}

bool IsHeap(PyObject* type) {
  return (reinterpret_cast<PyTypeObject*>(type)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}

bool TellText(PyObject* const& text, Witnesses& words) {
  words.Field(text);
  if (text != nullptr)
    words.Pin(text);
  return true;
}

template <>
bool Tell<Fact::kName>(PyObject* object, Operand, Witnesses& words) {
  if (PyFunction_Check(object))
    return words.Object(object) && TellText(reinterpret_cast<PyFunctionObject*>(object)->func_name, words);
  return PyType_Check(object) && words.Object(object) && IsHeap(object) &&
         TellText(reinterpret_cast<PyHeapTypeObject*>(object)->ht_name, words);
}

template <>
bool Tell<Fact::kQualname>(PyObject* object, Operand, Witnesses& words) {
  if (!PyFunction_Check(object) || !words.Object(object))
    return false;
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  return TellText(function->func_qualname, words) && (function->func_module == nullptr || PyUnicode_CheckExact(function->func_module)) &&
         TellText(function->func_module, words);
}

template <>
bool Tell<Fact::kClosureLength>(PyObject* object, Operand, Witnesses& words) {
  if (!PyFunction_Check(object) || !words.Object(object))
    return false;
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  words.Field(function->func_closure);
  if (function->func_closure != nullptr)
    words.Field(reinterpret_cast<PyVarObject*>(function->func_closure)->ob_size);
  return true;
}

template <>
bool Tell<Fact::kDictKeys>(PyObject* object, Operand, Witnesses& words) {
  return PyDict_CheckExact(object) && words.Object(object) && words.Dict(object);
}

template <>
bool Tell<Fact::kInstanceKeys>(PyObject* object, Operand, Witnesses& words) {
  return words.Attributes(object);
}

template <>
bool Tell<Fact::kHasInstanceDict>(PyObject* object, Operand, Witnesses& words) {
  return words.Object(object);
}

// A frozenset cannot change, and its elements are constants.
bool TellFrozen(PyObject* object, Witnesses& words) {
  if (!PyFrozenSet_CheckExact(object))
    return false;
  words.Pin(object);
  return true;
}

template <>
bool Tell<Fact::kSetElements>(PyObject* object, Operand, Witnesses& words) {
  return TellFrozen(object, words);
}

template <>
bool Tell<Fact::kSetMembers>(PyObject* object, Operand, Witnesses& words) {
  return TellFrozen(object, words);
}

// The comparison keeps the object that a symbol names, so another one cannot have its address.
template <>
bool Tell<Fact::kSymbolName>(PyObject* object, Operand, Witnesses& words) {
  if (!PyFunction_Check(object) && !PyCFunction_Check(object) && !PyModule_Check(object) && !PyType_Check(object) &&
      (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0)
    return false;
  words.Pin(object);
  return true;
}

template <>
bool Tell<Fact::kTensor>(PyObject* object, Operand operand, Witnesses& words) {
  const TorchTable* torch = Torch();
  if (torch == nullptr || torch->tensor_words == nullptr || !words.Attribute(object, GetNames().dynamic_indices, nullptr) ||
      !words.Attribute(object, GetNames().static_indices, nullptr))
    return false;  // dimensions are marked
  const auto add = [](void* sink, const void* at, size_t count) { static_cast<Witnesses*>(sink)->Bytes(at, count); };
  return torch->tensor_words(object, static_cast<const TensorPattern*>(operand.pointer), &words, add);
}

// As OwnHooksEmpty and GlobalHooksEmpty look: attributes of the instance, of its class, of torch's own module.
bool TellEmptyUnder(PyObject* dict, PyObject* name, Witnesses& words) {
  uint16_t hint = 0;
  PyObject* value = nullptr;
  if (pycompat::FindName(pycompat::ItemsOf(dict), name, &hint, &value) != pycompat::Lookup::kFound || !PyDict_Check(value))
    return false;
  words.DictField(reinterpret_cast<PyDictObject*>(value)->ma_used);
  return true;
}

template <>
bool Tell<Fact::kHooksEmpty>(PyObject* object, Operand operand, Witnesses& words) {
  const Names& names = GetNames();
  PyObject* dict = pycompat::MaterializedDict(object);
  PyObject* module = FindModule("torch.nn.modules.module");
  if (operand.word == 0 || dict == nullptr || module == nullptr || !words.Attributes(object))
    return false;
  for (PyObject* name : {names.backward_hooks, names.backward_pre_hooks, names.forward_hooks, names.forward_pre_hooks})
    if (!TellEmptyUnder(dict, name, words))
      return false;
  PyObject* globals = PyModule_GetDict(module);
  if (!words.Dict(globals))
    return false;
  for (PyObject* name :
       {names.global_backward_hooks, names.global_backward_pre_hooks, names.global_forward_hooks, names.global_forward_pre_hooks})
    if (!TellEmptyUnder(globals, name, words))
      return false;
  return true;
}

}  // namespace

bool WitnessFact(Fact fact, PyObject* object, Operand operand, Witnesses& words) {
  switch (fact) {
#define FRAMEGATE_FACT(number, name, text, shape, doc) \
  case Fact::name:                                     \
    return Tell<Fact::name>(object, operand, words);
#include "model/facts.def"
#undef FRAMEGATE_FACT
  }
  return false;
}

}  // namespace framegate::client
