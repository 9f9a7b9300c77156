// Which words tell where a step leads. A step without a body here is taken anew on every call.

#include "client_ext/observe/push/witness.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"

namespace framegate::client {

namespace {

using model::Step;

template <Step S>
bool Tell(PyObject*, Operand, PyObject*, Witnesses&) {
  return false;
}

// Types do not change their instances' layout, so the type goes before every field.
template <typename T, typename F>
bool TellField(PyObject* from, F T::*field, Witnesses& words) {
  if (!words.Object(from))
    return false;
  words.Field(reinterpret_cast<const T*>(from)->*field);
  return true;
}

template <typename F>
bool TellFunction(PyObject* from, F PyFunctionObject::*field, Witnesses& words) {
  return PyFunction_Check(from) && TellField(from, field, words);
}

bool TellProperty(PyObject* from, PyObject* pycompat::Property::*field, Witnesses& words) {
  return PyObject_TypeCheck(from, &PyProperty_Type) && TellField(from, field, words);
}

bool TellItems(PyObject* const* items, Py_ssize_t count, Operand operand, Witnesses& words) {
  if (operand.word < static_cast<uint64_t>(count))
    words.Field(items[operand.word]);
  return true;
}

template <>
bool Tell<Step::kType>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return words.Object(from);
}

template <>
bool Tell<Step::kAttr>(PyObject* from, Operand operand, PyObject* to, Witnesses& words) {
  return words.Attribute(from, NameOf(operand), to);
}

template <>
bool Tell<Step::kInstanceDict>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  if (!words.Object(from) || !pycompat::CanHaveDict(Py_TYPE(from)))
    return false;
  const pycompat::InstancePlace place = pycompat::PlaceOf(from);
  if (place.dict == nullptr || to != *place.dict)
    return false;
  if (place.values != nullptr)
    words.Bytes(place.values, place.values_size);
  words.Field(*place.dict);
  return true;
}

// Of a type that is at hand: its address is told, its state is its version's.
bool TellType(PyObject* from, Witnesses& words) {
  return PyType_Check(from) && words.Type(reinterpret_cast<PyTypeObject*>(from));
}

// What such a type holds.
bool TellPart(PyObject* from, PyObject* to, Witnesses& words) {
  if (!TellType(from, words))
    return false;
  words.Steady(to);
  return true;
}

template <>
bool Tell<Step::kTypeAttr>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  return TellPart(from, to, words);
}

// Whether what is there is a data descriptor is its own type's to say, which may change as well.
template <>
bool Tell<Step::kDataDescriptor>(PyObject* from, Operand operand, PyObject*, Witnesses& words) {
  if (!TellType(from, words))
    return false;
  PyObject* value = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(from), NameOf(operand));
  return value == nullptr || (Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
}

template <>
bool Tell<Step::kTypeDictItem>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  return TellPart(from, to, words);
}

template <>
bool Tell<Step::kMro>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  return TellPart(from, to, words);
}

template <>
bool Tell<Step::kTypeBases>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  return TellPart(from, to, words);
}

template <>
bool Tell<Step::kDictItem>(PyObject* from, Operand operand, PyObject* to, Witnesses& words) {
  if (!PyDict_Check(from) || !words.Object(from))
    return false;
  return PyUnicode_CheckExact(NameOf(operand)) ? words.Item(from, NameOf(operand), to) : words.Dict(from);
}

template <>
bool Tell<Step::kDictKey>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  if (!PyDict_CheckExact(from) || !words.Object(from) || !words.Dict(from))
    return false;
  words.Steady(to);
  return true;
}

template <>
bool Tell<Step::kDictValue>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  if (!PyDict_CheckExact(from) || !words.Object(from) || !words.Dict(from))
    return false;
  words.Steady(to);
  return true;
}

template <>
bool Tell<Step::kItem>(PyObject* from, Operand operand, PyObject* to, Witnesses& words) {
  if (!words.Object(from))
    return false;
  if (PyTuple_CheckExact(from) && words.IsSteady(from)) {
    words.Steady(to);
    return true;
  }
  if (PyList_Check(from)) {
    auto* list = reinterpret_cast<PyListObject*>(from);
    words.Field(list->ob_base.ob_size);
    words.Field(list->ob_item);
    return TellItems(list->ob_item, PyList_GET_SIZE(from), operand, words);
  }
  if (!PyTuple_Check(from))
    return false;
  auto* tuple = reinterpret_cast<PyTupleObject*>(from);
  words.Field(tuple->ob_base.ob_size);
  return TellItems(tuple->ob_item, PyTuple_GET_SIZE(from), operand, words);
}

template <>
bool Tell<Step::kCellContents>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return PyCell_Check(from) && TellField(from, &PyCellObject::ob_ref, words);
}

template <>
bool Tell<Step::kFuncGlobals>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellFunction(from, &PyFunctionObject::func_globals, words);
}

template <>
bool Tell<Step::kFuncDefaults>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellFunction(from, &PyFunctionObject::func_defaults, words);
}

template <>
bool Tell<Step::kFuncKwdefaults>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellFunction(from, &PyFunctionObject::func_kwdefaults, words);
}

template <>
bool Tell<Step::kFuncAnnotations>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellFunction(from, &PyFunctionObject::func_annotations, words);
}

