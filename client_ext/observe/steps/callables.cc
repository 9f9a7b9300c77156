// Parts of functions, methods, properties and partials.

#include "client_ext/observe/constants.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

using model::Step;

namespace {

const PyFunctionObject* AsFunction(PyObject* object) {
  return PyFunction_Check(object) ? reinterpret_cast<PyFunctionObject*>(object) : nullptr;
}

// None stands for nothing.
bool Give(PyObject* value, PyObject** to) {
  if (value != nullptr && value != Py_None)
    *to = value;
  return true;
}

const pycompat::Property* AsProperty(PyObject* object) {
  return PyObject_TypeCheck(object, &PyProperty_Type) ? reinterpret_cast<pycompat::Property*>(object) : nullptr;
}

const pycompat::Partial* AsPartial(PyObject* object) {
  return IsInstance(object, KnownType::kPartial) ? reinterpret_cast<pycompat::Partial*>(object) : nullptr;
}

// Looks for a key among what a functools.lru_cache wrapper shows a garbage collector: its type; for each entry of a bounded cache the
// key, the result and the entry's type; then the dict of its cache, which in an unbounded one holds the results themselves.
struct CacheSearch {
  const LinkedConstant* key;
  PyObject** result;
  bool is_known = true;

  enum Next { kOwnType, kKey, kResult, kFoundResult, kEntryType } next = kOwnType;

  bool is_bounded = false;

  // Not 0: that was all.
  static int Visit(PyObject* object, void* search) noexcept { return static_cast<CacheSearch*>(search)->Take(object); }

  int Take(PyObject* object) noexcept {
    switch (next) {
      case kOwnType:
      case kEntryType:
        next = kKey;
        return 0;
      case kKey:
        if (PyDict_CheckExact(object)) {
          uint16_t hint = 0;
          if (!is_bounded)
            is_known = TakeStep<Step::kDictItem>(object, Operand(static_cast<const void*>(key)), &hint, result);
          return 1;
        }
        is_bounded = true;
        next = SameConstant(object, key->object.get()) ? kFoundResult : kResult;
        return 0;
      case kResult:
        next = kEntryType;
        return 0;
      case kFoundResult:
        *result = object;
        return 1;
    }
    return 1;
  }
};

}  // namespace

template <>
bool TakeStep<Step::kCached>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  if (!IsInstance(from, KnownType::kLruCache))
    return true;
  CacheSearch search{.key = &KeyOf(operand), .result = to};
  Py_TYPE(from)->tp_traverse(from, CacheSearch::Visit, &search);
  return search.is_known;
}

template <>
bool TakeStep<Step::kFuncGlobals>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const PyFunctionObject* function = AsFunction(from);
  return function == nullptr || Give(function->func_globals, to);
}

template <>
bool TakeStep<Step::kFuncDefaults>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const PyFunctionObject* function = AsFunction(from);
  return function == nullptr || Give(function->func_defaults, to);
}

template <>
bool TakeStep<Step::kFuncKwdefaults>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const PyFunctionObject* function = AsFunction(from);
  return function == nullptr || Give(function->func_kwdefaults, to);
}

template <>
bool TakeStep<Step::kFuncAnnotations>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const PyFunctionObject* function = AsFunction(from);
  return function == nullptr || Give(function->func_annotations, to);
}

template <>
bool TakeStep<Step::kFuncTypeParams>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  PyObject* const* kept = AsFunction(from) == nullptr ? nullptr : pycompat::TypeParamsOf(from);
  if (kept != nullptr && *kept != nullptr && PyTuple_Check(*kept) && PyTuple_GET_SIZE(*kept) > 0)
    *to = *kept;
  return true;
}

template <>
bool TakeStep<Step::kFuncClosure>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  const PyFunctionObject* function = AsFunction(from);
  PyObject* closure = function == nullptr ? nullptr : function->func_closure;
  const Py_ssize_t place = static_cast<Py_ssize_t>(operand.word);
  if (closure != nullptr && PyTuple_Check(closure) && place < PyTuple_GET_SIZE(closure))
    *to = PyTuple_GET_ITEM(closure, place);
  return true;
}

template <>
bool TakeStep<Step::kFuncBuiltins>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  return AsFunction(from) == nullptr || Give(pycompat::BuiltinsOf(from), to);
}

template <>
bool TakeStep<Step::kMethodFunc>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyMethod_Check(from))
    *to = PyMethod_GET_FUNCTION(from);
  else if (PyObject_TypeCheck(from, &PyClassMethod_Type) || PyObject_TypeCheck(from, &PyStaticMethod_Type))
    *to = reinterpret_cast<pycompat::MethodWrapper*>(from)->callable;
  return true;
}

template <>
bool TakeStep<Step::kMethodSelf>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  if (PyMethod_Check(from))
    *to = PyMethod_GET_SELF(from);
  else if (PyCFunction_Check(from))
    *to = PyCFunction_GET_SELF(from);
  else if (pycompat::IsBoundSlot(from))
    *to = reinterpret_cast<pycompat::BoundSlot*>(from)->self;
  return true;
}

template <>
bool TakeStep<Step::kPropertyGet>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Property* property = AsProperty(from);
  return property == nullptr || Give(property->get, to);
}

template <>
bool TakeStep<Step::kPropertySet>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Property* property = AsProperty(from);
  return property == nullptr || Give(property->set, to);
}

template <>
bool TakeStep<Step::kPropertyDel>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Property* property = AsProperty(from);
  return property == nullptr || Give(property->del, to);
}

template <>
bool TakeStep<Step::kPartialFunc>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Partial* partial = AsPartial(from);
  return partial == nullptr || Give(partial->function, to);
}

template <>
bool TakeStep<Step::kPartialArgs>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Partial* partial = AsPartial(from);
  return partial == nullptr || Give(partial->args, to);
}

template <>
bool TakeStep<Step::kPartialKeywords>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Partial* partial = AsPartial(from);
  return partial == nullptr || Give(partial->keywords, to);
}

}  // namespace framegate::client
