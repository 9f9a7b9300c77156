#include "client_ext/torch_bridge/slow_objects.h"

namespace framegate::client {

namespace {

Ref Kept(PyObject* result) {
  if (result == nullptr)
    PyErr_Clear();
  return Ref::Steal(result);
}

}  // namespace

Ref FindSymbol(const char* symbol) {
  std::string_view text(symbol);
  const size_t colon = text.find(':');
  const std::string module(text.substr(0, colon));
  Ref object = Ref::Share(PyDict_GetItemString(PyImport_GetModuleDict(), module.c_str()));
  text.remove_prefix(colon + 1);
  while (object && !text.empty()) {
    const size_t dot = std::min(text.find('.'), text.size());
    object = Attribute(object.get(), std::string(text.substr(0, dot)).c_str());
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return object;
}

Ref Attribute(PyObject* object, const char* name) {
  return Kept(PyObject_GetAttrString(object, name));
}

Ref CallSymbol(const char* symbol, std::initializer_list<PyObject*> arguments) {
  Ref function = FindSymbol(symbol);
  return function ? Kept(PyObject_Vectorcall(function.get(), arguments.begin(), arguments.size(), nullptr)) : Ref();
}

Ref CallMethod(PyObject* object, const char* name) {
  return Kept(PyObject_CallMethod(object, name, nullptr));
}

bool IsTrue(const Ref& object) {
  const int answer = object ? PyObject_IsTrue(object.get()) : 0;
  if (answer < 0)
    PyErr_Clear();
  return answer > 0;
}

int64_t IntOf(const Ref& object, int64_t otherwise) {
  if (!object || !PyLong_Check(object.get()))
    return otherwise;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.get(), &overflow);
  return overflow == 0 ? value : otherwise;
}

std::string StrOf(const Ref& object) {
  Ref text = object ? Kept(PyObject_Str(object.get())) : Ref();
  const char* bytes = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (bytes == nullptr)
    PyErr_Clear();
  return bytes != nullptr ? bytes : "";
}

}  // namespace framegate::client
