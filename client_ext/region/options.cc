#include "client_ext/region/options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace framegate::client {

namespace {

using pycompat::Ref;

bool Refuse(const char* name, const char* expected) {
  PyErr_Format(PyExc_ValueError, "%s must be %s", name, expected);
  return false;
}

bool AsText(const char* name, PyObject* value, std::string* out) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (text == nullptr)
    return PyErr_Occurred() ? false : Refuse(name, "a str");
  out->assign(text, static_cast<size_t>(size));
  return true;
}

bool Read(const char* name, PyObject* value, Graphless* out) {
  std::string text;
  if (!AsText(name, value, &text))
    return false;
  if (text != "auto" && text != "always" && text != "never")
    return Refuse(name, "'auto', 'always' or 'never'");
  *out = text;
  return true;
}

bool Read(const char* name, PyObject* value, Number* out) {
  int overflow = 0;
  const long number = PyLong_Check(value) ? PyLong_AsLongAndOverflow(value, &overflow) : -1;
  if (overflow < 0 || (overflow == 0 && number < 0))
    return Refuse(name, "an int that is not negative");
  *out = static_cast<Number>(overflow > 0 ? INT32_MAX : std::min<long>(number, INT32_MAX));  // sys.maxsize is said for "no limit"
  return true;
}

bool Read(const char*, PyObject* value, Flag* out) {
  const int truth = PyObject_IsTrue(value);
  *out = truth == 1;
  return truth >= 0;
}

bool Read(const char* name, PyObject* value, Prefixes* out) {
  if (!PyTuple_Check(value))
    return Refuse(name, "a tuple of str");
  Prefixes prefixes(static_cast<size_t>(PyTuple_GET_SIZE(value)));
  for (size_t i = 0; i < prefixes.size(); ++i)
    if (!AsText(name, PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(i)), &prefixes[i]))
      return false;
  *out = std::move(prefixes);
  return true;
}

bool Read(const char* name, PyObject* value, Callback* out) {
  if (value != Py_None && !PyCallable_Check(value))
    return Refuse(name, "callable or None");
  *out = value == Py_None ? Ref() : Ref::Share(value);
  return true;
}

PyObject* Write(const Graphless& value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

PyObject* Write(const Number& value) {
  return PyLong_FromUnsignedLong(value);
}

PyObject* Write(const Flag& value) {
  return PyBool_FromLong(value);
}

PyObject* Write(const Callback& value) {
  return Py_NewRef(value ? value.get() : Py_None);
}

PyObject* Write(const Prefixes& value) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(value.size())));
  for (size_t i = 0; tuple && i < value.size(); ++i) {
    PyObject* text = Write(value[i]);
    if (text == nullptr)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), text);
  }
  return tuple.release();
}

void Default(Graphless* out, const char* value) {
  *out = value;
}

void Default(Number* out, long value) {
  *out = static_cast<Number>(value);
}

void Default(Flag* out, bool value) {
  *out = value;
}

void Default(Prefixes*, const char*) {}

void Default(Callback*, const char*) {}

ProcessOptions& Mutable() {
  static ProcessOptions* options = [] {
    auto* made = new ProcessOptions;  // never destroyed: it holds Python objects
#define FRAMEGATE_OPTION(member, name, kind, value) Default(&made->member, value);
#include "client_ext/region/options.def"
#undef FRAMEGATE_OPTION
    return made;
  }();
  return *options;
}

PyObject* Item(PyObject* dict, const char* name) {
  PyObject* value = PyDict_GetItemString(dict, name);
  return value == Py_None ? nullptr : value;
}

}  // namespace

const ProcessOptions& Options() {
  return Mutable();
}

PyObject* SetOption(PyObject* name, PyObject* value) {
  Ref before = Ref::Steal(GetOption(name));
  if (!before)
    return nullptr;
  const std::string_view wanted = PyUnicode_AsUTF8(name);
#define FRAMEGATE_OPTION(member, text, kind, initial) \
  if (wanted == text) {                               \
    kind parsed;                                      \
    if (!Read(text, value, &parsed))                  \
      return nullptr;                                 \
    std::swap(Mutable().member, parsed);              \
  }
#include "client_ext/region/options.def"
#undef FRAMEGATE_OPTION
  ++Mutable().version;
  return before.release();
}

PyObject* GetOption(PyObject* name) {
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (text == nullptr) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "an option's name must be a str");
    return nullptr;
  }
#define FRAMEGATE_OPTION(member, known, kind, initial) \
  if (std::string_view(text) == known)                 \
    return Write(Options().member);
#include "client_ext/region/options.def"
#undef FRAMEGATE_OPTION
  PyErr_Format(PyExc_ValueError, "unknown option %R", name);
  return nullptr;
}

bool ParseRegionOptions(PyObject* dict, RegionOptions* options) {
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "a region's options must be a dict");
    return false;
  }
  options->dict = Ref::Share(dict);
  for (auto [name, member] : {std::pair{"backend", &options->backend}, std::pair{"guard_filter", &options->guard_filter},
                              std::pair{"on_limit", &options->on_limit}})
    if (PyObject* value = Item(dict, name); value != nullptr && !Read(name, value, member))
      return false;
  if (PyObject* value = Item(dict, "fullgraph"); value != nullptr && !Read("fullgraph", value, &options->fullgraph))
    return false;
  if (PyObject* value = Item(dict, "name"); value != nullptr && !AsText("name", value, &options->name))
    return false;
  if (PyObject* value = Item(dict, "recompile_limit"); value != nullptr) {
    Number limit = 0;
    if (!Read("recompile_limit", value, &limit))
      return false;
    options->recompile_limit = limit;
  }
  if (PyObject* value = Item(dict, "dynamic"); value != nullptr) {
    if (!AsText("dynamic", value, &options->dynamic))
      return false;
    if (options->dynamic != "auto" && options->dynamic != "true" && options->dynamic != "false")
      return Refuse("dynamic", "'auto', 'true' or 'false'");
  }
  return true;
}

}  // namespace framegate::client
