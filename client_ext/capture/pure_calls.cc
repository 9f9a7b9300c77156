#include "client_ext/capture/pure_calls.h"

#include "base/strings.h"
#include "client_ext/capture/set_order.h"
#include "client_ext/observe/abstract_classes.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_objects.h"

namespace framegate::client {

namespace {

using model::AnswerItem;
using model::Constant;
using model::ConstantKind;
using Argument = model::Operand;
using pycompat::Ref;

struct PureCall {
  std::string_view symbol;
  int growth;
  bool sets;
};

constexpr PureCall kPureCalls[] = {
#define FRAMEGATE_PURE_CALL(symbol, growth, sets) {symbol, growth, sets != 0},
#include "model/pure_calls.def"
#undef FRAMEGATE_PURE_CALL
};

const PureCall* FindPureCall(std::string_view symbol) {
  for (const PureCall& call : kPureCalls)
    if (call.symbol == symbol)
      return &call;
  return nullptr;
}

constexpr int64_t kMaxGrowth = 100'000;
constexpr size_t kMaxResult = 1 << 20;

// What a call's arguments hold, however deep.
struct Contents {
  bool set = false;
  bool sequence = false;
  bool large_int = false;
  bool text = false;
};

void Look(const Constant& constant, Contents* contents) {
  contents->text |= constant.kind == ConstantKind::kStr || constant.kind == ConstantKind::kBytes || constant.kind == ConstantKind::kNone;
  contents->set |= constant.kind == ConstantKind::kFrozenset;
  contents->sequence |=
      constant.kind == ConstantKind::kStr || constant.kind == ConstantKind::kBytes || constant.kind == ConstantKind::kTuple;
  contents->large_int |= constant.kind == ConstantKind::kBigInt || constant.integer > kMaxGrowth || constant.integer < -kMaxGrowth;
  for (const Constant& item : constant.items)
    Look(item, contents);
}

void Look(const Argument& operand, Contents* contents) {
  if (operand.constant)
    Look(*operand.constant, contents);
  contents->sequence |= !operand.sequence.empty();
  for (const Argument& item : operand.items)
    Look(item, contents);
}

bool IsModest(const PureCall& call, const model::Question& question) {
  Contents contents;
  for (const Argument& operand : question.args)
    Look(operand, &contents);
  for (const auto& [name, operand] : question.kwargs)
    Look(operand, &contents);
  if (call.symbol == "builtins:hash" && contents.text)
    return false;
  if (call.growth == 3 && question.args.size() == 2) {
    contents.large_int = false;
    Look(question.args[1], &contents);
    return !contents.large_int;
  }
  return (call.sets || !contents.set) && (call.growth == 0 || !contents.large_int || (call.growth == 2 && !contents.sequence));
}

// An object whose use as an argument runs no Python code: a class with plain checks, or a C function.
bool IsHarmless(PyObject* object) {
  return PyType_Check(object) ? HasPlainChecks(reinterpret_cast<PyTypeObject*>(object)) : PyCFunction_Check(object) != 0;
}

bool AreHarmless(const Argument& operand, const HandleTable& handles) {
  PyObject* object = handles.Find(operand.handle);
  if (operand.handle != model::kAbsent && (object == nullptr || !IsHarmless(object)))
    return false;
  for (const Argument& item : operand.items)
    if (!AreHarmless(item, handles))
      return false;
  return !operand.tensor.has_value();
}

// isinstance and issubclass look only at the first argument's type or MRO unless a class says otherwise, so it may be any object.
bool AreAllowed(const model::Question& question, std::string_view symbol, const HandleTable& handles) {
  const bool any_first = symbol == "builtins:isinstance" || symbol == "builtins:issubclass" || symbol == "builtins:callable";
  for (size_t i = symbol == "framegate._pure:is_registered" ? 2 : any_first ? 1 : 0; i < question.args.size(); ++i)
    if (!AreHarmless(question.args[i], handles))
      return false;
  for (const auto& [name, operand] : question.kwargs)
    if (!AreHarmless(operand, handles))
      return false;
  return true;
}

bool MakeArguments(const model::Question& question, const HandleTable& handles, Ref* args, Ref* kwargs) {
  *args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(question.args.size())));
  *kwargs = Ref::Steal(question.kwargs.empty() ? nullptr : PyDict_New());
  for (size_t i = 0; i < question.args.size(); ++i) {
    PyObject* object = NewOperand(question.args[i], handles);
    if (object == nullptr)
      return false;
    PyTuple_SET_ITEM(args->get(), static_cast<Py_ssize_t>(i), object);
  }
  for (const auto& [name, operand] : question.kwargs) {
    const Ref object = Ref::Steal(NewOperand(operand, handles));
    if (!object || PyDict_SetItemString(kwargs->get(), name.c_str(), object.get()) != 0)
      return false;
  }
  return true;
}

