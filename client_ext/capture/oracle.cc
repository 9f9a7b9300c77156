#include "client_ext/capture/oracle.h"

#include "base/strings.h"
#include "client_ext/capture/pure_calls.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/symbols.h"

namespace framegate::client {

namespace {

using model::AnswerItem;
using Argument = model::Operand;
using model::TensorFacts;
using pycompat::Ref;

PyObject* ToObject(bool value) {
  return PyBool_FromLong(value);
}

PyObject* ToObject(int64_t value) {
  return PyLong_FromLongLong(value);
}

PyObject* ToObject(uint64_t value) {
  return PyLong_FromUnsignedLongLong(value);
}

PyObject* ToObject(const std::string& value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

PyObject* ToObject(const std::vector<int64_t>& values) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  for (size_t i = 0; tuple != nullptr && i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  return tuple;
}

bool FromObject(PyObject* object, bool* value) {
  *value = object == Py_True;
  return PyBool_Check(object);
}

bool FromObject(PyObject* object, int64_t* value) {
  *value = PyLong_AsLongLong(object);
  return !PyErr_Occurred();
}

bool FromObject(PyObject* object, uint64_t* value) {
  *value = PyLong_AsUnsignedLongLong(object);
  return !PyErr_Occurred();
}

bool FromObject(PyObject* object, std::string* value) {
  return TextOf(object, value);
}

bool FromObject(PyObject* object, std::vector<int64_t>* values) {
  if (!PyTuple_Check(object))
    return false;
  values->resize(static_cast<size_t>(PyTuple_GET_SIZE(object)));
  for (size_t i = 0; i < values->size(); ++i)
    if (!FromObject(PyTuple_GET_ITEM(object, static_cast<Py_ssize_t>(i)), &(*values)[i]))
      return false;
  return true;
}

// The fields of TensorFacts in order, into a tuple and out of one.
struct FieldWriter {
  template <typename T>
  void operator()(const char*, const T& value) {
    PyObject* object = fields == nullptr ? nullptr : ToObject(value);
    if (object == nullptr || PyList_Append(fields, object) != 0)
      failed = true;
    Py_XDECREF(object);
  }

  PyObject* fields;
  bool failed = false;
};

struct FieldReader {
  template <typename T>
  void operator()(const char*, T& value) {
    ok = ok && at < PyTuple_GET_SIZE(fields) && FromObject(PyTuple_GET_ITEM(fields, at), &value);
    ++at;
  }

  PyObject* fields;
  Py_ssize_t at = 0;
  bool ok = true;
};

class Oracle {
 public:
  Oracle(PyObject* infer, PyObject* meta, const HandleTable& handles) : infer_(infer), meta_(meta), handles_(handles) {}

  // A new reference; null where it cannot be made.
  PyObject* NewArgument(const Argument& operand) const {
    if (operand.tensor)
      return NewTensor(*operand.tensor);
    if (operand.sequence.empty())
      return NewOperand(operand, handles_);
    const Ref items = Ref::Steal(PyList_New(0));
    for (const Argument& item : operand.items) {
      const Ref object = Ref::Steal(NewArgument(item));
      if (!object || PyList_Append(items.get(), object.get()) != 0)
        return nullptr;
    }
    if (operand.sequence == "list")
      return Py_NewRef(items.get());
    if (operand.sequence == "slice" && operand.items.size() == 3)
      return PySlice_New(PyList_GET_ITEM(items.get(), 0), PyList_GET_ITEM(items.get(), 1), PyList_GET_ITEM(items.get(), 2));
    return PyList_AsTuple(items.get());
  }

  bool ReadResult(PyObject* object, Argument* operand, int depth = 0) const {
    if (Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(meta_)) {
      FieldReader reader{object};
      TensorFacts::VisitFields(reader, operand->tensor.emplace());
      return reader.ok;
    }
    if (!PyTuple_Check(object) && !PyList_Check(object))
      return FromPython(object, &operand->constant.emplace());
    operand->sequence = PyList_Check(object) ? "list" : "tuple";
    if (std::string module, name; PyTuple_Check(object) && !PyTuple_CheckExact(object) && NameOfType(Py_TYPE(object), &module, &name))
      operand->sequence = StrCat(module, ":", name);  // named results
    for (Py_ssize_t i = 0; i < Py_SIZE(object); ++i)
      if (depth > kMaxNesting || !ReadResult(PySequence_Fast_GET_ITEM(object, i), &operand->items.emplace_back(), depth + 1))
        return false;
    return true;
  }

  // (result, place of the argument that it is or -1, arguments afterwards)
  void ReadAnswer(PyObject* object, AnswerItem* item) const {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 3 || !PyTuple_Check(PyTuple_GET_ITEM(object, 2)))
      return;
    Argument result;
    if (!ReadResult(PyTuple_GET_ITEM(object, 0), &result))
      return;
    item->result = std::move(result);
    if (const long same = PyLong_AsLong(PyTuple_GET_ITEM(object, 1)); same >= 0)
      item->same_as = static_cast<uint32_t>(same);
    PyObject* after = PyTuple_GET_ITEM(object, 2);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(after); ++i)
      if (Argument& argument = item->after.emplace_back(); PyTuple_GET_ITEM(after, i) != Py_None)
        ReadResult(PyTuple_GET_ITEM(after, i), &argument);
  }