template <>
bool Tell<Step::kFuncClosure>(PyObject* from, Operand operand, PyObject*, Witnesses& words) {
  if (!TellFunction(from, &PyFunctionObject::func_closure, words))
    return false;
  PyObject* closure = reinterpret_cast<PyFunctionObject*>(from)->func_closure;
  return closure == nullptr || Tell<Step::kItem>(closure, operand, nullptr, words);
}

template <>
bool Tell<Step::kFuncBuiltins>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellFunction(from, &PyFunctionObject::func_builtins, words);
}

template <>
bool Tell<Step::kMethodFunc>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  if (PyMethod_Check(from))
    return TellField(from, &PyMethodObject::im_func, words);
  return (PyObject_TypeCheck(from, &PyClassMethod_Type) || PyObject_TypeCheck(from, &PyStaticMethod_Type)) &&
         TellField(from, &pycompat::MethodWrapper::callable, words);
}

template <>
bool Tell<Step::kMethodSelf>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  if (PyMethod_Check(from))
    return TellField(from, &PyMethodObject::im_self, words);
  return PyCFunction_Check(from) && TellField(from, &PyCFunctionObject::m_self, words);
}

template <>
bool Tell<Step::kPropertyGet>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellProperty(from, &pycompat::Property::get, words);
}

template <>
bool Tell<Step::kPropertySet>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellProperty(from, &pycompat::Property::set, words);
}

template <>
bool Tell<Step::kPropertyDel>(PyObject* from, Operand, PyObject*, Witnesses& words) {
  return TellProperty(from, &pycompat::Property::del, words);
}

template <>
bool Tell<Step::kModuleDict>(PyObject* from, Operand, PyObject* to, Witnesses& words) {
  if (!PyModule_Check(from) || !words.Object(from))
    return false;
  // The first field of a module, in all versions, though no public header says so.
  PyObject* const* dict = reinterpret_cast<PyObject* const*>(reinterpret_cast<PyObject*>(from) + 1);
  if (*dict != to)
    return false;
  words.Field(*dict);
  return true;
}

template <>
bool Tell<Step::kSlotMember>(PyObject* from, Operand operand, PyObject* to, Witnesses& words) {
  PyObject* descriptor = _PyType_Lookup(Py_TYPE(from), NameOf(operand));
  if (!words.Object(from) || descriptor == nullptr || !Py_IS_TYPE(descriptor, &PyMemberDescr_Type))
    return false;
  const PyMemberDef* member = pycompat::ObjectMember(descriptor);
  if (member == nullptr)
    return false;
  PyObject* const* place = reinterpret_cast<PyObject* const*>(reinterpret_cast<const char*>(from) + member->offset);
  if (*place != to)
    return false;
  words.Field(*place);
  return true;
}

// Kept: the names of symbols are few.
PyObject* Interned(std::string_view text) {
  PyObject* name = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  if (name == nullptr)
    PyErr_Clear();
  else
    PyUnicode_InternInPlace(&name);
  return name;
}

// The value under the name, told; null where it is not.
PyObject* TellValue(PyObject* dict, std::string_view text, Witnesses& words) {
  const pycompat::Ref name = pycompat::Ref::Steal(Interned(text));
  PyObject* value = nullptr;
  uint16_t hint = 0;
  if (!name || PyObject_Hash(name.get()) == -1 ||
      pycompat::FindName(pycompat::ItemsOf(dict), name.get(), &hint, &value) != pycompat::Lookup::kFound)
    return nullptr;
  words.Pin(name.get());
  return words.Item(dict, name.get(), value) ? value : nullptr;
}

}  // namespace

bool WitnessSymbol(std::string_view symbol, PyObject* object, Witnesses& words) {
  const size_t colon = symbol.find(':');
  PyObject* modules = PyImport_GetModuleDict();
  if (colon == std::string_view::npos || modules == nullptr)
    return false;
  words.Loosen(modules);  // grows with every import
  PyObject* module = TellValue(modules, symbol.substr(0, colon), words);
  if (module == nullptr || !PyModule_Check(module))
    return false;
  if (colon + 1 == symbol.size())
    return module == object;
  PyObject* dict = PyModule_GetDict(module);
  if (!Tell<Step::kModuleDict>(module, Operand(), dict, words))
    return false;
  const std::string_view path = symbol.substr(colon + 1);
  const size_t dot = path.find('.');
  PyObject* value = TellValue(dict, path.substr(0, dot), words);
  if (dot == std::string_view::npos)
    return value == object;
  if (path.find('.', dot + 1) != std::string_view::npos || value == nullptr || !PyType_Check(value) || !words.Object(value))
    return false;
  PyObject* own = pycompat::TypeDict(reinterpret_cast<PyTypeObject*>(value));
  return own != nullptr && TellValue(own, path.substr(dot + 1), words) == object;
}

bool WitnessStep(Step step, PyObject* from, Operand operand, PyObject* to, Witnesses& words) {
  switch (step) {
#define FRAMEGATE_STEP(number, name, text, shape, doc) \
  case Step::name:                                     \
    return Tell<Step::name>(from, operand, to, words);
#include "model/steps.def"
#undef FRAMEGATE_STEP
  }
  return false;
}

}  // namespace framegate::client
