#include "client_ext/link/code.h"

#include "client_ext/capture/code.h"
#include "client_ext/link/positions.h"
#include "client_ext/pycompat/code.h"
#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

Ref Bytes(const std::string& bytes) {
  return Ref::Steal(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

PyObject* Name(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
}

template <typename T, typename F>
Ref TupleOf(const std::vector<T>& items, F make) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; tuple && i < items.size(); ++i) {
    PyObject* item = make(items[i]);
    if (item == nullptr)
      return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

PyCodeObject* New(const model::NewCode& code, const std::string& lines, const pycompat::PlainCode& shown) {
  const model::CodeImage& image = code.image;
  const Ref bytes = Bytes(image.code), consts = TupleOf(image.consts, ToPython), names = TupleOf(image.names, Name),
            locals = TupleOf(image.localsplusnames, Name), line_table = Bytes(lines), handlers = Bytes("");
  if (!bytes || !consts || !names || !locals || !line_table || !handlers)
    return nullptr;
  pycompat::PlainCode parts = shown;
  parts.argcount = static_cast<int>(image.argcount);
  parts.posonlyargcount = static_cast<int>(image.posonlyargcount);
  parts.kwonlyargcount = static_cast<int>(image.kwonlyargcount);
  parts.flags = static_cast<int>(image.flags & (CO_VARARGS | CO_VARKEYWORDS)) | CO_OPTIMIZED | CO_NEWLOCALS;
  parts.stacksize = static_cast<int>(image.stacksize);
  parts.code = bytes.get();
  parts.consts = consts.get();
  parts.names = names.get();
  parts.locals = locals.get();
  parts.linetable = line_table.get();
  parts.exceptiontable = handlers.get();
  return pycompat::NewPlainCode(parts);
}

}  // namespace

PyCodeObject* NewCodeObject(const model::NewCode& code, PyCodeObject* original) {
  pycompat::PlainCode shown;
  shown.filename = original->co_filename;
  shown.name = original->co_name;
  shown.qualname = original->co_qualname;
  shown.firstlineno = original->co_firstlineno;
  return New(code, LocationTable(code.origins, PlacesOf(original), original->co_firstlineno), shown);
}

PyCodeObject* NewForwardCode(const model::NewCode& code) {
  const Ref filename = Ref::Steal(Name(code.image.filename)), name = Ref::Steal(Name(code.image.name)),
            qualname = Ref::Steal(Name(code.image.qualname));
  if (!filename || !name || !qualname)
    return nullptr;
  pycompat::PlainCode shown;
  shown.filename = filename.get();
  shown.name = name.get();
  shown.qualname = qualname.get();
  shown.firstlineno = code.image.firstlineno;
  return New(code, LocationTable(std::vector<uint32_t>(code.image.units(), UINT32_MAX), {}, shown.firstlineno), shown);
}

}  // namespace framegate::client
