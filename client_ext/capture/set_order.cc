#include "client_ext/capture/set_order.h"

#include "base/hash.h"
#include "client_ext/capture/code.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::ConstantKind;
using pycompat::Ref;

constexpr int kMaxNesting = 16;

struct Operator {
  std::string_view name;
  PyObject* (*apply)(PyObject*, PyObject*);
};

constexpr Operator kOperators[] = {
    {"or", PyNumber_Or},         {"and", PyNumber_And},         {"sub", PyNumber_Subtract},         {"xor", PyNumber_Xor},
    {"ior", PyNumber_InPlaceOr}, {"iand", PyNumber_InPlaceAnd}, {"isub", PyNumber_InPlaceSubtract}, {"ixor", PyNumber_InPlaceXor}};

bool IsStep(const Constant& step, size_t parts) {
  return step.kind == ConstantKind::kTuple && step.items.size() == parts && step.items[0].is_str();
}

// The frozenset that a code object of this process holds as a constant; null where it does not.
Ref ConstantOfCode(const Constant& step) {
  model::CodeId id;
  PyCodeObject* code = model::CodeId::FromHex(step.items[1].text, &id) ? FindCode(id) : nullptr;
  const Py_ssize_t place = static_cast<Py_ssize_t>(step.items[2].integer);
  if (code == nullptr || place < 0 || place >= PyTuple_GET_SIZE(code->co_consts))
    return Ref();
  PyObject* constant = PyTuple_GET_ITEM(code->co_consts, place);
  return PyFrozenSet_CheckExact(constant) ? Ref::Share(constant) : Ref();
}

Ref Replay(const Constant& history, int depth, bool frozen = false);

Ref Next(Ref set, const Constant& step, int depth) {
  if (IsStep(step, 3) && step.items[0].text == "const" && step.items[1].is_str() && step.items[2].is_int())
    return ConstantOfCode(step);
  if (IsStep(step, 1) && step.items[0].text == "pop") {
    const Ref popped = Ref::Steal(PySet_Pop(set.get()));
    return popped ? set : Ref();
  }
  if (!IsStep(step, 2))
    return Ref();
  const std::string& name = step.items[0].text;
  if (name == "add" || name == "discard") {
    const Ref element = Ref::Steal(ToPython(step.items[1]));
    const int done = !element ? -1 : name == "add" ? PySet_Add(set.get(), element.get()) : PySet_Discard(set.get(), element.get());
    return done < 0 ? Ref() : set;
  }
  const Ref other = Replay(step.items[1], depth + 1);
  if (!other)
    return Ref();
  if (name == "update" && PyFrozenSet_CheckExact(set.get()))  // how one is made of another set
    return PySet_GET_SIZE(set.get()) == 0 ? Ref::Steal(PyFrozenSet_New(other.get())) : Ref();
  if (name == "update") {
    const Ref none = Ref::Steal(PyObject_CallMethod(set.get(), "update", "O", other.get()));
    return none ? set : Ref();
  }
  for (const Operator& op : kOperators)
    if (op.name == name)
      return Ref::Steal(op.apply(set.get(), other.get()));
  return Ref();
}

Ref Replay(const Constant& history, int depth, bool frozen) {
  if (history.kind != ConstantKind::kTuple || depth > kMaxNesting)
    return Ref();
  Ref set = Ref::Steal(frozen ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
  for (const Constant& step : history.items)
    if (set)
      set = Next(std::move(set), step, depth);
  return set;
}

}  // namespace

Ref SetOf(const Constant& history, bool frozen) {
  Ref set = Replay(history, 0, frozen);
  PyErr_Clear();
  return set && Py_TYPE(set.get()) == (frozen ? &PyFrozenSet_Type : &PySet_Type) ? std::move(set) : Ref();
}

bool OrderOf(const Constant& history, Constant* order) {
  const Ref set = Replay(history, 0);
  PyErr_Clear();
  if (!set || !PyAnySet_CheckExact(set.get()))
    return false;
  const model::FactValue elements = ReadFact(model::Fact::kSetElements, set.get()), place = ReadFact(model::Fact::kSetPlace, set.get());
  if (!elements.known || !place.known)
    return false;
  *order = Constant::Tuple({elements.constant, Constant::Int(static_cast<int64_t>(place.word))});
  return true;
}

}  // namespace framegate::client