// A new list, dict or tuple of constants and of such, however deep.
bool PartsOf(PyObject* object, Argument* parts, int depth) {
  if (Constant constant; FromPython(object, &constant)) {
    parts->constant = std::move(constant);
    return true;
  }
  if (PyDict_CheckExact(object) && depth <= kMaxNesting && PyDict_GET_SIZE(object) <= kMaxGrowth) {
    parts->sequence = "dict";
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
      if (!PartsOf(key, &parts->items.emplace_back(), depth + 1) || !PartsOf(value, &parts->items.emplace_back(), depth + 1))
        return false;
    return true;
  }
  if (depth > kMaxNesting || (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || PySequence_Fast_GET_SIZE(object) > kMaxGrowth)
    return false;
  parts->sequence = PyList_CheckExact(object) ? "list" : "tuple";
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
    if (!PartsOf(PySequence_Fast_GET_ITEM(object, i), &parts->items.emplace_back(), depth + 1))
      return false;
  return true;
}

}  // namespace

namespace {

// Of keys and values in turn.
PyObject* NewDict(PyObject* items) {
  Ref dict = Ref::Steal(PyDict_New());
  for (Py_ssize_t i = 0; dict && i + 1 < PyTuple_GET_SIZE(items); i += 2)
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(items, i), PyTuple_GET_ITEM(items, i + 1)) != 0)
      return nullptr;
  return dict.release();
}

}  // namespace

PyObject* NewOperand(const Argument& operand, const HandleTable& handles) {
  if (operand.handle != model::kAbsent)
    return Py_XNewRef(handles.Find(operand.handle));
  PyObject* made = nullptr;
  if (operand.constant) {
    made = ToPython(*operand.constant);
  } else if (!operand.sequence.empty()) {
    const Ref items = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(operand.items.size())));
    for (size_t i = 0; i < operand.items.size(); ++i) {
      PyObject* item = NewOperand(operand.items[i], handles);
      if (item == nullptr)
        return nullptr;
      PyTuple_SET_ITEM(items.get(), static_cast<Py_ssize_t>(i), item);
    }
    if (operand.sequence == "list")
      made = PySequence_List(items.get());
    else if (operand.sequence == "dict")
      made = NewDict(items.get());
    else if (operand.sequence == "slice" && operand.items.size() == 3)
      made = PySlice_New(PyTuple_GET_ITEM(items.get(), 0), PyTuple_GET_ITEM(items.get(), 1), PyTuple_GET_ITEM(items.get(), 2));
    else
      made = Py_NewRef(items.get());
  }
  PyErr_Clear();
  return made;
}

AnswerItem CallPure(const model::Question& question, HandleTable& handles, Observer& observer) {
  AnswerItem item;
  if (question.symbol == "framegate:set_order") {
    Constant order;
    if (question.args.size() == 1 && question.args[0].constant.has_value() && OrderOf(*question.args[0].constant, &order))
      item.constant = std::move(order);
    return item;
  }
  std::string symbol = question.symbol;
  PyObject* function = symbol.empty() ? handles.Find(question.object) : FindSymbol(symbol);
  if (function == nullptr || (symbol.empty() && !SymbolOf(function, &symbol)))
    return item;
  const PureCall* call = FindPureCall(symbol);
  const bool is_own = symbol.starts_with("framegate._pure:");
  if (call == nullptr || (PyFunction_Check(function) != 0) != is_own || !IsModest(*call, question) ||
      !AreAllowed(question, symbol, handles))
    return item;
  Ref args, kwargs;
  if (!MakeArguments(question, handles, &args, &kwargs))
    return item;
  const Ref result = Ref::Steal(PyObject_Call(function, args.get(), kwargs.get()));
  if (!result) {
    TakeException(&item);
    return item;
  }
  if (Constant constant; FromPython(result.get(), &constant)) {
    if (Encode(constant).size() <= kMaxResult)
      item.constant = std::move(constant);
  } else if (Argument parts; PartsOf(result.get(), &parts, 0)) {
    item.result = std::move(parts);
  } else {
    item.target = observer.Visit(result.get(), kArgumentDepth);
  }
  return item;
}

bool TakeException(AnswerItem* item) {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return false;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  std::string module, qualname;
  NameOfType(Py_TYPE(value), &module, &qualname);
  item->raised_type = StrCat(module, ":", qualname);
  const Ref text = Ref::Steal(PyObject_Str(value));
  if (!text || !TextOf(text.get(), &item->raised_text))
    PyErr_Clear();
  if (const Ref args = Ref::Steal(PyObject_GetAttrString(value, "args")); args) {
    if (Constant constant; FromPython(args.get(), &constant))
      item->raised_args = std::move(constant);
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return true;
}

}  // namespace framegate::client