  // A new reference, or null, with or without an exception set.
  PyObject* Call(const model::Question& question) const {
    const Ref args = Ref::Steal(PyList_New(0)), kwargs = Ref::Steal(PyDict_New()), ambient = Ref::Steal(ToPython(question.ambient));
    for (const Argument& operand : question.args) {
      const Ref object = Ref::Steal(NewArgument(operand));
      if (!object || PyList_Append(args.get(), object.get()) != 0)
        return nullptr;
    }
    for (const auto& [name, operand] : question.kwargs) {
      const Ref object = Ref::Steal(NewArgument(operand));
      if (!object || PyDict_SetItemString(kwargs.get(), name.c_str(), object.get()) != 0)
        return nullptr;
    }
    const Ref tuple = Ref::Steal(PyList_AsTuple(args.get()));
    if (!tuple || !ambient)
      return nullptr;
    return PyObject_CallFunction(infer_, "sOOO", question.symbol.c_str(), tuple.get(), kwargs.get(), ambient.get());
  }

 private:
  PyObject* NewTensor(const TensorFacts& facts) const {
    const Ref list = Ref::Steal(PyList_New(0));
    FieldWriter writer{list.get()};
    TensorFacts::VisitFields(writer, facts);
    const Ref args = Ref::Steal(writer.failed ? nullptr : PyList_AsTuple(list.get()));
    return args ? PyObject_CallObject(meta_, args.get()) : nullptr;
  }

  PyObject* infer_;
  PyObject* meta_;
  const HandleTable& handles_;
};

}  // namespace

absl::StatusOr<AnswerItem> AskOracle(const model::Question& question, const HandleTable& handles) {
  AnswerItem item;
  const Ref module = Ref::Steal(PyImport_ImportModule("framegate._oracle"));
  const Ref infer = Ref::Steal(module ? PyObject_GetAttrString(module.get(), "answer") : nullptr);
  const Ref meta = Ref::Steal(infer ? PyObject_GetAttrString(module.get(), "TensorMeta") : nullptr);
  if (!meta || !PyType_Check(meta.get())) {
    PyErr_Clear();
    return item;
  }
  const Oracle oracle(infer.get(), meta.get(), handles);
  const Ref result = Ref::Steal(oracle.Call(question));
  if (result) {
    oracle.ReadAnswer(result.get(), &item);
    PyErr_Clear();
  } else if (PyErr_Occurred() && !TakeException(&item)) {
    return absl::CancelledError("the oracle was interrupted");
  }
  return item;
}

}  // namespace framegate::client
