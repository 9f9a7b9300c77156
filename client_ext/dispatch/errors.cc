#include "client_ext/dispatch/errors.h"

#include "client_ext/pycompat/ref.h"
#include "client_ext/region/options.h"
#include "client_ext/region/stats.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

PyObject* Text(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject* Facts(const ErrorFacts& facts, const LiveUnit& live) {
  PyCodeObject* code = live.frames.front().code;
  const bool here = facts.filename.empty();
  return Py_BuildValue("{s:s, s:N, s:N, s:N, s:N, s:N, s:i, s:O, s:k, s:N}", "kind", facts.kind, "reason", Text(EnumText(facts.reason)),
                       "what", Text(model::WhatHappens(facts.reason)), "advice", Text(model::Advice(facts.reason)), "detail",
                       Text(facts.detail), "filename", here ? Py_NewRef(code->co_filename) : Text(facts.filename), "line",
                       here ? code->co_firstlineno : facts.line, "function", code->co_qualname, "limit",
                       static_cast<unsigned long>(facts.limit), "misses", MissList(facts.misses));
}

}  // namespace

void RaiseAsked(const ErrorFacts& facts, const LiveUnit& live) {
  const Ref dict = Ref::Steal(Facts(facts, live));
  if (!dict)
    return;
  const Ref make = Options().make_error;
  if (!make) {
    PyErr_Format(PyExc_RuntimeError, "framegate: %s: %S", facts.kind, dict.get());
    return;
  }
  const Ref error = Ref::Steal(PyObject_CallOneArg(make.get(), dict.get()));
  if (error && PyExceptionInstance_Check(error.get()))
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  else if (error)
    PyErr_SetString(PyExc_TypeError, "framegate: make_error gave no exception");
}

bool IsRefusal(model::Reason reason) {
  return reason != model::Reason::kNoReason && reason != model::Reason::kUserException &&
         static_cast<int>(reason) < static_cast<int>(model::Reason::kNoGraph);
}

}  // namespace framegate::client
